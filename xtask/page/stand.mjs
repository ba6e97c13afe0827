// What every check of the page needs: the server, a browser, and a way to count what holds.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";

// Given by the chore: the command, the folder with Playwright, the browser, a folder for results.
const [muslin, modules, chromiumPath, folder] = process.argv.slice(2);
const { chromium } = createRequire(path.join(modules, "package.json"))("playwright-core");

export { folder, muslin };
mkdirSync(folder, { recursive: true });

const PATIENCE = 180_000; // software graphics on a busy machine [ms]
const ATTEMPTS = 12;      // to take hold of cloth that moves

export function check(claim, held, found = "") {
  console.log(`${held ? "ok" : "FAILED"}: ${claim}${held || found === "" ? "" : ` (${JSON.stringify(found)})`}`);
}

// A port that is free now.
export const freePort = () => new Promise((done) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => done(port));
  });
});

// Starts `muslin view`; resolves when it has printed its address.
export function view(...what) {
  const process_ = spawn(muslin, ["view", ...what, "--no-open"], { cwd: folder });
  let complaints = "";
  process_.stderr.on("data", (data) => { complaints += data; });
  return new Promise((done, failed) => {
    process_.stdout.once("data", (data) => done({ url: String(data).trim(), stop: () => stop(process_) }));
    process_.once("exit", () => failed(new Error(complaints)));
  });
}

function stop(process_) {
  return new Promise((done) => {
    process_.removeAllListeners("exit");
    process_.once("exit", done);
    process_.kill("SIGKILL");
  });
}

// Runs a command to its end.
export function run(...what) {
  return new Promise((done, failed) => {
    const process_ = spawn(muslin, what, { cwd: folder, stdio: "ignore" });
    process_.once("exit", (code) => (code === 0 ? done() : failed(new Error(`${what.join(" ")}: ${code}`))));
  });
}

