// Draws the views: shadows first, then surfaces, then what is laid over them. At most ten draw calls per view, and no
// allocation: everything that a frame needs is made beforehand.

import { colourRow, depthTarget, program } from "./graphics.js";
import { lookAt, matrix, multiply, orthographic } from "./matrix.js";

const MOST_BODIES = 32, SHADOW_SIZE = 1024;
const CLOTHS = [["3674a6", "cdb997"], ["b8453c", "d0bea0"], ["d39c2f", "9db0a0"], ["4f8a5e", "cfc29c"], ["7b5684", "cbb5a6"], ["2c9191", "d1b79c"]];
const OBSTACLE = "a9a7a3";
const LAMPS = { key: [40, 43], fill: [-60, 15], rim: [-150, 35] }; // turn to the left of the view, height [degrees]
const UP = [0, 0, 1];

export const linear = (byte) => {
  const s = byte / 255;
  return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
};
export const linearOf = (hex) => [0, 2, 4].map((k) => linear(parseInt(hex.slice(k, k + 2), 16)));

// Colours and kinds of a run's bodies as the shaders want them.
export function paints({ bodies, view }) {
  const radius = view?.radius ?? 1;
  const paint = {
    radius: new Float32Array([radius]), centre: new Float32Array(view?.centre ?? 3), reach: new Float32Array([0.03 * radius]), normalReach: new Float32Array([0.04 * radius]),
    shadowClip: matrix(), madeFor: -1, ownPart: new Float32Array([1]),
    kind: new Int32Array(MOST_BODIES), front: new Float32Array(3 * MOST_BODIES), back: new Float32Array(3 * MOST_BODIES),
    stripe: new Float32Array(MOST_BODIES).fill(1),
  };
  let cloths = 0;
  bodies.slice(0, MOST_BODIES).forEach((body, k) => {
    const [front, back] = body.kind === "cloth" ? CLOTHS[cloths++ % CLOTHS.length] : [OBSTACLE, OBSTACLE];
    paint.kind[k] = body.kind === "cloth" ? 0 : body.ground ? 2 : 1;
    paint.front.set(linearOf(front), 3 * k);
    paint.back.set(linearOf(back), 3 * k);
    paint.stripe[k] = body.stripe;
  });
  return paint;
}

export class Drawing {
  constructor(gl, shaders, session, overlays, camera, look) {
    Object.assign(this, { gl, session, overlays, camera, look });
    this.surface = program(gl, shaders, "surface.vert", "surface.frag");
    this.shadow = program(gl, shaders, "shadow.vert", "shadow.frag");
    this.overlay = program(gl, shaders, "overlay.vert", "overlay.frag");
    this.wire = program(gl, shaders, "wire.vert", "overlay.frag");
    this.normals = program(gl, shaders, "normals.vert", "overlay.frag");
    this.depths = depthTarget(gl, SHADOW_SIZE);
    this.colours = null;
    this.lampView = matrix();
    this.lampProjection = matrix();
    this.lampLens = new Float64Array(3);
    this.lampEye = new Float64Array(3);
    this.lamps = { key: new Float32Array(3), fill: new Float32Array(3), rim: new Float32Array(3) };
    this.lampsFor = -1;              // version of the camera
    this.background = new Float32Array(3);
    this.paints = [];
    this.views = new Int32Array(8);  // x, y, width, height of each
    this.room = { width: 0, bottom: 0 }; // what of the picture nothing lies on: from the left, and above this
    this.calls = 0;                  // of the last view drawn
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    session.on("hello", (hello) => {
      this.paints = hello.runs.map(paints);
      const bytes = new Uint8Array(hello.colours.match(/../g).map((two) => parseInt(two, 16)));
      this.colours ??= colourRow(gl, bytes);
      this.colourBytes = bytes;
    });
  }

  // One run has the whole picture, in the middle of what the panel leaves. Two share what the panel leaves: beside each other, or above each other where it is tall.
  arrange() {
    const { views, room, gl: { canvas: { width, height } } } = this;
    if (this.session.runs.length < 2) {
      views[0] = views[1] = 0;
      views[2] = width;
      views[3] = height;
    } else {
      const wide = room.width >= height, across = wide ? Math.floor(room.width / 2) : room.width;
      const up = wide ? height : Math.floor((height - room.bottom) / 2);
      for (let k = 0; k < 2; k++) {
        views[4 * k] = wide ? k * across : 0;
        views[4 * k + 1] = wide ? 0 : room.bottom + (1 - k) * up;
        views[4 * k + 2] = across;
        views[4 * k + 3] = up;
      }
    }
    const across = Math.max(1, views[2]), free = this.session.runs.length < 2 && room.width > 0 ? Math.min(room.width, across) : across;
    this.camera.update(across, Math.max(1, views[3]), free);
  }

