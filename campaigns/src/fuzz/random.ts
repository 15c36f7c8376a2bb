import { Seeded } from '../seeded.js';

/** The choices of one part of the fuzz, so that a finding can be repeated. */
export class Random extends Seeded {
  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  pick<T>(among: readonly T[]): T {
    return among[this.below(among.length)] as T;
  }

  bytes(n: number): Buffer {
    return Buffer.from(Array.from({ length: n }, () => this.below(256)));
  }
}

type Mutation = (bytes: Buffer, random: Random) => Buffer;

/** Lengths and counts at which parsers often fail. */
const edges = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff];

const around = (bytes: Buffer, random: Random): [start: number, end: number] => {
  const start = random.below(bytes.length + 1);
  return [start, Math.min(bytes.length, start + random.below(64))];
};

const mutations: Mutation[] = [
  (bytes, random) => {
    const out = Buffer.from(bytes);
    for (let i = random.below(8); i >= 0; i--) {
      const at = random.below(out.length || 1);
      if (at < out.length) out[at] = (out[at] ?? 0) ^ (1 << random.below(8));
    }
    return out;
  },
  (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  (bytes, random) => {
    const [start, end] = around(bytes, random);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  },
  (bytes, random) => {
    const [start, end] = around(bytes, random);
    const part = bytes.subarray(start, end);
    return Buffer.concat([bytes.subarray(0, end), ...Array<Buffer>(random.below(40)).fill(part), bytes.subarray(end)]);
  },
  (bytes, random) => {
    const at = random.below(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), random.bytes(random.below(64)), bytes.subarray(at)]);
  },
  (bytes, random) => {
    const out = Buffer.from(bytes);
    // Headers are at the start, and a wrong length does most harm there.
    const at = random.below(Math.min(out.length, random.pick([64, 512, out.length])) || 1);
    if (at + 4 > out.length) return out;
    const value = random.pick(edges);
    if (random.below(2)) out.writeUInt32LE(value, at);
    else out.writeUInt32BE(value, at);
    return out;
  },
];

/** Returns the same bytes with one to three faults. */
export function mutate(bytes: Buffer, random: Random): Buffer {
  let out = bytes;
  for (let i = random.below(3); i >= 0; i--) out = random.pick(mutations)(out, random);
  return out;
}
