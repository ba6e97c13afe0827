// A live scene, used as a person would.

import { readFileSync } from "node:fs";
import path from "node:path";
import { check, folder, open, view } from "./stand.mjs";

const near = (a, b, within) => Math.hypot(...a.map((x, k) => x - b[k])) < within;

export async function live() {
  const server = await view("hang", "--set", "resolution=14", "--paused");
  const stand = await open(server.url);
  const { page } = stand;
  await stand.until(() => window.muslin.session.cloth);
  const cloth = await stand.pixels("blue");
  check("the cloth is seen in its colour", cloth.count > 5000 && cloth.error === 0, cloth);

  check("the page says that this scene does not handle contact", await page.isVisible("#no-contact"));

  await transport(stand);
  await look(stand);
  await grab(stand);
  await pins(stand);
  await sliders(stand);
  await keys(stand);
  await understand(stand);
  await costs(stand);
  await stand.quiet("of a live scene");
  await server.stop();
}

async function transport(stand) {
  const { page } = stand;
  await page.click("#step");
  check("a step goes one frame on", await stand.until(() => window.muslin.session.cloth.caption.frame === 1));
  await stand.play();
  check("play lets time run", await stand.until(() => window.muslin.session.cloth.caption.frame > 4));
  check("the clock shows it", await stand.until(() => parseFloat(document.getElementById("time").textContent) > 0.05));
  await stand.pause();
  const before = await stand.time();
  await page.waitForTimeout(400);
  check("pause lets it stand", before > 0 && before === await stand.time());
  await page.selectOption("#speed", "0.25");
  check("speed is a quarter", await stand.until(() => window.muslin.session.state.speed === 0.25));
  await page.selectOption("#speed", "1");
  await page.click("#restart");
  check("restart goes to the start", await stand.until(() => window.muslin.session.cloth.caption.time === 0));
}

async function look(stand) {
  const { page } = stand;
  for (const name of ["weave", "wireframe", "pins", "normals"]) {
    const before = await stand.pixels();
    await page.click(`#${name}`);
    const after = await stand.pixels();
    check(`the switch ${name} changes the picture`, before.sum !== after.sum);
    await page.click(`#${name}`);
    check(`the switch ${name} changes it back`, (await stand.pixels()).sum === before.sum);
  }
  await stand.play();
  await stand.until(() => window.muslin.session.cloth.caption.frame > 6);
  await stand.pause();
  const seen = new Set([(await stand.pixels()).sum]);
  for (const [number, name] of ["fabric", "strain", "shear", "curvature", "velocity"].entries()) {
    if (!number) continue;
    await page.selectOption("#field", name);
    await stand.until((k) => window.muslin.session.cloth.caption.field === k, number);
    seen.add((await stand.pixels()).sum);
    // Words follow the picture a few times a second.
    const words = await stand.ask(async (k) => {
      const { short } = await import("./format.js"), { fields, highest } = window.muslin.session;
      return [fields[k].name === "strain" ? `${short(100 * highest)} %` : short(highest), fields[k].unit];
    }, number);
    const told = await stand.until(([high, unit]) => {
      const [left, right] = ["legend-high", "legend-unit"].map((id) => document.getElementById(id).textContent);
      return !document.getElementById("legend").hidden && left === high && right === unit;
    }, words);
    check(`the legend of ${name} tells its range`, told, [words, await page.textContent("#legend")]);
  }
  check("every colouring is a different picture", seen.size === 5, [...seen]);
  await page.selectOption("#field", "fabric");
  await stand.until(() => window.muslin.session.cloth.caption.field === 0);
  const before = await stand.pixels();
  await page.mouse.move(40, 120);
  await page.mouse.down();
  await page.mouse.move(120, 150, { steps: 3 });
  await page.mouse.up();
  const turned = await stand.pixels();
  check("dragging beside the cloth turns the view", turned.sum !== before.sum);
  await stand.wheel(120, 150, -300);
  check("the wheel zooms", (await stand.pixels("blue")).count > 0 && (await stand.pixels()).sum !== turned.sum);
  await stand.key("f");
  check("F brings the first view back", (await stand.pixels()).sum === before.sum);
  const front = [await stand.pixels("blue"), await stand.pixels("tan")];
  await stand.ask(() => window.muslin.camera.orbit(Math.PI, 0));
  const back = [await stand.pixels("blue"), await stand.pixels("tan")];
  check("cloth has two sides", front[0].count > 5000 && front[1].count < 100 && back[1].count > 5000 && back[0].count < 100, [front, back]);
  await stand.key("f");
}

