// The 3D view: parts, faces in contact, the trail and ghosts. Time only changes a few matrices.
//
// All is drawn relative to the middle of the scene and in units of its size, so that f32 and the
// depth buffer do equally well for micrometres and for kilometres.

import {
  AmbientLight,
  Box3,
  BufferAttribute,
  BufferGeometry,
  DirectionalLight,
  DoubleSide,
  Group,
  HemisphereLight,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  PerspectiveCamera,
  Plane,
  Scene,
  Sphere,
  Vector3,
  WebGLRenderer,
} from 'three';
import { Line2 } from 'three/addons/lines/Line2.js';
import { LineGeometry } from 'three/addons/lines/LineGeometry.js';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { Camera } from './camera.js';
import { featureEdges } from './edges.js';
import { apply, rotationOf } from './motion.js';

const RESTING = [
  '#9aa7b4',
  '#b3a894',
  '#93aca0',
  '#a79db3',
  '#b09c99',
  '#8fa8b5',
  '#a5ab8f',
  '#9b9ba3',
];
const MOVING = ['#3f7fd8', '#2f9aa8', '#6a72d8', '#3f94c8'];
const GHOSTS = 3;
const TRAIL_MOST = 3000;

export class View {
  constructor(data, canvas) {
    this.data = data;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.localClippingEnabled = true;
    this.scene = new Scene();
    this.plane = new Plane(new Vector3(-1, 0, 0), 10);
    this.section = null;
    this.measure();
    this.mover = new Group();
    this.mover.matrixAutoUpdate = false;
    this.scene.add(this.mover);
    const seen = { true: 0, false: 0 };
    this.parts = data.bodies.map((body) => {
      seen[body.moving] += 1;
      return this.part(body, seen[body.moving] - 1);
    });
    this.touched = data.contacts.map((contact) => this.touchedFaces(contact));
    this.drawTrail();
    this.camera = new Camera(new PerspectiveCamera(28, 1, 0.01, 100), canvas, this.outline);
    this.scene.add(this.camera.eye);
    this.light();
  }

  /** Finds the middle and size of the scene over all time, and points that tell its outline. */
  measure() {
    const { bodies, path } = this.data;
    const points = [];
    const corners = bodies.map((body) => boxCorners(body));
    const resting = new Box3();
    bodies.forEach((body, i) => {
      if (body.moving) return;
      for (const corner of corners[i]) points.push(apply(body.pose, corner));
    });
    for (const point of points) resting.expandByPoint(new Vector3(...point));
    const movers = corners.filter((_, i) => bodies[i].moving).flat();
    const steps = Math.max(2, Math.min(path.count, 48));
    for (let i = 0; i <= steps && movers.length; i += 1) {
      const pose = path.poseAt(path.start + ((path.end - path.start) * i) / steps);
      for (const corner of movers) points.push(apply(pose, corner));
    }
    const box = new Box3();
    for (const point of points) box.expandByPoint(new Vector3(...point));
    this.center = box.getCenter(new Vector3()).toArray();
    this.size = box.getSize(new Vector3()).length() / 2 || 1;
    this.outline = points.map((point) => this.shown(point));
    const ends = [box.min, box.max].map((end) => new Vector3(...this.shown(end.toArray())));
    this.box = new Box3(...ends);
    this.reference = middle(movers);
    const still = resting.isEmpty() ? box : resting;
    this.restingCenter = still.getCenter(new Vector3()).toArray();
  }

  /** Where the middle of the moving parts is at a time. */
  placeOfReference(time) {
    return apply(this.data.path.poseAt(time), this.reference);
  }

  /** The matrix that the moving parts are drawn with, in the scene's coordinates, row by row. */
  movingMatrix() {
    const m = this.mover.matrix.elements;
    return [0, 1, 2].map((k) => [m[k], m[4 + k], m[8 + k], m[12 + k] * this.size + this.center[k]]);
  }

  /** Coordinates of the scene as coordinates of the drawing. */
  shown(point) {
    return point.map((x, k) => (x - this.center[k]) / this.size);
  }

  matrix(pose, target) {
    const [a, b, c] = rotationOf(pose.rotation);
    const [x, y, z] = this.shown(pose.translation);
    return target.set(...a, x, ...b, y, ...c, z, 0, 0, 0, 1);
  }

