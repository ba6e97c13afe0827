// What a frame leaves on the heap of the page, on all of its way: message, reading, upload, drawing, acknowledgement.
//
// The browser tells its heap exactly. Messages are real ones, handed to the socket's own listener as the browser does; the
// event and the buffer of each are made beforehand, since the browser makes them for any page. What is compared with is a
// listener that does nothing, and one that only makes the view without which a script cannot see into a buffer.
//
// The browser compiles and collects on the thread that is measured, where a busy machine does neither later than an idle one.

import { check, open, view } from "./stand.mjs";

const STRAY = 4;    // messages of the page itself, or drawings, that fall into the measurement
const PASSES = 15;  // of which the middle one counts
const COLD = 40;    // frames of a page that has hardly drawn any: none of its code is compiled for speed
const HOT = 1200;   // frames after which all of it is, and fifty times as many computations of the camera
const LEAST_NOTICED = 12; // one boxed number [bytes]
const MOST_COLD = 600; // numbers that pass through code which is not compiled yet, 12 bytes each [bytes]
const FLAGS = "--expose-gc --single-threaded";

export async function allocations() {
  const server = await view("hang", "--set", "resolution=4");
  const stand = await open(server.url, { flags: FLAGS });
  await stand.until(() => window.muslin.session.frames > 12);
  await stand.page.click("#wireframe");
  await stand.page.click("#normals");
  await stand.pause();
  const found = await stand.ask(measure, { COLD, HOT, PASSES });
  console.log(`bytes per frame: ${JSON.stringify(found)}`);
  check("frames are drawn and acknowledged while they are measured", found.drawn > HOT && found.told > HOT && Math.abs(found.drawn - found.told) <= STRAY, found);
  check("a frame leaves one view of its message, and nothing else", found.hot - found.look < LEAST_NOTICED, found);
  check("that view is small", found.look - found.empty < 100, found);
  check("before the code is compiled it leaves some boxed numbers more", found.cold - found.look < MOST_COLD, found);
  check("a camera that moves leaves nothing more", found.turning - found.look < LEAST_NOTICED, found);
  check("a single small array in each frame would be noticed", found.planted - found.look > LEAST_NOTICED, found);
  await stand.quiet("while frames are measured");
  await server.stop();
}

// Runs in the page.
function measure({ COLD, HOT, PASSES }) {
  const { connection, session, camera, drawing, turn } = window.muslin, { socket } = connection, real = session.cloth.message;
  const now = performance.now(); // words that follow the frames a few times a second keep out of this
  const mine = socket.onmessage, count = { drawn: 0, told: 0 };
  const { draw } = drawing;
  drawing.draw = () => { count.drawn++; draw.call(drawing); };
  socket.send = () => { count.told++; }; // the server would refuse frames that it never sent
  // Pictures of a few pixels: thousands of drawings must not keep a software renderer busy.
  const { canvas } = drawing.gl, { size } = drawing.depths;
  canvas.width = canvas.height = drawing.depths.size = 8;
  drawing.gl.enable(drawing.gl.SCISSOR_TEST);
  drawing.gl.scissor(0, 0, 8, 8);
  let number = 0;
  const events = (many) => Array.from({ length: many }, () => {
    const data = real.slice(0);
    new Uint32Array(data)[4] = ++number;
    return new MessageEvent("message", { data });
  });
  const pass = (listener, ready, act) => {
    socket.onmessage = listener;
    const before = performance.memory.usedJSHeapSize;
    for (let k = 0; k < ready.length; k++) {
      socket.dispatchEvent(ready[k]);
      act();
    }
    return (performance.memory.usedJSHeapSize - before) / ready.length;
  };
  // Whatever else runs in the browser adds to a few passes, and a collection that it asks for takes from a few: the middle
  // one counts.
  const middle = (listener, act) => Array.from({ length: PASSES }, () => measured(listener, act)).sort((a, b) => a - b)[PASSES >> 1];
  const measured = (listener, act) => {
    const ready = events(COLD);
    window.gc();
    return pass(listener, ready, act);
  };
  const frame = () => turn(now);
  pass(mine, events(COLD), frame);
  const cold = measured(mine, frame);
  const turned = () => { camera.orbit(0.001, 0); frame(); };
  for (let k = 0; k < 50 * HOT; k++) {
    camera.orbit(0.001, 0);
    drawing.arrange();
    drawing.placeLamps();
    drawing.aimLamp(drawing.paints[0]);
  }
  for (let k = 0; k < HOT / COLD; k++) pass(mine, events(COLD), k % 2 ? turned : frame);
  const nothing = () => {};
  const found = {
    empty: middle(nothing, nothing), look: middle(({ data }) => { window.kept = new Uint16Array(data); }, nothing),
    cold, hot: middle(mine, frame), turning: middle(mine, turned), planted: middle(mine, () => { window.more = [number]; frame(); }),
  };
  socket.onmessage = mine;
  drawing.gl.disable(drawing.gl.SCISSOR_TEST);
  drawing.depths.size = size;
  drawing.draw = draw;
  delete socket.send;
  dispatchEvent(new Event("resize"));
  return { ...found, ...count };
}
