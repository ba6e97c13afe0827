// How fast the page is in headless Chromium, whose graphics are software: node rates.mjs MUSLIN MODULES CHROMIUM FOLDER.
// Prints a table: a recording played back, the view turned while nothing else moves, and a live scene.

import { close, open, run, view } from "./stand.mjs";

const SIZES = [[32, 12], [101, 12], [317, 12]]; // vertices along a side, frames
const SETTLE = 5000, WATCH = 4000; // [ms]
const WINDOW = { width: 1280, height: 720, adapts: true };

// Frames taken and drawings made per second, once the page has settled.
async function rates(stand) {
  await stand.page.waitForTimeout(SETTLE);
  await stand.ask(() => {
    const { drawing } = window.muslin, { draw } = drawing;
    window.drawings = 0;
    drawing.draw = () => { window.drawings++; draw.call(drawing); };
  });
  const count = () => stand.ask(() => [window.muslin.session.frames, window.drawings, performance.now()]);
  const before = await count();
  await stand.page.waitForTimeout(WATCH);
  const after = await count();
  await stand.ask(() => { delete window.muslin.drawing.draw; });
  const [frames, drawings] = [0, 1].map((k) => (after[k] - before[k]) / (after[2] - before[2]) * 1000);
  return { frames, drawings };
}

// Turns the view without a pause.
const turn = (stand) => stand.ask(() => {
  const { camera, session } = window.muslin;
  const on = () => {
    camera.orbit(0.01, 0);
    session.tell("redraw");
    window.turning = requestAnimationFrame(on);
  };
  on();
});
const stopTurning = (stand) => stand.ask(() => cancelAnimationFrame(window.turning));

async function played(side) {
  const server = await view(`rate-${side}`);
  const stand = await open(server.url, WINDOW);
  await stand.until(() => window.muslin.session.cloth);
  await stand.page.click("#play");
  const playing = await rates(stand);
  await stand.page.click("#play");
  await turn(stand);
  const turning = await rates(stand);
  const settled = await stand.ask(() => ({
    pixels: `${window.muslin.drawing.gl.canvas.width} × ${window.muslin.drawing.gl.canvas.height}`, bytes: window.muslin.session.wireBytes,
    triangles: window.muslin.session.cloth.triangles, drawn: window.muslin.session.cloth.fewer(window.muslin.look.fewer).count / 3, calls: window.muslin.drawing.calls,
  }));
  await stopTurning(stand);
  await stand.context.close();
  await server.stop();
  return { playing: playing.frames, turning: turning.drawings, ...settled };
}

// A live scene, with the view turning; and how many frames the solver makes when nobody draws.
async function live(side) {
  const server = await view("hang", "--set", `resolution=${side}`);
  const stand = await open(server.url, WINDOW);
  await stand.until(() => window.muslin.session.frames > 1);
  await turn(stand);
  const found = await rates(stand);
  await stopTurning(stand);
  await stand.context.close();
  await server.stop();
  return found;
}

console.log("| triangles | bytes per frame | played back [1/s] | turned [1/s] | live: frames [1/s] | live: drawings [1/s] | pixels | triangles drawn | draw calls |\n|---|---|---|---|---|---|---|---|---|");
for (const [side, frames] of SIZES) {
  await run("run", "hang", "--set", `resolution=${side}`, "--frames", String(frames), "--out", `rate-${side}`, "--overwrite");
  const { triangles, bytes, playing, turning, pixels, drawn, calls } = await played(side);
  const now = await live(side);
  console.log(`| ${triangles} | ${bytes} | ${playing.toFixed(1)} | ${turning.toFixed(1)} | ${now.frames.toFixed(1)} | ${now.drawings.toFixed(1)} | ${pixels} | ${drawn} | ${calls} |`);
}
await close();
