// Fewer triangles over the same vertices, for machines that cannot draw all of them in time.
//
// Each vertex that has no owner yet becomes one, of itself and of those neighbours that have none; a triangle whose corners
// have three owners is drawn between these, and the others vanish. The surface stays closed, whatever the mesh, and since
// normals stay those of the fine mesh it is shaded as that. A sheet has about a quarter of its triangles left. Vertices on a seam are several
// that are drawn in one place: they go together, so that no gap opens.

// `part` is that of a surface (see `wire.js`), `triangles` those to make fewer of.
export function coarsen(part, triangles) {
  const welded = weld(part.vertices), count = part.vertices.length;
  const { first, neighbours } = adjacency(triangles, welded, count);
  const owner = new Int32Array(count).fill(-1);
  for (let v = 0; v < count; v++) {
    // Vertices that no triangle has are not drawn.
    if (welded[v] !== v || owner[v] >= 0 || first[v] === first[v + 1]) continue;
    owner[v] = v;
    for (let k = first[v]; k < first[v + 1]; k++) if (owner[neighbours[k]] < 0) owner[neighbours[k]] = v;
  }
  const left = new Uint32Array(triangles.length);
  let n = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const a = owner[welded[triangles[t]]], b = owner[welded[triangles[t + 1]]], c = owner[welded[triangles[t + 2]]];
    if (a === b || b === c || c === a || turned(part.uv, triangles, t, a, b, c)) continue;
    left[n++] = a;
    left[n++] = b;
    left[n++] = c;
  }
  return left.slice(0, n);
}

// The first drawn vertex at the place of each.
function weld(vertices) {
  let most = 0;
  for (let k = 0; k < vertices.length; k++) most = Math.max(most, vertices[k]);
  const known = new Int32Array(most + 1).fill(-1), welded = new Uint32Array(vertices.length);
  for (let k = 0; k < vertices.length; k++) {
    if (known[vertices[k]] < 0) known[vertices[k]] = k;
    welded[k] = known[vertices[k]];
  }
  return welded;
}

// Neighbours of each vertex along edges, some of them twice: those of `v` are from `first[v]` to `first[v + 1]`.
function adjacency(triangles, welded, count) {
  const first = new Uint32Array(count + 1), neighbours = new Uint32Array(2 * triangles.length);
  for (let k = 0; k < triangles.length; k++) first[welded[triangles[k]] + 1] += 2;
  for (let v = 0; v < count; v++) first[v + 1] += first[v];
  const filled = first.slice();
  for (let t = 0; t < triangles.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const v = welded[triangles[t + k]];
      neighbours[filled[v]++] = welded[triangles[t + (k + 1) % 3]];
      neighbours[filled[v]++] = welded[triangles[t + (k + 2) % 3]];
    }
  }
  return { first, neighbours };
}

// Whether a triangle would lie the other way round in the pattern: it would show its other side, on top of its neighbours.
function turned(uv, triangles, t, a, b, c) {
  return area(uv, triangles[t], triangles[t + 1], triangles[t + 2]) * area(uv, a, b, c) < 0;
}

function area(uv, a, b, c) {
  const x = uv[2 * a], y = uv[2 * a + 1];
  return (uv[2 * b] - x) * (uv[2 * c + 1] - y) - (uv[2 * c] - x) * (uv[2 * b + 1] - y);
}
