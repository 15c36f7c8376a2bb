import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Campaign, expectAlive, Findings, type Row } from './campaign.js';
import { openDesk } from './desk.js';
import { generate, prepareGenerator } from './generator.js';
import { type FuzzRole, fuzzRoles } from './people.js';

/** The part of schemathesis's report that the table needs. */
interface Report {
  operations: { tested: number };
  test_cases: { generated: number };
  failures: { code: string; title: string; count: number; operations: unknown[] }[];
  errors: { title: string; count: number }[];
}

/** Tests every call of the OpenAPI document as each role, or as the one that is wished: without a token, with a verification token, and as the three roles. */
export async function fuzzApi(campaign: Campaign): Promise<Row[]> {
  const program = prepareGenerator(campaign.say);
  const rows: Row[] = [];
  // Admins come last, because they may delete all other accounts.
  for (const role of campaign.wishes.role ? [campaign.wishes.role] : fuzzRoles) {
    rows.push(await fuzzRole(campaign, program, role));
  }
  return rows;
}

async function fuzzRole(campaign: Campaign, program: string, role: FuzzRole): Promise<Row> {
  const { product, wishes, say } = campaign;
  say(`API as ${role} …`);
  const folder = mkdtempSync(join(tmpdir(), 'lightbox-fuzz-'));
  const desk = await openDesk(campaign, role);
  const findings = new Findings(say);
  try {
    const { report, output } = await generate(program, `${product.url}/api`, desk.url, folder, {
      examples: wishes.examples ?? 30,
      seconds: wishes.minutes && Math.ceil((wishes.minutes * 60) / fuzzRoles.length),
      seed: wishes.seed,
    });
    const { operations, test_cases, failures, errors } = JSON.parse(readFileSync(report, 'utf8')) as Report;
    for (const { code, title, count } of failures) findings.add(`${role}: ${count} × ${title} (${code})`);
    for (const { title, count } of errors) findings.add(`${role}: ${count} × ${title}`);
    if (findings.lines.length > 0) say(failuresOf(output));
    await expectAlive(product, findings);
    return {
      campaign: `API as ${role}`,
      operations: operations.tested,
      requests: test_cases.generated,
      failures: findings.lines.length,
    };
  } finally {
    await desk.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const LONGEST = 20_000;
const LONGEST_LINE = 400;

/** Returns schemathesis's text about its failures, with a command to repeat each, without its own stack traces. */
const failuresOf = (output: string): string =>
  output
    .slice(Math.max(0, output.search(/= (ERRORS|FAILURES) =/)))
    .split('\n')
    .map((line) => line.slice(0, LONGEST_LINE))
    .join('\n')
    .slice(0, LONGEST);
