#version 300 es
// A short line along the normal of each vertex: two vertices per instance.
in vec3 position;
in vec2 normal;
uniform vec3 low;
uniform vec3 size;
uniform mat4 clip;
uniform float reach;  // [m]
out vec3 tinted;

void main() {
  tinted = vec3(1.0);
  vec2 p = min(normal, vec2(65534.0)) / 65534.0 * 2.0 - 1.0;
  vec3 v = vec3(p, 1.0 - abs(p.x) - abs(p.y));
  float fold = max(-v.z, 0.0);
  v.x += v.x >= 0.0 ? -fold : fold;
  v.y += v.y >= 0.0 ? -fold : fold;
  gl_Position = clip * vec4(low + position * size + normalize(v) * reach * float(gl_VertexID), 1.0);
}
