// How fast the page draws, and how coarse it must be for that: a machine without a graphics card draws fewer pixels rather
// than fewer frames, and at last no shadows.
//
// Its numbers live in an array: a variable that several functions share would be allocated anew whenever it changes.

const SLOW = 120, QUICK = 24;   // between drawings, when the picture gets coarser or finer [ms]
const FIRST_GUESS = 60;         // between drawings, before any is known [ms]
const APART = 2000;             // drawings that are this far apart do not follow each other [ms]
const NEWEST = 0.2;             // weight of the newest interval [-]
const COUNTED = 1000;           // how long drawings are counted for their rate [ms]
const LAST = 0, BETWEEN = 1, SINCE = 2;

export const COARSENESS = [1, 0.7, 0.5, 0.5]; // pixels along a side, as parts of the finest; at the last there are no shadows

export class Pace {
  constructor(look) {
    this.look = look;
    this.times = new Float64Array([0, FIRST_GUESS, performance.now()]);
    this.drawn = 0;             // since drawings were last counted
  }

  // A drawing begins; whether it must be coarser or may be finer than the one before.
  begin(now) {
    const { look, times } = this;
    this.drawn++;
    // Only drawings that follow each other tell how long one takes.
    if (now - times[LAST] < APART) times[BETWEEN] += NEWEST * (now - times[LAST] - times[BETWEEN]);
    times[LAST] = now;
    const step = times[BETWEEN] > SLOW ? 1 : times[BETWEEN] < QUICK ? -1 : 0, next = look.quality + step;
    if (!look.adapts || !step || next < 0 || next >= COARSENESS.length) return false;
    times[BETWEEN] = FIRST_GUESS;
    look.quality = next;
    look.castsShadows = next + 1 < COARSENESS.length;
    return true;
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
