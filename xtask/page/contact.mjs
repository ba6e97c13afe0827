// Scenes with contact: what is shown of it, and hands that cannot make cloth cross.

import { readFileSync } from "node:fs";
import path from "node:path";
import { check, folder, open, view } from "./stand.mjs";

// The newest number of a plot.
const stat = (stand, name) => stand.ask((wanted) => {
  const { session } = window.muslin, k = session.hello.stats.findIndex((s) => s.name === wanted);
  return session.cloth.caption.stats[k];
}, name);

const FALL = 14; // frames in which the sheet of drape comes to lie on its ball

const lines = (stand) => stand.pixels().then(() => stand.ask(() => window.muslin.drawing.overlays.inspection.count));

export async function contact() {
  await drape();
  await sticksAndSlips();
  await memory();
  await otherModel();
  await zones();
  await scarf();
}

// A sheet that is drawn over the ground holds on by stiction, gives way, and holds on again.
async function sticksAndSlips() {
  const server = await view("w-7-stick-slip", "--set", "resolution=12");
  const stand = await open(server.url);
  const { page } = stand;
  await stand.until(() => window.muslin.session.cloth);
  const dials = await stand.ask(() => window.muslin.session.state.dials.map((dial) => dial.id).filter((id) => id.startsWith("friction")));
  check("a law of several terms has no slider, a single coefficient has one", dials.join() === "friction.cloth", dials);
  await page.selectOption("#field", "friction");
  for (const [claim, state] of [["slips", 1], ["sticks again", 0.5], ["slips again", 1]]) {
    const seen = await stand.until((wanted) => {
      const { cloth, fields } = window.muslin.session;
      if (fields[cloth.caption.field].name !== "friction" || cloth.caption.time < 1.5) return false;
      const pressing = [...new Uint8Array(cloth.message, cloth.at.values, cloth.count)].filter((value) => value > 40);
      return pressing.length > 20 && pressing.filter((value) => Math.abs(value - 255 * wanted) < 3).length > 0.8 * pressing.length;
    }, state);
    check(`by the colours, what lies on the ground ${claim}`, seen);
    if (claim === "sticks again") await page.screenshot({ path: path.join(folder, "sticks.png") });
  }
  await stand.quiet("of a sheet that sticks and slips");
  await server.stop();
}

// Cloth whose bending has a memory: the ball of the scene bends it and goes away.
async function memory() {
  const server = await view("w-4-ball", "--set", "resolution=8", "--paused");
  const stand = await open(server.url);
  const { page } = stand;
  await stand.until(() => window.muslin.session.cloth);
  await page.click("[data-tool=pick]");
  const at = await stand.vertex(8 * 4 + 3);
  await page.mouse.click(at.x, at.y);
  // Slowly: the loop of a hinge is told a few times a second.
  await page.selectOption("#speed", "0.5");
  await stand.play();
  await stand.until(() => window.muslin.session.cloth.caption.frame > 46);
  await stand.pause();
  const fabric = await stand.pixels();
  await page.selectOption("#field", "residual");
  const told = await stand.until(() => window.muslin.session.cloth.caption.field === 7 && window.muslin.session.cloth.caption.range[1] > 0);
  check("cloth is coloured by the angle of bends that stay", told && (await stand.pixels()).sum !== fabric.sum);
  const enclosed = await stand.until(() => {
    const { points } = window.muslin.loop;
    let area = 0;
    for (let k = 0; k < points.length; k++) {
      const [a, b] = [points[k], points[(k + 1) % points.length]];
      area += (a[0] * b[1] - a[1] * b[0]) / 2;
    }
    const reach = [0, 1].map((c) => Math.max(...points.map((point) => Math.abs(point[c]))));
    return points.length > 3 && Math.abs(area) > 0.02 * reach[0] * reach[1];
  });
  check("the loop of a live hinge that remembers is open", enclosed, await stand.ask(() => window.muslin.loop.points.length));
  check("and its vertex tells its residual angle", (await page.textContent("#picked-numbers")).includes("residual"));
  await page.screenshot({ path: path.join(folder, "memory.png") });
  await stand.quiet("of cloth with a memory");
  await server.stop();
}

