// Runs played back, alone and side by side; directories and frames that are not whole.

import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pairs } from "./pairs.mjs";
import { check, folder, open, run, view } from "./stand.mjs";

// The second run gives way: its strains are about ten times those of the first.
const SOFT = ["--set", "cloth.0.material.stretch_warp=1000", "--set", "cloth.0.material.stretch_weft=1000"];

export async function recordings() {
  await run("run", "swing", "--set", "resolution=10", "--set", "settings.contact.method=none", "--frames", "30", "--out", "a", "--format", "npz,csv", "--overwrite");
  await run("run", "swing", "--set", "resolution=10", "--set", "cloth.0.material.bend_warp=1e-2", "--set", "cloth.0.material.bend_bias=1e-2", ...SOFT, "--frames", "20", "--out", "b", "--overwrite");
  await run("run", "drape", "--set", "resolution=12", "--frames", "24", "--out", "touching", "--format", "npz,vtk,csv", "--overwrite");
  await run("run", "w-4-ball", "--set", "resolution=8", "--frames", "48", "--out", "bent", "--format", "npz,vtk,csv", "--overwrite");
  await one();
  await contacts();
  await remembered();
  await narrow();
  await pairs();
  await empty();
  await corrupted();
}

async function one() {
  const server = await view("a");
  const stand = await open(server.url);
  const { page } = stand;
  await stand.until(() => window.muslin.session.cloth);
  check("a recording begins at its start", (await stand.time()) === 0 && (await stand.pixels("blue")).count > 1000);
  const hands = await stand.ask(() => [...document.querySelectorAll(".for-hands, #save, #let-go")].filter((it) => it.offsetParent).length);
  check("a recording has no tools that change it", hands === 0, hands);
  check("nor a switch for pins, which were not recorded", !(await page.isVisible("#pins")));
  const counts = await page.textContent("#counts");
  check("it tells its frames and their rate", counts.includes("31 frames, 60 per second"), counts);
  await page.focus("#timeline");
  for (let k = 0; k < 17; k++) await page.keyboard.press("ArrowRight");
  check("the timeline scrubs", await stand.until(() => window.muslin.session.cloth.caption.frame === 17));
  await stand.key(",");
  check("the comma goes a frame back", await stand.until(() => window.muslin.session.cloth.caption.frame === 16));
  await page.click("#step");
  check("step goes a frame on", await stand.until(() => window.muslin.session.cloth.caption.frame === 17));
  await earlyTick(stand);
  await keysAfterPointer(stand);
  await page.selectOption("#speed", "0.5");
  await page.click("#loop");
  await page.click("#play");
  check("without loop it ends at the last frame", await stand.until(() => !window.muslin.timeline.playing && window.muslin.session.cloth.caption.frame === 30));
  await page.click("#loop");
  await page.click("#play");
  const looped = await stand.until(() => {
    const { frame } = window.muslin.session.cloth.caption;
    window.turns ??= { last: frame, count: 0 };
    if (frame < window.turns.last) window.turns.count++;
    window.turns.last = frame;
    return window.turns.count >= 2;
  });
  check("with loop it begins again", looped);
  await page.click("#play");
  await page.selectOption("#field", "velocity");
  check("a recording is coloured too", await stand.until(() => window.muslin.session.cloth.caption.field === 4));
  await plotted(stand);
  await picked(stand);
  await stand.quiet("of a recording");
  await server.stop();
  await unrecorded();
}

// What the run wrote over time, with ink; what it did not is said.
async function plotted(stand, more = []) {
  const groups = ["Energy", "Residual", "Iterations", "Largest strain", ...more];
  const drawn = await stand.until((wanted) => {
    const found = [...document.querySelectorAll("#plots .plot")].map((plot) => ({
      name: plot.querySelector("b").textContent,
      inked: plot.querySelector("canvas").getContext("2d").getImageData(0, 0, 200, 70).data.some((byte) => byte > 0),
    }));
    return wanted.every((group) => found.some(({ name, inked }) => inked && name.startsWith(group)));
  }, groups);
  check(`a recording's ${groups.join(", ")} are plotted`, drawn, await stand.page.textContent("#plots"));
  const notes = await stand.page.textContent("#series-notes");
  check("a run without contact says so", more.length > 0 || notes.includes("no contacts"), notes);
  check("stage costs of the whole run are told", /whole run only: .*integrate [\d.]+ m?s/.test(notes), notes);
}

