// Two runs side by side: one camera, one time, one range of colours.

import path from "node:path";
import { check, folder, open, run, view } from "./stand.mjs";

// The runs `a` and `b` are those of `recordings.mjs`.
export async function pairs() {
  await two();
  await unequal();
}

async function two() {
  const server = await view("a", "b");
  const stand = await open(server.url, { width: 800, height: 400 });
  await stand.until(() => window.muslin.session.runs.length === 2 && window.muslin.session.runs.every((r) => r.ready));
  await stand.ask(() => window.muslin.timeline.scrub(20));
  check("two runs share the time", await stand.until(() => window.muslin.session.runs.every((r) => r.moving.caption.frame === 20)));
  const halves = () => stand.ask(() => {
    const { drawing } = window.muslin, { gl } = drawing;
    drawing.draw();
    const { width, height } = gl.canvas, bytes = new Uint8Array(4 * width * height), count = [0, 0];
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    for (let k = 0; k < bytes.length; k += 4) if (bytes[k + 3] > 200 && bytes[k + 2] > bytes[k] + 25) count[k / 4 % width < drawing.views[4] ? 0 : 1]++;
    return count;
  });
  const before = await halves();
  check("each has its half of the picture", before.every((count) => count > 500), before);
  await stand.wheel(100, 200, 600);
  const after = await halves();
  check("both are seen by one camera", after.every((count, k) => count < 0.8 * before[k]), [before, after]);
  await sharedColours(stand);
  await pickSecond(stand);
  check("both are named", (await stand.page.textContent("#run-labels")).includes("a"));
  await stand.quiet("of two runs");
  await places(server.url);
  await server.stop();
}

// A click in the second view picks in the second run; the curves of both are in one plot.
async function pickSecond(stand) {
  const at = await stand.ask(() => {
    const { session, camera, drawing, look } = window.muslin, { moving } = session.runs[1], views = [...drawing.views.slice(4, 8)];
    drawing.draw();
    const place = camera.place([0, 0], moving.place([0, 0, 0], moving.drawnOf(44)));
    const y = views[1] + (place[1] + 1) / 2 * views[3];
    return { x: (views[0] + (place[0] + 1) / 2 * views[2]) / look.pixels, y: (drawing.gl.canvas.height - y) / look.pixels };
  });
  await stand.page.mouse.click(at.x, at.y);
  check("a click in the second view picks in the second run", await stand.until(() => {
    const { touch: { picked }, loop, drawing: { overlays } } = window.muslin;
    return picked?.run === 1 && overlays.pickedRun === 1 && loop.run === 1 && loop.points.length === 21;
  }));
  check("and tells its numbers", await stand.until(() => document.getElementById("picked-numbers").textContent.includes("mass")));
}

// The softer run stretches more: both are coloured by one range, which the legend tells.
async function sharedColours(stand) {
  await stand.page.selectOption("#field", "strain");
  await stand.until(() => window.muslin.session.runs.every((r) => window.muslin.session.fields[r.moving.caption.field].name === "strain"));
  // Words follow the frames a few times a second.
  await stand.until(() => {
    const told = parseFloat(document.getElementById("legend-high").textContent) / 100, { highest } = window.muslin.session;
    return Math.abs(told - highest) <= 0.05 * highest;
  });
  const found = await stand.ask(() => {
    const { session, drawing } = window.muslin, { gl } = drawing;
    const highs = session.runs.map((r) => r.moving.caption.range[1]);
    const told = parseFloat(document.getElementById("legend-high").textContent) / 100;
    // A run whose numbers all are its highest is drawn where these are in the common range, run for run.
    const seen = session.runs.map((r, k) => {
      const { moving } = r, { at, count } = moving;
      const message = moving.message.slice(0), values = new Uint8Array(message, at.values, count);
      values.fill(Math.round(255 * Math.min(...highs) / highs[k]));
      gl.bindBuffer(gl.ARRAY_BUFFER, moving.frameBuffer);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, message);
      drawing.draw();
      gl.bindBuffer(gl.ARRAY_BUFFER, moving.frameBuffer);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, moving.message);
      const [x, y, width, height] = drawing.views.slice(4 * k, 4 * k + 4), bytes = new Uint8Array(4 * width * height);
      gl.readPixels(x, y, width, height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
      const sum = [0, 0, 0];
      let n = 0;
      for (let b = 0; b < bytes.length; b += 4) if (bytes[b + 3] > 250) { n++; for (let c = 0; c < 3; c++) sum[c] += bytes[b + c]; }
      return sum.map((s) => s / Math.max(1, n));
    });
    return { highs, told, seen };
  });
  const [a, b] = found.highs, most = Math.max(a, b);
  check("two runs of different stiffness have ranges of their own", a > 0 && b > 0 && Math.max(a / b, b / a) > 1.2, found);
  check("the legend tells the range of both", Math.abs(found.told - most) <= 0.05 * most, found);
  const apart = Math.max(...found.seen[0].map((s, c) => Math.abs(s - found.seen[1][c])));
  check("one strain has one colour in both", apart < 12 && found.seen.every((s) => Math.max(...s) > 20), found);
}

