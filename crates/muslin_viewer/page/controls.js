// The panel, the tools and the words around the picture.

import { count, short } from "./format.js";

const NOTICE = 6000; // how long a notice stays [ms]
const by = (id) => document.getElementById(id);

export class Controls {
  constructor(session, connection, touch, timeline, look, redraw) {
    Object.assign(this, { session, connection, touch, timeline, look, redraw });
    this.noticeTimer = 0;
    this.switches();
    this.tools();
    by("save").addEventListener("click", () => connection.say("save"));
    by("reset").addEventListener("click", () => connection.say("reset"));
    by("field").addEventListener("change", () => this.colourBy(by("field").value));
    session.on("hello", (hello) => this.begin(hello));
    session.on("state", (state) => this.showState(state));
    session.on("refused", ({ reason }) => this.notice(reason));
    session.on("missing", ({ frame, reason }) => this.notice(`Frame ${frame} cannot be shown: ${reason}`));
    session.on("saved", ({ text }) => this.download(text));
    session.on("vertex", (numbers) => this.showVertex(numbers));
    session.on("hello", () => by("picked-notes").replaceChildren());
    session.on("grabs", (grabs) => { by("let-go").hidden = !grabs.length; });
  }

  begin(hello) {
    const live = hello.mode === "live", run = hello.runs[0];
    by("name").textContent = hello.runs.length > 1 ? "Two runs" : run?.name ?? hello.title;
    by("description").textContent = run?.description ?? "";
    document.title = `${run?.name ?? hello.title} · Muslin`;
    by("file-section").hidden = !live && hello.runs.length > 0;
    by("save").hidden = !live || !run || run.faulty === true;
    by("tools").hidden = !run || run.faulty === true;
    // A recording can be looked at and read, not touched.
    for (const tool of document.querySelectorAll("#tools .for-hands")) tool.hidden = !live;
    if (this.mode !== hello.mode) this.use(live ? "hand" : "pick");
    this.mode = hello.mode;
    by("picked").hidden = true;
    by("speed-name").textContent = live ? "Speed" : "Rate";
    const labels = by("run-labels");
    labels.hidden = hello.runs.length < 2;
    hello.runs.slice(0, 2).forEach((info, k) => { labels.children[k].textContent = info.name; });
    const field = by("field"), chosen = field.value;
    field.replaceChildren(...hello.fields.map(({ name }) => new Option(name, name)));
    const again = hello.fields.some(({ name }) => name === chosen) && chosen !== hello.fields[0].name;
    if (again) this.colourBy(chosen);
    this.drawLegend();
    // A server that has come back does not know what was wanted of the old one.
    if (live && this.look.contacts) this.connection.say("contacts", { shown: true });
    if (live && this.look.boxes) this.askBoxes();
    const long = ({ frames, framesPerSecond }) => (live ? "" : `, ${count(frames + 1)} frames, ${short(framesPerSecond)} per second`);
    by("counts").textContent = hello.runs.map((info) => `${count(info.triangles)} triangles, ${count(info.vertices)} vertices${long(info)}`).join(" · ");
    // Which vertices were pinned is not recorded.
    by("pins").closest("label").hidden = !live;
  }

  switches() {
    for (const name of ["weave", "shadows", "wireframe", "pins", "normals", "boxes", "contacts"]) {
      const box = by(name);
      box.checked = this.look[name];
      box.addEventListener("change", () => {
        this.look[name] = box.checked;
        if (name === "boxes") this.askBoxes();
        if (name === "contacts") this.connection.say("contacts", { shown: box.checked });
        this.redraw();
      });
    }
    by("level").addEventListener("change", () => this.askBoxes());
  }

  // Which boxes of the broad phase the server is to send.
  askBoxes() {
    const { boxes } = this.look;
    by("level-row").hidden = !boxes;
    this.connection.say("boxes", { level: boxes ? Number(by("level").value) : null });
  }

  // What only a scene with contact has.
  showContact({ handled = false, levels = 0 } = {}) {
    for (const label of document.querySelectorAll(".of-contact")) label.hidden = !handled;
    const level = by("level");
    by("boxes").closest("label").hidden = !levels;
    if (level.options.length === levels) return;
    const word = (k) => (k === 0 ? "triangles" : k === levels - 1 ? "top" : `${k}`);
    level.replaceChildren(...Array.from({ length: levels }, (_, k) => new Option(word(k), k)));
    level.value = Math.min(1, levels - 1);
  }

  tools() {
    for (const button of document.querySelectorAll("[data-tool]")) {
      if (button.id !== "canvas") button.addEventListener("click", () => this.use(button.dataset.tool));
    }
    by("keep").addEventListener("click", () => this.toggleKeep());
    by("let-go").addEventListener("click", () => this.touch.letGoAll());
    this.use("hand");
  }

  use(tool) {
    if (this.session.mode === "playback" && (tool === "hand" || tool === "pin")) return;
    this.touch.tool = tool;
    by("canvas").dataset.tool = tool;
    for (const button of document.querySelectorAll("#tools [data-tool]")) {
      button.setAttribute("aria-checked", String(button.dataset.tool === tool));
    }
  }

  toggleKeep() {
    this.touch.keep = !this.touch.keep;
    by("keep").setAttribute("aria-pressed", String(this.touch.keep));
  }

  colourBy(name) {
    by("field").value = name;
    this.connection.say("field", { name });
    if (this.session.mode === "playback") this.timeline.askAgain();
    this.redraw();
  }

  nextField() {
    const field = by("field");
    this.colourBy(field.options[(field.selectedIndex + 1) % field.options.length].value);
  }