// A vertex of a recording, and the loop of the hinge beside it.
async function picked(stand) {
  const { page } = stand;
  await page.selectOption("#field", "fabric");
  await stand.ask(() => window.muslin.timeline.scrub(12));
  await stand.until(() => window.muslin.session.cloth.caption.frame === 12);
  const at = await stand.vertex(10 * 4 + 4);
  await page.mouse.click(at.x, at.y);
  await page.waitForSelector("#picked:not([hidden])");
  const numbers = await page.textContent("#picked-numbers");
  check("a vertex picked in a recording shows its numbers", ["place", "speed", "mass", "strain", "shear", "curvature"].every((word) => numbers.includes(word)) && !numbers.includes("–"), numbers);
  check("what was not recorded of it is said", (await page.textContent("#picked-notes")).includes("--format npz,vtk"));
  await page.waitForSelector("#hinge:not([hidden])");
  const whole = await stand.ask(() => ({ points: window.muslin.loop.points.length, bent: window.muslin.loop.points.some(([k, m]) => Math.abs(k) > 0.01 && Math.abs(m) > 1e-5), present: window.muslin.loop.present }));
  check("the loop of a hinge has all frames, with a dot at the present one", whole.points === 31 && whole.bent && whole.present === 12, whole);
  const inked = await stand.until(() => {
    const canvas = document.querySelector("#hinge canvas");
    return canvas.width && canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.filter((byte) => byte > 0).length > 2 * canvas.width;
  });
  check("and is drawn", inked);
  const focused = await stand.ask(() => getComputedStyle(document.getElementById("canvas")).boxShadow);
  check("no frame is drawn around the picture for who points", focused === "none", focused);
  await stand.ask(() => window.muslin.timeline.scrub(20));
  check("the numbers follow the time", await stand.until((then) => document.getElementById("picked-numbers").textContent !== then, numbers));
  check("and so does the dot", await stand.until(() => window.muslin.loop.present === 20));
  const before = await stand.pixels();
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 60, at.y + 10, { steps: 4 });
  await page.mouse.up();
  check("dragging on the cloth of a recording turns the view", (await stand.pixels()).sum !== before.sum);
  await page.screenshot({ path: path.join(folder, "recorded-pick.png") });
}

// Cloth whose bending has a memory: the angle that stays, and the loop that a hinge went through.
async function remembered() {
  const server = await view("bent");
  const stand = await open(server.url);
  const { page } = stand;
  const go = async (frame) => {
    await stand.ask((wanted) => window.muslin.timeline.scrub(wanted), frame);
    await stand.until((wanted) => window.muslin.session.cloth.caption.frame === wanted, frame);
  };
  await stand.until(() => window.muslin.session.cloth);
  await go(36);
  const fabric = await stand.pixels();
  await page.selectOption("#field", "residual");
  const told = await stand.until(() => window.muslin.session.cloth.caption.field === 7 && window.muslin.session.cloth.caption.range[1] > 0);
  check("a recording is coloured by the angle of bends that stay", told && (await stand.pixels()).sum !== fabric.sum);
  await page.screenshot({ path: path.join(folder, "recorded-residual.png") });
  await page.selectOption("#field", "fabric");
  // Before the ball comes the sheet hangs still; it will be hit above its middle.
  await go(10);
  const at = await stand.vertex(8 * 4 + 2);
  await page.mouse.click(at.x, at.y);
  await page.waitForSelector("#hinge:not([hidden])");
  await go(46);
  await stand.until(() => window.muslin.loop.present === 46);
  check("a picked vertex tells its residual angle", await stand.until(() => document.getElementById("picked-numbers").textContent.includes("residual")));
  // A loop that remembers has two moments for one curvature: what it encloses is far from nothing.
  const loop = await stand.ask(() => {
    const { points } = window.muslin.loop;
    let area = 0;
    for (let k = 0; k < points.length; k++) {
      const [a, b] = [points[k], points[(k + 1) % points.length]];
      area += (a[0] * b[1] - a[1] * b[0]) / 2;
    }
    const reach = [0, 1].map((c) => Math.max(...points.map((p) => Math.abs(p[c]))));
    return { count: points.length, part: Math.abs(area) / (reach[0] * reach[1]), present: window.muslin.loop.present };
  });
  check("the loop of a hinge that remembers is open, over all frames", loop.count === 49 && loop.part > 0.05 && loop.present === 46, loop);
  await page.screenshot({ path: path.join(folder, "recorded-memory.png") });
  await stand.quiet("of a recording with a memory");
  await server.stop();
}

