// How fast the page draws, and how coarse it must be for that: a machine without a graphics card draws fewer pixels rather
// than fewer frames, then no shadows, and at last fewer triangles. When nothing moves for a while, all triangles are drawn.
//
// Its numbers live in an array: a variable that several functions share would be allocated anew whenever it changes.

const SLOW = 70, QUICK = 20;    // that a drawing holds the screen up, when the picture gets coarser or finer [ms]
const FIRST_GUESS = 45;         // the same, before any is known [ms]
const HIDDEN = 2000;            // between two turns, if nobody looked [ms]
const PIPELINE = 2;             // turns in which a drawing holds the screen up: browsers prepare one while another is shown
const NEWEST = 0.2;             // weight of the newest interval [-]
const COUNTED = 1000;           // how long drawings are counted for their rate [ms]
const LAST = 0, HELD = 1, SINCE = 2, TURN = 3, WORST = 4;

const STILL = 400;              // without a drawing until all triangles are drawn [ms]

// Pixels along a side, as parts of the finest; whether there are shadows; how often triangles are made fewer.
export const COARSENESS = [
  { pixels: 1, shadows: true, fewer: 0 }, { pixels: 0.7, shadows: true, fewer: 0 }, { pixels: 0.5, shadows: true, fewer: 0 },
  { pixels: 0.5, shadows: false, fewer: 0 }, { pixels: 0.5, shadows: false, fewer: 1 }, { pixels: 0.5, shadows: false, fewer: 2 },
  { pixels: 0.5, shadows: false, fewer: 3 },
];

export class Pace {
  constructor(look) {
    this.look = look;
    this.times = new Float64Array([0, FIRST_GUESS, performance.now(), performance.now(), 0]);
    this.drawn = 0;             // since drawings were last counted
    this.held = 0;              // turns that the last drawing may still hold up
  }

  // Another turn of the screen. How late turns are after a drawing tells what it costs; how far drawings are apart does not:
  // a scene may be simulated slowly.
  tick(now) {
    const { times } = this, interval = now - times[TURN];
    times[TURN] = now;
    if (!this.held) return;
    if (interval < HIDDEN && interval > times[WORST]) times[WORST] = interval;
    if (--this.held === 0) this.learn();
  }

  learn() {
    const { times } = this;
    if (times[WORST] > 0) times[HELD] += NEWEST * (times[WORST] - times[HELD]);
    times[WORST] = 0;
  }

  // A drawing begins; whether it must be coarser or may be finer than the one before.
  begin(now) {
    const { look, times } = this;
    this.drawn++;
    look.fewer = COARSENESS[look.quality].fewer;
    if (this.held) this.learn();
    this.held = PIPELINE;
    times[LAST] = now;
    const step = times[HELD] > SLOW ? 1 : times[HELD] < QUICK ? -1 : 0, next = look.quality + step;
    if (!look.adapts || !step || next < 0 || next >= COARSENESS.length) return false;
    times[HELD] = FIRST_GUESS;
    look.quality = next;
    look.castsShadows = COARSENESS[next].shadows;
    return true;
  }

  // Whether all triangles may be drawn now, because nothing has moved for a while.
  isStill(now) {
    return this.look.fewer > 0 && now - this.times[LAST] > STILL;
  }

  // Whether it is time to tell how many frames per second there were.
  isCounted(now) {
    return now - this.times[SINCE] > COUNTED;
  }

  // Frames per second since it was last asked for [1/s].
  count(now) {
    const rate = this.drawn * 1000 / (now - this.times[SINCE]);
    this.drawn = 0;
    this.times[SINCE] = now;
    return rate;
  }
}
