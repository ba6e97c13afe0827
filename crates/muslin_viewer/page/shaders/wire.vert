#version 300 es
// Edges and marked vertices of a surface, a little nearer than the surface itself.
in vec3 position;
uniform vec3 low;
uniform vec3 size;
uniform mat4 clip;
uniform float pointSize;
uniform float nearer;
out vec3 tinted;

void main() {
  tinted = vec3(1.0);
  gl_Position = clip * vec4(low + position * size, 1.0);
  gl_Position.z -= nearer * gl_Position.w;
  gl_PointSize = pointSize;
}
