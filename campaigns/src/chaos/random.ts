import { Seeded } from '../seeded.js';

/** The chances of one campaign. */
export class Chance extends Seeded {
  between = (from: number, to: number): number => from + this.next() * (to - from);

  of<T>(things: readonly [T, ...T[]]): T {
    return things[Math.floor(this.next() * things.length)] ?? things[0];
  }

  /** Returns one of the names, by their weights. */
  weighted<K extends string>(weights: Record<K, number>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    const found = entries.find(([, weight]) => {
      left -= weight;
      return left < 0;
    });
    return (found ?? (entries.at(-1) as [K, number]))[0];
  }
}