// A hinge whose model has no moment says so.
async function otherModel() {
  const server = await view("hang", "--set", "resolution=8", "--set", "cloth.0.bend=baraff-witkin", "--paused");
  const stand = await open(server.url);
  const { page } = stand;
  await stand.until(() => window.muslin.session.cloth);
  await page.click("[data-tool=pick]");
  const at = await stand.vertex(8 * 4 + 3);
  await page.mouse.click(at.x, at.y);
  const said = await stand.until(() => document.getElementById("picked-notes").textContent.includes("bends by another model"));
  check("a hinge of another bending model says why it draws nothing", said && !(await page.isVisible("#hinge")));
  await stand.quiet("of another bending model");
  await server.stop();
}

async function drape() {
  const server = await view("drape", "--set", "resolution=12", "--paused");
  const stand = await open(server.url);
  const { page } = stand;
  await stand.until(() => window.muslin.session.cloth);
  check("nothing is said against a scene that handles contact", !(await page.isVisible("#no-contact")));
  // Frame by frame, so that it is stopped while the sheet lies on the ball and nowhere else.
  for (let frame = 1; frame < FALL || (await stat(stand, "pressing")) < 3 && frame < 3 * FALL; frame++) {
    await page.click("#step");
    await stand.until((wanted) => window.muslin.session.cloth.caption.frame === wanted, frame);
  }
  check("the sheet of drape meets the ball", (await stat(stand, "pressing")) > 2);
  const plots = await page.textContent("#plots");
  check("contacts, rounds and crossings are plotted beside energy and costs", ["Energy", "Stage cost", "Residual", "Contacts", "Contact rounds", "Crossings so far"].every((name) => plots.includes(name)), plots);
  await colours(stand);
  await switches(stand);
  await friction(stand);
  await hinge(stand, 12 * 4 + 5);
  await pull(stand, 12 + 10);
  await page.screenshot({ path: path.join(folder, "contact.png") });
  await stand.quiet("of a scene with contact");
  await server.stop();
}

async function colours(stand) {
  const { page } = stand;
  const fabric = await stand.pixels();
  for (const [name, low, high] of [["gap", "0", null], ["friction", "free", "slips"]]) {
    await page.selectOption("#field", name);
    await stand.until((wanted) => {
      const { session } = window.muslin;
      return session.fields[session.cloth.caption.field].name === wanted;
    }, name);
    check(`cloth is coloured by ${name}`, (await stand.pixels()).sum !== fabric.sum);
    // Words follow the picture a few times a second.
    const said = await stand.until(([wantedLow, wantedHigh]) => {
      const [left, right] = ["legend-low", "legend-high"].map((id) => document.getElementById(id).textContent);
      return left === wantedLow && (wantedHigh === null ? parseFloat(right.replace("·10⁻⁴", "")) === 5 : right === wantedHigh);
    }, [low, high]);
    check(`the legend of ${name} says what it means`, said, [await page.textContent("#legend-low"), await page.textContent("#legend-high")]);
  }
  await page.selectOption("#field", "fabric");
  await stand.until(() => window.muslin.session.cloth.caption.field === 0);
}

