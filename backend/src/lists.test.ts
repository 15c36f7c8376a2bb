import { auditActionNames, notificationKinds } from '@lightbox/contract/audit/actions.js';
import { auditSorts, auditStatuses } from '@lightbox/contract/audit/calls.js';
import type { CallShape } from '@lightbox/contract/call.js';
import { calls } from '@lightbox/contract/calls.js';
import { PageQuery } from '@lightbox/contract/envelope.js';
import { imageSorts } from '@lightbox/contract/images/names.js';
import { limits } from '@lightbox/contract/limits.js';
import { notificationSorts } from '@lightbox/contract/notifications/calls.js';
import { roles } from '@lightbox/contract/permissions.js';
import { maySortBy, userSorts } from '@lightbox/contract/users/policy.js';
import { UserStatus } from '@lightbox/contract/users/schemas.js';
import { addCards } from '@lightbox/core/access/cards.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import type { AuditEntryDoc } from '@lightbox/core/models/auditEntry.js';
import type { NotificationDoc } from '@lightbox/core/models/notification.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { searchFields } from '@lightbox/core/users/search.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allCells } from './testing/allCells.js';
import { buildAdmin, buildImage, buildProvider, type Person } from './testing/factories.js';
import { type Profiled, profiled } from './testing/profiled.js';
import { useGateway } from './testing/useGateway.js';

/** Enough that reading on from the wrong end, or sorting, would show. */
const MANY = 3000;
const LIMIT = 10;

const { test, api } = useGateway();
let admin: Person;
let provider: Person;

/** A prime number of actions, so that they meet all other fields. The lists are filtered by the 38th, which meets each status often. */
const usedActions = auditActionNames.slice(auditActionNames.indexOf('user.list') - 37).slice(0, 41);
const some = <T>(values: readonly T[], i: number): T => values[i % values.length] as T;
/** Of late: notifications do not live for ever. Some happen in the same moment. */
const start = new Date(Date.now() - 48 * 3_600_000);
const moment = (i: number) => new Date(start.getTime() + Math.floor(i / 3) * 60_000);

beforeAll(async () => {
  [admin, provider] = await Promise.all([buildAdmin(test.gateway), buildProvider(test.gateway)]);
  const each = <T>(make: (i: number) => T): T[] => Array.from({ length: MANY }, (_, i) => make(i));
  const { User, Image, Notification, AuditEntry } = test.gateway.models;
  const image = await buildImage(test.gateway, { owner: provider });
  const sample = await Image.findById(image._id).lean();
  await Promise.all([
    User.collection.insertMany(each(someUser)),
    Image.collection.insertMany(
      each((i) => {
        const isShared = i % 2 === 0;
        const audience = isShared ? [provider._id] : [];
        return { ...sample, _id: newId(), isShared, audience, shownTo: audience, createAt: moment(i) };
      }) as never[],
    ),
    Notification.collection.insertMany(
      each(
        (i): NotificationDoc => ({
          _id: newId(),
          user: provider._id,
          event: newId(),
          kind: some(notificationKinds, i),
          at: moment(i),
          unread: i % 2 === 0,
        }),
      ),
    ),
    AuditEntry.collection.insertMany(each((i) => someEntry(i, i % 4 ? provider._id : admin._id))),
  ]);
  for (let after = await addCards(test.gateway.models, null, start); after; ) {
    after = await addCards(test.gateway.models, after, start);
  }
  // Without this, a total that is 30 s old would be counted again in the background, among the work of a page.
  void test.clock.still(() => new Promise(() => {}));
});

function someUser(i: number): UserDoc {
  const names = { firstname: `Given${i % 50}`, lastname: `Family${i % 90}`, username: `u${i}`, email: `u${i}@x.test` };
  return {
    _id: newId(),
    ...names,
    ...searchFields(names),
    usernameKey: names.username,
    passwordHash: '',
    role: some(roles, i),
    status: i % 5 ? 'active' : some(UserStatus.options, i),
    active: i % 7 > 0,
    createAt: moment(i),
  };
}

const someEntry = (i: number, actor: ObjectId): AuditEntryDoc => ({
  _id: newId(),
  seq: 1_000_000 + i,
  event: newId(),
  // A few kinds, so that each has pages enough; a prime number of them, so that nothing else goes with the kind.
  type: some(usedActions, i),
  status: some(auditStatuses, Math.floor(i / 7)),
  actor,
  table: 'users',
  ip: '',
  reason: '',
  at: moment(i),
  keyId: 'k',
  hash: '',
  concerns: i % 3 ? [actor] : [actor, newId()],
});

/** Returns what the database did for a read of the collection. */
async function worked(collection: string, read: () => Promise<void>): Promise<Profiled[]> {
  const all = await profiled(test.gateway.db, read);
  return all.filter(({ command }) => command.find === collection || command.aggregate === collection);
}

