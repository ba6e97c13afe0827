// A server that goes and comes back, faulty scenes, screens of two sizes.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { check, folder, freePort, open, view } from "./stand.mjs";

export async function circumstances() {
  await goneAndBack();
  await resets();
  await faulty();
  await shadows();
  await sizes();
  await slow();
  await lost();
}

// What a slow machine does: fewer pixels, no shadows, fewer triangles, and all of them when nothing moves. A scene that is
// simulated slowly is no slow machine.
async function slow() {
  const server = await view("hang", "--set", "resolution=71", "--paused");
  const stand = await open(server.url);
  await stand.until(() => window.muslin.session.cloth);
  const paced = await stand.ask(async () => {
    const { Pace, COARSENESS } = await import("./pace.js");
    // A machine that takes so long for a drawing, with a drawing every so many turns of the screen.
    const quality = (held, every) => {
      const look = { quality: 0, adapts: true, fewer: 0 }, pace = new Pace(look);
      for (let turn = 0, now = 1000; turn < 600; turn++) {
        pace.tick(now);
        if (turn % every === 0) pace.begin(now);
        now += turn % every < 2 ? held : 16;
      }
      return look.quality;
    };
    return { last: COARSENESS.length - 1, quick: quality(16, 1), slow: quality(300, 1), slowScene: quality(16, 30), slowBoth: quality(300, 30) };
  });
  check("a slow machine draws as coarsely as it can, a slow scene does not make it", paced.slow === paced.last && paced.slowBoth === paced.last && paced.quick === 0 && paced.slowScene === 0, paced);
  const all = await stand.pixels("blue");
  const seen = [];
  for (const fewer of [1, 2]) {
    const { count, sum, triangles } = await stand.pixels("blue", fewer);
    seen.push({ count, sum, triangles });
  }
  check("fewer triangles are a quarter or less", seen[0].triangles < 9800 / 3 && seen[0].triangles > 800, seen);
  check("they cover what all triangles cover, within a fiftieth", seen.every(({ count, sum }) => Math.abs(count / all.count - 1) < 0.02 && sum !== all.sum), [all, seen]);
  await stand.ask(() => { Object.assign(window.muslin.look, { fewer: 1 }); });
  check("all triangles are drawn once nothing moves", await stand.until(() => window.muslin.look.fewer === 0));
  await stand.quiet("of a slow machine");
  await server.stop();
}

// Graphics that are taken away come back with everything that was on the card.
async function lost() {
  const server = await view("hang", "--set", "resolution=8");
  const stand = await open(server.url);
  await stand.until(() => window.muslin.session.cloth);
  await stand.ask(() => {
    const { gl } = window.muslin.drawing, handle = gl.getExtension("WEBGL_lose_context");
    window.isOld = true;
    handle.loseContext();
    setTimeout(() => handle.restoreContext(), 300);
  });
  check("a page whose graphics were taken away begins anew", await stand.until(() => !window.isOld && window.muslin?.session.frames > 3));
  await stand.drawFinely();
  check("and draws", (await stand.pixels("blue")).count > 1000);
  await stand.quiet("of a page that lost its graphics");
  await server.stop();
}

async function shadows() {
  const server = await view("drape", "--set", "resolution=8", "--paused");
  const stand = await open(server.url, { width: 760, height: 400 });
  await stand.until(() => window.muslin.session.cloth);
  const lit = await stand.pixels();
  await stand.page.click("#shadows");
  check("without shadows the ground is another picture", (await stand.pixels()).sum !== lit.sum);
  check("obstacles are seen", (await stand.pixels("grey")).count > 1000);
  await stand.quiet("of a scene with obstacles");
  await server.stop();
}

async function goneAndBack() {
  const fixed = ["hang", "--set", "resolution=8", "--port", String(await freePort()), "--token", "0123456789abcdef"];
  let server = await view(...fixed);
  const stand = await open(server.url);
  await stand.until(() => window.muslin.session.frames > 3);
  await server.stop();
  check("the page says that the server has gone", await stand.until(() => document.getElementById("link").dataset.state === "lost"));
  await stand.page.waitForTimeout(1500);
  const before = await stand.ask(() => window.muslin.session.frames);
  server = await view(...fixed);
  check("the page comes back with the server", await stand.until((n) => window.muslin.session.frames > n + 3, before));
  check("and says so", (await stand.page.textContent("#link")) === "connected");
  await stand.quiet("while the server was away");
  await server.stop();
}

