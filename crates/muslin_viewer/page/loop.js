// The moment of a picked hinge over its curvature. Elastic cloth draws a line, what resists by friction or damping a loop.
// A live hinge draws it as it goes; of a recording the whole is there at once, with a dot at the present time.

import { short } from "./format.js";

const ROOM = 400; // points that are kept

export class Loop {
  constructor(figure, numbers, note, session) {
    Object.assign(this, { figure, numbers, note, session });
    this.canvas = figure.querySelector("canvas");
    this.points = [];
    this.last = -1;           // time of the last point [s]
    this.times = null;        // of all points of a recording [s]
    this.run = 0;             // of it
    this.present = -1;        // the point at the present time
    this.isDrawn = false;     // a figure that is not seen yet has no size to draw in
    session.on("vertex", (picked) => session.mode === "live" && this.take(picked));
    session.on("loop", (whole) => this.takeWhole(whole));
    session.on("hello", () => {
      figure.hidden = note.hidden = true;
      this.clear();
    });
  }

  // Begins anew; another hinge is picked.
  clear() {
    this.points.length = 0;
    this.last = this.present = -1;
    this.times = null;
    this.note.hidden = true;
  }

  // Takes the bending of all frames, or why it is not known.
  takeWhole({ run, time, curvature, moment, note }) {
    this.clear();
    this.figure.hidden = !time;
    this.note.hidden = !note;
    this.note.textContent = note ?? "";
    if (!time) return;
    this.run = run;
    this.times = time;
    time.forEach((_, k) => this.points.push([curvature[k], 1e3 * moment[k]]));
    this.follow();
  }

  // Moves the dot to the present time of a recording.
  follow() {
    const surface = this.session.runs[this.run]?.moving, { times } = this;
    if (!times || !surface) return;
    const { time } = surface.caption;
    let nearest = 0;
    for (let k = 1; k < times.length; k++) if (Math.abs(times[k] - time) < Math.abs(times[nearest] - time)) nearest = k;
    if (nearest === this.present && this.isDrawn) return;
    this.present = nearest;
    this.tell(...this.points[nearest]);
    this.draw();
  }

  tell(curvature, moment) {
    this.numbers.textContent = `${short(curvature)} 1/m, ${short(moment)} mN`;
  }

  take({ hinge, time }) {
    this.figure.hidden = !hinge;
    if (!hinge) return;
    if (time < this.last) this.clear();
    if (time !== this.last) this.points.push([hinge.curvature, 1e3 * hinge.moment]);
    if (this.points.length > ROOM) this.points.shift();
    this.last = time;
    this.present = this.points.length - 1;
    this.tell(...this.points[this.present]);
    this.draw();
  }

  draw() {
    const { canvas, points } = this, scale = devicePixelRatio;
    const width = Math.round(canvas.clientWidth * scale), height = Math.round(canvas.clientHeight * scale);
    this.isDrawn = width > 0;
    if (!this.isDrawn) return;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const pen = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
    const reach = [0, 1].map((k) => Math.max(1e-12, ...points.map((point) => Math.abs(point[k]))));
    const margin = 5 * scale;
    const x = (value) => width / 2 + value / reach[0] * (width / 2 - margin);
    const y = (value) => height / 2 - value / reach[1] * (height / 2 - margin);
    pen.clearRect(0, 0, width, height);
    pen.strokeStyle = style.getPropertyValue("--line");
    pen.lineWidth = scale;
    pen.beginPath();
    pen.moveTo(0, y(0));
    pen.lineTo(width, y(0));
    pen.moveTo(x(0), 0);
    pen.lineTo(x(0), height);
    pen.stroke();
    pen.strokeStyle = pen.fillStyle = style.getPropertyValue("--curve-0");
    pen.lineWidth = 1.5 * scale;
    pen.beginPath();
    for (const [k, m] of points) pen.lineTo(x(k), y(m));
    pen.stroke();
    const [k, m] = points[this.present] ?? [0, 0];
    pen.beginPath();
    pen.arc(x(k), y(m), 3 * scale, 0, 2 * Math.PI);
    pen.fill();
  }
}
