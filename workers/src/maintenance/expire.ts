import { overdueCarer } from '@lightbox/core/access/carers.js';
import { overdueEmergency } from '@lightbox/core/access/emergencies.js';
import { overdueLink } from '@lightbox/core/access/guests.js';
import { overdueRequest } from '@lightbox/core/access/requests.js';
import { overdueShare } from '@lightbox/core/access/shares.js';
import { endCarers } from '@lightbox/core/carers/endCarers.js';
import type { Core } from '@lightbox/core/core.js';
import { endEmergencies } from '@lightbox/core/emergencies/endEmergencies.js';
import { AppError } from '@lightbox/core/errors.js';
import { system } from '@lightbox/core/events/events.js';
import { endGuestLinks } from '@lightbox/core/guests/endGuestLinks.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import { moveRequest } from '@lightbox/core/requests/moveRequest.js';
import { removeLeftovers } from '@lightbox/core/requests/removeHeld.js';
import { endInvite } from '@lightbox/core/sharing/endInvite.js';
import { endShares } from '@lightbox/core/sharing/endShares.js';

const BATCH = 500;

/** Updates lists and screens when shares end. Access does not depend on it: each read compares the share with the clock. */
export async function expireShares(core: Core): Promise<void> {
  const overdue = overdueShare(core.clock.now());
  const shares = await core.models.Share.find(overdue, { image: 1, study: 1 }).limit(BATCH).lean<ShareDoc[]>();
  for (const share of shares) {
    await core.events.change(system, async (tx) => {
      // Its end may have been put off since it was read.
      await endShares(core, tx, share, { _id: share._id, ...overdue }, 'share.expire');
      return share._id;
    });
  }
}

/** Ends emergency accesses whose hour is over, so that open pictures disappear. Access does not depend on it. */
export async function expireEmergencies(core: Core): Promise<void> {
  const overdue = overdueEmergency(core.clock.now());
  const found = await core.models.Emergency.find(overdue, { _id: 1 }).limit(BATCH).lean();
  for (const { _id } of found) {
    await core.events.change(system, async (tx) => {
      await endEmergencies(core, tx, { _id, ...overdue }, 'expired');
      return _id;
    });
  }
}

/** Ends the naming of carers that nobody answered in time. */
export async function expireCarers(core: Core): Promise<void> {
  const overdue = overdueCarer(core.clock.now());
  for (const { _id } of await core.models.Carer.find(overdue, { _id: 1 }).limit(BATCH).lean()) {
    await core.events.change(system, async (tx) => {
      await endCarers(core, tx, { _id, ...overdue }, 'expired');
      return _id;
    });
  }
}

/** Ends invitations that nobody accepted in time. */
export async function expireInvites(core: Core): Promise<void> {
  const overdue = { expiresAt: { $lte: core.clock.now() } };
  const invites = await core.models.Invite.find(overdue, { _id: 1 }).limit(BATCH).lean();
  for (const { _id } of invites) {
    await core.events.change(system, async (tx) => {
      await endInvite(core, tx, { _id, ...overdue }, 'expired');
      return _id;
    });
  }
}

/** Ends guest links that have expired, so that lists show it. Access does not depend on it. */
export async function expireGuestLinks(core: Core): Promise<void> {
  const links = await core.models.GuestLink.find(overdueLink(core.clock.now()), { _id: 1 }).limit(BATCH).lean();
  for (const { _id } of links) {
    await core.events.change(system, async (tx) => {
      await endGuestLinks(core, tx, { _id }, 'guest.expired');
      return _id;
    });
  }
}

/**
 * Ends requests for images to which nobody answered in time, and those whose files nobody looked at. Then removes the
 * files of requests that have ended.
 */
export async function expireRequests(core: Core): Promise<void> {
  const { ImageRequest } = core.models;
  const overdue = overdueRequest(core.clock.now());
  for (const { _id } of await ImageRequest.find(overdue, { _id: 1 }).limit(BATCH).lean()) {
    const ended = core.events.change(system, async (tx) => {
      await moveRequest(core, tx, _id, 'expire', { only: overdue });
      return _id;
    });
    // A person has taken, declined or finished it at this moment.
    await ended.catch((error) => {
      if (!(error instanceof AppError && error.code === 'CONFLICT')) throw error;
    });
  }
  for (const { _id } of await ImageRequest.find({ leftovers: true }, { _id: 1 }).limit(BATCH).lean()) {
    await removeLeftovers(core, system, _id);
  }
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
  for (const session of sessions) {
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
  }
  if (sessions.length === 0) return;
  await core.signals
    .send([{ cut: { sessions: sessions.map((session) => String(session._id)), reason: 'expired' } }])
    .catch(() => undefined);
}
