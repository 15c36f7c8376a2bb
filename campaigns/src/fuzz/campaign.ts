import type { Product } from '@lightbox/testkit/product.js';
import type { People } from './people.js';

/** What a run may cost. */
export interface Wishes {
  /** Cases per operation, or per kind of file or frame; each campaign has its own measure without it. */
  examples: number | undefined;
  minutes: number | undefined;
  seed: number;
}

/** One line of the table that a run ends with. */
export interface Row {
  campaign: string;
  operations: number;
  requests: number;
  failures: number;
}

export interface Campaign {
  product: Product;
  people: People;
  wishes: Wishes;
  say: (line: string) => void;
}

/** What a campaign has seen that must not be. */
export class Findings {
  readonly lines: string[] = [];
  requests = 0;

  constructor(private readonly say: (line: string) => void) {}

  add(line: string): void {
    this.lines.push(line);
    if (this.lines.length <= 20) this.say(`  ✗ ${line}`);
  }
}

/** No part of the product has ended and been brought back meanwhile, and it answers. */
export async function expectAlive(product: Product, findings: Findings): Promise<void> {
  const answer = await fetch(`${product.url}/readyz`).catch(() => null);
  if (!answer?.ok) findings.add(`/readyz answers ${answer?.status ?? 'not at all'}`);
  const restarts = product.output().match(/^.*(?:ended|starting it again|restart).*$/gim) ?? [];
  for (const line of restarts) findings.add(`a process did not live: ${line}`);
}
