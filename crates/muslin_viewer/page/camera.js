// A camera that goes around a target, with z upwards.

import { lookAt, matrix, multiply, perspective, project } from "./matrix.js";

const STEEPEST = 1.55;      // just below straight down [rad]
const UP = [0, 0, 1];
const NARROWEST = 4 / 3;    // width over height that scenes' cameras are made for

export class Camera {
  constructor() {
    this.target = [0, 0, 0];
    this.eye = new Float64Array([0, -3, 1]);
    this.eyeOnCard = new Float32Array(3); // the same, as the graphics card takes it
    this.yaw = 0;             // around z, 0 looks along +y [rad]
    this.pitch = 0.3;         // above the horizon [rad]
    this.distance = 3;        // [m]
    this.fieldOfView = 0.52;  // vertical [rad]
    this.radius = 1;          // of what is shown [m]
    this.view = matrix();
    this.projection = matrix();
    this.clip = matrix();     // projection times view
    this.lens = new Float64Array(4);
    this.clipPoint = new Float32Array(4);
    this.home = null;
    this.version = 0;         // rises with every change: matrices are made only of what is new
    this.made = new Int32Array(4).fill(-1); // version, width, height and free width that they were made for
  }

  // Stands where the server says; what is shown has this radius [m].
  stand(view, radius = this.radius) {
    if (!view) return;
    this.version++;
    this.home = view;
    this.target = [...view.target];
    this.radius = radius;
    this.fieldOfView = view.fieldOfView;
    const [x, y, z] = view.position.map((p, k) => p - view.target[k]);
    this.distance = Math.hypot(x, y, z) || 1;
    this.yaw = Math.atan2(x, -y);
    this.pitch = Math.max(-STEEPEST, Math.min(STEEPEST, Math.asin(z / this.distance)));
  }

  // Looks at a point [m].
  face(point) {
    this.version++;
    for (let k = 0; k < 3; k++) this.target[k] = point[k];
  }

  orbit(dx, dy) {
    this.version++;
    this.yaw -= dx;
    this.pitch = Math.max(-STEEPEST, Math.min(STEEPEST, this.pitch + dy));
  }

  zoom(factor) {
    this.version++;
    this.distance = Math.max(1e-3 * this.radius, Math.min(60 * this.radius, this.distance * factor));
  }

  // Moves the target in the picture's plane, by parts of the picture's height.
  pan(dx, dy) {
    this.version++;
    const span = 2 * this.distance * Math.tan(this.fieldOfView / 2);
    const v = this.view;
    for (let k = 0; k < 3; k++) this.target[k] += span * (-dx * v[4 * k] + dy * v[4 * k + 1]);
  }

  // Computes the matrices for a picture of these pixels, of which nothing lies on the first `free` ones from the left: the
  // target is in the middle of those.
  update(width, height, free) {
    const { made } = this;
    if (made[0] === this.version && made[1] === width && made[2] === height && made[3] === free) return;
    made[0] = this.version;
    made[1] = width;
    made[2] = height;
    made[3] = free;
    const cos = Math.cos(this.pitch), d = this.distance;
    this.eye[0] = this.target[0] + d * cos * Math.sin(this.yaw);
    this.eye[1] = this.target[1] - d * cos * Math.cos(this.yaw);
    this.eye[2] = this.target[2] + d * Math.sin(this.pitch);
    this.eyeOnCard.set(this.eye);
    lookAt(this.view, this.eye, this.target, UP);
    // A narrow picture shows as much across as one of these sides would.
    const half = Math.tan(this.fieldOfView / 2) / Math.min(1, free / height / NARROWEST);
    const far = d + 12 * this.radius;
    this.lens[0] = 1 / half;
    this.lens[1] = width / height;
    this.lens[2] = Math.max(far * 1e-4, 0.02 * d);
    this.lens[3] = far;
    perspective(this.projection, this.lens);
    this.projection[8] = 1 - free / width;
    multiply(this.clip, this.projection, this.view);
  }

  // Direction of the ray through a point of the picture (-1 to 1, upwards), into `out`.
  ray(out, x, y) {
    const v = this.view, p = this.projection;
    const a = (x + p[8]) / p[0], b = y / p[5];
    for (let k = 0; k < 3; k++) out[k] = a * v[4 * k] + b * v[4 * k + 1] - v[4 * k + 2];
    return out;
  }

  // Where a point of the world is in the picture (-1 to 1, upwards); `null` behind the camera.
  place(out, point) {
    const c = project(this.clipPoint, this.clip, point[0], point[1], point[2]);
    if (c[3] <= 0) return null;
    out[0] = c[0] / c[3];
    out[1] = c[1] / c[3];
    return out;
  }
}