interface List {
  viewer: () => Person;
  path: string;
  collection: string;
  queries: string[];
  /** The conditions of a list that is read by POST. */
  body?: object;
}

const both = (keys: readonly string[]) => keys.flatMap((key) => [`sort=${key}`, `sort=-${key}`]);
/** All orders without a filter, and each filter in one direction of each: an index is read in both alike. */
const times = (orders: string[], filters: string[]) =>
  orders.flatMap((o) => filters.flatMap((f) => (f ? (o.startsWith('sort=-') ? `${o}&${f}` : []) : o)));
const range = `from=${moment(300).toISOString()}&to=${moment(2800).toISOString()}`;
const auditFilters = ['', 'actiontype=user.list', 'status=denied', 'actiontype=user.list&status=denied', range];

/** Stands for somebody's id, which is known once they are there. */
const SOMEBODY = 'somebody';
const ofPerson = [`user=${SOMEBODY}`, ...auditFilters.slice(1).map((filter) => `user=${SOMEBODY}&${filter}`)];

const shared = ['', 'shared=true', 'shared=false'];
const imageFilters = [...shared, ...shared.map((filter) => `grouped=true${filter && `&${filter}`}`)];

const lists: Record<string, List> = {
  'people, for an admin': {
    viewer: () => admin,
    path: '/users',
    collection: 'users',
    queries: times(both(userSorts), ['', 'role=patient', 'status=pending', 'role=healthProvider&status=pending']),
  },
  'people, for a provider': {
    viewer: () => provider,
    path: '/users',
    collection: 'users',
    queries: times(both(userSorts.filter((key) => maySortBy('healthProvider', key))), ['', 'role=patient']),
  },
  'every image': {
    viewer: () => admin,
    path: '/upload/images',
    collection: 'imagemetadata',
    queries: times(both(imageSorts), imageFilters),
  },
  'one’s own images': {
    viewer: () => provider,
    path: '/upload/my-images',
    collection: 'imagemetadata',
    queries: times(both(imageSorts), imageFilters),
  },
  'shared images': {
    viewer: () => provider,
    path: '/upload/shared-images',
    collection: 'imagemetadata',
    queries: both(imageSorts),
  },
  'the cards of shared images': {
    viewer: () => provider,
    path: '/upload/shared-images',
    collection: 'cards',
    queries: both(imageSorts).map((order) => `${order}&grouped=true`),
  },
  'a search': {
    viewer: () => provider,
    path: '/upload/search',
    collection: 'cards',
    queries: both(imageSorts),
    body: { list: 'shared', text: 'hand' },
  },
  notifications: {
    viewer: () => provider,
    path: '/notifications',
    collection: 'notifications',
    queries: times(both(notificationSorts), ['', 'unread=true', 'unread=false']),
  },
  'the audit log, for an admin': {
    viewer: () => admin,
    path: '/audit/logs',
    collection: 'auditlogs',
    queries: times(both(auditSorts), [...auditFilters, ...ofPerson, 'group=signIns', 'lists=false']),
  },
  'the audit log, for a provider': {
    viewer: () => provider,
    path: '/audit/logs',
    collection: 'auditlogs',
    queries: times(both(auditSorts), [...auditFilters, 'group=signIns', 'lists=false']),
  },
};

/**
 * A search sorts its results and has no index of its own. The entries about one record have one, and are few. In the
 * list of shared images `shared` finds all or nothing.
 */
const withoutIndex = ['/users?search', '/audit/logs?search', '/audit/logs?record', '/upload/shared-images?shared'];

it('Every filter of every sorted list is in the table of lists.', () => {
  const untested = Object.values<CallShape>(calls).flatMap(({ path, paged, query }) => {
    if (!paged || !(query instanceof z.ZodObject) || !('sort' in query.shape)) return [];
    const asked = Object.values(lists).flatMap((list) => (list.path === path ? list.queries : []));
    return Object.keys(query.shape)
      .filter((name) => !(name in PageQuery.shape) && !asked.some((one) => new URLSearchParams(one).has(name)))
      .map((name) => `${path}?${name}`);
  });
  expect(untested.sort()).toEqual(withoutIndex.sort());
});