// A run that wrote nothing but frames.
async function unrecorded() {
  const server = await view("b");
  const stand = await open(server.url);
  await stand.until(() => window.muslin.session.cloth);
  const notes = await stand.page.textContent("#series-notes");
  check("a run without a table says what is missing and how to have it", ["energy", "residual", "contacts", "--format npz,csv"].every((word) => notes.includes(word)), notes);
  await stand.quiet("of a run without a table");
  await server.stop();
}

// A drawing that began before Play was pressed comes with an earlier time than the press.
async function earlyTick(stand) {
  const asked = await stand.ask(() => {
    const { timeline, connection } = window.muslin, frames = [];
    connection.want = (run, frame) => { frames.push(frame); };
    timeline.restart();
    timeline.toggle();
    timeline.answered.fill(true);
    for (const early of [80, 40, 0]) timeline.tick(performance.now() - early);
    timeline.toggle();
    delete connection.want;
    timeline.answered.fill(true);
    timeline.askAgain();
    return { frames, time: timeline.time };
  });
  check("play never asks for a frame before the first", asked.time >= 0 && asked.frames.every((frame) => frame >= 0), asked);
  await stand.ask(() => {
    const { timeline, connection } = window.muslin;
    timeline.answered[0] = false;
    timeline.askedAt[0] = performance.now();
    connection.say("frame");
  });
  check("a refusal does not hold frames up", await stand.until(() => window.muslin.timeline.answered[0]));
  await stand.page.waitForSelector("#notice:not([hidden])");
  await stand.ask(() => { document.getElementById("notice").hidden = true; });
}

async function keysAfterPointer(stand) {
  const { page } = stand, { x, y, width, height } = await page.locator("#timeline").boundingBox();
  await page.mouse.click(x + 0.3 * width, y + height / 2);
  check("the timeline is moved with the pointer", await stand.until(() => Math.abs(window.muslin.session.cloth.caption.frame - 9) < 2));
  const left = Number(await page.inputValue("#timeline"));
  await page.keyboard.press(" ");
  check("then the space bar plays", await stand.ask(() => window.muslin.timeline.playing));
  check("and the slider goes along", await stand.until((from) => Number(document.getElementById("timeline").value) !== from, left));
  await page.keyboard.press(" ");
  check("and the space bar pauses", await stand.ask(() => !window.muslin.timeline.playing));
  await page.keyboard.press("?");
  check("and the help opens", await page.isVisible("#help"));
  await page.keyboard.press("Escape");
  await stand.until(() => !document.getElementById("help").open);
  const at = await stand.ask(() => [window.muslin.timeline.time * 60, Number(document.getElementById("timeline").value)]);
  check("the slider stands where time does", Math.abs(at[0] - at[1]) <= 0.5 + 1e-9, at);
  await page.keyboard.press("End");
  await stand.until(() => window.muslin.session.cloth.caption.frame === 30);
  await page.keyboard.press("ArrowLeft");
  check("the arrows are the slider's", await stand.until(() => window.muslin.session.cloth.caption.frame === 29));
  await stand.ask(() => window.muslin.timeline.scrub(17));
  await stand.until(() => window.muslin.session.cloth.caption.frame === 17);
}

// On a phone the camera steps back until the sheet fits across, whatever the frame.
async function narrow() {
  const server = await view("touching");
  const stand = await open(server.url, { width: 390, height: 780, phone: true });
  await stand.until(() => window.muslin.session.cloth);
  for (const frame of [0, 12, 24]) {
    await stand.ask((wanted) => window.muslin.timeline.scrub(wanted), frame);
    await stand.until((wanted) => window.muslin.session.cloth.caption.frame === wanted, frame);
    const across = await stand.ask(() => document.getElementById("canvas").clientWidth);
    const corners = await Promise.all([0, 11, 132, 143].map((v) => stand.vertex(v)));
    check(`a phone shows all corners of frame ${frame}`, corners.every(({ x }) => x > 0 && x < across), corners.map(({ x }) => x / across));
  }
  await stand.page.screenshot({ path: path.join(folder, "recording-phone.png") });
  await stand.quiet("of a recording on a phone");
  await server.stop();
}

