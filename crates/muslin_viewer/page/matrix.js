// Four by four matrices, column by column as WebGL wants them. Every function writes into `out`: drawing a frame
// allocates nothing.

export const matrix = () => new Float32Array(16);

// A camera at `eye` that looks at `target`, with `up` upwards.
export function lookAt(out, eye, target, up) {
  let fx = target[0] - eye[0], fy = target[1] - eye[1], fz = target[2] - eye[2];
  // `Math.hypot` would gather its numbers in an array.
  const f = 1 / Math.sqrt(fx * fx + fy * fy + fz * fz);
  fx *= f; fy *= f; fz *= f;
  let sx = fy * up[2] - fz * up[1], sy = fz * up[0] - fx * up[2], sz = fx * up[1] - fy * up[0];
  const s = 1 / Math.sqrt(sx * sx + sy * sy + sz * sz);
  sx *= s; sy *= s; sz *= s;
  const ux = sy * fz - sz * fy, uy = sz * fx - sx * fz, uz = sx * fy - sy * fx;
  out[0] = sx; out[4] = sy; out[8] = sz; out[12] = -(sx * eye[0] + sy * eye[1] + sz * eye[2]);
  out[1] = ux; out[5] = uy; out[9] = uz; out[13] = -(ux * eye[0] + uy * eye[1] + uz * eye[2]);
  out[2] = -fx; out[6] = -fy; out[10] = -fz; out[14] = fx * eye[0] + fy * eye[1] + fz * eye[2];
  out[3] = 0; out[7] = 0; out[11] = 0; out[15] = 1;
  return out;
}

// `lens` has the cotangent of half the field of view, the aspect, near and far: numbers handed over one by one would be
// allocated.
export function perspective(out, lens) {
  const f = lens[0], aspect = lens[1], near = lens[2], far = lens[3];
  out.fill(0);
  out[0] = f / aspect;
  out[5] = f;
  out[10] = (far + near) / (near - far);
  out[11] = -1;
  out[14] = 2 * far * near / (near - far);
  return out;
}

// `lens` has half the width, near and far.
export function orthographic(out, lens) {
  const half = lens[0], near = lens[1], far = lens[2];
  out.fill(0);
  out[0] = 1 / half;
  out[5] = 1 / half;
  out[10] = 2 / (near - far);
  out[14] = (far + near) / (near - far);
  out[15] = 1;
  return out;
}

export function multiply(out, a, b) {
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      out[4 * column + row] = sum;
    }
  }
  return out;
}

// The point in clip space, into `out` (x, y, z, w).
export function project(out, m, x, y, z) {
  for (let row = 0; row < 4; row++) out[row] = m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row];
  return out;
}