async function grab(stand) {
  const { page } = stand;
  await stand.play();
  const from = await stand.hold(14 * 5 + 5);
  check("the mouse takes hold of the cloth", await stand.until(() => window.muslin.session.state.grabs.length === 1));
  await page.mouse.move(from.x + 60, from.y - 40, { steps: 6 });
  const held = await stand.ask(() => window.muslin.touch.grabs[0]);
  const pulled = await stand.until(({ drawn, target }) => {
    const { cloth } = window.muslin.session, p = cloth.place([0, 0, 0], drawn);
    return Math.hypot(p[0] - target[0], p[1] - target[1], p[2] - target[2]) < 0.03;
  }, held);
  check("a drag pulls the cloth to the hand", pulled && !near(from.point, held.target, 0.05), held);
  await page.mouse.up();
  check("letting go lets go", await stand.until(() => window.muslin.session.state.grabs.length === 0));
  const swung = await stand.until(({ drawn, target }) => {
    const { cloth } = window.muslin.session, p = cloth.place([0, 0, 0], drawn);
    return Math.hypot(p[0] - target[0], p[1] - target[1], p[2] - target[2]) > 0.05;
  }, held);
  check("and the cloth swings back", swung);

  // Two corners with one mouse, as for a knot.
  await page.click("#keep");
  for (const corner of [14 * 2 + 2, 14 * 2 + 11]) await stand.take(corner, 0, -30);
  check("two places are held at once", await stand.until(() => window.muslin.session.state.grabs.length === 2));
  check("their rings are drawn", await stand.until(() => window.muslin.drawing.overlays.handles.count >= 4));
  await page.click("#let-go");
  check("let go lets both go", await stand.until(() => window.muslin.session.state.grabs.length === 0));
  await page.click("#keep");
  await stand.pause();
  check("no step failed", (await stand.ask(() => window.muslin.session.state.faults.length)) === 0);
}

async function pins(stand) {
  const { page } = stand;
  await page.click("#restart");
  await stand.until(() => window.muslin.session.cloth.caption.time === 0);
  await page.click("[data-tool=pin]");
  const at = await stand.vertex(14 * 4 + 4);
  await page.mouse.click(at.x, at.y);
  check("a click pins a vertex", await stand.until(() => window.muslin.session.state.held.length === 1));
  await page.mouse.click(at.x, at.y);
  check("a second click lets it go", await stand.until(() => window.muslin.session.state.held.length === 0));
  const before = await stand.ask(() => window.muslin.session.state.pins.length);
  check("the scene's pins are listed", before > 0 && await page.isVisible("#pin-section"));
  const held = await stand.ask(() => window.muslin.session.state.pins[0].vertices);
  await stand.play();
  await page.click("[data-pin='0']");
  check("cut lets a pin go", await stand.until(() => window.muslin.session.state.pins[0].cut));
  check("while time runs, and the cloth falls", held.length > 0 && await stand.until((vertices) => {
    const { cloth } = window.muslin.session;
    return vertices.every((vertex) => cloth.place([0, 0, 0], cloth.drawnOf(vertex))[2] < -0.3);
  }, held));
  await page.click("[data-tool=hand]");
}

