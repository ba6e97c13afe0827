// WebGL 2: the context, shaders and small things around them.

const SHADERS = ["surface.vert", "surface.frag", "shadow.vert", "shadow.frag", "overlay.vert", "overlay.frag", "normals.vert", "wire.vert"];

// Where attributes sit in all programs, so that a vertex array fits each of them.
export const AT = { position: 0, normal: 1, value: 2, uv: 3, body: 4, free: 5, tint: 6 };

export async function loadShaders() {
  const texts = await Promise.all(SHADERS.map((name) => fetch(`shaders/${name}`).then((answer) => answer.text())));
  return Object.fromEntries(SHADERS.map((name, k) => [name, texts[k]]));
}

export function context(canvas) {
  const gl = canvas.getContext("webgl2", { alpha: true, antialias: true, premultipliedAlpha: true, powerPreference: "high-performance" });
  if (!gl) throw new Error("This browser has no WebGL 2.");
  return gl;
}

function shader(gl, kind, text, name) {
  const it = gl.createShader(kind);
  gl.shaderSource(it, text);
  gl.compileShader(it);
  if (!gl.getShaderParameter(it, gl.COMPILE_STATUS)) throw new Error(`${name}: ${gl.getShaderInfoLog(it)}`);
  return it;
}

// A program with the places of its uniforms.
export function program(gl, shaders, vertex, fragment) {
  const it = gl.createProgram();
  gl.attachShader(it, shader(gl, gl.VERTEX_SHADER, shaders[vertex], vertex));
  gl.attachShader(it, shader(gl, gl.FRAGMENT_SHADER, shaders[fragment], fragment));
  for (const [name, place] of Object.entries(AT)) gl.bindAttribLocation(it, place, name);
  gl.linkProgram(it);
  if (!gl.getProgramParameter(it, gl.LINK_STATUS)) throw new Error(`${vertex}, ${fragment}: ${gl.getProgramInfoLog(it)}`);
  const at = {};
  const count = gl.getProgramParameter(it, gl.ACTIVE_UNIFORMS);
  for (let k = 0; k < count; k++) {
    const { name } = gl.getActiveUniform(it, k);
    at[name.replace("[0]", "")] = gl.getUniformLocation(it, name);
  }
  return { it, at };
}

// A row of colours as a texture.
export function colourRow(gl, bytes) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB8, bytes.length / 3, 1, 0, gl.RGB, gl.UNSIGNED_BYTE, bytes);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  return texture;
}

// A picture of depths that can be compared while it is read.
export function depthTarget(gl, size) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
  for (const [name, value] of [
    [gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE],
    [gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
  ]) gl.texParameteri(gl.TEXTURE_2D, name, value);
  const frame = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
  gl.drawBuffers([gl.NONE]);
  gl.readBuffer(gl.NONE);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  return { texture, frame, size };
}
