#version 300 es
// Points and lines given freely in the world: handles, boxes.
in vec3 free;
in vec3 tint;   // 1 where an array has none
out vec3 tinted;
uniform mat4 clip;
uniform float pointSize;

void main() {
  gl_Position = clip * vec4(free, 1.0);
  gl_PointSize = pointSize;
  tinted = tint;
}
