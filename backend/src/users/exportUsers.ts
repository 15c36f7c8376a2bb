import type { userCalls } from '@lightbox/contract/users/calls.js';
import type { Person, UserDoc } from '@lightbox/core/models/types.js';
import { openPersonIfWhole } from '@lightbox/core/users/profile.js';
import type { Context, Gateway } from '../context.js';
import { type Cell, csv, sendFile } from '../http/download.js';
import { peopleOf } from './listQuery.js';

const columns = ['id', 'lastname', 'firstname', 'username', 'email', 'role', 'status', 'active', 'gender', 'createAt'];

/** The list of people as a file, for administrators: what its screen shows, without the health fields. */
export async function exportUsers({
  gateway,
  actor,
  viewer,
  query,
  res,
}: Context<typeof userCalls.exportUsers>): Promise<undefined> {
  const now = gateway.clock.now();
  const source = await peopleOf(gateway, viewer, query);
  const file = { name: `users-${now.toISOString().slice(0, 10)}.csv`, contentType: 'text/csv; charset=utf-8' };
  await sendFile(res, file, csv(columns, cells(gateway, gateway.pages.all<UserDoc>(source))), () =>
    gateway.events.record(actor, { type: 'user.export', table: 'users', reason: 'csv' }),
  );
  return undefined;
}

async function* cells(gateway: Gateway, pieces: AsyncIterable<UserDoc[]>): AsyncGenerator<Cell[][]> {
  for await (const users of pieces) yield users.map((user) => cellsOf(openPersonIfWhole(gateway, user)));
}

const cellsOf = (user: Person): Cell[] => [
  String(user._id),
  user.lastname,
  user.firstname,
  user.username,
  user.email,
  user.role,
  user.status,
  user.active,
  user.gender,
  user.createAt.toISOString(),
];