  part(body, index) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(body.positions, 3));
    geometry.setIndex(new BufferAttribute(body.corners, 1));
    // Known beforehand: a ball of the body's size about its middle.
    geometry.boundingSphere = new Sphere(new Vector3(), 1.001);
    const colors = body.moving ? MOVING : RESTING;
    const own = body.color && `rgb(${body.color.join(',')})`;
    const color = own ?? colors[index % colors.length];
    const material = new MeshLambertMaterial({
      color,
      flatShading: true,
      side: DoubleSide,
      polygonOffset: true,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 1,
    });
    const frame = this.frameOf(body);
    const mesh = new Mesh(geometry, material);
    frame.add(mesh);
    const edgeMaterial = new LineBasicMaterial({ transparent: true, opacity: 0.55 });
    return { body, color, mesh, material, frame, edgeMaterial, edges: null, look: 'solid' };
  }

  /** A group in which the body's own numbers are its places in the drawing. */
  frameOf(body) {
    const frame = new Group();
    frame.matrixAutoUpdate = false;
    const [x, y, z] = body.center.map((c) => c / this.size);
    const scale = body.scale / this.size;
    frame.matrix.set(scale, 0, 0, x, 0, scale, 0, y, 0, 0, scale, z, 0, 0, 0, 1);
    if (body.moving) {
      this.mover.add(frame);
    } else {
      frame.matrix.premultiply(this.matrix(body.pose, new Matrix4()));
      this.scene.add(frame);
    }
    return frame;
  }

  /** The faces of a contact: plain where they are seen, faint where something hides them. */
  touchedFaces(contact) {
    const meshes = [];
    for (const { body, triangles } of contact.faces) {
      const part = this.parts[body];
      if (!part) continue;
      const { corners } = part.body;
      const index = [];
      for (const t of triangles) {
        if (3 * t + 2 < corners.length) index.push(...corners.subarray(3 * t, 3 * t + 3));
      }
      if (!index.length) continue;
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', part.mesh.geometry.getAttribute('position'));
      geometry.setIndex(index);
      geometry.boundingSphere = part.mesh.geometry.boundingSphere;
      for (const hidden of [false, true]) {
        const material = new MeshBasicMaterial({
          side: DoubleSide,
          transparent: true,
          depthTest: !hidden,
          depthWrite: false,
        });
        const mesh = new Mesh(geometry, material);
        mesh.renderOrder = hidden ? 3 : 2;
        mesh.visible = false;
        mesh.userData.hidden = hidden;
        part.frame.add(mesh);
        meshes.push(mesh);
      }
    }
    return meshes;
  }

  /** The way of the moving parts' middle, and how far along it the view is. */
  drawTrail() {
    const { path } = this.data;
    this.trailTimes = trailTimes(path);
    const places = this.trailTimes.map((t) => this.shown(apply(path.poseAt(t), this.reference)));
    const whole = new LineGeometry().setPositions(places.flat());
    const past = new LineGeometry().setPositions(places.flat());
    this.trailMaterials = [
      new LineMaterial({ linewidth: 1.5, transparent: true, opacity: 0.45 }),
      new LineMaterial({ linewidth: 2.5 }),
    ];
    this.trail = new Group();
    [whole, past].forEach((line, k) => this.trail.add(new Line2(line, this.trailMaterials[k])));
    this.trailPast = past;
    this.ghosts = new Group();
    this.ghostTimes = evenly(this.trailTimes, places);
    this.ghostMaterial = new LineBasicMaterial({ transparent: true, opacity: 0.2 });
    this.scene.add(this.trail, this.ghosts);
  }

  light() {
    const key = new DirectionalLight(0xffffff, 1.7);
    key.position.set(-0.6, 0.9, 1);
    const fill = new DirectionalLight(0xffffff, 0.5);
    fill.position.set(1, -0.2, 0.6);
    // Lights go with the eye, so that no view is dark.
    this.camera.eye.add(key, fill, key.target, fill.target);
    this.scene.add(new AmbientLight(0xffffff, 0.75), new HemisphereLight(0xffffff, 0x8a8f98, 0.6));
  }

  /** Makes the edges of one more part, and tells whether there are more to come. */
  prepareEdges() {
    const part = this.parts.find((candidate) => !candidate.edges);
    if (!part) return false;
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', part.mesh.geometry.getAttribute('position'));
    geometry.setIndex(featureEdges(part.body.positions, part.body.corners));
    geometry.boundingSphere = part.mesh.geometry.boundingSphere;
    part.edges = new LineSegments(geometry, part.edgeMaterial);
    part.frame.add(part.edges);
    this.setLook(part, part.look);
    if (part.body.moving) this.addGhosts(part, geometry);
    return true;
  }

  addGhosts(part, geometry) {
    for (const time of this.ghostTimes) {
      const ghost = new LineSegments(geometry, this.ghostMaterial);
      ghost.matrixAutoUpdate = false;
      const pose = this.data.path.poseAt(time);
      this.matrix(pose, ghost.matrix).multiply(part.frame.matrix);
      this.ghosts.add(ghost);
    }
  }

  /** Shows a part as `solid`, `clear` or `hidden`. */
  setLook(part, look) {
    part.look = look;
    const clear = look === 'clear';
    part.mesh.visible = look !== 'hidden';
    if (part.edges) part.edges.visible = look !== 'hidden' && this.edgesShown !== false;
    part.material.transparent = clear;
    part.material.opacity = clear ? 0.16 : 1;
    part.material.depthWrite = !clear;
    part.material.needsUpdate = true;
    part.edgeMaterial.opacity = clear ? 0.22 : 0.55;
    part.mesh.renderOrder = clear ? 1 : 0;
  }

  showEdges(shown) {
    this.edgesShown = shown;
    for (const part of this.parts) this.setLook(part, part.look);
  }

  /** Cuts the resting and moving parts open: an axis 0…2 or none, how far 0…1, which side. */
  cut(axis, share, flipped) {
    const planes = axis === null ? null : [this.plane];
    if (axis !== null) {
      const [low, high] = [this.box.min.getComponent(axis), this.box.max.getComponent(axis)];
      const place = low + (high - low) * share;
      // What is between the eye and the plane goes, unless the other side is asked for.
      if (axis !== this.section) {
        this.side = this.camera.eye.position.getComponent(axis) < place ? 1 : -1;
      }
      const side = flipped ? -this.side : this.side;
      this.plane.normal.set(0, 0, 0).setComponent(axis, side);
      this.plane.constant = -side * place;
    }
    const same = (planes === null) === (this.section === null);
    this.section = axis;
    if (same) return;
    for (const part of this.parts) {
      for (const material of [part.material, part.edgeMaterial]) {
        material.clippingPlanes = planes;
        material.needsUpdate = true;
      }
    }
  }

  paint(colors) {
    this.renderer.setClearColor(colors.canvas, 1);
    for (const part of this.parts) part.edgeMaterial.color.set(colors.edge);
    this.trailMaterials[0].color.set(colors.trail);
    this.trailMaterials[1].color.set(colors.accent);
    this.ghostMaterial.color.set(colors.accent);
    this.data.contacts.forEach((contact, i) => {
      const color = contact.allowed ? colors.allowed : colors.contact;
      for (const mesh of this.touched[i]) mesh.material.color.set(color);
    });
  }

  /** Moves everything to a time. */
  setTime(time) {
    const { data } = this;
    this.pose = data.path.poseAt(time);
    this.matrix(this.pose, this.mover.matrix);
    this.mover.matrixWorldNeedsUpdate = true;
    let low = 0;
    while (low + 1 < this.trailTimes.length && this.trailTimes[low + 1] <= time) low += 1;
    this.trailPast.instanceCount = low;
    data.contacts.forEach((contact, i) => {
      const begun = time >= contact.time[0];
      const now = begun && time <= contact.time[1];
      for (const mesh of this.touched[i]) {
        mesh.visible = begun;
        mesh.material.opacity = (mesh.userData.hidden ? 0.35 : 1) * (now ? 1 : 0.45);
      }
    });
  }

  resize(width, height) {
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.resize(width, height);
  }

  render() {
    this.renderer.render(this.scene, this.camera.eye);
  }
}