// Every run and its name have a place of their own, by the boxes of what is on the page.
async function places(url) {
  for (const [name, options] of [
    ["laptop", { width: 1280, height: 720 }], ["tall", { width: 820, height: 1180 }], ["phone", { width: 390, height: 844, phone: true }],
  ]) {
    const stand = await open(url, options), { page } = stand;
    await stand.until(() => window.muslin.session.runs.length === 2 && window.muslin.session.runs.every((r) => r.ready));
    for (const when of ["at first", "with the panel changed"]) {
      const faults = await stand.ask(() => {
        const { drawing, look } = window.muslin, canvas = document.getElementById("canvas").getBoundingClientRect();
        drawing.draw();
        const of = (what) => [what, document.querySelector(what).getBoundingClientRect()];
        const seen = [0, 1].map((k) => {
          const [x, y, width, height] = Array.from(drawing.views.slice(4 * k, 4 * k + 4), (v) => v / look.pixels);
          const left = canvas.left + x, bottom = canvas.bottom - y;
          return [`view ${k}`, { left, right: left + width, bottom, top: bottom - height, width }];
        });
        const labels = [of("#run-labels span:first-child"), of("#run-labels span:last-child")], faults = [];
        const meet = ([a, p], [b, q]) => {
          if (p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 1 && q.top < p.bottom - 1) faults.push(`${a} meets ${b}`);
        };
        meet(seen[0], seen[1]);
        meet(labels[0], labels[1]);
        for (const what of [...seen, ...labels]) meet(what, of("#panel"));
        labels.forEach((label, k) => {
          const [, p] = label, [, q] = seen[k];
          if (!p.width || p.left < q.left - 1 || p.right > q.right + 1 || p.top < q.top - 1 || p.bottom > q.bottom + 1) faults.push(`label ${k} is not on its view`);
          meet(label, of("header .title"));
        });
        if (seen[0][1].width < innerWidth / 4) faults.push("the views are too narrow");
        const [, footer] = of("footer");
        for (const part of document.querySelectorAll("footer > *")) {
          const box = part.getBoundingClientRect();
          if (box.width && (box.left < footer.left - 1 || box.right > footer.right + 1)) faults.push(`${part.id || part.className} sticks out of the footer`);
        }
        return faults;
      });
      check(`${name}: two runs have their places ${when}`, faults.length === 0, faults);
      check(`${name}: the loop can be switched ${when}`, await page.isVisible("#loop"));
      await page.screenshot({ path: path.join(folder, `two-${name}-${when.split(" ")[0]}.png`) });
      await page.click("#panel-toggle");
    }
    await stand.quiet(`of two runs on a ${name} screen`);
  }
}

// The first run is short and has many frames, the second is long and has few: the slider covers both, and the clock, the
// curves and the slider go on when the first has ended.
async function unequal() {
  await run("run", "swing", "--set", "resolution=6", "--set", "duration=0.4", "--set", "frames_per_second=100", "--out", "short", "--overwrite");
  await run("run", "swing", "--set", "resolution=6", "--set", "duration=1", "--set", "frames_per_second=20", "--out", "long", "--overwrite");
  const server = await view("short", "long");
  const stand = await open(server.url, { width: 800, height: 400 });
  await stand.until(() => window.muslin.session.runs.length === 2 && window.muslin.session.runs.every((r) => r.ready));
  await stand.page.focus("#timeline");
  await stand.page.keyboard.press("End");
  check("the slider reaches the end of the longer run, whatever the rates", await stand.until(() => window.muslin.session.runs.map((r) => r.moving.caption.frame).join() === "40,20"));
  check("the clock tells the time of the run that goes on", await stand.until(() => document.getElementById("time").textContent === "1.00 s"), await stand.page.textContent("#time"));
  await stand.page.keyboard.press("Home");
  await stand.until(() => window.muslin.session.runs.every((r) => r.moving.caption.frame === 0));
  for (let k = 0; k < 5; k++) await stand.page.keyboard.press("ArrowRight");
  check("every frame of the quicker run can be had", await stand.until(() => window.muslin.session.runs.map((r) => r.moving.caption.frame).join() === "5,1"));
  await stand.quiet("of two runs with different rates");
  await server.stop();
}
