import { gaussian, random, smooth } from './film.mjs';

/** One slice through a chest phantom: 512 × 512 Hounsfield units, 0.7 mm per pixel. The origin is in the middle. */
export const ctSide = 512;
export const ctSpacing = 0.7;

export function ctSlice() {
  const values = new Float32Array(ctSide * ctSide);
  const next = random(2024);
  const lungs = vessels(random(9));
  for (let at = 0; at < values.length; at++) {
    const [x, y] = [((at % ctSide) - ctSide / 2) * ctSpacing, (Math.floor(at / ctSide) - ctSide / 2) * ctSpacing];
    values[at] = tissue(x, y, lungs) + gaussian(next) * 26;
  }
  return soften(values).map((value) => Math.max(-1024, Math.min(3071, Math.round(value))));
}

const sideOf = (x) => (x < 0 ? -1 : 1);

/** Returns how far a point is inside an ellipse: 1 in the middle, 0 on the edge, negative outside. */
const inside = (x, y, cx, cy, rx, ry, angle = 0) => {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [dx, dy] = [x - cx, y - cy];
  return 1 - Math.hypot((dx * cos + dy * sin) / rx, (dy * cos - dx * sin) / ry);
};

const trunk = (x, y, inset) =>
  1 - (Math.abs(x / (164 - inset)) ** 2.5 + Math.abs((y + 4 * (x / 150) ** 2) / (112 - inset)) ** 2.3);

function tissue(x, y, lungs) {
  if (trunk(x, y, 0) < 0) return table(x, y);
  if (trunk(x, y, 2) < 0) return 10;
  if (trunk(x, y, 17 + 5 * Math.abs(x / 150)) < 0) return muscleOrFat(x, y);
  return bone(x, y) ?? organ(x, y) ?? lung(x, y, lungs) ?? (trunk(x, y, 31) < 0 ? 55 : 40);
}

/** The couch under the patient, which every CT shows. */
const table = (x, y) => (Math.abs(y - 132 + (x / 60) ** 2) < 1.6 && Math.abs(x) < 172 ? -350 : -1000);

function muscleOrFat(x, y) {
  const back = inside(x, y, sideOf(x) * 34, 92, 34, 13) > 0;
  const front = inside(x, y, sideOf(x) * 62, -88, 52, 9, sideOf(x) * 0.28) > 0;
  const side = inside(x, y, sideOf(x) * 139, 22, 9, 40) > 0;
  return back || front || side ? 58 : -98;
}

function bone(x, y) {
  const body = inside(x, y, 0, 62, 21, 17);
  if (body > 0 && y < 76) return body < 0.13 ? 620 : 210;
  const canal = inside(x, y, 0, 84, 11, 9);
  if (canal > 0.12) return 30;
  if (canal > -0.32 && canal <= 0.12 && y > 72) return 520;
  if (Math.abs(x) < 3.6 - (y - 92) / 16 && y > 90 && y < 116) return 480;
  const process = inside(x, y, sideOf(x) * 24, 84, 15, 4.6, sideOf(x) * 0.2);
  if (process > 0) return process < 0.4 ? 560 : 240;
  const sternum = inside(x, y, 0, -86, 20, 6.5);
  if (sternum > 0) return sternum < 0.24 ? 480 : 160;
  return rib(x, y);
}

/** The ribs cross the slice at an angle, so they appear as short ovals along the chest wall. */
function rib(x, y) {
  for (const [angle, length] of [
    [-1.06, 15],
    [-0.62, 17],
    [-0.2, 15],
    [0.24, 18],
    [0.66, 17],
    [1.02, 19],
  ]) {
    const [cx, cy] = [sideOf(x) * 131 * Math.cos(angle), 79 * Math.sign(angle) * Math.abs(Math.sin(angle)) ** 0.9];
    const oval = inside(x, y, cx, cy, 5.2, length, sideOf(x) * angle * 1.05);
    if (oval > 0) return oval < 0.34 ? 760 : 260;
  }
  return null;
}

function organ(x, y) {
  const aorta = inside(x, y, 27, 44, 12.5, 12.5);
  if (aorta > 0) return aorta < 0.14 ? 120 : 165;
  if (inside(x, y, 8, 33, 6, 4.5) > 0) return inside(x, y, 8, 33, 2.4, 1.6) > 0 ? -700 : 42;
  const heart = Math.max(inside(x, y, 27, -22, 66, 43, 0.5), inside(x, y, -10, -8, 40, 42, -0.2));
  if (heart <= 0) return null;
  if (heart < 0.05) return -85;
  const left = inside(x, y, 46, -14, 31, 20, 0.55);
  const septum = inside(x, y, 12, -42, 34, 17, 0.45);
  const atria = Math.max(inside(x, y, -26, -12, 18, 22), inside(x, y, 6, 12, 26, 13));
  return left > 0 || septum > 0 ? 150 : atria > 0 ? 168 : 82;
}

function lung(x, y, branches) {
  const side = sideOf(x);
  const field = inside(x, y, side * 74, 4, 62, 92, side * -0.06);
  if (trunk(x, y, 35) < 0 || Math.abs(x) < 17 || field < -0.16) return null;
  const deep = smooth(60, -70, y);
  const vessel = branches.find(([bx, by, radius]) => (x - bx) ** 2 + (y - by) ** 2 < radius ** 2);
  return vessel ? 35 : -830 - 45 * deep;
}

/** A vessel across the slice is a dot, one along it a short line. Towards the wall they are fewer and thinner. */
function vessels(next) {
  const out = [];
  for (let i = 0; i < 150; i++) {
    const [side, angle, far] = [next() < 0.5 ? -1 : 1, (next() - 0.5) * 4.4, next() ** 0.8];
    const [x, y] = [side * (42 + far * 70 * Math.cos(angle / 2)), 4 + far * 78 * Math.sin(angle / 1.5)];
    const [radius, steps] = [0.7 + 2.6 * (1 - far) * next(), next() < 0.22 ? 9 : 2];
    const heading = Math.atan2(y, x - side * 30) + (next() - 0.5) * 1.3;
    for (let k = 0; k < steps; k++)
      out.push([x + Math.cos(heading) * k * 1.1, y + Math.sin(heading) * k * 1.1, radius * (1 - k / 40)]);
  }
  return out;
}

/** Applies the blur of a scanner, with a kernel of three by three. */
function soften(values) {
  const pass = (from, step) =>
    from.map((value, i) => ((from[i - step] ?? value) + 2 * value + (from[i + step] ?? value)) / 4);
  return pass(pass(values, 1), ctSide);
}

/** Returns grey levels for a window centre and width, as a DICOM viewer shows them. */
export function windowed(values, centre, width) {
  return Buffer.from(
    Array.from(values, (value) => Math.max(0, Math.min(255, Math.round(((value - centre) / width + 0.5) * 255)))),
  );
}
