// Puts the parts together and draws when there is something new.

import { Camera } from "./camera.js";
import { Connection } from "./connection.js";
import { Controls } from "./controls.js";
import { Dials } from "./dials.js";
import { Drawing, linear } from "./drawing.js";
import { context, loadShaders } from "./graphics.js";
import { listen } from "./keyboard.js";
import { Loop } from "./loop.js";
import { Overlays } from "./overlays.js";
import { COARSENESS, Pace } from "./pace.js";
import { Plots } from "./plots.js";
import { Session } from "./session.js";
import { Timeline } from "./timeline.js";
import { Touch } from "./touch.js";

const by = (id) => document.getElementById(id);
const MOST_PIXELS = 2; // of the screen per one of the page: more costs and is not seen
const RING = 16, PIN = 9; // sizes of marks, in pixels of the page
const WORDS_EVERY = 100; // between two changes of the words that follow the frames [ms]

const canvas = by("canvas");
const look = { weave: true, shadows: true, wireframe: false, pins: true, normals: false, boxes: false, contacts: false, dark: false, pixels: 1, quality: 0, castsShadows: true, fewer: 0, adapts: true, ringSize: new Float32Array(1), pinSize: new Float32Array(1) };

let dirty = true;
const redraw = () => { dirty = true; };
let resized = () => {}; // what else depends on the size of the picture

async function begin() {
  const gl = context(canvas);
  const shaders = await loadShaders();
  const session = new Session(gl), camera = new Camera(), overlays = new Overlays(gl, session);
  const drawing = new Drawing(gl, shaders, session, overlays, camera, look);
  const connection = new Connection((message) => session.hear(message), (state) => {
    if (state === "open") session.connected();
    by("link").dataset.state = state;
    by("link").textContent = state === "open" ? "connected" : "server gone, looking for it";
  });
  const parts = {
    play: by("play"), step: by("step"), restart: by("restart"), slider: by("timeline"), speed: by("speed"),
    time: by("time"), loop: by("loop"), loopLabel: by("loop-label"),
  };
  const timeline = new Timeline(parts, session, connection, redraw);
  const touch = new Touch(canvas, session, connection, camera, drawing, overlays, redraw);
  const controls = new Controls(session, connection, touch, timeline, look, redraw);
  new Dials(by("dials"), session, connection);
  const loop = new Loop(by("hinge"), by("hinge-numbers"), by("hinge-note"), session);
  const plots = new Plots(by("plot-section"), by("plots"), by("series-notes"), session);

  let shownName = null;
  session.on("hello", ({ title, runs }) => {
    // After a reset or a reconnection the view stays where somebody put it, unless the meshes are others.
    const name = `${title}, ${runs[0]?.vertices}`;
    if (runs[0]?.view && name !== shownName) {
      camera.stand(runs[0].view, Math.max(...runs.map((run) => run.view?.radius ?? 0)));
      shownName = name;
    }
  });
  session.on("picked", () => loop.clear());
  session.on("hello", () => resized());
  for (const name of ["hello", "state", "topology", "frame", "redraw"]) session.on(name, redraw);

  if (innerWidth <= 720) document.body.classList.add("no-panel");
  theme(drawing);
  resized = () => {
    layOut(drawing);
    plots.isNew = true;
    loop.isDrawn = false;
  };
  size();
  addEventListener("resize", size);
  by("panel-toggle").addEventListener("click", togglePanel);
  by("help-open").addEventListener("click", () => by("help").showModal());
  by("theme").addEventListener("click", () => theme(drawing, !look.dark));

  const toggle = (name) => () => by(name).click();
  listen({
    " ": () => timeline.toggle(), ".": () => timeline.step(1), ",": () => timeline.step(-1), r: () => timeline.restart(),
    h: () => controls.use("hand"), n: () => controls.use("pin"), v: () => controls.use("pick"), o: () => controls.use("look"),
    k: () => controls.toggleKeep(), Escape: () => touch.letGoAll(), c: () => controls.nextField(), w: toggle("wireframe"), t: toggle("contacts"), b: toggle("boxes"),
    f: () => { camera.stand(camera.home); redraw(); }, s: toggle("save"), d: toggle("theme"), Tab: togglePanel, "?": () => by("help").showModal(),
  });

  const pace = new Pace(look), told = new Float64Array(1);
  // Between two frames of the screen. Nothing here allocates for a frame: words and curves follow a few times a second.
  function turn(now) {
    timeline.tick(now);
    pace.tick(now);
    if (dirty) {
      dirty = false;
      if (pace.begin(now)) size();
      if (session.cloth) overlays.setHandles(session.cloth, touch.grabs);
      drawing.draw();
    } else if (pace.isStill(now)) {
      look.fewer = 0;
      drawing.draw();
    }
    for (let k = 0; k < session.waiting; k++) connection.acknowledge(session.toAcknowledge[k]);
    session.waiting = 0;
    if (now - told[0] > WORDS_EVERY) {
      told[0] = now;
      timeline.showTime();
      controls.showLegend();
      touch.follow();
      loop.follow();
      plots.draw();
    }
    if (pace.isCounted(now)) {
      const several = pace.drawn > 1, rate = measures.framesPerSecond = pace.count(now);
      by("rate").textContent = several ? `${Math.round(rate)} fps` : "";
    }
  }
  const frame = (now) => {
    turn(now);
    requestAnimationFrame(frame);
  };
  // A phone takes the graphics away from a page that nobody looks at, a driver from all; whatever was on the card is gone.
  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => location.reload());
  // For the console, and for tests that read what a person sees.
  const measures = { session, camera, drawing, touch, timeline, connection, look, loop, turn, framesPerSecond: 0 };
  window.muslin = measures;
  requestAnimationFrame(frame);
}

