// What is laid over the surfaces: edges, pins, normals, faults, handles of grabs. One draw call each.

import { AT } from "./graphics.js";
import { Inspection } from "./inspection.js";
import { dropIndexed, indexed } from "./surface.js";

const MOST_HANDLES = 64;

// Lines or points in the world that change freely.
class Free {
  constructor(gl) {
    this.gl = gl;
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    this.room = 0;
    this.count = 0;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.enableVertexAttribArray(AT.free);
    gl.vertexAttribPointer(AT.free, 3, gl.FLOAT, false, 12, 0);
    gl.bindVertexArray(null);
  }

  set(numbers, count) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    if (numbers.length > this.room) {
      this.room = numbers.length;
      gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.DYNAMIC_DRAW);
    } else {
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, numbers, 0, 3 * count);
    }
    this.count = count;
  }
}

export class Overlays {
  constructor(gl, session) {
    this.gl = gl;
    this.session = session;
    this.pins = null;      // vertices that are held
    this.faults = null;    // triangles
    this.marks = [];       // drawn vertices to ring: faulty ones, and the picked one
    this.picked = -1;      // drawn vertex of the run below
    this.pickedRun = 0;
    this.handles = new Free(gl);
    this.inspection = new Inspection(gl, session);
    this.handleNumbers = new Float32Array(3 * MOST_HANDLES);
    this.point = [0, 0, 0];
    session.on("state", () => this.mark());
    session.on("topology", () => this.mark());
    session.on("hello", () => this.clear());
  }

  clear() {
    for (const name of ["pins", "faults"]) {
      dropIndexed(this.gl, this[name]);
      this[name] = null;
    }
    this.marks.length = 0;
    this.picked = -1;
    this.pickedRun = 0;
  }

  replace(name, surface, indices) {
    dropIndexed(this.gl, this[name]);
    this[name] = surface && indices.length ? indexed(this.gl, surface, new Uint32Array(indices)) : null;
  }

  // Vertices and triangles to mark, from what the server says.
  mark() {
    const surface = this.session.runs[0]?.moving, { state } = this.session;
    if (!surface) return;
    const drawn = (vertices) => vertices.map((v) => surface.drawnOf(v)).filter((v) => v >= 0);
    this.replace("pins", surface, drawn([...state.pins.flatMap((pin) => pin.vertices), ...state.held]));
    this.marks = drawn(state.faults.flatMap((fault) => fault.vertices));
    // Triangles of the model and drawn ones have the same order: cloths come first in both.
    const { triangles } = surface.part;
    const faulty = state.faults.flatMap((fault) => fault.triangles).filter((t) => 3 * t + 2 < triangles.length);
    this.replace("faults", surface, faulty.flatMap((t) => [triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]]));
  }

  pick(vertex, run) {
    const surface = this.session.runs[run]?.moving;
    this.pickedRun = run;
    this.picked = vertex === null || !surface ? -1 : surface.drawnOf(vertex);
  }

  // Rings around what is held and where it is pulled, and around marked vertices. `grabs` has { drawn, target }.
  setHandles(surface, grabs) {
    let n = 0;
    for (let k = 0; k < grabs.length && n < MOST_HANDLES - 1; k++) {
      n = this.ring(n, surface.place(this.point, grabs[k].drawn));
      n = this.ring(n, grabs[k].target);
    }
    for (let k = 0; k < this.marks.length && n < MOST_HANDLES - 1; k++) n = this.ring(n, surface.place(this.point, this.marks[k]));
    if (this.picked >= 0) n = this.ring(n, this.session.runs[this.pickedRun].moving.place(this.point, this.picked));
    if (n || this.handles.count) this.handles.set(this.handleNumbers, n);
  }

  ring(n, point) {
    for (let c = 0; c < 3; c++) this.handleNumbers[3 * n + c] = point[c];
    return n + 1;
  }
}
