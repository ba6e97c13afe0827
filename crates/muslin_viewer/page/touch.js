// What pointers do on the picture: look around, pull, pin, pick.

import { pick } from "./picking.js";

const HANDLE_REACH = 18;   // pixels around a kept grab's ring
const STILL = 6;           // pixels that a pointer may move while it clicks
const TURN = 5;            // radians across the picture's height

export class Touch {
  constructor(canvas, session, connection, camera, drawing, overlays, redraw) {
    Object.assign(this, { canvas, session, connection, camera, drawing, overlays, redraw });
    this.tool = "hand";
    this.keep = false;
    this.grabs = [];          // { id, drawn, vertex, target, pointer: number or null }
    this.nextId = 1;
    this.pointers = new Map(); // id → { x, y, what }
    this.picked = null;       // { vertex, other, run, frame }: the frame of a recording whose numbers were asked for
    this.viewUnder = 0;       // number of the view that the pointer was in last
    this.point = [0, 0, 0];
    this.screen = [0, 0];
    const on = (name, act) => canvas.addEventListener(name, act);
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", (event) => this.up(event));
    on("wheel", (event) => this.wheel(event));
    on("contextmenu", (event) => event.preventDefault());
    session.on("hello", () => this.forget());
    session.on("state", (state) => this.reconcile(state));
  }

  get canTouch() {
    return this.session.mode === "live" && this.session.cloth !== null && !this.session.runs[0].info.faulty;
  }

  // The pointer in the first view, -1 to 1 upwards.
  inView(event) {
    const box = this.canvas.getBoundingClientRect(), views = this.drawing.views;
    const scale = this.canvas.width / box.width;
    const x = (event.clientX - box.left) * scale, y = this.canvas.height - (event.clientY - box.top) * scale;
    // Runs beside each other share the camera: the place within its own view counts.
    const k = this.session.runs.length > 1 && (x >= views[4] && views[4] > 0 || y < views[1]) ? 1 : 0;
    this.viewUnder = k;
    this.screen[0] = 2 * (x - views[4 * k]) / views[4 * k + 2] - 1;
    this.screen[1] = 2 * (y - views[4 * k + 1]) / views[4 * k + 3] - 1;
    return this.screen;
  }

  under(event) {
    const [x, y] = this.inView(event), run = this.session.runs[this.viewUnder];
    if (!run?.ready) return null;
    const { moving: surface, info: { bodies } } = run;
    return pick(surface, this.camera, x, y, (body) => bodies[body]?.kind === "cloth");
  }

  // A kept grab whose ring is under the pointer.
  handleUnder(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = this.inView(event);
    const place = [0, 0];
    return this.grabs.find((grab) => grab.pointer === null && this.camera.place(place, grab.target)
      && Math.hypot((place[0] - x) * box.width / 2, (place[1] - y) * box.height / 2) < HANDLE_REACH);
  }

  down(event) {
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.classList.add("dragging");
    const pointer = { x: event.clientX, y: event.clientY, moved: 0, what: "orbit", grab: null };
    this.pointers.set(event.pointerId, pointer);
    const looking = [...this.pointers.values()].filter((p) => p.what !== "grab");
    if (looking.length > 1) {
      looking.forEach((p) => { p.what = "pinch"; });
      return;
    }
    if (event.button === 2 || event.button === 1 || event.ctrlKey) {
      pointer.what = "pan";
    } else if (this.tool === "hand" && this.canTouch) {
      const handle = this.handleUnder(event);
      const hit = handle ? null : this.under(event);
      if (handle) this.hold(pointer, handle, event.pointerId);
      else if (hit) this.hold(pointer, this.grab(hit), event.pointerId);
    } else if (this.tool === "pin" || this.tool === "pick") {
      pointer.what = this.under(event) ? "click" : "orbit";
    }
  }

  grab(hit) {
    const grab = { id: this.nextId++, drawn: hit.drawn, vertex: hit.vertex, target: [0, 0, 0], pointer: null };
    this.session.cloth.place(grab.target, hit.drawn);
    this.grabs.push(grab);
    this.connection.say("grab", { id: grab.id, vertex: grab.vertex, target: grab.target });
    return grab;
  }

  hold(pointer, grab, id) {
    pointer.what = "grab";
    pointer.grab = grab;
    grab.pointer = id;
    this.redraw();
  }

