import type { DataOf } from '@lightbox/contract/call.js';
import type { guestCalls } from '@lightbox/contract/guests/calls.js';
import { type GuestLinkState, guestLinkState } from '@lightbox/contract/guests/states.js';
import { limits } from '@lightbox/contract/limits.js';
import { openLink } from '@lightbox/core/access/guests.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import { AppError } from '@lightbox/core/errors.js';
import type { Actor } from '@lightbox/core/events/events.js';
import { aboutLink } from '@lightbox/core/guests/endGuestLinks.js';
import { isCode, isLinkToken } from '@lightbox/core/keys/codes.js';
import type { GuestLinkDoc } from '@lightbox/core/models/guestLink.js';
import { ownerOf } from '@lightbox/core/sharing/shareTarget.js';
import { takeTry, wrongCode } from '../auth/tries.js';
import type { Answer, Context, Gateway } from '../context.js';

/** Returns the link of an address; 404 when the address is wrong in any part, or its key was retired. */
async function requireAddress({ models, keys }: Gateway, token: string): Promise<GuestLinkDoc> {
  const id = token.slice(0, 24);
  const link = await models.GuestLink.findById(oid(id)).lean<GuestLinkDoc>();
  if (!link || !isLinkToken(keys.codes, id, link, token)) throw new AppError('NOT_FOUND');
  return link;
}

export async function askGuestLink({
  gateway,
  body,
}: Context<typeof guestCalls.askGuestLink>): Promise<Answer<DataOf<typeof guestCalls.askGuestLink>>> {
  const link = await requireAddress(gateway, body.link);
  return { data: { state: guestLinkState(link, gateway.clock.now()), expiresAt: link.expiresAt.toISOString() } };
}

const refusals = {
  locked: 'CODE_LOCKED',
  usedUp: 'LINK_USED_UP',
  expired: 'EXPIRED',
  revoked: 'LINK_REVOKED',
} as const satisfies Record<Exclude<GuestLinkState, 'open'>, string>;

/** Opens a guest link with its code. The token of the answer reads exactly the image or study of the link. */
export async function openGuestLink({
  gateway,
  actor,
  body,
}: Context<typeof guestCalls.openGuestLink>): Promise<Answer<DataOf<typeof guestCalls.openGuestLink>>> {
  const link = await requireAddress(gateway, body.link);
  const refused = await tryCode(gateway, actor, link, body.code);
  if (refused) {
    const owner = await ownerOf(gateway.models, link);
    const { record, records } = aboutLink(link);
    await gateway.events.record(actor, {
      type: 'guest.opened',
      status: 'failed',
      reason: refused.code,
      record,
      records,
      owners: owner ? [owner] : [],
    });
    throw refused;
  }
  const token = gateway.tokens.guest(String(link._id), String(newId(gateway.clock.now())));
  return { data: { token, expiresAt: link.expiresAt.toISOString() } };
}

/**
 * Takes a try, compares the code and writes the result, in one transaction: of many concurrent guesses no more than five
 * are compared, and no more openings succeed than are left. A right code takes one opening. The fifth wrong code in a row
 * locks the link.
 */
async function tryCode(gateway: Gateway, actor: Actor, link: GuestLinkDoc, guess: string): Promise<AppError | null> {
  const { GuestLink } = gateway.models;
  let refused: AppError | null = null;
  await gateway.events.change(actor, async (tx) => {
    const session = tx.session;
    const now = gateway.clock.now();
    const current = await takeTry(GuestLink, { _id: link._id, ...openLink(now) }, { session });
    if (!current) {
      const latest = await GuestLink.findById(link._id).session(session).lean<GuestLinkDoc>();
      const state = latest ? guestLinkState(latest, now) : 'revoked';
      refused = new AppError(state === 'open' ? 'LINK_REVOKED' : refusals[state]);
      return link._id;
    }
    const owner = await ownerOf(gateway.models, current, session);
    const { refs, ...about } = aboutLink(current);
    const people = owner ? [owner] : [];
    const event = { ...about, owners: people, recipients: [...people, current.madeBy] };
    if (isCode(gateway.keys.codes, String(link._id), current, guess)) {
      refused = null;
      await GuestLink.updateOne({ _id: link._id }, { $set: { tries: 0 }, $inc: { opensLeft: -1 } }, { session });
      const isFirst = current.opensLeft === current.maxOpens;
      tx.record({ type: 'guest.opened', ...event, refs: { ...refs, ...(isFirst ? { first: link._id } : {}) } });
    } else {
      refused = wrongCode(current.tries);
      if (current.tries === limits.codeTries) tx.record({ type: 'guest.locked', ...event, refs });
    }
    return link._id;
  });
  return refused;
}
