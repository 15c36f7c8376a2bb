import { curve, Film, random, smooth } from './film.mjs';

/** A chest from the front, made of geometric shapes. In millimetres; the origin is the top left of 350 × 410. */
const MIDDLE = 175;
const sides = [-1, 1];

export function chestFilm(pixelsPerMm) {
  const film = new Film(350, 410, pixelsPerMm);
  film.add((x, y) => body(x - MIDDLE, y), 0.011);
  for (const side of sides) film.add((x, y) => lung((x - MIDDLE) * side, y, side), -0.0098);
  mediastinum(film);
  for (const side of sides) {
    vessels(film, side);
    skeleton(film, side);
  }
  spine(film);
  marker(film);
  return film;
}

export const chestTone = (absorbed) => 0.03 + 0.95 * (1 - Math.exp(-Math.max(0, absorbed - 0.25) * 0.78)) ** 2.1;

function body(x, y) {
  const shoulder = 58 + 128 * smooth(18, 96, y);
  const halfWidth = shoulder - 14 * smooth(130, 320, y);
  const inside = 1 - (Math.abs(x) / halfWidth) ** 2.6;
  const depth = 120 + 95 * smooth(10, 200, y);
  return inside > 0 ? depth * inside ** 0.55 : 0;
}

/** `x` is the distance from the middle. The heart makes the left lung (side 1) narrower. */
function lung(x, y, side) {
  const outer = 50 + 90 * smooth(34, 235, y) ** 0.62 - 5 * smooth(250, 330, y);
  const inner = 15 + (side > 0 ? 13 : 7) * smooth(110, 210, y);
  const across = (x - inner) / (outer - inner);
  if (across <= 0 || across >= 1) return 0;
  const dome = side > 0 ? 314 : 300;
  const base = dome + 52 * Math.max(0, across - 0.36) ** 1.7 + 30 * Math.max(0, 0.36 - across) ** 1.6;
  const floor = 1 - smooth(base - 15, base + 3, y);
  const apex = 54 + 95 * (across - 0.46) ** 2;
  const roof = smooth(apex, apex + 42, y) ** 0.7;
  return 160 * smooth(-0.04, 0.36, across) ** 0.8 * (1 - across ** 5) ** 0.5 * floor * roof;
}

function mediastinum(film) {
  film.ellipsoid(MIDDLE + 26, 256, 45, 68, 104, 0.0108, -0.68);
  film.ellipsoid(MIDDLE - 12, 252, 29, 50, 62, 0.0085, 0.12);
  film.ellipsoid(MIDDLE + 20, 146, 15, 17, 42, 0.012);
  film.ellipsoid(MIDDLE - 13, 150, 14, 66, 44, 0.009);
  film.ellipsoid(MIDDLE + 28, 178, 14, 18, 36, 0.009);
  film.tube(
    curve([
      [MIDDLE + 22, 150, 11],
      [MIDDLE + 16, 230, 10],
      [MIDDLE + 10, 330, 9],
    ]),
    0.006,
  );
  film.tube(
    curve([
      [MIDDLE, 0, 8.5],
      [MIDDLE + 1, 90, 8.5],
      [MIDDLE - 2, 160, 8],
    ]),
    -0.017,
  );
  film.tube(
    curve([
      [MIDDLE - 2, 160, 7],
      [MIDDLE - 24, 186, 6],
      [MIDDLE - 38, 202, 4.5],
    ]),
    -0.012,
  );
  film.tube(
    curve([
      [MIDDLE - 1, 160, 6.5],
      [MIDDLE + 28, 190, 5.5],
      [MIDDLE + 44, 202, 4],
    ]),
    -0.012,
  );
  film.ellipsoid(MIDDLE + 62, 344, 26, 15, 30, -0.008, -0.2);
}