describe.each(Object.entries(lists))('%s', (_, { viewer, path, collection, queries, body: conditions }) => {
  const ask = (query: string) =>
    conditions ? api.as(viewer()).post(`${path}?${query}`, conditions) : api.as(viewer()).get(`${path}?${query}`);
  // A sample has each third order or filter, and begins with the first.
  it.each(queries.filter((_, i) => allCells || i % 3 === 0))(
    '%s: every row once and in order, back the same way, and no page sorts or reads much',
    async (query) => {
      const found: string[] = [];
      const read = async (more: string) => {
        const { body } = await ask(`limit=${LIMIT}&${query.replace(SOMEBODY, provider.id)}${more}`).expect(200);
        return body as {
          data: { id: string }[];
          pagination: { totalItems: number; nextCursor?: string; prevCursor?: string };
        };
      };
      const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
      // Far in by number, so that the cursors are those of the middle.
      const total = (await read('')).pagination.totalItems;
      const middle = Math.max(1, Math.floor(Math.min(total, 1000) / LIMIT / 2));
      const bare = await read(`&page=${middle}`);
      found.push(...idsOf(bare));
      const ops = await worked(collection, async () => {
        const next = await read(`&cursor=${bare.pagination.nextCursor}`);
        const after = await read(`&cursor=${next.pagination.nextCursor}`);
        const back = await read(`&cursor=${after.pagination.prevCursor}`);
        expect(idsOf(back)).toEqual(idsOf(next));
        found.push(...idsOf(next), ...idsOf(after));
      });
      expect(new Set(found).size).toBe(found.length);
      const numbered = await Promise.all([middle + 1, middle + 2].map((page) => read(`&page=${page}`)));
      expect(found).toEqual([bare, ...numbered].flatMap(idsOf));

      const finds = ops.filter(({ command }) => command.find);
      expect(finds.length).toBeGreaterThanOrEqual(3);
      for (const op of ops) {
        const told = `${JSON.stringify(op.command)} ${op.planSummary}`;
        // Counting stops after as many as are exact; all of a list needs no index for that.
        if (op.command.find) expect(op.planSummary, told).not.toContain('COLLSCAN');
        expect(op.hasSortStage ?? false, told).toBe(false);
        // A count may read one index for the person's own entries, and another one for those that concern them.
        const scans = Math.max(1, (op.planSummary ?? '').split('IXSCAN').length - 1);
        const most = op.command.find ? 20 * LIMIT : limits.exactTotal * 1.5 * scans;
        expect(op.keysExamined, told).toBeLessThan(most);
        expect(op.docsExamined, told).toBeLessThan(most);
      }
    },
  );

  it('refuses another order, and a cursor of another order', async () => {
    for (const bad of ['sort=hash', 'sort=', 'sort=--name', 'sort=$where']) {
      const { body } = await ask(bad).expect(422);
      expect(body.errors).toMatchObject([{ field: 'sort' }]);
    }
    const [one] = queries;
    const { body } = await ask(`${one}&limit=1`).expect(200);
    const turned = one?.replace(/^sort=-?/, (sort) => (sort.endsWith('-') ? 'sort=' : 'sort=-'));
    expect(turned).not.toBe(one);
    await ask(`${turned}&cursor=${body.pagination.nextCursor}`).expect(422);
  });
});

it.each<[string, string, () => Person]>([
  ['an administrator', 'given', () => admin],
  ['a provider', 'given', () => provider],
  ['a provider', 'family1', () => provider],
])('A search of people by %s for “%s” counts without reading an account, and pages them in order.', async (...row) => {
  const [, name, viewer] = row;
  const read = async (query: string) =>
    (await api.as(viewer()).get(`/users?sort=name&search=${name}&${query}`).expect(200)).body;
  const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
  const limit = `limit=${LIMIT}`;
  const first = await read(limit);
  const ops = await worked('users', async () => {
    const next = await read(`${limit}&cursor=${first.pagination.nextCursor}`);
    expect(next.pagination.totalItems).toBeGreaterThan(100);
    expect(idsOf(next)).toEqual(idsOf(await read(`${limit}&page=2`)));
    expect(idsOf(await read(`${limit}&cursor=${next.pagination.prevCursor}`))).toEqual(idsOf(first));
  });
  expect(idsOf(await read('limit=30')).slice(0, LIMIT)).toEqual(idsOf(first));
  const counts = ops.filter(({ command }) => command.aggregate);
  expect(counts.length).toBeGreaterThan(0);
  for (const { docsExamined, keysExamined, planSummary } of counts) {
    expect(docsExamined, planSummary).toBe(0);
    expect(keysExamined, planSummary).toBeLessThan(limits.exactTotal * 1.5);
  }
});

it('people cannot be sorted by fields that the viewer does not see', async () => {
  for (const key of userSorts.filter((name) => !maySortBy('healthProvider', name))) {
    await api.as(provider).get(`/users?sort=${key}`).expect(422);
  }
});

it('people with the longest names are still paged', async () => {
  const long = '가'.repeat(80);
  for (const firstname of [long, `${long.slice(1)}나`])
    await buildProvider(test.gateway, { firstname, lastname: long });
  const { body } = await api.as(admin).get('/users?limit=1&sort=-role&role=healthProvider').expect(200);
  expect(body.data[0].lastname).not.toBe('');
  const first = await api.as(admin).get('/users?limit=1&sort=-name').expect(200);
  expect(first.body.data[0].lastname).toBe(long);
  await api.as(admin).get(`/users?limit=1&sort=-name&cursor=${first.body.pagination.nextCursor}`).expect(200);
});
