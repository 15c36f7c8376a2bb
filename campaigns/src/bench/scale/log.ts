import {
  type AuditAction,
  auditActionNames,
  auditActions,
  notificationKinds,
} from '@lightbox/contract/audit/actions.js';
import { type Draft, GENESIS, place as placed, remark } from '@lightbox/core/audit/entry.js';
import { type Head, keepHead } from '@lightbox/core/audit/head.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import type { EventStatus } from '@lightbox/core/models/event.js';
import type { NotificationDoc } from '@lightbox/core/models/notification.js';
import { chance, pick } from './chance.js';
import type { FilledImages } from './images.js';
import { Inserts, insert } from './insert.js';
import { type People, type Place, type Size, timeOf } from './world.js';

const frequent: readonly AuditAction[] = [
  'image.preview',
  'image.view',
  'image.read',
  'image.list',
  'user.list',
  'image.upload',
];

const others = auditActionNames.filter((name) => !name.startsWith('audit.'));

/** Stores a log whose chain is whole: every entry is made as a worker makes it. */
export async function fillLog(
  { models, keys }: Place,
  size: Size,
  people: People,
  images: FilledImages,
): Promise<void> {
  const now = new Date();
  const entries = new Inserts(models.AuditEntry);
  let last: Head = { seq: 0, hash: GENESIS };
  const add = async (draft: Draft) => {
    const entry = placed(keys.audit, draft, last);
    last = entry;
    await entries.add(entry);
  };
  await add(remark('audit.signed', timeOf(1, 1, now), 'STARTED'));
  for (let i = size.logEntries; i > 1; i--) await add(draftOf(i, timeOf(i, size.logEntries, now), people, images));
  await entries.end();
  await keepHead(models, keys.audit, last);
}

function draftOf(i: number, at: Date, people: People, images: FilledImages): Draft {
  const type = chance(i) < 0.8 ? pick(frequent, i * 3) : pick(others, i * 5);
  const actor = chance(i * 7) < 0.2 ? oid(people.owner.id) : pick(people.providers, i * 9);
  const ofImage = type.startsWith('image.') && !type.endsWith('.list');
  const record = recordOf(i, images);
  const luck = chance(i * 13);
  const status: EventStatus = luck < 0.97 ? 'success' : luck < 0.99 ? 'denied' : 'failed';
  return {
    ...{ event: newId(), type, status, actor, table: auditActions[type].table, ip: '192.0.2.1', reason: '', at },
    ...(ofImage ? { record, owners: [oid(people.owner.id)] } : {}),
  };
}

function recordOf(i: number, { shared, some, ofPatient }: FilledImages): FilledImages['shared'] {
  const luck = chance(i * 15);
  return luck < 0.02 ? shared : luck < 0.04 ? pick(ofPatient, i) : pick(some, i * 11);
}

/** Stores notices of one person: a tenth as many as there are images. */
export async function fillNotices({ models }: Place, size: Size, people: People, images: FilledImages): Promise<void> {
  const now = new Date();
  const count = size.images / 10;
  const notices = Array.from(
    { length: count },
    (_, i): NotificationDoc => ({
      ...{
        _id: newId(),
        user: oid(people.owner.id),
        event: newId(),
        kind: pick(notificationKinds, i),
        record: images.shared,
      },
      ...{ actor: oid(people.recipient.id), at: timeOf(i, count, now), unread: i < 30 },
    }),
  );
  await insert(models.Notification, notices);
}
