// Curves over time: of a live scene as it runs, of a recording from its table of totals.

import { short } from "./format.js";

const ROOM = 600;        // samples that are kept of a live scene

// Samples in a ring: the oldest is overwritten.
class Ring {
  constructor() {
    this.values = new Float32Array(ROOM);
    this.first = 0;
    this.length = 0;
  }

  // Takes a number of an array; handed over by itself it might be allocated.
  push(numbers, k) {
    if (this.length < ROOM) this.values[this.length++] = numbers[k];
    else {
      this.values[this.first] = numbers[k];
      this.first = (this.first + 1) % ROOM;
    }
  }

  at(k) {
    return this.values[(this.first + k) % ROOM];
  }

  clear() {
    this.first = this.length = 0;
  }
}

export class Plots {
  constructor(section, home, session) {
    Object.assign(this, { section, home, session });
    this.plots = [];
    this.curves = [];
    this.lastFrame = -1;
    this.isNew = true;       // whether there is something to draw
    session.on("hello", (hello) => this.begin(hello.stats));
    session.on("series", (series) => series.run === 0 && this.take(series));
    session.on("frame", (run) => run === session.runs[0] && this.sample(run.moving.caption));
  }

  // One plot per group of curves.
  build(curves) {
    this.home.replaceChildren();
    this.plots = [...new Set(curves.map((curve) => curve.group))].map((group) => {
      const own = curves.filter((curve) => curve.group === group);
      const figure = document.createElement("figure"), caption = document.createElement("figcaption"), canvas = document.createElement("canvas");
      figure.className = "plot";
      const title = document.createElement("b");
      title.textContent = `${group} [${own[0].unit}]`;
      caption.append(title);
      const names = own.map((curve) => {
        const name = document.createElement("span");
        name.textContent = curve.name;
        if (own.length > 1) caption.append(name);
        return name;
      });
      const most = document.createElement("span");
      most.className = "number most";
      caption.append(most);
      figure.append(caption, canvas);
      this.home.append(figure);
      return { group, curves: own, canvas, names, most, shown: "" };
    });
    this.curves = curves;
    this.section.hidden = !this.plots.length;
    this.isNew = true;
  }

  begin(stats) {
    this.series = null;
    this.build(stats.map((stat, k) => ({ ...stat, ring: new Ring(), index: k })));
  }

  take(series) {
    if (!series.curves.length) return;
    this.series = series;
    this.build(series.curves.map((curve) => ({ ...curve, ring: { length: curve.values.length, at: (k) => curve.values[k] ?? NaN } })));
  }

  sample(caption) {
    if (!this.series && caption.statCount) {
      // Back at the start: the old curves are of another run.
      if (caption.frame < this.lastFrame) {
        for (let k = 0; k < this.curves.length; k++) this.curves[k].ring.clear();
      }
      if (caption.frame !== this.lastFrame) {
        for (let k = 0; k < this.curves.length; k++) this.curves[k].ring.push(caption.stats, this.curves[k].index);
      }
    }
    this.lastFrame = caption.frame;
    this.isNew = true;
  }

  // Draws them, if they can be seen and something is new.
  draw() {
    if (!this.isNew || !this.section.offsetParent) return;
    this.isNew = false;
    const style = getComputedStyle(document.documentElement);
    for (const plot of this.plots) this.drawOne(plot, style);
  }

  drawOne(plot, style) {
    const { canvas, curves } = plot, scale = devicePixelRatio;
    const width = Math.round(canvas.clientWidth * scale), height = Math.round(canvas.clientHeight * scale);
    if (!width) return;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, width, height);
    let low = 0, high = 0;
    for (const { ring } of curves) {
      for (let k = 0; k < ring.length; k++) {
        const value = ring.at(k);
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    const text = `${short(low)} to ${short(high)}`;
    if (plot.shown !== text) plot.most.textContent = plot.shown = text;
    const span = high - low || 1, margin = 3 * scale;
    const y = (value) => height - margin - (value - low) / span * (height - 2 * margin);
    pen.strokeStyle = style.getPropertyValue("--line");
    pen.lineWidth = scale;
    pen.beginPath();
    pen.moveTo(0, y(0));
    pen.lineTo(width, y(0));
    pen.stroke();
    pen.lineWidth = 1.5 * scale;
    curves.forEach(({ ring }, number) => {
      const colour = style.getPropertyValue(`--curve-${number % 6}`);
      plot.names[number].style.color = colour;
      pen.strokeStyle = colour;
      pen.beginPath();
      const last = Math.max(1, ring.length - 1);
      for (let k = 0; k < ring.length; k++) pen.lineTo(k / last * width, y(ring.at(k)));
      pen.stroke();
    });
    if (this.series) this.drawCursor(pen, width, height, style, scale);
  }

  drawCursor(pen, width, height, style, scale) {
    const { time } = this.series, end = time[time.length - 1] || 1;
    const x = (this.session.cloth?.caption.time ?? 0) / end * width;
    pen.strokeStyle = style.getPropertyValue("--soft");
    pen.lineWidth = scale;
    pen.beginPath();
    pen.moveTo(x, 0);
    pen.lineTo(x, height);
    pen.stroke();
  }
}