// A page that is busy hears frames and the new beginning at once: it still says that it has drawn those frames, or the
// server would wait for that and send no more.
async function resets() {
  const server = await view("hang", "--set", "resolution=8");
  const stand = await open(server.url);
  let goesOn = true;
  for (let k = 0; k < 8 && goesOn; k++) {
    await stand.ask(() => window.muslin.connection.say("play"));
    goesOn = await stand.until(() => window.muslin.session.cloth?.caption.frame > 3);
    const before = await stand.ask(() => {
      const { connection, session } = window.muslin, began = performance.now();
      connection.say("reset");
      while (performance.now() - began < 200);
      return session.epoch;
    });
    await stand.until((epoch) => window.muslin.session.epoch > epoch, before);
  }
  check("a scene that is reset while it plays can be played again, many times", goesOn);
  await stand.quiet("of a scene that is reset many times");
  await server.stop();
}

async function faulty() {
  const file = path.join(folder, "faulty.toml");
  writeFileSync(file, "duration = 1\n[[cloth]]\nshape = { kind = \"grid\", size = [1, 1], vertices = [9, 9] }\nmaterail = 3\n");
  const server = await view("faulty.toml");
  const stand = await open(server.url);
  await stand.page.waitForSelector("#faults:not([hidden])");
  const text = await stand.page.textContent("#fault-list");
  check("a fault is shown with its place and a suggestion", text.includes("materail") && text.includes("faulty.toml:4") && text.includes("material"), text);
  // A ball through the middle of the sheet.
  writeFileSync(file, "duration = 1\n[[cloth]]\nshape = { kind = \"grid\", size = [1, 1], vertices = [9, 9] }\n[[obstacle]]\nshape = { kind = \"sphere\", radius = 0.2 }\n");
  await stand.page.click("#reset");
  await stand.until(() => window.muslin.session.cloth && window.muslin.session.state.faults.length);
  const red = await stand.pixels("red");
  check("triangles that cross are highlighted", red.count > 100, red);
  await crossed(stand, file);
  await faultyMesh(stand, file);
  await tooNear(stand, file);
  await stand.quiet("with a faulty scene");
  await server.stop();
}

// Of three obstacles the second stands still and crosses the cloth: what is marked belongs to these two.
async function crossed(stand, file) {
  const moving = (x) => `[[obstacle]]\nname = "bar at ${x}"\nshape = { kind = "box", size = [0.1, 0.1, 0.1] }\ntranslation = [${x}, 0, 1]\nkeyframes = [{ time = 0 }, { time = 1, translation = [0, 0, 1] }]\n`;
  const ball = "[[obstacle]]\nname = \"ball\"\nshape = { kind = \"sphere\", radius = 0.2 }\n";
  writeFileSync(file, `duration = 1\n[[cloth]]\nname = "sheet"\nshape = { kind = "grid", size = [1, 1], vertices = [9, 9] }\n${moving(2)}${ball}${moving(3)}`);
  await stand.page.click("#reset");
  await stand.until(() => window.muslin.session.cloth && window.muslin.session.runs[0].info.bodies.length === 4 && window.muslin.session.state.faults.length);
  const marked = await stand.ask(() => {
    const { session: { cloth, runs: [{ info: { bodies } }], state: { faults } }, drawing: { overlays } } = window.muslin;
    const { part } = cloth, numbers = faults.flatMap((fault) => fault.triangles);
    return { names: [...new Set(numbers.map((t) => bodies[part.bodies[part.triangles[3 * t]]]?.name))].sort().join(), drawn: overlays.faults.count / 3, told: numbers.length };
  });
  check("what is marked is the cloth and what it crosses", marked.names === "ball,sheet" && marked.drawn === marked.told, marked);
}

