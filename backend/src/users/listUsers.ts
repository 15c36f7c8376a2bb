import type { DataOf } from '@lightbox/contract/call.js';
import type { userCalls } from '@lightbox/contract/users/calls.js';
import { requireUser, visibleUsers } from '@lightbox/core/access/users.js';
import { oid } from '@lightbox/core/db/ids.js';
import type { Answer, Context } from '../context.js';
import { peopleOf } from './listQuery.js';
import { presentOneself, presentUser, presentUserRow } from './present.js';

export async function listUsers({
  gateway,
  actor,
  viewer,
  query,
}: Context<typeof userCalls.listUsers>): Promise<Answer<DataOf<typeof userCalls.listUsers>>> {
  const { search, role, status, sort, ...page } = query;
  const source = peopleOf(gateway, viewer, { search, role, status, sort });
  const { rows, pagination } = await gateway.pages.list(source, page);
  await gateway.events.record(actor, { type: 'user.list', table: 'users', records: rows.map((row) => row._id) });
  return { data: rows.map((row) => presentUserRow(viewer, row)), pagination };
}

export async function getUser({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof userCalls.getUser>): Promise<Answer<DataOf<typeof userCalls.getUser>>> {
  const user = await requireUser(gateway.models, viewer, params.id);
  await gateway.events.record(actor, { type: 'user.read', table: 'users', record: user._id });
  return { data: presentUser(viewer, user) };
}

export async function getProfile({
  gateway,
  actor,
  viewer,
}: Context<typeof userCalls.getProfile>): Promise<Answer<DataOf<typeof userCalls.getProfile>>> {
  const user = await requireUser(gateway.models, viewer, viewer.id);
  await gateway.events.record(actor, { type: 'profile.read', table: 'users', record: user._id });
  return { data: presentOneself(user) };
}

export async function getStats({
  gateway,
  viewer,
}: Context<typeof userCalls.getStats>): Promise<Answer<DataOf<typeof userCalls.getStats>>> {
  const { pages, models } = gateway;
  const all = viewer.role === 'admin';
  const mine = all ? {} : { owner: oid(viewer.id) };
  const scope = all ? 'images' : `images:${viewer.id}`;
  const [totalImages, sharedImages, totalUsers] = await Promise.all([
    pages.count({ model: models.Image, filter: mine, counter: scope }),
    pages.count({ model: models.Image, filter: { ...mine, isShared: true }, counter: `${scope}:shared` }),
    pages.count(
      all
        ? { model: models.User, filter: { deletedAt: { $exists: false } }, counter: 'users' }
        : { model: models.User, filter: visibleUsers(viewer), counter: `users:${viewer.role}` },
    ),
  ]);
  return { data: { totalImages, sharedImages, totalUsers } };
}
