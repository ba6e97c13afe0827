// The sliders of a live scene. They send while they are dragged, at most twenty times a second.

import { short } from "./format.js";

const PAUSE = 50; // between messages [ms]
const STEPS = 1000;

export class Dials {
  constructor(home, session, connection) {
    Object.assign(this, { home, session, connection });
    this.rows = new Map();
    this.waiting = {};
    this.timer = 0;
    session.on("hello", () => this.clear());
    session.on("state", (state) => this.show(state.dials));
  }

  clear() {
    this.home.replaceChildren();
    this.rows.clear();
  }

  show(dials) {
    const ids = dials.map((dial) => dial.id).join();
    if (ids !== [...this.rows.keys()].join()) this.build(dials);
    for (const dial of dials) {
      const row = this.rows.get(dial.id);
      row.dial = dial;
      row.output.textContent = `${short(dial.value)} ${dial.unit}`;
      // Not under the finger that drags it.
      if (document.activeElement !== row.input || !row.dragging) row.input.value = toSlider(dial, dial.value);
    }
  }

  build(dials) {
    this.clear();
    for (const group of new Set(dials.map((dial) => dial.group))) {
      const section = document.createElement("section");
      const title = document.createElement("h2");
      title.textContent = group;
      section.append(title, ...dials.filter((dial) => dial.group === group).map((dial) => this.row(dial)));
      this.home.append(section);
    }
  }

  row(dial) {
    const label = document.createElement("label");
    label.className = "dial";
    const name = document.createElement("span"), output = document.createElement("output"), input = document.createElement("input");
    name.textContent = dial.label;
    output.className = "number";
    Object.assign(input, { type: "range", min: 0, max: STEPS, step: 1 });
    input.dataset.dial = dial.id;
    input.setAttribute("aria-label", `${dial.group}: ${dial.label}`);
    label.append(name, output, input);
    const row = { dial, output, input, dragging: false };
    input.addEventListener("input", () => {
      row.dragging = true;
      const value = fromSlider(row.dial, Number(input.value));
      output.textContent = `${short(value)} ${row.dial.unit}`;
      this.send(row.dial.id, value);
    });
    input.addEventListener("change", () => { row.dragging = false; });
    this.rows.set(dial.id, row);
    return label;
  }

  send(id, value) {
    this.waiting[id] = value;
    this.timer ||= setTimeout(() => {
      this.connection.say("set", { values: this.waiting });
      this.waiting = {};
      this.timer = 0;
    }, PAUSE);
  }
}

const toSlider = ({ low, high, logarithmic }, value) =>
  STEPS * (logarithmic ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));

function fromSlider({ low, high, logarithmic }, step) {
  const part = step / STEPS;
  if (logarithmic) return low * (high / low) ** part;
  const value = low + (high - low) * part;
  return Math.abs(value) < (high - low) / STEPS ? 0 : value; // the middle is easy to find again
}