function boxCorners(body) {
  // The ball about a body is far larger than a flat or long one, so its own box is measured.
  const [low, high] = [
    [Infinity, Infinity, Infinity],
    [-Infinity, -Infinity, -Infinity],
  ];
  for (const v of body.corners) {
    for (let k = 0; k < 3; k += 1) {
      const x = body.positions[3 * v + k];
      if (x < low[k]) low[k] = x;
      if (x > high[k]) high[k] = x;
    }
  }
  const ends = [low, high];
  return Array.from({ length: 8 }, (_, i) =>
    [0, 1, 2].map((k) => body.center[k] + body.scale * ends[(i >> k) & 1][k]),
  );
}

function middle(points) {
  if (!points.length) return [0, 0, 0];
  return [0, 1, 2].map((k) => {
    const all = points.map((point) => point[k]);
    return (Math.min(...all) + Math.max(...all)) / 2;
  });
}

/** Times at which the part has come equally far, the start and the end among them. */
function evenly(times, places) {
  const way = [0];
  for (let i = 1; i < places.length; i += 1) {
    const [a, b] = [places[i - 1], places[i]];
    way.push(way[i - 1] + Math.hypot(...a.map((x, k) => x - b[k])));
  }
  const whole = way[way.length - 1];
  return Array.from(
    { length: GHOSTS + 1 },
    (_, i) => times[way.findIndex((far) => far >= ((whole * i) / GHOSTS) * (1 - 1e-9))],
  );
}

/** Times at which the trail is looked at: more where the path turns, so that arcs look round. */
function trailTimes(path) {
  const steps = Array.from({ length: path.count }, (_, piece) =>
    Math.max(1, Math.ceil(Math.abs(path.angle(piece)) / 0.1)),
  );
  const total = steps.reduce((sum, n) => sum + n, 0);
  const coarser = Math.max(1, total / TRAIL_MOST);
  const times = [path.start];
  steps.forEach((n, piece) => {
    const [start, end] = [path.times[piece], path.times[piece + 1]];
    const count = Math.max(1, Math.round(n / coarser));
    for (let i = 1; i <= count; i += 1) times.push(start + ((end - start) * i) / count);
  });
  return times;
}
