// Curves over time: of a live scene as it runs, of recordings from their tables of totals, the second run dashed.

import { paragraph } from "./controls.js";
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
  constructor(section, home, notes, session) {
    Object.assign(this, { section, home, notes, session });
    this.series = null;      // of the first run
    this.other = null;       // of the second
    this.plots = [];
    this.curves = [];
    this.times = new Ring(); // of the samples of a live scene [s]
    this.lastFrame = -1;
    this.isNew = true;       // whether there is something to draw
    session.on("hello", (hello) => this.begin(hello.stats));
    session.on("series", (series) => this.take(series));
    session.on("frame", (run) => (run === session.runs[0] ? this.sample(run.moving.caption) : this.isNew = true));
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
      const axis = document.createElement("div");
      axis.className = "axis number";
      axis.append(document.createElement("span"), document.createElement("span"));
      figure.append(caption, canvas, axis);
      this.home.append(figure);
      return { group, curves: own, canvas, names, most, axis, shown: "", span: "" };
    });
    this.curves = curves;
    this.section.hidden = !this.plots.length;
    this.isNew = true;
  }

  begin(stats) {
    this.series = this.other = null;
    this.notes.replaceChildren();
    this.times.clear();
    this.build(stats.map((stat, k) => ({ ...stat, ring: new Ring(), index: k })));
  }

  take(series) {
    const { runs } = this.session, several = runs.length > 1;
    this.notes.append(...series.notes.map((note) => paragraph(several ? `${runs[series.run]?.info.name}: ${note}` : note)));
    this.section.hidden = false;
    this.isNew = true;
    if (!series.curves.length) return;
    if (series.run === 0) this.series = series;
    else this.other = series;
    // What only the second run has is shown too.
    const own = (this.series ?? series).curves, more = this.other?.curves ?? [];
    const has = (curve) => own.some((one) => one.group === curve.group && one.name === curve.name);
    this.build([...own, ...more.filter((curve) => !has(curve)).map((curve) => ({ ...curve, values: [] }))].map((curve) => ({
      ...curve, ring: { length: curve.values.length, at: (k) => curve.values[k] ?? NaN },
      other: this.series ? more.find((one) => one.group === curve.group && one.name === curve.name)?.values : undefined,
    })));
  }

  sample(caption) {
    if (!this.shown && caption.statCount) {
      // Back at the start: the old curves are of another run.
      if (caption.frame < this.lastFrame) {
        for (let k = 0; k < this.curves.length; k++) this.curves[k].ring.clear();
        this.times.clear();
      }
      if (caption.frame !== this.lastFrame) {
        this.times.push(caption.clock, 0);
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
    for (const { other } of curves) {
      for (const value of other ?? []) {
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    const [begin, end] = this.span;
    const reach = `${short(begin)} s|${short(end)} s`;
    if (plot.span !== reach) {
      plot.span = reach;
      reach.split("|").forEach((word, k) => { plot.axis.children[k].textContent = word; });
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
      const time = this.shown?.time, length = end - begin || 1;
      for (let k = 0; k < ring.length; k++) {
        pen.lineTo(((time ? time[k] : this.times.at(k)) - begin) / length * width, y(ring.at(k)));
      }
      pen.stroke();
      if (curves[number].other) this.drawOther(pen, curves[number].other, width, y, scale);
    });
    if (this.shown) this.drawCursor(pen, width, height, style, scale);
  }

  // The recorded curves that are drawn solid.
  get shown() {
    return this.series ?? this.other;
  }

  // The first and the last time of the plots [s].
  get span() {
    const { times } = this;
    return this.shown ? [0, this.end] : times.length ? [times.at(0), times.at(times.length - 1)] : [0, 0];
  }

  // The last time of both runs [s].
  get end() {
    return Math.max(this.series?.time.at(-1) ?? 0, this.other?.time.at(-1) ?? 0) || 1;
  }

  drawOther(pen, values, width, y, scale) {
    pen.setLineDash([4 * scale, 3 * scale]);
    pen.beginPath();
    values.forEach((value, k) => pen.lineTo(this.other.time[k] / this.end * width, y(value)));
    pen.stroke();
    pen.setLineDash([]);
  }

  drawCursor(pen, width, height, style, scale) {
    const x = this.session.time / this.end * width;
    pen.strokeStyle = style.getPropertyValue("--soft");
    pen.lineWidth = scale;
    pen.beginPath();
    pen.moveTo(x, 0);
    pen.lineTo(x, height);
    pen.stroke();
  }
}
