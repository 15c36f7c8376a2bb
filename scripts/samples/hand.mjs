import { curve, Film, smooth } from './film.mjs';

/** A hand, 170 × 200 mm. Each ray has its joints from the wrist to the tip, and the thickness of its bones. */
const rays = [
  {
    joints: [
      [68, 136],
      [45, 112],
      [29, 88],
      [19, 69],
    ],
    bone: 5.4,
    flesh: 12,
  },
  {
    joints: [
      [72, 132],
      [61, 84],
      [53, 50],
      [48.5, 29],
      [45.5, 14],
    ],
    bone: 5,
    flesh: 10.5,
  },
  {
    joints: [
      [84, 131],
      [83, 79],
      [81, 41],
      [80, 18],
      [79.5, 2],
    ],
    bone: 5.2,
    flesh: 11,
  },
  {
    joints: [
      [95, 133],
      [103, 84],
      [108, 50],
      [111, 29],
      [113, 14],
    ],
    bone: 4.8,
    flesh: 10.5,
  },
  {
    joints: [
      [105, 137],
      [122, 96],
      [133, 70],
      [140, 54],
      [145, 41],
    ],
    bone: 4.4,
    flesh: 9.5,
  },
];
const carpals = [
  [66, 146, 7, 6],
  [77, 142, 6.5, 6],
  [87, 142, 7, 8],
  [99, 144, 6.5, 7],
  [71, 157, 9, 6.5],
  [84, 156, 7.5, 7],
  [96, 156, 7, 6],
  [103, 153, 4.5, 5],
];
const TOP = 12;

export function handFilm(pixelsPerMm) {
  const film = new Film(170, 214, pixelsPerMm);
  film.tube(flesh(), 0.0135);
  for (const ray of rays) for (const bone of bonesOf(ray)) film.bone(curve(bone, 0.25), 0.1, 0.6, 0.74);
  for (const [x, y, rx, ry] of carpals) {
    film.ellipsoid(x, y + TOP, rx, ry, 13, 0.07);
    film.ellipsoid(x, y + TOP, rx * 0.82, ry * 0.82, 10, -0.03);
  }
  film.bone(
    curve([
      [74, 172 + TOP, 12.5],
      [73, 180 + TOP, 9.5],
      [71, 194 + TOP, 7.4],
      [70, 204 + TOP, 7],
    ]),
    0.06,
  );
  film.bone(
    curve([
      [104, 170 + TOP, 7],
      [104, 178 + TOP, 6],
      [103, 190 + TOP, 5],
      [102, 204 + TOP, 5],
    ]),
    0.06,
  );
  marker(film);
  return film;
}

export const handTone = (absorbed) => 0.03 + 0.93 * (1 - Math.exp(-Math.max(0, absorbed) * 1.35)) ** 1.25;

function flesh() {
  const fingers = rays.flatMap(({ joints, flesh: radius }) =>
    curve(joints.map(([x, y], i) => [x, y + TOP, radius * (i === 0 ? 1.5 : 1.12 - 0.08 * i)])),
  );
  const palm = [
    ...curve([
      [72, 96, 15],
      [70, 120, 19],
      [74, 142, 22],
    ]),
    ...curve([
      [84, 94, 16],
      [88, 118, 20],
      [86, 142, 23],
    ]),
    ...curve([
      [98, 98, 15],
      [104, 120, 18],
      [98, 142, 22],
    ]),
    ...curve([
      [118, 106, 11],
      [110, 130, 15],
      [101, 150, 19],
    ]),
    ...curve([
      [54, 118, 13],
      [62, 134, 17],
      [70, 150, 20],
    ]),
  ].map(([x, y, radius]) => [x, y + TOP, radius]);
  const wrist = curve([
    [86, 140 + TOP, 27],
    [87, 165 + TOP, 25],
    [87, 215, 26],
  ]);
  return [...fingers, ...palm, ...wrist];
}

/**
 * Returns the bones between the joints: wide at the ends, slender in the middle, with a gap for the cartilage. The last
 * one ends in a tuft.
 */
function bonesOf({ joints, bone }) {
  return joints.slice(0, -1).map(([x, y], i) => {
    const [ex, ey] = joints[i + 1];
    const length = Math.hypot(ex - x, ey - y);
    const last = i === joints.length - 2;
    const size = Math.min(bone * (1.1 - 0.12 * i), length * (last ? 0.2 : 0.26));
    const [from, to] = [(size * 0.9 + 0.5) / length, 1 - (size * 0.8 + 0.5) / length];
    return [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1].map((t) => {
      const along = from + (to - from) * t;
      const waist = 1 - 0.34 * smooth(0, 0.36, Math.min(t, 1 - t)) - (last ? 0.3 : 0.1) * t;
      return [x + (ex - x) * along, y + (ey - y) * along + TOP, size * waist];
    });
  });
}

function marker(film) {
  film.tube(
    [
      ...curve(
        [
          [150, 16, 0.8],
          [150, 28, 0.8],
        ],
        0.2,
      ),
      ...curve(
        [
          [150, 28, 0.8],
          [156, 28, 0.8],
        ],
        0.2,
      ),
    ],
    3,
  );
}