/** Arteries and veins of the lungs: each branch is thinner than the one it leaves. */
function vessels(film, side) {
  const next = random(side > 0 ? 77 : 31);
  const layer = [];
  const grow = (x, y, angle, radius, length) => {
    if (radius < 0.45) return;
    const bend = angle + (next() - 0.5) * 0.5;
    const [ex, ey] = [x + side * Math.cos(bend) * length, y + Math.sin(bend) * length];
    layer.push(
      ...curve([
        [x, y, radius],
        [(x + ex) / 2 + (next() - 0.5) * 4, (y + ey) / 2, radius * 0.92],
        [ex, ey, radius * 0.8],
      ]),
    );
    grow(ex, ey, bend + 0.28 + next() * 0.3, radius * 0.74, length * 0.82);
    grow(ex, ey, bend - 0.28 - next() * 0.3, radius * 0.7, length * 0.8);
  };
  const hilum = [MIDDLE + side * 36, side > 0 ? 186 : 194];
  film.ellipsoid(hilum[0], hilum[1], 13, 22, 26, 0.012, side * 0.3);
  for (const angle of [-1.25, -0.8, -0.3, 0.25, 0.7, 1.05, 1.35]) grow(...hilum, angle, 3.3 + next(), 25);
  film.tube(layer, 0.034);
}

function skeleton(film, side) {
  for (let rib = 0; rib < 10; rib++) {
    const y = 66 + rib * 25.5;
    const reach = 58 + 84 * smooth(-2, 6, rib) ** 0.8 + rib * 0.7;
    const x = (offset) => MIDDLE + side * offset;
    film.bone(
      curve([
        [x(15), y, 4.4],
        [x(reach * 0.42), y - 9 + rib, 4.6],
        [x(reach * 0.82), y + 10 + rib * 1.6, 4.6],
        [x(reach), y + 38 + rib * 2, 4.2],
      ]),
      0.062,
      0.5,
      0.78,
    );
    if (rib < 8) {
      film.bone(
        curve([
          [x(reach), y + 38 + rib * 2, 4.2],
          [x(reach * 0.9), y + 66, 4.6],
          [x(reach * 0.62), y + 88, 4.8],
          [x(reach * 0.42), y + 92, 4.4],
        ]),
        0.03,
        0.5,
        0.78,
      );
    }
  }
  const x = (offset) => MIDDLE + side * offset;
  film.bone(
    curve([
      [x(13), 96, 7],
      [x(45), 84, 5],
      [x(90), 70, 5.2],
      [x(138), 60, 6.4],
    ]),
    0.055,
  );
  film.ellipsoid(x(128), 142, 26, 68, 7, 0.03, side * -0.22);
  film.bone(
    curve([
      [x(112), 84, 3],
      [x(140), 82, 5],
      [x(150), 76, 6],
    ]),
    0.02,
  );
  film.ellipsoid(x(163), 92, 19, 20, 34, 0.02);
  film.bone(
    curve([
      [x(164), 92, 14],
      [x(172), 140, 11],
      [x(177), 260, 11],
    ]),
    0.016,
  );
}

function spine(film) {
  for (let vertebra = 0; vertebra < 17; vertebra++) {
    const y = 8 + vertebra * 24.5;
    const half = 14 + vertebra * 0.35;
    film.add((x, z) => {
      const inside = 1 - (Math.abs(x - MIDDLE) / half) ** 5 - (Math.abs(z - y) / 10.6) ** 6;
      return inside > 0 ? 24 * inside ** 0.3 : 0;
    }, 0.0175);
    for (const side of sides) {
      film.ellipsoid(MIDDLE + side * (half - 5), y - 2, 3.6, 5, 12, 0.02);
      film.bone(
        curve([
          [MIDDLE + side * half, y, 4],
          [MIDDLE + side * (half + 11), y - 3, 3.4],
        ]),
        0.018,
      );
    }
    film.ellipsoid(MIDDLE, y + 9, 3, 8, 14, 0.018);
  }
}

/** The lead letter that marks the side. */
function marker(film) {
  const strokes = [
    [
      [16, 40, 1.2],
      [16, 20, 1.2],
    ],
    [
      [16, 20, 1.2],
      [24, 21, 1.2],
      [26, 25, 1.2],
      [24, 29, 1.2],
      [16, 30, 1.2],
    ],
    [
      [19, 30, 1.2],
      [27, 40, 1.2],
    ],
  ];
  film.tube(
    strokes.flatMap((stroke) => curve(stroke, 0.2)),
    2,
  );
}
