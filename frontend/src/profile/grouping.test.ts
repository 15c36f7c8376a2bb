import type { Disclosure, DisclosureKind } from '@lightbox/contract/users/disclosures.js';
import { expect, it } from 'vitest';
import { groupedByImage } from './grouping';

const person = (id: string) => ({ id, firstname: id, lastname: '' });
let next = 0;
const row = (
  kind: DisclosureKind,
  at: string,
  by: string,
  image = 'a',
  rest: Partial<Disclosure> = {},
): Disclosure => ({
  id: String(next++),
  at: `2026-11-${at}:00.000Z`,
  kind,
  image: { id: image, name: image },
  by: person(by),
  to: null,
  until: null,
  ...rest,
});

it('Looks of one person on one day are one line; shares, other people, days and images stay apart.', () => {
  const rows = [
    row('looked', '20T12:30', 'sana'),
    row('looked', '20T12:10', 'sana'),
    row('looked', '20T12:00', 'omar'),
    row('looked', '19T12:00', 'sana'),
    row('downloaded', '19T11:50', 'sana'),
    row('given', '18T12:00', 'sana'),
    row('given', '18T12:00', 'sana'),
    row('looked', '18T12:00', 'sana', 'b'),
    row('guestLooked', '17T12:00', 'x', 'b', { by: null, to: { guest: 'one@a.test' } }),
    row('guestLooked', '17T11:00', 'x', 'b', { by: null, to: { guest: 'two@a.test' } }),
  ];
  const lines = groupedByImage(rows).map(({ image, lines: list }) => [
    image.id,
    list.map(({ first, times }) => `${first.kind} ${first.by?.id ?? 'guest'} ${times}`),
  ]);
  expect(lines).toEqual([
    ['a', ['looked sana 2', 'looked omar 1', 'looked sana 1', 'downloaded sana 1', 'given sana 1', 'given sana 1']],
    ['b', ['looked sana 1', 'guestLooked guest 1', 'guestLooked guest 1']],
  ]);
});
