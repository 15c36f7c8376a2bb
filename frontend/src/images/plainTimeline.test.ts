import type { TimelineEntry } from '@lightbox/contract/images/insight.js';
import { expect, it } from 'vitest';
import { plainOf } from './plainTimeline';

const sana = { id: 'a'.repeat(24), firstname: 'Sana', lastname: 'Mirza' };
const hina = { id: 'b'.repeat(24), firstname: 'Hina', lastname: 'Raza' };
const entry = (
  time: string,
  actiontype: TimelineEntry['actiontype'],
  user: TimelineEntry['user'] = sana,
  status: TimelineEntry['status'] = 'success',
): TimelineEntry => ({
  id: time,
  createAt: new Date(`2026-11-20T${time}`).toISOString(),
  actiontype,
  status,
  reason: '',
  user,
});
const told = (...entries: TimelineEntry[]) =>
  plainOf(entries).map(({ sentence, times, entry: { user } }) => [user?.firstname, sentence, times]);

it('Looks of one person are one line with their number. A preview and its original within 30 seconds are one look.', () => {
  expect(
    told(
      entry('10:40:00', 'analysis.read'),
      entry('10:30:20', 'image.content'),
      entry('10:30:00', 'image.preview'),
      entry('10:00:00', 'image.view'),
      entry('09:59:00', 'image.view', hina),
      entry('09:58:00', 'image.view'),
    ),
  ).toEqual([
    ['Sana', 'looked', 3],
    ['Hina', 'looked', 1],
    ['Sana', 'looked', 1],
  ]);
});

it('A wrong code is no refusal, and a refused look is no look.', () => {
  expect(
    told(
      entry('10:00:03', 'image.content', hina, 'denied'),
      entry('10:00:02', 'image.content', hina),
      entry('10:00:01', 'share.verify', hina),
      entry('10:00:00', 'share.verify', hina, 'failed'),
    ),
  ).toEqual([
    ['Hina', 'refused', 1],
    ['Hina', 'looked', 1],
    ['Hina', 'code', 1],
    ['Hina', 'wrongCode', 1],
  ]);
});
