export interface GreyImage {
  width: number;
  height: number;
  /** One byte per pixel, row by row. */
  pixels: Uint8Array;
}

/** Statistics of the pixels, whatever they show. Brightness is from 0 (black) to 255 (white). */
export interface PixelStatistics {
  width: number;
  height: number;
  mean: number;
  sd: number;
  min: number;
  max: number;
  percentiles: { p1: number; p5: number; p50: number; p95: number; p99: number };
  /** Shares of all pixels, 0 to 1. */
  black: number;
  white: number;
  /** Sixteen equal steps of brightness, shares of all pixels. */
  histogram: number[];
  /** Variance of the Laplacian: low when the picture has no visible edges. */
  sharpness: number;
  /** Standard deviation of the noise (Immerkær 1996). */
  noise: number;
}

export interface Measurements extends PixelStatistics {
  colour: boolean;
  bitDepth: number;
  /** In the units of the modality; DICOM greys only. */
  values: { min: number; max: number; mean: number } | null;
}

export function measure(image: GreyImage): PixelStatistics {
  const counts = countLevels(image.pixels);
  const total = image.pixels.length;
  const mean = sum(counts, (level) => level) / total;
  return {
    width: image.width,
    height: image.height,
    mean,
    sd: Math.sqrt(sum(counts, (level) => (level - mean) ** 2) / total),
    min: counts.findIndex((count) => count > 0),
    max: counts.findLastIndex((count) => count > 0),
    percentiles: {
      p1: percentile(counts, total, 0.01),
      p5: percentile(counts, total, 0.05),
      p50: percentile(counts, total, 0.5),
      p95: percentile(counts, total, 0.95),
      p99: percentile(counts, total, 0.99),
    },
    black: (counts[0] ?? 0) / total,
    white: (counts[255] ?? 0) / total,
    histogram: Array.from({ length: 16 }, (_, step) => sumOf(counts.subarray(step * 16, step * 16 + 16)) / total),
    ...texture(image),
  };
}

function countLevels(pixels: Uint8Array): Uint32Array {
  const counts = new Uint32Array(256);
  for (const level of pixels) counts[level] = (counts[level] ?? 0) + 1;
  return counts;
}

const sum = (counts: Uint32Array, of: (level: number) => number) =>
  counts.reduce((total, count, level) => total + count * of(level), 0);

const sumOf = (counts: Uint32Array) => counts.reduce((total, count) => total + count, 0);

function percentile(counts: Uint32Array, total: number, share: number): number {
  let seen = 0;
  return counts.findIndex((count) => {
    seen += count;
    return seen >= share * total;
  });
}

/** Calculates both estimates in one pass over the inner pixels. */
function texture({ width, height, pixels }: GreyImage): { sharpness: number; noise: number } {
  if (width < 3 || height < 3) return { sharpness: 0, noise: 0 };
  let [sumOfEdges, sumOfSquares, sumOfNoise] = [0, 0, 0];
  const at = (index: number) => pixels[index] ?? 0;
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const here = y * width + x;
      const cross = at(here - 1) + at(here + 1) + at(here - width) + at(here + width);
      const corners = at(here - width - 1) + at(here - width + 1) + at(here + width - 1) + at(here + width + 1);
      const edge = cross - 4 * at(here);
      sumOfEdges += edge;
      sumOfSquares += edge * edge;
      sumOfNoise += Math.abs(corners - 2 * cross + 4 * at(here));
    }
  }
  const inner = (width - 2) * (height - 2);
  return {
    sharpness: sumOfSquares / inner - (sumOfEdges / inner) ** 2,
    noise: (Math.sqrt(Math.PI / 2) * sumOfNoise) / (6 * inner),
  };
}
