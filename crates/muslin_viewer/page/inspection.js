// What the solver saw in its last step, as coloured lines in one draw call: boxes of the broad phase, contacts with their
// normals, impact zones.

import { AT } from "./graphics.js";

const BOX_EDGES = [0, 1, 1, 3, 3, 2, 2, 0, 4, 5, 5, 7, 7, 6, 6, 4, 0, 4, 1, 5, 2, 6, 3, 7];
const PER_CONTACT = 7;                       // numbers: point, normal, whether it slips
const BOX = [0.2, 0.55, 0.75], STICKS = [0.1, 0.62, 0.3], SLIPS = [0.93, 0.5, 0.08], ZONE = [0.8, 0.1, 0.65];

export class Inspection {
  constructor(gl, session) {
    this.gl = gl;
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    this.numbers = new Float32Array(6 * 1024); // place and colour of each end; grows, never shrinks
    this.room = 0;
    this.count = 0;
    this.shown = { boxes: null, contacts: null, message: null };
    this.point = [0, 0, 0];
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    for (const [place, offset] of [[AT.free, 0], [AT.tint, 12]]) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 24, offset);
    }
    gl.bindVertexArray(null);
    // Arrays without colours of their own are not tinted.
    gl.vertexAttrib3f(AT.tint, 1, 1, 1);
    session.on("hello", () => { this.count = 0; });
  }

  // Makes the lines if something is new. Normals and the crosses of zones are as long as the one number of `reach` [m].
  show(boxes, contacts, surface, reach) {
    const { shown } = this, message = contacts ? surface.message : null;
    if (shown.boxes === boxes && shown.contacts === contacts && shown.message === message) return;
    shown.boxes = boxes;
    shown.contacts = contacts;
    shown.message = message;
    this.count = 0;
    if (boxes) this.addBoxes(boxes.corners);
    if (contacts) {
      this.addContacts(contacts.contacts, reach[0]);
      this.addZones(contacts.zones, surface, 0.5 * reach[0]);
    }
    if (this.count) this.upload();
  }

  upload() {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    if (this.numbers.length > this.room) {
      this.room = this.numbers.length;
      gl.bufferData(gl.ARRAY_BUFFER, this.numbers, gl.DYNAMIC_DRAW);
    } else {
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, this.numbers, 0, 6 * this.count);
    }
  }

  end(x, y, z, colour) {
    const at = 6 * this.count++;
    if (at + 6 > this.numbers.length) {
      const more = new Float32Array(2 * this.numbers.length);
      more.set(this.numbers);
      this.numbers = more;
    }
    this.numbers[at] = x;
    this.numbers[at + 1] = y;
    this.numbers[at + 2] = z;
    for (let c = 0; c < 3; c++) this.numbers[at + 3 + c] = colour[c];
  }

  addBoxes(corners) {
    for (let b = 0; b < corners.length; b += 6) {
      for (let e = 0; e < 24; e++) {
        const k = BOX_EDGES[e];
        this.end(corners[b + (k & 1 ? 3 : 0)], corners[b + (k & 2 ? 4 : 1)], corners[b + (k & 4 ? 5 : 2)], BOX);
      }
    }
  }

  // To both sides: one of them is seen, whichever side the cloth hides.
  addContacts(contacts, reach) {
    for (let k = 0; k < contacts.length; k += PER_CONTACT) {
      const colour = contacts[k + 6] ? SLIPS : STICKS;
      for (let side = -1; side < 2; side += 2) {
        const way = side * reach;
        this.end(contacts[k] + way * contacts[k + 3], contacts[k + 1] + way * contacts[k + 4], contacts[k + 2] + way * contacts[k + 5], colour);
      }
    }
  }

  // A small cross at every vertex that a response moved.
  addZones(zones, surface, reach) {
    for (let k = 0; k < zones.length; k++) {
      const drawn = surface.drawnOf(zones[k]);
      if (drawn < 0) continue;
      const [x, y, z] = surface.place(this.point, drawn);
      for (let side = -1; side < 2; side += 2) this.end(x + side * reach, y, z, ZONE);
      for (let side = -1; side < 2; side += 2) this.end(x, y + side * reach, z, ZONE);
      for (let side = -1; side < 2; side += 2) this.end(x, y, z + side * reach, ZONE);
    }
  }
}
