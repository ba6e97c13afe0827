// How fast the page is in headless Chromium, whose graphics are software: node rates.mjs MUSLIN MODULES CHROMIUM FOLDER.
// Prints a table: triangles, bytes per frame, frames drawn per second while a recording plays, time of one drawing.

import { close, open, run, view } from "./stand.mjs";

const SIZES = [[32, 12], [101, 12], [317, 12]]; // vertices along a side, frames
const WATCH = 6000; // [ms]

console.log("| triangles | bytes per frame | frames per second | pixels | one drawing [ms] | draw calls |\n|---|---|---|---|---|---|");
for (const [side, frames] of SIZES) {
  await run("run", "hang", "--set", `resolution=${side}`, "--frames", String(frames), "--out", `rate-${side}`, "--overwrite");
  const server = await view(`rate-${side}`);
  const stand = await open(server.url, { width: 1280, height: 720, adapts: true });
  await stand.until(() => window.muslin.session.cloth);
  await stand.page.click("#play");
  await stand.page.waitForTimeout(4000);
  const before = await stand.ask(() => [window.muslin.session.frames, performance.now()]);
  await stand.page.waitForTimeout(WATCH);
  const after = await stand.ask(() => [window.muslin.session.frames, performance.now()]);
  await stand.page.click("#play");
  // Until the picture can be read, so that nothing of it is still under way.
  const drawing = await stand.ask(() => {
    const { drawing } = window.muslin, { gl } = drawing, byte = new Uint8Array(4), times = [];
    for (let k = 0; k < 12; k++) {
      const start = performance.now();
      window.muslin.camera.orbit(0.01, 0);
      drawing.draw();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, byte);
      times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b)[6];
  });
  const { bytes, calls, triangles, pixels } = await stand.ask(() => ({ pixels: `${window.muslin.drawing.gl.canvas.width} × ${window.muslin.drawing.gl.canvas.height}`, bytes: window.muslin.session.wireBytes, calls: window.muslin.drawing.calls, triangles: window.muslin.session.cloth.triangles }));
  const rate = (after[0] - before[0]) / (after[1] - before[1]) * 1000;
  console.log(`| ${triangles} | ${bytes} | ${rate.toFixed(1)} | ${pixels} | ${drawing.toFixed(0)} | ${calls} |`);
  await stand.context.close();
  await server.stop();
}
await close();
