// Messages of the server as bytes; `wire.rs` has the layout.

export const FRAME = 1, TOPOLOGY = 2, BOXES = 3, CONTACTS = 4;
export const HEADER = 192;
const MOST_STATS = 28;

// A script sees into a buffer only through a view. Every message gets one, as 16-bit numbers, which is all that is made
// for a frame; `null` if it cannot be a message. Numbers are little-endian, as on every machine with WebGL.
export const look = (buffer) => (buffer.byteLength % 4 || !buffer.byteLength ? null : new Uint16Array(buffer));
export const kindOf = (halves) => halves[0] | halves[1] << 16;

// What a frame says besides its vertices: a copy of its header, read as the numbers that it holds. Copying whole numbers
// allocates nothing, even before the code is compiled; reading floats one by one would.
export class Caption {
  constructor() {
    const room = new ArrayBuffer(HEADER);
    this.halves = new Uint16Array(room);
    this.words = new Uint32Array(room);
    this.low = new Float32Array(room, 24, 3);
    this.size = new Float32Array(room, 36, 3);
    this.clock = new Float64Array(room, 48, 1);
    this.range = new Float32Array(room, 60, 2);
    this.stats = new Float32Array(room, 72, MOST_STATS);
  }

  get run() { return this.words[1]; }
  get epoch() { return this.words[2]; }
  get sequence() { return this.words[3]; }
  get frame() { return this.words[4]; }
  get count() { return this.words[5]; }
  get time() { return this.clock[0]; }
  get field() { return this.words[14]; }
  get statCount() { return Math.min(this.words[17], MOST_STATS); }

  read(halves) {
    for (let k = 0; k < HEADER / 2; k++) this.halves[k] = halves[k];
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