  draw() {
    const { gl, session, look } = this;
    if (session.cloth) {
      this.overlays.inspection.show(look.boxes ? session.boxes : null, look.contacts ? session.contacts : null, session.cloth, this.paints[0].reach);
    }
    this.arrange();
    this.placeLamps();
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, gl.canvas.width, gl.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    for (let k = 0; k < session.runs.length && k < 2; k++) {
      if (session.runs[k].ready) this.drawRun(session.runs[k], k);
    }
  }

  // Lamps turn with the camera, as in a studio where the subject is on a turntable.
  placeLamps() {
    const { camera } = this;
    if (this.lampsFor === camera.version) return;
    this.lampsFor = camera.version;
    for (const name in LAMPS) {
      const turn = -LAMPS[name][0] * Math.PI / 180, height = LAMPS[name][1] * Math.PI / 180;
      // The horizontal direction to the camera is (sin yaw, −cos yaw).
      const yaw = camera.yaw + turn;
      this.lamps[name][0] = Math.cos(height) * Math.sin(yaw);
      this.lamps[name][1] = -Math.cos(height) * Math.cos(yaw);
      this.lamps[name][2] = Math.sin(height);
    }
  }

  drawRun(run, number) {
    const { gl, look } = this, paint = this.paints[number];
    this.calls = 0;
    if (look.shadows && look.castsShadows) this.drawShadows(run, paint);
    gl.viewport(this.views[4 * number], this.views[4 * number + 1], this.views[4 * number + 2], this.views[4 * number + 3]);
    this.drawSurfaces(run, paint);
    this.drawLines(run, number, paint);
  }

  // Where the key lamp sees things.
  aimLamp(paint) {
    if (paint.madeFor === this.camera.version) return;
    paint.madeFor = this.camera.version;
    const { centre } = paint, { key } = this.lamps, radius = paint.radius[0];
    for (let k = 0; k < 3; k++) this.lampEye[k] = centre[k] + 4 * radius * key[k];
    lookAt(this.lampView, this.lampEye, centre, UP);
    this.lampLens[0] = 1.6 * radius;
    this.lampLens[1] = 0.5 * radius;
    this.lampLens[2] = 8 * radius;
    orthographic(this.lampProjection, this.lampLens);
    multiply(paint.shadowClip, this.lampProjection, this.lampView);
  }

