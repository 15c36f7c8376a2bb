import { overdueCarer } from '@lightbox/core/access/carers.js';
import { overdueEmergency } from '@lightbox/core/access/emergencies.js';
import { overdueLink } from '@lightbox/core/access/guests.js';
import { overdueRequest } from '@lightbox/core/access/requests.js';
import { overdueShare } from '@lightbox/core/access/shares.js';
import { endCarers } from '@lightbox/core/carers/endCarers.js';
import type { Core } from '@lightbox/core/core.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { endEmergencies } from '@lightbox/core/emergencies/endEmergencies.js';
import { AppError } from '@lightbox/core/errors.js';
import { system, type Transaction } from '@lightbox/core/events/events.js';
import { endGuestLinks } from '@lightbox/core/guests/endGuestLinks.js';
import { moveRequest } from '@lightbox/core/requests/moveRequest.js';
import { removeLeftovers } from '@lightbox/core/requests/removeHeld.js';
import { endInvite } from '@lightbox/core/sharing/endInvite.js';
import { endShares } from '@lightbox/core/sharing/endShares.js';
import type { Model } from 'mongoose';
import { eachApart } from './eachApart.js';

const BATCH = 500;

/**
 * Ends each overdue record in a transaction of its own. `end` gets a filter that matches only while the record is overdue,
 * because its end may have been put off since it was read.
 */
async function endEach<D extends { _id: ObjectId }>(
  core: Core,
  model: Model<D>,
  overdue: object,
  end: (tx: Transaction, only: { _id: ObjectId }, record: D) => Promise<unknown>,
): Promise<void> {
  const records = await model.find(overdue).limit(BATCH).lean<D[]>();
  await eachApart(core, `end of ${model.modelName}`, records, (record) =>
    core.events.change(system, async (tx) => {
      await end(tx, { _id: record._id, ...overdue }, record);
      return record._id;
    }),
  );
}

/** Updates lists and screens when shares end. Access does not depend on it: each read compares the share with the clock. */
export const expireShares = (core: Core): Promise<void> =>
  endEach(core, core.models.Share, overdueShare(core.clock.now()), (tx, only, share) =>
    endShares(core, tx, share, only, 'share.expire'),
  );

/** Ends emergency accesses whose hour is over, so that open pictures disappear. Access does not depend on it. */
export const expireEmergencies = (core: Core): Promise<void> =>
  endEach(core, core.models.Emergency, overdueEmergency(core.clock.now()), (tx, only) =>
    endEmergencies(core, tx, only, 'expired'),
  );

/** Ends the naming of carers that nobody answered in time. */
export const expireCarers = (core: Core): Promise<void> =>
  endEach(core, core.models.Carer, overdueCarer(core.clock.now()), (tx, only) => endCarers(core, tx, only, 'expired'));

/** Ends invitations that nobody accepted in time. */
export const expireInvites = (core: Core): Promise<void> =>
  endEach(core, core.models.Invite, { expiresAt: { $lte: core.clock.now() } }, (tx, only) =>
    endInvite(core, tx, only, 'expired'),
  );

/** Ends guest links that have expired, so that lists show it. Access does not depend on it. */
export const expireGuestLinks = (core: Core): Promise<void> =>
  endEach(core, core.models.GuestLink, overdueLink(core.clock.now()), (tx, only) =>
    endGuestLinks(core, tx, only, 'guest.expired'),
  );

/**
 * Ends requests for images to which nobody answered in time, and those whose files nobody looked at. Then removes the
 * files of requests that have ended.
 */
export async function expireRequests(core: Core): Promise<void> {
  const { ImageRequest } = core.models;
  const overdue = overdueRequest(core.clock.now());
  const requests = await ImageRequest.find(overdue, { _id: 1 }).limit(BATCH).lean();
  const ends = eachApart(core, 'end of ImageRequest', requests, ({ _id }) =>
    core.events
      .change(system, async (tx) => {
        await moveRequest(core, tx, _id, 'expire', { only: overdue });
        return _id;
      })
      .catch((error) => {
        // A person has taken, declined or finished it at this moment.
        if (!(error instanceof AppError && error.code === 'CONFLICT')) throw error;
      }),
  );
  // A request that cannot end keeps no files of others.
  await ends.finally(async () => {
    const left = await ImageRequest.find({ leftovers: true }, { _id: 1 }).limit(BATCH).lean();
    await eachApart(core, 'files of ImageRequest', left, ({ _id }) => removeLeftovers(core, system, _id));
  });
}

/**
 * Ends sessions that were idle for too long or have reached their end, so that their sockets are closed too. A personal
 * token ends by its date alone.
 */
export async function expireSessions(core: Core): Promise<void> {
  const now = core.clock.now();
  const idleSince = new Date(now.getTime() - (await core.settings.get('session.idleMinutes')) * 60_000);
  const over = {
    endedAt: { $exists: false },
    $or: [{ expiresAt: { $lte: now } }, { lastSeenAt: { $lte: idleSince }, token: { $exists: false } }],
  };
  const sessions = await core.models.Session.find(over, { user: 1 }).limit(BATCH).lean();
  await eachApart(core, 'end of Session', sessions, async (session) => {
    await core.events.change(system, async (tx) => {
      const ended = await core.models.Session.updateOne(
        { _id: session._id, ...over },
        { $set: { endedAt: now, endReason: 'expired' } },
        { session: tx.session },
      );
      if (ended.modifiedCount === 1) {
        tx.record({ type: 'session.expire', record: session._id, actor: session.user });
      }
      return session._id;
    });
    await core.signals.send([{ cut: { sessions: [String(session._id)], reason: 'expired' } }]).catch(() => undefined);
  });
}
