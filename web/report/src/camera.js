// Where one looks from: named views, fitting to the window, turning with the mouse.

import { Vector3 } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

/** The views by name, as directions to the eye: right, towards the viewer of the front, up. */
const VIEWS = {
  iso: [0.8, 1, 0.65],
  front: [0, 1, 0],
  back: [0, -1, 0],
  left: [-1, 0, 0],
  right: [1, 0, 0],
  top: [0, 0.001, 1],
};

export class Camera {
  constructor(eye, canvas, outline) {
    this.eye = eye;
    this.canvas = canvas;
    this.outline = outline.map((point) => new Vector3(...point));
    this.up = 'z';
    this.sides = [1, 1, 1];
    this.changed = () => {};
    this.controls = null;
  }

  setUp(up) {
    this.up = up;
    this.controls?.dispose();
    this.eye.up.set(0, up === 'y' ? 1 : 0, up === 'z' ? 1 : 0);
    this.controls = new OrbitControls(this.eye, this.canvas);
    this.controls.zoomToCursor = true;
    this.controls.rotateSpeed = 0.8;
    this.controls.addEventListener('change', () => this.changed());
  }

  /** Has the view `iso` look from the side on which something is, from below if it is far down. */
  turnTowards([x, y, z]) {
    const [front, up] = this.up === 'z' ? [-y, z] : [z, y];
    const below = -up > Math.hypot(x, front);
    this.sides = [x < 0 ? -1 : 1, front < -1e-9 ? -1 : 1, below ? -1 : 1];
  }

  /** Looks from a named side at everything. */
  look(name) {
    const sides = name === 'iso' ? this.sides : [1, 1, 1];
    const [right, front, up] = VIEWS[name].map((x, k) => x * sides[k]);
    const towards =
      this.up === 'z' ? new Vector3(right, -front, up) : new Vector3(right, up, front);
    this.fit(towards.normalize());
  }

  /** Moves the eye along a direction until all points are in the window. */
  fit(towards = this.eye.position.clone().sub(this.controls.target).normalize()) {
    this.eye.position.copy(towards);
    this.eye.lookAt(0, 0, 0);
    this.eye.updateMatrixWorld();
    const [x, y, z] = [new Vector3(), new Vector3(), new Vector3()];
    this.eye.matrixWorld.extractBasis(x, y, z);
    const spread = (axis) => {
      const along = this.outline.map((point) => point.dot(axis));
      return [Math.min(...along), Math.max(...along)];
    };
    const target = new Vector3();
    for (const axis of [x, y, z]) {
      const [low, high] = this.outline.length ? spread(axis) : [0, 0];
      target.addScaledVector(axis, (low + high) / 2);
    }
    const tangent = Math.tan((this.eye.fov * Math.PI) / 360);
    let distance = 0.1;
    for (const point of this.outline) {
      const from = point.clone().sub(target);
      const sideways = Math.max(Math.abs(from.dot(y)), Math.abs(from.dot(x)) / this.eye.aspect);
      distance = Math.max(distance, from.dot(z) + (sideways * 1.12) / tangent);
    }
    this.place(target, towards, distance);
  }

  /** Looks at one point from nearby, from the same side as before. */
  zoomTo(point, extent) {
    const towards = this.eye.position.clone().sub(this.controls.target).normalize();
    this.place(new Vector3(...point), towards, extent / Math.tan((this.eye.fov * Math.PI) / 360));
  }

  place(target, towards, distance) {
    this.controls.target.copy(target);
    this.eye.position.copy(target).addScaledVector(towards, distance);
    this.controls.update();
    this.changed();
  }

  resize(width, height) {
    this.size = [width, height];
    this.eye.aspect = width / height;
    this.eye.updateProjectionMatrix();
  }

  /** The near and far planes follow the eye, for the sake of the depth buffer. */
  prepare() {
    const far = this.eye.position.length() + 1.5;
    const near = Math.max(this.eye.position.length() - 1.5, far / 2000);
    if (near !== this.eye.near || far !== this.eye.far) {
      this.eye.near = near;
      this.eye.far = far;
      this.eye.updateProjectionMatrix();
    }
    this.eye.updateMatrixWorld();
  }

  /** Where a point of the drawing is in the window; nothing if it is behind the eye. */
  project(point) {
    const seen = new Vector3(...point).project(this.eye);
    if (seen.z > 1) return null;
    return [((seen.x + 1) / 2) * this.size[0], ((1 - seen.y) / 2) * this.size[1]];
  }

  /** How long something at a point must be to be one pixel long. */
  pixelAt(point) {
    const away = new Vector3(...point).distanceTo(this.eye.position);
    return (2 * away * Math.tan((this.eye.fov * Math.PI) / 360)) / this.size[1];
  }

  /** How the axes point in the window: right, down, and towards the eye. */
  axes() {
    const turn = this.eye.quaternion.clone().invert();
    return [0, 1, 2].map((k) => {
      const axis = new Vector3().setComponent(k, 1).applyQuaternion(turn);
      return [axis.x, -axis.y, axis.z];
    });
  }
}