  drawShadows(run, paint) {
    const { gl, shadow: { it, at }, depths } = this;
    this.aimLamp(paint);
    gl.bindFramebuffer(gl.FRAMEBUFFER, depths.frame);
    gl.viewport(0, 0, depths.size, depths.size);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(it);
    gl.uniformMatrix4fv(at.shadowClip, false, paint.shadowClip);
    gl.uniform1iv(at.bodyKind, paint.kind);
    this.drawTriangles(run.moving, at);
    this.drawTriangles(run.still, at);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  drawTriangles(surface, at) {
    if (!surface.triangles) return;
    const { gl } = this;
    gl.uniform3fv(at.low, surface.caption.low);
    gl.uniform3fv(at.size, surface.caption.size);
    const fewer = surface.fewer(this.look.fewer);
    gl.bindVertexArray(fewer.array);
    gl.drawElements(gl.TRIANGLES, fewer.count, gl.UNSIGNED_INT, 0);
    this.calls++;
  }

  drawSurfaces(run, paint) {
    const { gl, look, camera, surface: { it, at } } = this;
    gl.useProgram(it);
    gl.uniformMatrix4fv(at.clip, false, camera.clip);
    gl.uniformMatrix4fv(at.shadowClip, false, paint.shadowClip);
    gl.uniform3fv(at.eye, camera.eyeOnCard);
    gl.uniform3fv(at.key, this.lamps.key);
    gl.uniform3fv(at.fill, this.lamps.fill);
    gl.uniform3fv(at.rim, this.lamps.rim);
    gl.uniform3fv(at.centre, paint.centre);
    gl.uniform1fv(at.radius, paint.radius);
    gl.uniform3fv(at.background, this.background);
    gl.uniform1iv(at.bodyKind, paint.kind);
    gl.uniform3fv(at.front, paint.front);
    gl.uniform3fv(at.back, paint.back);
    gl.uniform1fv(at.stripe, paint.stripe);
    gl.uniform1i(at.coloured, run.moving.caption.field > 0 ? 1 : 0);
    const { range, field } = run.moving.caption, { runs, fields } = this.session;
    if (runs.length > 1) paint.ownPart[0] = range[1] / (this.session.highest || 1);
    gl.uniform1fv(at.ownPart, paint.ownPart);
    gl.uniform1i(at.topIsFree, fields[field]?.name === "gap" ? 1 : 0);
    gl.uniform1i(at.weave, look.weave ? 1 : 0);
    gl.uniform1i(at.shadows, look.shadows && look.castsShadows ? 1 : 0);
    gl.uniform4f(at.highlight, 0, 0, 0, 0);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.depths.texture);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.colours);
    gl.uniform1i(at.colours, 0);
    gl.uniform1i(at.shadowMap, 1);
    // Cloth stands back from its wireframe, and obstacles a little more: they lie half a millimetre below it.
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.enable(gl.BLEND);
    gl.polygonOffset(2, 8);
    this.drawTriangles(run.still, at);
    gl.disable(gl.BLEND);
    gl.polygonOffset(1, 1);
    this.drawTriangles(run.moving, at);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    const { faults } = this.overlays;
    if (faults && run === this.session.runs[0]) {
      gl.uniform4f(at.highlight, 0.75, 0.05, 0.03, 0.75);
      gl.bindVertexArray(faults.array);
      gl.drawElements(gl.TRIANGLES, faults.count, gl.UNSIGNED_INT, 0);
      this.calls++;
    }
  }

  drawLines(run, number, paint) {
    const { gl, look, overlays } = this, surface = run.moving;
    gl.enable(gl.BLEND);
    if (look.wireframe) {
      const { array } = surface.edges();
      this.begin(this.wire, surface, look.dark ? 1 : 0, 0.35, 0);
      gl.uniform1f(this.wire.at.nearer, 0.0001);
      this.elements(array, gl.LINES, surface.lineCount);
    }
    if (look.normals) {
      this.begin(this.normals, surface, 0.1, 0.8, 0);
      gl.uniform1fv(this.normals.at.reach, paint.normalReach);
      gl.bindVertexArray(surface.instances);
      gl.drawArraysInstanced(gl.LINES, 0, 2, surface.count);
      this.calls++;
    }
    this.drawMarks(surface, number);
    const { inspection } = overlays;
    if (number === 0 && inspection.count) {
      this.beginFree(1, 1, 1, 0.8, 0);
      gl.bindVertexArray(inspection.array);
      gl.drawArrays(gl.LINES, 0, inspection.count);
      this.calls++;
    }
    gl.disable(gl.BLEND);
  }

  // Rings are around what is held or picked; only in a live scene, which is one run, something is held.
  drawMarks(surface, number) {
    const { gl, look, overlays } = this;
    if (overlays.handles.count && number === overlays.pickedRun) {
      this.beginFree(0.95, 0.55, 0.1, 1, 2);
      gl.disable(gl.DEPTH_TEST);
      gl.uniform1fv(this.overlay.at.pointSize, look.ringSize);
      gl.bindVertexArray(overlays.handles.array);
      gl.drawArrays(gl.POINTS, 0, overlays.handles.count);
      gl.enable(gl.DEPTH_TEST);
      this.calls++;
    }
    if (number === 0 && look.pins && overlays.pins) this.points(overlays.pins, surface, 0.72, 0.2, 0.16, look.pinSize);
  }

  points(marked, surface, r, g, b, pixels) {
    const { gl, wire: { it, at } } = this;
    gl.useProgram(it);
    gl.uniformMatrix4fv(at.clip, false, this.camera.clip);
    gl.uniform3fv(at.low, surface.caption.low);
    gl.uniform3fv(at.size, surface.caption.size);
    gl.uniform4f(at.paint, r, g, b, 1);
    gl.uniform1i(at.shape, 1);
    gl.uniform1fv(at.pointSize, pixels);
    gl.uniform1f(at.nearer, 0.002);
    this.elements(marked.array, gl.POINTS, marked.count);
  }

  elements(array, kind, count) {
    const { gl } = this;
    gl.bindVertexArray(array);
    gl.drawElements(kind, count, gl.UNSIGNED_INT, 0);
    this.calls++;
  }

  begin({ it, at }, surface, grey, opacity, shape) {
    const { gl } = this;
    gl.useProgram(it);
    gl.uniformMatrix4fv(at.clip, false, this.camera.clip);
    gl.uniform3fv(at.low, surface.caption.low);
    gl.uniform3fv(at.size, surface.caption.size);
    gl.uniform4f(at.paint, grey, grey, grey, opacity);
    gl.uniform1i(at.shape, shape);
  }

  beginFree(r, g, b, opacity, shape) {
    const { gl, overlay: { it, at } } = this;
    gl.useProgram(it);
    gl.uniformMatrix4fv(at.clip, false, this.camera.clip);
    gl.uniform4f(at.paint, r, g, b, opacity);
    gl.uniform1i(at.shape, shape);
  }
}
