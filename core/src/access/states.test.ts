import { readFileSync } from 'node:fs';
import { analysisMoves } from '@lightbox/contract/analysis/states.js';
import { requestMoves } from '@lightbox/contract/requests/states.js';
import { shareMoves } from '@lightbox/contract/sharing/states.js';
import { accountMoves } from '@lightbox/contract/users/states.js';
import { expect, it } from 'vitest';

it('The architecture page lists every move of shares, requests, analyses and accounts.', () => {
  const page = readFileSync(new URL('../../../docs/architecture.md', import.meta.url), 'utf8').replace(/ +/g, ' ');
  const lives = { share: shareMoves, request: requestMoves, analysis: analysisMoves, account: accountMoves };
  const rows = Object.entries(lives).flatMap(([life, moves]) =>
    Object.entries(moves).map(([move, { from, to }]) => `| ${life} | ${move} | ${from.join(', ')} | ${to} |`),
  );
  for (const row of rows) expect(page).toContain(row);
});