async function switches(stand) {
  const { page } = stand;
  const before = await stand.pixels();
  await page.click("#contacts");
  await stand.until(() => window.muslin.session.contacts);
  const pressing = await stat(stand, "pressing");
  const shown = await stand.ask(() => window.muslin.session.contacts.contacts.length / 7);
  check("every contact that presses is shown", pressing > 2 && shown === pressing && (await lines(stand)) === 2 * shown, [pressing, shown]);
  // The ball stands at the origin: contacts lie on it, and their normals point along its radius. Not all of them: in a
  // fold cloth touches cloth, and two edges may meet askew. Of normals in any direction one in twenty would.
  const right = await stand.ask(() => {
    const { contacts } = window.muslin.session.contacts;
    let right = 0;
    for (let k = 0; k < contacts.length; k += 7) {
      const p = contacts.subarray(k, k + 3), n = contacts.subarray(k + 3, k + 6), r = Math.hypot(...p);
      if (Math.abs(r - 0.25) < 0.01 && Math.abs(p[0] * n[0] + p[1] * n[1] + p[2] * n[2]) > 0.95 * r) right++;
    }
    return right / (contacts.length / 7);
  });
  check("a quarter or more lie on the ball, with normals along its radius", right > 0.25, right);
  check("they are seen", (await stand.pixels()).sum !== before.sum);
  await page.click("#contacts");
  check("and go again", (await lines(stand)) === 0 && (await stand.pixels()).sum === before.sum);
  await page.click("#boxes");
  await stand.until(() => window.muslin.session.boxes);
  // Boxes that were asked for before may still be under way: those of a level are there once they are as many as it has.
  let count = await stand.ask(() => window.muslin.session.runs[0].info.triangles + 1);
  for (const level of await stand.ask(() => [...document.getElementById("level").options].map((o) => o.value))) {
    await page.selectOption("#level", level);
    const lowest = level === "0";
    const there = await stand.until(({ most, lowest }) => {
      const many = window.muslin.session.boxes.corners.length / 6;
      return lowest ? many === most - 1 : many < most;
    }, { most: count, lowest });
    const most = count;
    count = await stand.ask(() => window.muslin.session.boxes.corners.length / 6);
    if (lowest) check("the lowest boxes are those of the triangles", there && count === most - 1, [count, most - 1]);
    check(`boxes of level ${level} are drawn`, there && (await lines(stand)) === 24 * count && (await stand.pixels()).sum !== before.sum, count);
  }
  // All of the cloth is within the boxes.
  const within = await stand.ask(() => {
    const { boxes: { corners }, cloth } = window.muslin.session, p = [0, 0, 0];
    for (let v = 0; v < cloth.count; v++) {
      cloth.place(p, v);
      let inside = false;
      for (let b = 0; b < corners.length && !inside; b += 6) inside = [0, 1, 2].every((c) => p[c] > corners[b + c] - 1e-4 && p[c] < corners[b + 3 + c] + 1e-4);
      if (!inside) return false;
    }
    return true;
  });
  check("the boxes hold the cloth", within);
  for (const name of ["contacts", "wireframe", "normals"]) await page.click(`#${name}`);
  await stand.until(() => window.muslin.session.contacts);
  await stand.pixels();
  const calls = await stand.ask(() => window.muslin.drawing.calls);
  check("at most ten draw calls with contacts and boxes too", calls <= 10, calls);
  for (const name of ["contacts", "wireframe", "normals", "boxes"]) await page.click(`#${name}`);
}

async function friction(stand) {
  const { page } = stand;
  for (const dial of ["friction.object", "friction.cloth"]) {
    const before = await stand.ask((id) => window.muslin.session.state.dials.find((d) => d.id === id)?.value, dial);
    await page.focus(`[data-dial='${dial}']`);
    for (let k = 0; k < 10; k++) await page.keyboard.press("ArrowRight");
    check(`the slider ${dial} turns`, await stand.until(({ id, old }) => window.muslin.session.state.dials.find((d) => d.id === id).value > old, { id: dial, old: before }));
  }
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  await download.saveAs(path.join(folder, "friction.toml"));
  const text = readFileSync(path.join(folder, "friction.toml"), "utf8");
  check("friction is saved", /friction_object = 0\.3\d/.test(text) && /friction_cloth = 0\.3\d/.test(text), text);
}

