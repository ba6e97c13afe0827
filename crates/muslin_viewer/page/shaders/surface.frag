#version 300 es
// The studio of the pictures that `muslin render` makes: a key lamp with shadows, a fill, a rim, a sky. Colours are
// linear until the last line.
precision highp float;
precision highp sampler2DShadow;

in vec3 place;
in vec3 surfaceNormal;
in float shade;
in vec2 pattern;
flat in int which;

uniform mat4 shadowClip;
uniform vec3 eye;
uniform vec3 key;            // directions to the lamps
uniform vec3 fill;
uniform vec3 rim;
uniform vec3 centre;
uniform float radius;
uniform vec3 background;     // behind the ground
uniform int bodyKind[32];    // 0 cloth, 1 obstacle, 2 ground
uniform vec3 front[32];      // colours of bodies
uniform vec3 back[32];
uniform float stripe[32];    // [m]
uniform int coloured;        // 1: by value
uniform float ownPart;       // upper end of this run's values over that of all runs
uniform int topIsFree;       // 1: the highest value means that nothing is near, whatever the upper end
uniform int weave;
uniform int shadows;
uniform sampler2D colours;
uniform sampler2DShadow shadowMap;
uniform vec4 highlight;      // colour laid over everything, and how much of it

out vec4 colour;

const vec3 KEY = vec3(1.02, 0.96, 0.88), FILL = vec3(0.10, 0.12, 0.15), RIM = vec3(0.26, 0.27, 0.30), SKY = vec3(0.46, 0.48, 0.51);
const float TRANSMISSION = 0.14, SHEEN = 0.16, PATTERN_DEPTH = 0.22;
const float TEXEL = 1.0 / 1024.0;

float lit(vec3 normal) {
  if (shadows == 0) return 1.0;
  // Here and not per vertex: every number that is interpolated costs a small triangle more than it costs a pixel.
  vec4 inShadowMap = shadowClip * vec4(place, 1.0);
  vec3 at = inShadowMap.xyz / inShadowMap.w * 0.5 + 0.5;
  if (any(lessThan(at.xy, vec2(0.0))) || any(greaterThan(at.xy, vec2(1.0))) || at.z > 1.0) return 1.0;
  float slope = 1.0 - max(dot(normal, key), 0.0);
  at.z -= 0.0015 + 0.006 * slope;
  float sum = 0.0;
  for (int k = 0; k < 8; k++) {
    // A sunflower spiral covers the disc evenly.
    float r = sqrt((float(k) + 0.5) / 8.0) * 4.0 * TEXEL, a = 2.399963 * float(k);
    sum += texture(shadowMap, vec3(at.xy + r * vec2(cos(a), sin(a)), at.z));
  }
  return sum / 8.0;
}

// Light of an open sky on a surface: bright above, dim below.
float sky(vec3 n) {
  return 0.86 + 0.26 * n.z;
}

// Stripes with the period 2, averaged over a footprint.
float integral(float x) {
  float period = floor(0.5 * x);
  return period + min(x - 2.0 * period, 1.0);
}
float stripes(float x, float footprint) {
  float h = 0.5 * max(footprint, 1e-3);
  return (integral(x + h) - integral(x - h)) / (2.0 * h);
}

vec3 toScreen(vec3 c) {
  c = clamp(c, 0.0, 1.0);
  return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}
vec3 toLinear(vec3 c) {
  return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c));
}

void main() {
  // A vertex that is not finite has a shade far below; between zeros, rounding may leave one just below.
  if (shade < -0.5) discard;
  vec2 cell = pattern / stripe[which];
  vec2 footprint = fwidth(cell);
  vec3 towards = normalize(eye - place);
  bool isFront = gl_FrontFacing;
  vec3 n = normalize(surfaceNormal) * (isFront ? 1.0 : -1.0);
  int kind = bodyKind[which];
  if (kind == 2) {
    // The ground is the background with shadows, and fades out: it has no visible end.
    float distance = length((place - centre) - n * dot(place - centre, n)) / radius;
    float fade = 1.0 - smoothstep(0.7, 1.9, distance);
    float light = mix(0.55, 1.0, lit(n));
    vec3 tint = mix(background, background * vec3(0.93, 0.91, 0.88), 0.6);
    colour = vec4(toScreen(tint * light) * fade, fade);
    return;
  }
  float cosine = dot(n, key);
  float open = lit(cosine >= 0.0 ? n : -n);
  vec3 light = SKY * sky(n) + FILL * max(dot(n, fill), 0.0) + KEY * max(cosine, 0.0) * open;
  float grazing = pow(1.0 - clamp(dot(n, towards), 0.0, 1.0), 3.0);
  light += RIM * max(dot(n, rim), 0.0) * (0.35 + grazing);
  vec3 albedo = isFront ? front[which] : back[which];
  if (kind == 0) {
    if (cosine < 0.0) light += KEY * TRANSMISSION * -cosine * open;
    light += SKY * SHEEN * grazing;
    if (coloured == 1) {
      float along = topIsFree == 1 && shade > 0.999 ? 1.0 : shade * ownPart;
      albedo = toLinear(texture(colours, vec2(along * 255.0 / 256.0 + 0.5 / 256.0, 0.5)).rgb);
      light = mix(light, vec3(1.0), 0.5);
    } else if (weave == 1) {
      float depth = 0.5 * (stripes(cell.x, footprint.x) + stripes(cell.y, footprint.y));
      albedo *= 1.0 + PATTERN_DEPTH * (1.0 - 2.0 * depth);
    }
  } else if (!isFront) {
    albedo *= 0.8;
  }
  vec3 c = albedo * light;
  vec3 over = max((c - 0.8) / 0.2, 0.0);
  c = mix(c, 0.8 + 0.2 * over / (1.0 + over), step(0.8, c));
  c = mix(c, highlight.rgb, highlight.a);
  colour = vec4(toScreen(c), 1.0);
}
