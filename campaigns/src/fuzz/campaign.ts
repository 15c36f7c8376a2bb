import type { Product } from '@lightbox/testkit/product.js';
import type { FuzzRole, People } from './people.js';
import type { Providers } from './providers.js';

/** The limits of a run. */
export interface Wishes {
  /** Cases per operation, or per kind of file or frame. Each campaign has its own default. */
  examples: number | undefined;
  minutes: number | undefined;
  /** The campaign `api` does this role alone. */
  role: FuzzRole | undefined;
  seed: number;
}

/** One row of the table at the end of a run. */
export interface Row {
  campaign: string;
  operations: number;
  requests: number;
  failures: number;
}

export interface Campaign {
  product: Product;
  people: People;
  providers: Providers;
  wishes: Wishes;
  say: (line: string) => void;
}

/** The failures that a campaign has found. */
export class Findings {
  readonly lines: string[] = [];
  requests = 0;

  constructor(private readonly say: (line: string) => void) {}

  add(line: string): void {
    this.lines.push(line);
    if (this.lines.length <= 20) this.say(`  ✗ ${line}`);
  }
}

/** Checks that the product answers, and that none of its processes was restarted. */
export async function expectAlive(product: Product, findings: Findings): Promise<void> {
  const answer = await fetch(`${product.url}/readyz`).catch(() => null);
  if (!answer?.ok) findings.add(`/readyz answers ${answer?.status ?? 'not at all'}`);
  const restarts = product.output().match(/^.*(?:ended|starting it again|restart).*$/gim) ?? [];
  for (const line of restarts) findings.add(`a process ended: ${line}`);
}
