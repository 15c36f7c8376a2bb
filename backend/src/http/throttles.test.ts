import { readFileSync } from 'node:fs';
import type { AuditAction } from '@lightbox/contract/audit/actions.js';
import { auditActionNames } from '@lightbox/contract/audit/actions.js';
import type { CallShape } from '@lightbox/contract/call.js';
import { calls } from '@lightbox/contract/calls.js';
import { loginWaitSeconds, throttleNames, throttles } from '@lightbox/contract/throttles.js';
import { newId } from '@lightbox/core/db/ids.js';
import { consequencesOf } from '@lightbox/core/events/reactions.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import { expect, it } from 'vitest';
import { z } from 'zod';

const every = calls as Record<string, CallShape>;

/** Jobs that ask a model server, or take long. */
const costly = ['analyseImage', 'renderPreview'];
/** Fields by which a call says something of an account: that it is there, or that a guess is right. */
const telling = ['email', 'username', 'password', 'currentPassword', 'code', 'recoveryCode', 'otp'];

const event = { _id: newId(), record: newId(), refs: {}, recipients: [] } as unknown as EventDoc;
const mails = (action: AuditAction) => consequencesOf(action)?.mail !== undefined;
const costs = (action: AuditAction) =>
  (consequencesOf(action)?.jobs?.(event) ?? []).some(({ name }) => costly.includes(name));
const causesOf = ({ action, causes = [] }: CallShape) => [...(action ? [action] : []), ...causes];

function fieldsOf(schema: z.ZodType | undefined): string[] {
  const fields = new Set<string>();
  const walk = (part: { properties?: object; anyOf?: object[] }) => {
    for (const name of Object.keys(part.properties ?? {})) fields.add(name);
    for (const one of part.anyOf ?? []) walk(one);
  };
  if (schema) walk(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  return [...fields];
}

const tells = ({ body }: CallShape) => fieldsOf(body).some((field) => telling.includes(field));
/** True when somebody without an account may change something by the call. */
const isOpen = ({ method, who, guests, senders }: CallShape) =>
  !reads.includes(method) && (people.includes(who) || guests === true || senders === true);
const reads = ['get', 'head', 'options'];
const people = ['anyone', 'guest', 'sender'];
/** It stores nothing (`auth/ceremonies.ts`), and the answer to it has a throttle. */
const changesNothing = ['askPasskey'];
const lacking = (declared: Record<string, CallShape>) =>
  Object.entries(declared)
    .filter(
      ([name, call]) =>
        causesOf(call).some((action) => mails(action) || costs(action)) ||
        tells(call) ||
        (isOpen(call) && !changesNothing.includes(name)),
    )
    .filter(([, { throttles: named = [] }]) => named.length === 0)
    .map(([name]) => name);

it('a call that sends mail, costs money, answers about an account or is open to people without one has a throttle', () => {
  expect(lacking(every)).toEqual([]);
  const bare = (name: keyof typeof calls) => lacking({ ...every, [name]: { ...every[name], throttles: [] } as never });
  for (const name of [
    'login',
    'createShare',
    'startAnalysis',
    'uploadImage',
    'updateProfile',
    'rejectProvider',
    'clearRequest',
    'endUpload',
  ] as const) {
    expect(bare(name)).toEqual([name]);
  }
});

it('every mail and every costly job follows from a call that declares it', () => {
  const declared = new Set(Object.values(every).flatMap(causesOf));
  expect(auditActionNames.filter((action) => (mails(action) || costs(action)) && !declared.has(action))).toEqual([]);
});

it('every throttle is taken by a call', () => {
  const taken = new Set(Object.values(every).flatMap(({ throttles: named = [] }) => named));
  expect(throttleNames.filter((name) => !taken.has(name))).toEqual([]);
});

it('a try waits two seconds after twenty wrong passwords, then twice as long each time, up to a minute', () => {
  expect([19, 20, 21, 22, 23, 24, 25, 99].map(loginWaitSeconds)).toEqual([0, 2, 4, 8, 16, 32, 60, 60]);
});

it('docs/security.md has the current table of throttles', () => {
  const docs = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');
  const rows = docs.split('\n').flatMap((line) => {
    const [, name, per, points, window, beyond] =
      /^\| `(\w+)` +\| (.+?) +\| (\d+) .*?\| (.+?) +\| (\w+)/.exec(line) ?? [];
    return name && Object.hasOwn(throttles, name) ? [{ name, per, points, window, beyond }] : [];
  });
  const windowOf = (seconds: number) =>
    seconds >= 86_400 ? `${seconds / 86_400} days` : seconds >= 3600 ? '1 h' : `${seconds / 60} min`;
  expect(rows).toEqual(
    throttleNames.map((name) => ({
      name,
      per: throttles[name].per.join(', '),
      points: String(throttles[name].points),
      window: windowOf(throttles[name].seconds),
      beyond: throttles[name].beyond,
    })),
  );
});