  move(event) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) {
      if (event.pointerType === "mouse" && event.buttons === 0) this.hover(event);
      return;
    }
    const height = this.canvas.clientHeight;
    const dx = (event.clientX - pointer.x) / height, dy = (event.clientY - pointer.y) / height;
    pointer.moved += Math.hypot(dx, dy) * height;
    if (pointer.what === "grab") this.pull(pointer.grab, dx, dy);
    else if (pointer.what === "pan") this.camera.pan(dx, dy);
    else if (pointer.what === "pinch") this.pinch(pointer, event, dx, dy);
    else if (pointer.what === "orbit") this.camera.orbit(TURN * dx, TURN * dy);
    else if (pointer.what === "click" && pointer.moved >= STILL) pointer.what = "orbit";
    pointer.x = event.clientX;
    pointer.y = event.clientY;
    this.redraw();
  }

  // A hand moves in the plane through what it holds, parallel to the picture.
  pull(grab, dx, dy) {
    const { view, eye, projection } = this.camera;
    let depth = 0;
    for (let k = 0; k < 3; k++) depth -= (grab.target[k] - eye[k]) * view[4 * k + 2];
    const span = 2 * depth / projection[5];
    for (let k = 0; k < 3; k++) grab.target[k] += span * (dx * view[4 * k] - dy * view[4 * k + 1]);
    this.tellTarget(grab);
  }

  tellTarget(grab) {
    this.connection.say("move", { id: grab.id, target: grab.target });
  }

  pinch(pointer, event, dx, dy) {
    const other = [...this.pointers.values()].find((p) => p !== pointer && p.what === "pinch");
    if (!other) return this.camera.orbit(TURN * dx, TURN * dy);
    const before = Math.hypot(pointer.x - other.x, pointer.y - other.y);
    const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
    if (before > 0 && after > 0) this.camera.zoom(before / after);
    this.camera.pan(dx / 2, dy / 2);
  }

  up(event) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return;
    this.pointers.delete(event.pointerId);
    if (!this.pointers.size) this.canvas.classList.remove("dragging");
    if (pointer.what === "grab") {
      pointer.grab.pointer = null;
      if (!(event.shiftKey || this.keep)) this.letGo(pointer.grab);
    } else if (pointer.what === "click") {
      this.click(event);
    }
    this.session.tell("grabs", this.grabs);
    this.redraw();
  }

  click(event) {
    const hit = this.under(event);
    if (!hit) return;
    if (this.tool === "pick") return this.pickVertex(hit.vertex, hit.other);
    if (!this.canTouch) return;
    const { pins, held } = this.session.state;
    const isHeld = held.includes(hit.vertex) || pins.some((pin) => pin.vertices.includes(hit.vertex));
    this.connection.say(isHeld ? "unpin" : "pin", { vertex: hit.vertex });
  }

  pickVertex(vertex, other) {
    const run = this.viewUnder;
    this.picked = { vertex, other, run, frame: -1 };
    this.overlays.pick(vertex, run);
    this.session.tell("picked", vertex);
    if (this.session.mode === "live") this.connection.say("pick", { vertex, other });
    else this.connection.say("loop", { run, vertex, other });
    this.follow();
    this.redraw();
  }

  // Asks for the numbers of what is picked in the frame of a recording that is shown now; a live scene tells them by itself.
  follow() {
    const { picked, session } = this;
    if (!picked || session.mode !== "playback") return;
    const { frame } = session.runs[picked.run].moving.caption;
    if (frame === picked.frame) return;
    picked.frame = frame;
    this.connection.say("pick", picked);
  }

  wheel(event) {
    event.preventDefault();
    const factor = Math.exp(event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015));
    const held = this.grabs.find((grab) => grab.pointer !== null);
    if (held) {
      // Nearer or farther along the view.
      const { eye } = this.camera;
      for (let k = 0; k < 3; k++) held.target[k] = eye[k] + (held.target[k] - eye[k]) / factor;
      this.tellTarget(held);
    } else {
      this.camera.zoom(factor);
    }
    this.redraw();
  }

  hover(event) {
    const over = this.tool === "hand" && this.canTouch && this.under(event) ? "cloth" : "";
    if (this.canvas.dataset.over !== over) this.canvas.dataset.over = over;
  }

  letGo(grab) {
    this.grabs.splice(this.grabs.indexOf(grab), 1);
    this.connection.say("release", { id: grab.id });
  }

  letGoAll() {
    for (const grab of [...this.grabs]) this.letGo(grab);
    this.session.tell("grabs", this.grabs);
    this.redraw();
  }

  forget() {
    this.grabs.length = 0;
    this.picked = null;
    for (const pointer of this.pointers.values()) pointer.what = "orbit";
    this.session.tell("grabs", this.grabs);
  }

  // The server lets go of everything at a restart.
  reconcile(state) {
    const mine = new Set(state.grabs.filter((grab) => grab.client === this.session.client).map((grab) => grab.id));
    const lost = this.grabs.filter((grab) => !mine.has(grab.id) && grab.told);
    for (const grab of this.grabs) grab.told ||= mine.has(grab.id);
    if (!lost.length) return;
    this.grabs = this.grabs.filter((grab) => !lost.includes(grab));
    for (const pointer of this.pointers.values()) if (lost.includes(pointer.grab)) pointer.what = "orbit";
    this.session.tell("grabs", this.grabs);
  }
}