async function sliders(stand) {
  const { page } = stand;
  for (const dial of ["cloth.0.shear", "cloth.0.bending", "wind.y", "step"]) {
    const value = (id) => window.muslin.session.state.dials.find((d) => d.id === id).value;
    const before = await stand.ask(value, dial);
    await page.focus(`[data-dial='${dial}']`);
    for (let k = 0; k < 12; k++) await page.keyboard.press("ArrowRight");
    const changed = await stand.until(({ id, old }) => window.muslin.session.state.dials.find((d) => d.id === id).value > old, { id: dial, old: before });
    check(`the slider ${dial} turns while time runs`, changed && await stand.ask(() => window.muslin.session.state.playing));
  }
  check("the page says that the scene has changed", await page.isVisible("#changed"));
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  const file = path.join(folder, "saved.toml");
  await download.saveAs(file);
  const text = readFileSync(file, "utf8");
  check("the saved scene has the changes", /shear = 1\d\d\./.test(text) && text.includes("normal_drag") && text.includes("release = "), text);
  await page.click("#reset");
  check("reset brings the file back", await stand.until(() => window.muslin.session.state.changed === false && window.muslin.session.cloth));
}

async function keys(stand) {
  const { page } = stand;
  const frame = await stand.ask(() => window.muslin.session.cloth.caption.frame);
  await stand.key(".");
  check("the point key steps", await stand.until((k) => window.muslin.session.cloth.caption.frame === k + 1, frame));
  await stand.key(" ");
  check("space plays", await stand.until(() => window.muslin.session.state.playing));
  await stand.key(" ");
  check("space pauses", await stand.until(() => !window.muslin.session.state.playing));
  await stand.key("?");
  check("the question mark opens help", await page.isVisible("#help"));
  await page.keyboard.press("Escape");
  check("escape closes it", await stand.until(() => !document.getElementById("help").open));
  await stand.key("Tab");
  check("tab hides the panel", !(await page.isVisible("#panel")));
  await stand.key("Tab");
  await stand.key("d");
  check("D turns dark", (await page.getAttribute("html", "data-theme")) === "dark");
  await stand.key("d");
  await stand.key("w");
  check("W shows the wireframe", await page.isChecked("#wireframe"));
  await stand.key("w");
  await stand.key("c");
  check("C colours by the next quantity", (await page.inputValue("#field")) === "strain");
  await page.selectOption("#field", "fabric");
}

async function understand(stand) {
  const { page } = stand;
  await page.click("[data-tool=pick]");
  const at = await stand.vertex(14 * 3 + 6);
  await page.mouse.click(at.x, at.y);
  await page.waitForSelector("#picked:not([hidden])");
  const numbers = await page.textContent("#picked-numbers");
  check("a picked vertex shows its numbers", ["place", "speed", "mass", "strain", "curvature"].every((word) => numbers.includes(word)), numbers);
  await stand.play();
  await stand.until(() => window.muslin.session.cloth.caption.frame > 12);
  await stand.pause();
  const drawn = await stand.until(() => {
    const plots = [...document.querySelectorAll(".plot canvas")];
    return plots.length >= 4 && plots.every((canvas) => {
      if (!canvas.width) return false;
      const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      let inked = 0;
      for (let k = 3; k < data.length; k += 4) if (data[k]) inked++;
      return inked > canvas.width;
    });
  });
  check("energy, stage costs, residual and strain are plotted", drawn);
  // The axis is as long as what was sampled: from the first sample to the time that is shown.
  const axis = await stand.until(() => {
    const [begin, end] = [...document.querySelectorAll("#plots .axis")[0].children].map((it) => parseFloat(it.textContent));
    return begin >= 0 && end > begin && Math.abs(end - window.muslin.session.cloth.caption.time) < 0.01 * end + 0.005;
  });
  check("plots of a live scene have an axis of time", axis, await stand.ask(() => document.querySelector("#plots .axis").textContent));
  await page.click("[data-tool=hand]");
}

async function costs(stand) {
  for (const name of ["wireframe", "normals"]) await stand.page.click(`#${name}`);
  await stand.pixels();
  const calls = await stand.ask(() => window.muslin.drawing.calls);
  check("at most ten draw calls with everything on", calls >= 6 && calls <= 10, calls);
  for (const name of ["wireframe", "normals"]) await stand.page.click(`#${name}`);
}
