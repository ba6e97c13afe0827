// The moment of a picked hinge over its curvature. Elastic cloth draws a line, what resists by friction or damping a loop.

import { short } from "./format.js";

const ROOM = 400; // points that are kept

export class Loop {
  constructor(figure, numbers, session) {
    Object.assign(this, { figure, numbers, session });
    this.canvas = figure.querySelector("canvas");
    this.points = [];
    this.hinge = "";
    session.on("vertex", (picked) => this.take(picked));
    session.on("hello", () => { figure.hidden = true; });
  }

  // Begins anew; another hinge is picked.
  clear() {
    this.points.length = 0;
    this.last = -1;
  }

  take({ hinge, time }) {
    this.figure.hidden = !hinge;
    if (!hinge) return;
    if (time < this.last) this.clear();
    if (time !== this.last) this.points.push([hinge.curvature, 1e3 * hinge.moment]);
    if (this.points.length > ROOM) this.points.shift();
    this.last = time;
    this.numbers.textContent = `${short(hinge.curvature)} 1/m, ${short(1e3 * hinge.moment)} mN`;
    this.draw();
  }

  draw() {
    const { canvas, points } = this, scale = devicePixelRatio;
    const width = Math.round(canvas.clientWidth * scale), height = Math.round(canvas.clientHeight * scale);
    if (!width) return;
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
    const [k, m] = points[points.length - 1] ?? [0, 0];
    pen.beginPath();
    pen.arc(x(k), y(m), 3 * scale, 0, 2 * Math.PI);
    pen.fill();
  }
}