// A mesh file with an edge of three triangles: it is drawn all the same, with that edge.
async function faultyMesh(stand, file) {
  writeFileSync(path.join(folder, "crowded.obj"), "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 0.7\nf 1 2 3\nf 1 3 4\nf 1 3 5\n");
  writeFileSync(file, "duration = 1\n[[cloth]]\nshape = { kind = \"file\", path = \"crowded.obj\" }\n");
  await stand.page.click("#reset");
  check("a faulty mesh is drawn", await stand.until(() => window.muslin.session.cloth?.triangles === 3));
  const fault = await stand.ask(() => window.muslin.session.state.faults.find((f) => f.triangles.length));
  check("its fault names the elements", fault?.triangles.join() === "0,1,2" && fault.vertices.join() === "0,2" && fault.message.includes("crowded.obj"), fault);
  const red = await stand.pixels("red");
  check("they are highlighted", red.count > 300, red);
  check("and nothing can be grabbed", !(await stand.page.isVisible("#tools")));
  await stand.page.screenshot({ path: path.join(folder, "faulty-mesh.png") });
}

// A start that contact refuses: the bodies are drawn with what touches.
async function tooNear(stand, file) {
  writeFileSync(file, "duration = 1\n[settings]\ncontact = { method = \"implicit\" }\n[[cloth]]\nname = \"sheet\"\nshape = { kind = \"grid\", size = [1, 1], vertices = [9, 9] }\n[[obstacle]]\nname = \"ball\"\nshape = { kind = \"sphere\", radius = 0.2 }\n");
  await stand.page.click("#reset");
  await stand.until(() => window.muslin.session.cloth?.count > 100);
  const text = await stand.page.textContent("#fault-list");
  check("a start that touches is told", text.includes("sheet") && text.includes("ball") && text.includes("touch or cross"), text);
  check("and shown", (await stand.pixels("red")).count > 100);
}

// The cloth is in the middle of what the panel leaves, and fits there.
async function centred(stand, name) {
  const found = await stand.ask(() => {
    const { drawing, session, camera } = window.muslin, { gl: { canvas } } = drawing, at = [0, 0], place = [0, 0, 0];
    drawing.draw();
    const box = canvas.getBoundingClientRect(), panel = document.getElementById("panel").getBoundingClientRect();
    const right = panel.left > box.left + box.width / 3 ? panel.left : box.right;
    let [low, high] = [Infinity, -Infinity];
    for (let v = 0; v < session.cloth.count; v++) {
      camera.place(at, session.cloth.place(place, v));
      const x = box.left + (at[0] + 1) / 2 * box.width;
      [low, high] = [Math.min(low, x), Math.max(high, x)];
    }
    return { low, high, left: box.left, right };
  });
  const { low, high, left, right } = found, off = (low + high - left - right) / 2;
  check(`${name}: the cloth is in the middle beside the panel`, Math.abs(off) < 0.06 * (right - left) && low >= left && high <= right, found);
}

async function sizes() {
  const server = await view("flag", "--set", "resolution=16", "--paused");
  for (const [name, options] of [
    ["laptop-light", { width: 1280, height: 720 }], ["laptop-dark", { width: 1280, height: 720, dark: true }],
    ["phone-light", { width: 390, height: 844, phone: true }], ["phone-dark", { width: 390, height: 844, phone: true, dark: true }],
  ]) {
    const stand = await open(server.url, options);
    await stand.until(() => window.muslin.session.cloth);
    if (options.phone) {
      check(`${name}: the panel waits until it is asked for`, !(await stand.page.isVisible("#panel")));
      await stand.page.tap("#panel-toggle");
    }
    check(`${name}: the panel is there`, await stand.page.isVisible("#panel"));
    // Nothing sticks out, and nothing of the page lies on another part of it.
    const faults = await stand.ask(() => {
      const boxes = ["header .status", "#panel", "#tools", "footer"].map((what) => [what, document.querySelector(what).getBoundingClientRect()]);
      const out = boxes.filter(([, b]) => b.left < -1 || b.right > innerWidth + 1 || b.bottom > innerHeight + 1).map(([what]) => what);
      boxes.forEach(([a, p], k) => boxes.slice(k + 1).forEach(([b, q]) => {
        if (p.left < q.right && q.left < p.right && p.top < q.bottom && q.top < p.bottom) out.push(`${a} over ${b}`);
      }));
      return out;
    });
    check(`${name}: everything has its place`, faults.length === 0, faults);
    await centred(stand, name);
    await stand.page.screenshot({ path: path.join(folder, `${name}.png`) });
    await stand.quiet(`of ${name}`);
  }
  await server.stop();
}
