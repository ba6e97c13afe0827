#version 300 es
// Depths seen from the key lamp.
in vec3 position;
in float body;
uniform vec3 low;
uniform vec3 size;
uniform mat4 shadowClip;
uniform int bodyKind[32];

void main() {
  gl_Position = shadowClip * vec4(low + position * size, 1.0);
  // The ground catches shadows and casts none; thrown far away, it also hides nothing from the map's edge.
  if (bodyKind[min(int(body + 0.5), 31)] == 2) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
