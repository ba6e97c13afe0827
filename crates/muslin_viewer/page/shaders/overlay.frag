#version 300 es
// One colour; points are rings or discs.
precision highp float;
uniform vec4 paint;
in vec3 tinted;
uniform int shape;   // 0 lines, 1 discs with a rim, 2 rings
out vec4 colour;

void main() {
  vec4 c = vec4(paint.rgb * tinted, paint.a);
  if (shape > 0) {
    float r = length(gl_PointCoord - 0.5) * 2.0;
    float inside = 1.0 - smoothstep(0.85, 1.0, r);
    if (shape == 1) c.rgb = mix(c.rgb, vec3(1.0), smoothstep(0.55, 0.7, r));
    if (shape == 2) inside *= smoothstep(0.5, 0.65, r);
    c.a *= inside;
    if (c.a < 0.02) discard;
  }
  colour = vec4(c.rgb * c.a, c.a);
}
