/** Returns a generator of deterministic random numbers, so that every run makes the same samples. */
export function random(seed) {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

export function gaussian(next) {
  return Math.sqrt(-2 * Math.log(next() || 1e-9)) * Math.cos(2 * Math.PI * next());
}

export const smooth = (from, to, value) => {
  const t = Math.max(0, Math.min(1, (value - from) / (to - from)));
  return t * t * (3 - 2 * t);
};

/** Returns the points of a smooth curve through `[x, y, radius]` knots (Catmull-Rom). */
export function curve(knots, step = 0.5) {
  const points = [];
  for (let i = 0; i + 1 < knots.length; i++) {
    const [a, b, c, d] = [knots[Math.max(0, i - 1)], knots[i], knots[i + 1], knots[Math.min(knots.length - 1, i + 2)]];
    const count = Math.max(2, Math.ceil(Math.hypot(c[0] - b[0], c[1] - b[1]) / step));
    for (let k = 0; k <= count; k++) {
      const t = k / count;
      points.push(b.map((_, j) => interpolate(a[j], b[j], c[j], d[j], t)));
    }
  }
  return points;
}

const interpolate = (a, b, c, d, t) =>
  0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t * t * t);

/**
 * A simulated radiograph: the absorption along each ray adds up, and the film shows the remaining intensity
 * (Beer-Lambert). Lengths are in millimetres.
 */
export class Film {
  constructor(width, height, pixelsPerMm) {
    this.scale = pixelsPerMm;
    this.width = Math.round(width * pixelsPerMm);
    this.height = Math.round(height * pixelsPerMm);
    this.absorbed = new Float32Array(this.width * this.height);
  }

  /** Adds the absorption `thickness(x, y)` in millimetres times `density` per millimetre. */
  add(thickness, density) {
    for (let row = 0, at = 0; row < this.height; row++) {
      for (let column = 0; column < this.width; column++, at++) {
        this.absorbed[at] += density * thickness(column / this.scale, row / this.scale);
      }
    }
  }

  ellipsoid(x, y, rx, ry, depth, density, angle = 0) {
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    this.add((px, py) => {
      const [dx, dy] = [px - x, py - y];
      const inside = 1 - ((dx * cos + dy * sin) / rx) ** 2 - ((dy * cos - dx * sin) / ry) ** 2;
      return inside > 0 ? depth * Math.sqrt(inside) : 0;
    }, density);
  }

  /** Adds a solid tube along points `[x, y, radius]`. */
  tube(points, density) {
    const layer = new Float32Array(this.absorbed.length);
    for (const [x, y, radius] of points) this.ball(layer, x, y, radius);
    for (let i = 0; i < layer.length; i++) this.absorbed[i] += density * layer[i];
    return layer;
  }

  /** Adds a bone: a tube with a dense cortex and a less dense marrow. */
  bone(points, density, marrow = 0.55, cortex = 0.72) {
    this.tube(points, density);
    this.tube(
      points.map(([x, y, radius]) => [x, y, radius * cortex]),
      -density * marrow,
    );
  }

  ball(layer, x, y, radius) {
    const s = this.scale;
    for (
      let row = Math.max(0, Math.floor((y - radius) * s));
      row <= Math.min(this.height - 1, (y + radius) * s);
      row++
    ) {
      for (
        let column = Math.max(0, Math.floor((x - radius) * s));
        column <= Math.min(this.width - 1, (x + radius) * s);
        column++
      ) {
        const left = radius ** 2 - (column / s - x) ** 2 - (row / s - y) ** 2;
        const at = row * this.width + column;
        if (left > 0) layer[at] = Math.max(layer[at], 2 * Math.sqrt(left));
      }
    }
  }

  /** Returns grey levels. `tone` maps the absorption to 0 (black) … 1 (white). */
  develop(tone, { grain, seed }) {
    const next = random(seed);
    const pixels = Buffer.alloc(this.absorbed.length);
    for (let i = 0; i < pixels.length; i++) {
      // Fewer rays pass dense parts, so there is more noise behind them.
      const noise = gaussian(next) * grain * (0.6 + 0.4 * Math.min(2, this.absorbed[i]));
      pixels[i] = Math.max(0, Math.min(255, Math.round(255 * tone(this.absorbed[i]) + noise)));
    }
    return pixels;
  }
}
