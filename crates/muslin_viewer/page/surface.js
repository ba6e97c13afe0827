// The vertices and triangles of one part of a run on the graphics card.
//
// A frame's message is uploaded as it is: the vertex array reads positions, normals and values at their places in it.

import { coarsen } from "./coarse.js";
import { AT } from "./graphics.js";
import { Caption, layout } from "./wire.js";

const FEW = 4000; // triangles that need not be made fewer

export class Surface {
  constructor(gl, part) {
    this.gl = gl;
    this.part = part;
    this.count = part.vertices.length;
    this.triangles = part.triangles.length / 3;
    this.caption = new Caption();
    this.at = layout(this.count);
    this.message = null;      // of the last frame
    this.halves = null;       // the same as 16-bit numbers
    this.array = gl.createVertexArray();
    this.frameBuffer = gl.createBuffer();
    this.indices = gl.createBuffer();
    this.fixed = gl.createBuffer();
    this.levels = [{ array: this.array, count: part.triangles.length, triangles: part.triangles }]; // all, and fewer and fewer
    this.lines = null;
    this.lineCount = 0;

    gl.bindBuffer(gl.ARRAY_BUFFER, this.fixed);
    gl.bufferData(gl.ARRAY_BUFFER, 12 * this.count, gl.STATIC_DRAW);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, part.uv);
    gl.bufferSubData(gl.ARRAY_BUFFER, 8 * this.count, part.bodies);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.frameBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.at.end, gl.DYNAMIC_DRAW);
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indices);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, part.triangles, gl.STATIC_DRAW);
    this.attributes(0);
    gl.bindVertexArray(null);
    // The same vertices once per instance, for normals.
    this.instances = gl.createVertexArray();
    gl.bindVertexArray(this.instances);
    this.attributes(1);
    gl.bindVertexArray(null);
  }

  attributes(divisor) {
    const { gl, at } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.frameBuffer);
    const from = (place, size, kind, normalised, stride, offset) => {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, kind, normalised, stride, offset);
      gl.vertexAttribDivisor(place, divisor);
    };
    from(AT.position, 3, gl.UNSIGNED_SHORT, true, 6, at.positions);
    from(AT.normal, 2, gl.UNSIGNED_SHORT, false, 4, at.normals);
    from(AT.value, 1, gl.UNSIGNED_BYTE, true, 1, at.values);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.fixed);
    from(AT.uv, 2, gl.FLOAT, false, 8, 0);
    from(AT.body, 1, gl.UNSIGNED_BYTE, false, 1, 8 * this.count);
  }

  // Takes a frame; `false` if it is not one of this surface.
  take(message, halves) {
    if (message.byteLength !== this.at.end) return false;
    this.caption.read(halves);
    if (this.caption.count !== this.count) return false;
    this.message = message;
    this.halves = halves;
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.frameBuffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, message);
    return true;
  }

  // The place of a drawn vertex, into `out`.
  place(out, drawn) {
    const { low, size } = this.caption, first = this.at.positions / 2 + 3 * drawn;
    for (let k = 0; k < 3; k++) out[k] = low[k] + this.halves[first + k] / 65535 * size[k];
    return out;
  }

  // The first drawn vertex that shows a vertex of the model; -1 if there is none.
  drawnOf(vertex) {
    this.drawn ??= new Map([...this.part.vertices].map((v, k) => [v, k]).reverse());
    return this.drawn.get(vertex) ?? -1;
  }

  // What to draw when triangles are made fewer so many times; made when it is first asked for.
  fewer(times) {
    const { levels, part } = this;
    while (levels.length <= times && levels[levels.length - 1].count > 3 * FEW) {
      const triangles = coarsen(part, levels[levels.length - 1].triangles);
      levels.push({ ...indexed(this.gl, this, triangles), triangles });
    }
    return levels[Math.min(times, levels.length - 1)];
  }

  // Each edge once, made when the wireframe is first asked for.
  edges() {
    if (this.lines) return this.lines;
    const { gl, part: { triangles } } = this;
    const ends = new Uint32Array(2 * triangles.length);
    const seen = new Set();
    let n = 0;
    for (let t = 0; t < triangles.length; t += 3) {
      for (let k = 0; k < 3; k++) {
        const a = triangles[t + k], b = triangles[t + (k + 1) % 3];
        const key = a < b ? a * this.count + b : b * this.count + a;
        if (seen.has(key)) continue;
        seen.add(key);
        ends[n++] = a;
        ends[n++] = b;
      }
    }
    this.lines = indexed(gl, this, ends.subarray(0, n));
    this.lineCount = n;
    return this.lines;
  }

  drop() {
    const { gl } = this;
    for (const buffer of [this.frameBuffer, this.indices, this.fixed]) gl.deleteBuffer(buffer);
    gl.deleteVertexArray(this.array);
    gl.deleteVertexArray(this.instances);
    for (let k = 1; k < this.levels.length; k++) dropIndexed(gl, this.levels[k]);
    dropIndexed(gl, this.lines);
  }
}

// A vertex array over a surface's vertices with other indices: edges, pins, faulty triangles.
export function indexed(gl, surface, indices) {
  const array = gl.createVertexArray(), buffer = gl.createBuffer();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
  surface.attributes(0);
  gl.bindVertexArray(null);
  return { array, buffer, count: indices.length };
}

export function dropIndexed(gl, it) {
  if (!it) return;
  gl.deleteVertexArray(it.array);
  gl.deleteBuffer(it.buffer);
}
