import type { DataOf } from '@lightbox/contract/call.js';
import { type Role, roles } from '@lightbox/contract/permissions.js';
import type { Stats, userCalls } from '@lightbox/contract/users/calls.js';
import { needsTie } from '@lightbox/contract/users/policy.js';
import { notHeld } from '@lightbox/core/access/requests.js';
import { tiedPatients } from '@lightbox/core/access/ties.js';
import { requireUser, visibleUsers } from '@lightbox/core/access/users.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { openPerson, openPersonIfWhole } from '@lightbox/core/users/profile.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { countPeopleRead } from './bulkReads.js';
import { counterOf, peopleOf } from './listQuery.js';
import { presentOneself, presentUser, presentUserRow } from './present.js';

export async function listUsers({
  gateway,
  actor,
  viewer,
  query,
}: Context<typeof userCalls.listUsers>): Promise<Answer<DataOf<typeof userCalls.listUsers>>> {
  const { search, role, status, sort, ...page } = query;
  const source = await peopleOf(gateway, viewer, { search, role, status, sort });
  const { rows, pagination } = await gateway.pages.list(source, page);
  const records = rows.map((row) => row._id);
  const [tied] = await Promise.all([
    tiesOf(gateway, viewer, rows),
    gateway.events.record(actor, { type: 'user.list', records }),
    countPeopleRead(gateway, actor, viewer, records),
  ]);
  return {
    data: rows.map((row) => presentUserRow(viewer, openPersonIfWhole(gateway, row), tied.has(String(row._id)))),
    pagination,
  };
}

/** Returns the ids of the listed patients with whom the viewer has a care relationship. */
export async function tiesOf(gateway: Gateway, viewer: Viewer, people: UserDoc[]): Promise<Set<string>> {
  const patients = people.filter((user) => needsTie(viewer, user)).map((user) => user._id);
  return tiedPatients(gateway, viewer._id, patients);
}

export async function getUser({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof userCalls.getUser>): Promise<Answer<DataOf<typeof userCalls.getUser>>> {
  const user = openPerson(gateway.keys, await requireUser(gateway, viewer, params.id));
  const [tied] = await Promise.all([
    tiesOf(gateway, viewer, [user]),
    gateway.events.record(actor, { type: 'user.read', record: user._id }),
    countPeopleRead(gateway, actor, viewer, [user._id]),
  ]);
  return { data: presentUser(viewer, user, tied.has(params.id)) };
}

export async function getProfile({
  gateway,
  actor,
  viewer,
}: Context<typeof userCalls.getProfile>): Promise<Answer<DataOf<typeof userCalls.getProfile>>> {
  const user = openPerson(gateway.keys, await requireUser(gateway, viewer, viewer.id));
  await gateway.events.record(actor, { type: 'profile.read', record: user._id });
  return { data: presentOneself(user) };
}

async function countRoles({ pages, models }: Gateway): Promise<NonNullable<Stats['usersByRole']>> {
  const counted = await Promise.all(
    roles.map(async (role) => {
      const filter = { role, deletedAt: { $exists: false } };
      return [role, await pages.count({ model: models.User, filter, counter: `users:of:${role}` })] as const;
    }),
  );
  return Object.fromEntries(counted) as Record<Role, number>;
}

export async function getStats({
  gateway,
  viewer,
}: Context<typeof userCalls.getStats>): Promise<Answer<DataOf<typeof userCalls.getStats>>> {
  const { pages, models } = gateway;
  const all = viewer.role === 'admin';
  // As in the lists, with which these totals share their counters.
  const mine = { ...(all ? {} : { owner: oid(viewer.id) }), ...notHeld };
  const scope = all ? 'images' : `images:${viewer.id}`;
  const [totalImages, sharedImages, totalUsers, usersByRole] = await Promise.all([
    pages.count({ model: models.Image, filter: mine, counter: scope }),
    pages.count({ model: models.Image, filter: { ...mine, isShared: true }, counter: `${scope}:shared` }),
    pages.count(
      all
        ? { model: models.User, filter: { deletedAt: { $exists: false } }, counter: 'users' }
        : {
            model: models.User,
            filter: await visibleUsers(gateway, viewer),
            counter: await counterOf(gateway, viewer),
          },
    ),
    all ? countRoles(gateway) : undefined,
  ]);
  return { data: { totalImages, sharedImages, totalUsers, ...(usersByRole && { usersByRole }) } };
}
