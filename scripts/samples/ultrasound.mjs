import { gaussian, random, smooth } from './film.mjs';

export const ultrasoundSize = { width: 800, height: 600 };
const APEX = { x: 400, y: -70 };
const [NEAR, FAR, HALF_ANGLE] = [105, 635, 0.62];

/** Returns grey levels of a curved-array picture: a liver with a simple cyst and a vessel. */
export function ultrasound() {
  const { width, height } = ultrasoundSize;
  const speckle = speckleField(width, height);
  const pixels = Buffer.alloc(width * height);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) pixels[at] = grey(x, y, speckle[at]);
  }
  scale(pixels, width);
  return pixels;
}

function grey(x, y, speckle) {
  const [radius, angle] = [Math.hypot(x - APEX.x, y - APEX.y), Math.atan2(x - APEX.x, y - APEX.y)];
  if (Math.abs(angle) > HALF_ANGLE || radius < NEAR || radius > FAR) return 3;
  const depth = (radius - NEAR) / (FAR - NEAR);
  const edge = smooth(HALF_ANGLE, HALF_ANGLE - 0.03, Math.abs(angle));
  const echo = reflectivity(x, y, depth, angle);
  // A scanner compresses the echo with a logarithm.
  const level = 104 * Math.log10(1 + 42 * echo * speckle) * (1.08 - 0.5 * depth);
  return Math.max(3, Math.min(250, Math.round(level * edge)));
}

function reflectivity(x, y, depth, angle) {
  const wavy = depth + 0.006 * Math.sin(angle * 16) + 0.004 * Math.sin(angle * 37);
  if (wavy < 0.025) return 1.6;
  if (wavy < 0.07) return 0.5 + 0.5 * Math.abs(Math.sin(wavy * 260));
  if (wavy < 0.115) return 0.22 + 0.5 * Math.max(0, Math.sin(wavy * 190 + angle * 4)) ** 6;
  if (wavy < 0.128) return 2.1;
  const cyst = Math.hypot((x - 322) / 62, (y - 262) / 52);
  if (cyst < 1) return 0.006 + 0.05 * smooth(0.9, 1, cyst);
  if (cyst < 1.06) return y > 262 || y < 225 ? 1.5 : 0.5;
  const diaphragm = Math.hypot((x - 440) / 400, (y - 160) / 330);
  if (diaphragm > 1 && depth > 0.55) return diaphragm < 1.035 ? 3.2 : 0.1;
  return 0.3 * vesselsAt(x, y) * (behindCyst(x, y) ? 2.3 : 1);
}

/** True behind the cyst. A cyst absorbs no sound, so the tissue behind it is brighter. */
function behindCyst(x, y) {
  const sideways = Math.abs(x - 322 + (y - 262) * 0.235);
  return y > 300 && sideways < 56;
}

function vesselsAt(x, y) {
  const portal = Math.abs(y - (360 - 0.25 * (x - 500) + 18 * Math.sin(x / 70)));
  const calibre = 11 * smooth(415, 455, x) * smooth(680, 590, x);
  if (portal < calibre) return 0.05;
  if (calibre > 4 && portal < calibre + 4) return 2.6;
  const hepatic = Math.abs(x - 470 - 0.35 * (y - 200) - 10 * Math.sin(y / 45));
  return y > 170 && y < 330 && hepatic < 7 - (y - 170) / 50 ? 0.06 : 1;
}

/** Returns Rayleigh distributed speckle, longer across the beam than along it. */
function speckleField(width, height) {
  const next = random(4711);
  const part = () =>
    blur(
      blur(
        Float32Array.from({ length: width * height }, () => gaussian(next)),
        1,
        3,
      ),
      width,
      2,
    );
  const [real, imaginary] = [part(), part()];
  return real.map((value, i) => Math.hypot(value, imaginary[i]) * 3.2);
}

function blur(values, step, radius) {
  let out = values;
  for (let pass = 0; pass < radius; pass++) {
    const from = out;
    out = from.map((value, i) => ((from[i - step] ?? value) + 2 * value + (from[i + step] ?? value)) / 4);
  }
  return out;
}

/** Draws the depth marks and the grey bar of an ultrasound machine. */
function scale(pixels, width) {
  const box = (x, y, w, h, value) => {
    for (let row = y; row < y + h; row++)
      for (let column = x; column < x + w; column++) pixels[row * width + column] = value(row);
  };
  for (let mark = 0; mark <= 10; mark++)
    box(770 - (mark % 5 === 0 ? 8 : 0), 38 + mark * 52, mark % 5 === 0 ? 14 : 6, 2, () => 170);
  box(24, 60, 12, 160, (row) => Math.round(255 - ((row - 60) / 160) * 250));
}