  // The legend of what is drawn now.
  showLegend() {
    const { cloth } = this.session;
    if (!cloth) return;
    const { caption } = cloth, legend = by("legend");
    if (legend.hidden !== (caption.field === 0)) legend.hidden = caption.field === 0;
    if (caption.field === 0) return;
    const high = this.session.highest;
    if (this.shownHigh === high && this.shownField === caption.field) return;
    [this.shownHigh, this.shownField] = [high, caption.field];
    const { name, unit } = this.session.fields[caption.field];
    const inWords = name === "friction";
    by("legend-low").textContent = inWords ? "free" : "0";
    by("legend-high").textContent = inWords ? "slips" : name === "strain" ? `${short(100 * high)} %` : short(high);
    by("legend-unit").textContent = inWords ? "sticks" : unit;
  }

  drawLegend() {
    const pen = by("legend-bar").getContext("2d"), picture = pen.createImageData(256, 1);
    const bytes = this.session.hello.colours.match(/../g).map((two) => parseInt(two, 16));
    for (let k = 0; k < 256; k++) picture.data.set([bytes[3 * k], bytes[3 * k + 1], bytes[3 * k + 2], 255], 4 * k);
    pen.putImageData(picture, 0, 0);
  }

  showState(state) {
    by("faults").hidden = !state.faults.length;
    // New faults come into sight.
    const told = state.faults.map((fault) => fault.message).join("\n");
    if (told && told !== this.told) by("panel").scrollTop = 0;
    this.told = told;
    by("fault-list").replaceChildren(...state.faults.map((fault) => this.faultRow(fault)));
    by("changed").hidden = !state.changed;
    by("beside").hidden = !state.beside;
    by("beside").textContent = state.beside ? `Save it in ${state.beside}: it names files there.` : "";
    this.showContact(state.contact);
    // Hands make cloth cross only where nothing prevents it, and that is said.
    by("no-contact").hidden = state.contact?.handled !== false;
    const pins = state.pins.map((pin, number) => this.pinRow(pin, number));
    if (state.held.length) pins.push(item(`${state.held.length} by hand`));
    by("pin-section").hidden = !pins.length;
    by("pin-list").replaceChildren(...pins);
    if (state.faults.length && document.body.classList.contains("no-panel")) by("panel-toggle").click();
  }

  // A click on a fault that has a place turns the camera to it.
  faultRow({ message, vertices, triangles }) {
    const row = item(message);
    row.addEventListener("click", () => {
      const surface = this.session.cloth, place = [0, 0, 0];
      const drawn = !surface ? -1 : vertices.length ? surface.drawnOf(vertices[0]) : surface.part.triangles[3 * triangles[0]] ?? -1;
      if (drawn < 0) return;
      this.touch.camera.face(surface.place(place, drawn));
      this.redraw();
    });
    return row;
  }

  pinRow(pin, number) {
    const row = item("");
    const name = document.createElement("span");
    name.textContent = pin.cut ? `${pin.cloth}: let go` : `${pin.cloth}: ${pin.vertices.length} vertices`;
    row.append(name);
    if (!pin.cut) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Cut";
      button.dataset.pin = number;
      button.title = "Let this pin go now";
      button.addEventListener("click", () => this.connection.say("cut", { pin: number }));
      row.append(button);
    }
    return row;
  }

  showVertex(numbers) {
    by("picked").hidden = false;
    const speed = Math.hypot(...numbers.velocity);
    const rows = [
      ["number", `${numbers.number} of ${numbers.body}`],
      ["place", `${numbers.position.map((p) => p.toFixed(3).replace("-", "−")).join(", ")} m`],
      ["speed", `${short(speed)} m/s`], ["mass", numbers.mass === undefined ? "–" : `${short(numbers.mass * 1e6)} mg`],
      ["strain", numbers.strain === undefined ? "–" : `${short(100 * numbers.strain)} %`],
      ["shear", numbers.shear === undefined ? "–" : `${short(numbers.shear)} rad`],
      ["curvature", numbers.curvature === undefined ? "–" : `${short(numbers.curvature)} 1/m`],
    ];
    if (numbers.residual !== undefined) rows.push(["residual", `${short(numbers.residual)} rad`]);
    if (numbers.contact) rows.push(["contact", numbers.contact.gap === null ? "none" : `${short(1e3 * numbers.contact.gap)} mm, ${numbers.contact.slips ? "slips" : "sticks"}`]);
    by("picked-numbers").replaceChildren(...rows.flatMap(([name, value]) => {
      const term = document.createElement("dt"), text = document.createElement("dd");
      term.textContent = name;
      text.textContent = value;
      return [term, text];
    }));
    by("picked-notes").replaceChildren(...(numbers.notes ?? []).map(paragraph));
  }

  notice(text) {
    const notice = by("notice");
    notice.textContent = text;
    notice.hidden = false;
    clearTimeout(this.noticeTimer);
    this.noticeTimer = setTimeout(() => { notice.hidden = true; }, NOTICE);
  }

  download(text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/toml" }));
    link.download = `${this.session.runs[0]?.info.name ?? "scene"}.toml`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
}

// A sentence of its own; options that are to be typed stay on one line.
export function paragraph(text) {
  const it = document.createElement("p");
  for (const part of text.split(/(--\w+ [\w,]+)/)) {
    const word = document.createElement("span");
    word.textContent = part;
    word.classList.toggle("typed", part.startsWith("--"));
    it.append(word);
  }
  return it;
}

function item(text) {
  const it = document.createElement("li");
  it.textContent = text;
  return it;
}
