// Which vertex is under the pointer: a ray against all triangles of the cloth.

const direction = [0, 0, 0], best = { drawn: -1, vertex: -1, other: -1, distance: Infinity };

// The vertex nearest to where the ray through a point of the picture (-1 to 1) first meets cloth; `null` beside it.
// The same object is returned every time.
export function pick(surface, camera, x, y, isCloth) {
  camera.ray(direction, x, y);
  const { low, size } = surface.caption, { triangles, bodies } = surface.part;
  const p = surface.halves, first = surface.at.positions / 2;
  const sx = size[0] / 65535, sy = size[1] / 65535, sz = size[2] / 65535;
  const ox = camera.eye[0] - low[0], oy = camera.eye[1] - low[1], oz = camera.eye[2] - low[2];
  const [dx, dy, dz] = direction;
  best.drawn = -1;
  best.distance = Infinity;
  for (let t = 0; t < triangles.length; t += 3) {
    const a = triangles[t], b = triangles[t + 1], c = triangles[t + 2];
    const i = first + 3 * a, j = first + 3 * b, k = first + 3 * c;
    const ax = p[i] * sx, ay = p[i + 1] * sy, az = p[i + 2] * sz;
    const ux = p[j] * sx - ax, uy = p[j + 1] * sy - ay, uz = p[j + 2] * sz - az;
    const vx = p[k] * sx - ax, vy = p[k + 1] * sy - ay, vz = p[k + 2] * sz - az;
    // Möller and Trumbore (1997), both sides.
    const px = dy * vz - dz * vy, py = dz * vx - dx * vz, pz = dx * vy - dy * vx;
    const det = ux * px + uy * py + uz * pz;
    if (det === 0) continue;
    const tx = ox - ax, ty = oy - ay, tz = oz - az;
    const u = (tx * px + ty * py + tz * pz) / det;
    if (u < 0 || u > 1) continue;
    const qx = ty * uz - tz * uy, qy = tz * ux - tx * uz, qz = tx * uy - ty * ux;
    const v = (dx * qx + dy * qy + dz * qz) / det;
    if (v < 0 || u + v > 1) continue;
    const distance = (vx * qx + vy * qy + vz * qz) / det;
    if (distance <= 0 || distance >= best.distance || !isCloth(bodies[a])) continue;
    best.distance = distance;
    const w = 1 - u - v;
    best.drawn = w >= u && w >= v ? a : u >= v ? b : c;
    // The other end of the edge that is nearest: the least weight is that of the corner across it.
    const across = w <= u && w <= v ? a : u <= v ? b : c;
    best.other = best.drawn === a ? (across === b ? c : b) : best.drawn === b ? (across === a ? c : a) : across === a ? b : a;
  }
  if (best.drawn < 0) return null;
  best.vertex = surface.part.vertices[best.drawn];
  best.other = surface.part.vertices[best.other];
  return best;
}
