// Messages of the server as bytes; `wire.rs` has the layout.

export const FRAME = 1, TOPOLOGY = 2, BOXES = 3, CONTACTS = 4;
export const HEADER = 192;
const MOST_STATS = 28;

export const kindOf = (buffer) => new DataView(buffer).getUint32(0, true);

// What a frame says besides its vertices. The same object is filled again and again.
export class Caption {
  constructor() {
    this.low = new Float32Array(3);
    this.size = new Float32Array(3);
    this.range = new Float32Array(2);
    this.stats = new Float32Array(MOST_STATS);
    this.run = this.epoch = this.sequence = this.frame = this.count = this.time = this.field = this.statCount = 0;
  }

  read(buffer, offset = 0) {
    const data = new DataView(buffer, offset);
    this.run = data.getUint32(4, true);
    this.epoch = data.getUint32(8, true);
    this.sequence = data.getUint32(12, true);
    this.frame = data.getUint32(16, true);
    this.count = data.getUint32(20, true);
    for (let k = 0; k < 3; k++) {
      this.low[k] = data.getFloat32(24 + 4 * k, true);
      this.size[k] = data.getFloat32(36 + 4 * k, true);
    }
    this.time = data.getFloat64(48, true);
    this.field = data.getUint32(56, true);
    this.range[0] = data.getFloat32(60, true);
    this.range[1] = data.getFloat32(64, true);
    this.statCount = Math.min(data.getUint32(68, true), MOST_STATS);
    for (let k = 0; k < this.statCount; k++) this.stats[k] = data.getFloat32(72 + 4 * k, true);
    return this;
  }
}

// Where the arrays of a frame with so many vertices begin.
export const layout = (count) => {
  const normals = HEADER + Math.ceil(6 * count / 4) * 4;
  return { positions: HEADER, normals, values: normals + 4 * count, end: normals + 4 * count + Math.ceil(count / 4) * 4 };
};

// Triangles, pattern and bodies of the moving and of the still part, and a frame of the still one.
export function readTopology(buffer) {
  const data = new DataView(buffer);
  const number = (k) => data.getUint32(4 * k, true);
  let at = 28;
  const part = (vertices, triangles) => {
    const take = (Type, count) => {
      const array = new Type(buffer, at, count);
      at += Math.ceil(count * Type.BYTES_PER_ELEMENT / 4) * 4;
      return array;
    };
    return {
      vertices: take(Uint32Array, vertices), uv: take(Float32Array, 2 * vertices),
      triangles: take(Uint32Array, 3 * triangles), bodies: take(Uint8Array, vertices),
    };
  };
  const topology = { run: number(1), epoch: number(2), moving: part(number(3), number(4)), still: part(number(5), number(6)) };
  topology.stillFrame = buffer.slice(at);
  return topology;
}

// Boxes of the broad phase: six numbers each.
export function readBoxes(buffer) {
  const data = new DataView(buffer);
  return { run: data.getUint32(4, true), epoch: data.getUint32(8, true), corners: new Float32Array(buffer, 16, 6 * data.getUint32(12, true)) };
}

// Contacts of the last step, seven numbers each (point, normal, whether it slips), and the vertices of impact zones.
export function readContacts(buffer) {
  const data = new DataView(buffer), count = data.getUint32(12, true);
  return {
    run: data.getUint32(4, true), epoch: data.getUint32(8, true),
    contacts: new Float32Array(buffer, 20, 7 * count), zones: new Uint32Array(buffer, 20 + 28 * count, data.getUint32(16, true)),
  };
}
