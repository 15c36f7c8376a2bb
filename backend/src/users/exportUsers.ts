import type { userCalls } from '@lightbox/contract/users/calls.js';
import type { Person, UserDoc } from '@lightbox/core/models/user.js';
import { openPersonIfWhole } from '@lightbox/core/users/profile.js';
import type { Context, Gateway } from '../context.js';
import { attached, type Cell, csv } from '../http/download.js';
import { stream } from '../http/stream.js';
import { peopleOf } from './listQuery.js';

const columns = ['id', 'lastname', 'firstname', 'username', 'email', 'role', 'status', 'active', 'gender', 'createAt'];

/** Exports the list of people as CSV, for administrators: the columns of its screen, without the health fields. */
export async function exportUsers(context: Context<typeof userCalls.exportUsers>): Promise<undefined> {
  const { gateway, actor, viewer, query } = context;
  const now = gateway.clock.now();
  const source = await peopleOf(gateway, viewer, query);
  await stream(context, {
    chunks: csv(columns, cells(gateway, gateway.pages.all<UserDoc>(source))),
    headers: attached(`users-${now.toISOString().slice(0, 10)}.csv`, 'text/csv; charset=utf-8'),
    record: () => gateway.events.record(actor, { type: 'user.export', reason: 'csv' }),
  });
  return undefined;
}

async function* cells(gateway: Gateway, chunks: AsyncIterable<UserDoc[]>): AsyncGenerator<Cell[][]> {
  for await (const users of chunks) yield users.map((user) => cellsOf(openPersonIfWhole(gateway, user)));
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