// Picks cloth that lies bent on the ball.
async function hinge(stand, vertex) {
  const { page } = stand;
  await page.click("[data-tool=pick]");
  const at = await stand.vertex(vertex);
  await page.mouse.click(at.x, at.y);
  await page.waitForSelector("#hinge:not([hidden])");
  await stand.play();
  const drawn = await stand.until(() => {
    const { points } = window.muslin.loop;
    return points.length > 3 && points.some(([curvature, moment]) => Math.abs(curvature) > 0.01 && Math.abs(moment) > 1e-4);
  });
  check("the hinge beside a picked vertex draws its moment over its curvature", drawn, await stand.ask(() => window.muslin.loop.points.slice(-3)));
  check("the numbers of a picked vertex tell its contact", (await page.textContent("#picked-numbers")).includes("contact"));
  await stand.pause();
  await page.click("[data-tool=hand]");
}

// Takes a corner with the mouse and drags it; nothing crosses at any time.
async function pull(stand, corner) {
  const { page } = stand;
  await stand.play();
  const from = await stand.hold(corner);
  check("a corner is taken", await stand.until(() => window.muslin.session.state.grabs.length === 1));
  await page.mouse.move(from.x - 130, from.y - 60, { steps: 8 });
  const held = await stand.ask(() => window.muslin.touch.grabs[0]);
  check("the drag moves the cloth", await stand.until(({ drawn, start }) => {
    const p = window.muslin.session.cloth.place([0, 0, 0], drawn);
    return Math.hypot(p[0] - start[0], p[1] - start[1], p[2] - start[2]) > 0.15;
  }, { drawn: held.drawn, start: from.point }));
  await page.mouse.up();
  await stand.pause();
  const faults = await stand.ask(() => window.muslin.session.state.faults.length);
  check("it stays clean: no crossing in any frame, no failed step", (await stat(stand, "crossings")) === 0 && faults === 0);
}

// An explicit scheme knows no supports: every contact goes to the impact zones.
async function zones() {
  const server = await view("drape", "--set", "resolution=6", "--set", "settings.integrator=symplectic-euler", "--set", "step=1/2000", "--paused");
  const stand = await open(server.url);
  await stand.until(() => window.muslin.session.cloth);
  await stand.page.click("#contacts");
  await stand.play();
  check("impact zones are shown when a response moves vertices", await stand.until(() => window.muslin.session.contacts?.zones.length > 0));
  await stand.pause();
  await stand.quiet("of a scene with impact zones");
  await server.stop();
}

// Two corners of a scarf, held and pulled across each other.
async function scarf() {
  const server = await view("scarf", "--paused");
  const stand = await open(server.url);
  const { page } = stand;
  await stand.until(() => window.muslin.session.cloth);
  await stand.play();
  await stand.until(() => window.muslin.session.cloth.caption.frame > 20);
  await page.click("#keep");
  const long = 49, corners = [long + 1, 2 * long - 2];
  for (const [k, corner] of corners.entries()) await stand.take(corner, k ? -50 : 50, -20);
  check("two corners of the scarf are held at once", await stand.until(() => window.muslin.session.state.grabs.length === 2));
  const grabs = await stand.ask(() => window.muslin.touch.grabs.map(({ drawn, target }) => ({ drawn, target })));
  check("both come to the hands", await stand.until((held) => held.every(({ drawn, target }) => {
    const p = window.muslin.session.cloth.place([0, 0, 0], drawn);
    return Math.hypot(p[0] - target[0], p[1] - target[1], p[2] - target[2]) < 0.1;
  }), grabs));
  await page.screenshot({ path: path.join(folder, "scarf.png") });
  await stand.pause();
  const faults = await stand.ask(() => window.muslin.session.state.faults.length);
  check("the scarf stays clean", (await stat(stand, "crossings")) === 0 && faults === 0 && (await stat(stand, "near")) > 0);
  await page.click("#let-go");
  await stand.quiet("of the scarf");
  await server.stop();
}