async function contacts() {
  const server = await view("touching");
  const stand = await open(server.url);
  const { page } = stand;
  await stand.until(() => window.muslin.session.cloth);
  await stand.ask(() => window.muslin.timeline.scrub(24));
  await stand.until(() => window.muslin.session.cloth.caption.frame === 24);
  const fabric = await stand.pixels();
  await closed(stand);
  await stand.ask(() => window.muslin.timeline.scrub(24));
  await stand.until(() => window.muslin.session.cloth.caption.frame === 24);
  for (const [name, low] of [["gap", "0"], ["friction", "free"]]) {
    await page.selectOption("#field", name);
    await stand.until((wanted) => {
      const { session } = window.muslin;
      return session.fields[session.cloth.caption.field].name === wanted;
    }, name);
    check(`a recording is coloured by ${name}`, (await stand.pixels()).sum !== fabric.sum);
    const said = await stand.until((words) => document.getElementById("legend-low").textContent === words, low);
    check(`its legend of ${name} says what it means`, said, await page.textContent("#legend-low"));
  }
  await page.screenshot({ path: path.join(folder, "recorded-friction.png") });
  await plotted(stand, ["Contacts", "Contact rounds", "Crossings so far"]);
  await stand.quiet("of recorded contacts");
  await server.stop();
}

// Where values of exactly zero meet others, as on a sheet that just begins to bend, a colouring leaves no pixel out.
async function closed(stand) {
  const fields = ["fabric", "strain", "curvature"];
  for (const frame of [3, 7, 12]) {
    await stand.ask((wanted) => window.muslin.timeline.scrub(wanted), frame);
    const covered = [];
    for (const name of fields) {
      await stand.page.selectOption("#field", name);
      await stand.until(([field, wanted]) => {
        const { session } = window.muslin, { caption } = session.cloth;
        return caption.frame === wanted && session.fields[caption.field].name === field;
      }, [name, frame]);
      covered.push((await stand.pixels("whole")).count);
    }
    check(`no colouring of frame ${frame} has holes`, covered.every((count) => Math.abs(count - covered[0]) <= 4), covered);
  }
}

async function empty() {
  mkdirSync(path.join(folder, "nothing"), { recursive: true });
  const server = await view("nothing");
  const stand = await open(server.url);
  await stand.page.waitForSelector("#faults:not([hidden])");
  check("an empty directory is explained", (await stand.page.textContent("#fault-list")).includes("nothing"));
  cpSync(path.join(folder, "a"), path.join(folder, "nothing"), { recursive: true });
  await stand.page.click("#reset");
  check("frames that came later are shown after a reset", await stand.until(() => window.muslin.session.cloth));
  await stand.quiet("with an empty directory");
  await server.stop();
}

async function corrupted() {
  const broken = path.join(folder, "broken");
  mkdirSync(broken, { recursive: true });
  const bytes = readFileSync(path.join(folder, "a", "frames.npz"));
  copyFileSync(path.join(folder, "a", "report.json"), path.join(broken, "report.json"));
  const name = bytes.indexOf("X.npy"), start = bytes.indexOf("NUMPY", name) - 1;
  const data = start + 10 + bytes.readUInt16LE(start + 8), frame = data + 12 * vertices(bytes, start) * 24;
  for (let k = 0; k < 30; k++) bytes.writeDoubleLE(NaN, frame + 8 * k);
  writeFileSync(path.join(broken, "frames.npz"), bytes);
  const server = await view("broken");
  const stand = await open(server.url);
  await stand.until(() => window.muslin.session.cloth);
  const whole = (await stand.pixels("blue")).count;
  await stand.ask(() => window.muslin.timeline.scrub(12));
  await stand.until(() => window.muslin.session.cloth.caption.frame === 12);
  const left = (await stand.pixels("blue")).count;
  check("a corrupted frame shows what is whole of it", left > 0.3 * whole && left < whole, [left, whole]);
  writeFileSync(path.join(broken, "frames.npz"), bytes.subarray(0, frame + 100));
  await stand.ask(() => window.muslin.timeline.scrub(20));
  await stand.page.waitForSelector("#notice:not([hidden])");
  check("a frame that is lost is told", (await stand.page.textContent("#notice")).includes("Frame 20"));
  await stand.quiet("with a corrupted frame");
  await server.stop();
}

// Vertices of the array `X`, from its header.
function vertices(bytes, start) {
  const header = bytes.toString("latin1", start + 10, start + 10 + bytes.readUInt16LE(start + 8));
  return Number(/'shape': \(\d+, (\d+), 3\)/.exec(header)[1]);
}