function size() {
  look.pixels = Math.min(devicePixelRatio, MOST_PIXELS) * COARSENESS[look.quality].pixels;
  canvas.width = Math.round(canvas.clientWidth * look.pixels);
  canvas.height = Math.round(canvas.clientHeight * look.pixels);
  look.ringSize[0] = RING * look.pixels;
  look.pinSize[0] = PIN * look.pixels;
  resized();
  redraw();
}

// Tells the drawing what the panel and the footer leave of the picture, and puts the name of each run on its view.
function layOut(drawing) {
  const panel = by("panel").getBoundingClientRect(), frame = canvas.getBoundingClientRect(), { room, views } = drawing;
  const isBeside = panel.width > 0 && panel.left > frame.left + frame.width / 3;
  const footer = document.querySelector("footer").getBoundingClientRect().top;
  room.width = isBeside ? Math.floor((panel.left - frame.left) * look.pixels) : canvas.width;
  room.bottom = Math.max(0, Math.ceil((frame.bottom - footer) * look.pixels));
  drawing.arrange();
  const title = document.querySelector("header").getBoundingClientRect().bottom;
  [...by("run-labels").children].forEach((label, k) => {
    const [x, y, width, height] = views.subarray(4 * k, 4 * k + 4).map((pixels) => pixels / look.pixels);
    const top = frame.bottom - y - height;
    Object.assign(label.style, { left: `${frame.left + x}px`, width: `${width}px`, top: `${Math.max(top, title)}px` });
  });
}

function togglePanel() {
  document.body.classList.toggle("no-panel");
  // On a phone the panel takes its room from the picture.
  size();
}

// Light or dark: as the system says until somebody chooses.
function theme(drawing, dark) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const use = (isDark) => {
    look.dark = isDark;
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    // The ground has the colour between the two ends of the background.
    const style = getComputedStyle(document.documentElement);
    const [top, bottom] = ["--top", "--bottom"].map((name) => style.getPropertyValue(name).trim());
    const part = (hex, k) => linear(parseInt(hex.slice(k, k + 2), 16));
    drawing.background.set([1, 3, 5].map((k) => 0.4 * part(top, k) + 0.6 * part(bottom, k)));
    resized();
    redraw();
  };
  if (dark === undefined) {
    system.onchange = ({ matches }) => use(matches);
    return use(system.matches);
  }
  system.onchange = null;
  use(dark);
}

begin().catch((error) => {
  by("notice").textContent = error.message;
  by("notice").hidden = false;
});
