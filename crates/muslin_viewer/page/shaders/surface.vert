#version 300 es
// Cloth and obstacles: from the wire to the picture.
in vec3 position;   // 0 to 1 within the box
in vec2 normal;     // octahedral, 0 to 65534; 65535 is a broken vertex
in float value;     // 0 to 1 within the range
in vec2 uv;         // [m]
in float body;

uniform vec3 low;   // corner of the box [m]
uniform vec3 size;  // [m]
uniform mat4 clip;

out vec3 place;     // [m]
out vec3 surfaceNormal;
out float shade;    // negative next to a broken vertex
out vec2 pattern;
flat out int which;

vec3 unfold(vec2 n) {
  vec2 p = n / 65534.0 * 2.0 - 1.0;
  vec3 v = vec3(p, 1.0 - abs(p.x) - abs(p.y));
  float fold = max(-v.z, 0.0);
  v.x += v.x >= 0.0 ? -fold : fold;
  v.y += v.y >= 0.0 ? -fold : fold;
  return normalize(v);
}

void main() {
  place = low + position * size;
  surfaceNormal = unfold(min(normal, vec2(65534.0)));
  // Far below any value, so that it is negative wherever the broken vertex has any weight.
  shade = normal.x > 65534.5 && normal.y > 65534.5 ? -1e30 : value;
  pattern = uv;
  which = min(int(body + 0.5), 31);
  gl_Position = clip * vec4(place, 1.0);
}