// Browsers that are open, by the flags that their scripts run with.
const browsers = new Map();
async function browser(flags) {
  if (!browsers.has(flags)) {
    browsers.set(flags, await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--enable-precise-memory-info", `--js-flags=${flags}`] }));
  }
  return browsers.get(flags);
}

// A page of this size, whose console is watched.
export async function open(url, { width = 880, height = 480, dark = false, phone = false, adapts = false, flags = "--expose-gc" } = {}) {
  const context = await (await browser(flags)).newContext({
    viewport: { width, height }, colorScheme: dark ? "dark" : "light", hasTouch: phone, isMobile: phone, acceptDownloads: true,
  });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const errors = [];
  page.on("console", (message) => { if (message.type() === "error") errors.push(message.text()); });
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(url);
  await page.waitForFunction(() => window.muslin?.session.hello);
  const stand = Object.assign(new Stand(), { page, context, errors });
  if (!adapts) await stand.drawFinely();
  return stand;
}

export const close = () => Promise.all([...browsers.values()].map((one) => one.close()));

export class Stand {
  // Waits until an expression in the page holds; whether it did.
  async until(what, ...given) {
    try {
      await this.page.waitForFunction(what, given[0], { timeout: PATIENCE, polling: 50 });
      return true;
    } catch {
      return false;
    }
  }

  ask(what, given) {
    return this.page.evaluate(what, given);
  }

  // Pictures are compared: they keep their size, however slow this machine is.
  drawFinely() {
    return this.ask(() => {
      Object.assign(window.muslin.look, { adapts: false, quality: 0, castsShadows: true });
      dispatchEvent(new Event("resize"));
    });
  }

  // Draws now and reads the picture: how many pixels the judge takes, and a sum that differs when pictures do. Triangles
  // are made fewer so many times.
  pixels(judge = "true", fewer = 0) {
    return this.ask(({ test, times }) => {
      const { drawing, session, touch, look } = window.muslin, { gl } = drawing;
      if (session.cloth) drawing.overlays.setHandles(session.cloth, touch.grabs);
      look.fewer = times;
      drawing.draw();
      const { width, height } = gl.canvas, bytes = new Uint8Array(4 * width * height);
      gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
      const judges = { true: () => true, blue: (r, g, b, a) => a > 200 && b > r + 25, tan: (r, g, b, a) => a > 200 && r > b + 25, red: (r, g, b, a) => a > 200 && r > 120 && r > g + 50 && r > b + 50, grey: (r, g, b, a) => a > 200 && Math.abs(r - b) < 30, some: (r, g, b, a) => a > 0, whole: (r, g, b, a) => a === 255 };
      let count = 0, sum = 0;
      for (let k = 0; k < bytes.length; k += 4) {
        if (judges[test](bytes[k], bytes[k + 1], bytes[k + 2], bytes[k + 3])) count++;
        sum = (sum * 31 + bytes[k] + 3 * bytes[k + 1] + 7 * bytes[k + 2]) % 1000000007;
      }
      return { count, sum, error: gl.getError(), triangles: session.cloth ? session.cloth.fewer(times).count / 3 : 0 };
    }, { test: judge, times: fewer });
  }

  // Lets the time of a live scene run.
  async play() {
    await this.page.click("#play");
    await this.until(() => window.muslin.session.state.playing);
  }

  // Lets it stand.
  async pause() {
    await this.page.click("#play");
    await this.still();
  }

  // Waits until time stands and its last frame is here. News travel before frames, so that one may come after the news that
  // time stands; a frame in another colour has been made after it.
  async still() {
    await this.until(() => !window.muslin.session.state.playing);
    const colours = await this.ask(() => {
      const own = document.getElementById("field").value;
      return [window.muslin.session.hello.fields.find(({ name }) => name !== own).name, own];
    });
    for (const colour of colours) {
      await this.ask((name) => window.muslin.connection.say("field", { name }), colour);
      await this.until((name) => window.muslin.session.fields[window.muslin.session.cloth?.caption.field]?.name === name, colour);
    }
  }

  // Turns the wheel here; a browser does not say when that has arrived.
  async wheel(x, y, by) {
    const before = await this.ask(() => window.muslin.camera.distance);
    await this.page.mouse.move(x, y);
    await this.page.mouse.wheel(0, by);
    await this.until((distance) => window.muslin.camera.distance !== distance, before);
  }

  // Where a vertex of the model is on the screen, and in the world.
  vertex(number) {
    return this.ask((v) => {
      const { session, camera, drawing } = window.muslin;
      drawing.arrange();
      const point = session.cloth.place([0, 0, 0], session.cloth.drawnOf(v)), at = camera.place([0, 0], point);
      const { clientWidth, clientHeight } = document.getElementById("canvas");
      return { x: (at[0] + 1) / 2 * clientWidth, y: (1 - at[1]) / 2 * clientHeight, point };
    }, number);
  }

  // Takes hold of a vertex and keeps the button down; where it was. Cloth moves, and a vertex may be gone when the button
  // goes down: who misses it tries again.
  async hold(vertex) {
    const held = () => this.ask(() => window.muslin.touch.grabs.length), before = await held();
    for (let attempt = 1; ; attempt += 1) {
      const at = await this.vertex(vertex);
      await this.page.mouse.move(at.x, at.y);
      await this.page.mouse.down();
      if (await held() > before || attempt === ATTEMPTS) return at;
      await this.page.mouse.up();
    }
  }

  // Takes hold of a vertex and pulls it by so many pixels; with *Keep* on it stays held.
  async take(vertex, dx, dy) {
    const before = await this.ask(() => window.muslin.session.state.grabs.length), at = await this.hold(vertex);
    await this.page.mouse.move(at.x + dx, at.y + dy, { steps: 6 });
    await this.page.mouse.up();
    await this.until((held) => window.muslin.session.state.grabs.length > held, before);
  }

  time() {
    return this.ask(() => window.muslin.session.cloth?.caption.time ?? -1);
  }

  key(name) {
    return this.ask(() => document.getElementById("canvas").focus()).then(() => this.page.keyboard.press(name));
  }

  async quiet(where) {
    check(`no error in the console ${where}`, this.errors.length === 0, this.errors);
    await this.context.close();
  }
}
