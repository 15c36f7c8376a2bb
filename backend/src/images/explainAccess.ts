import type { DataOf } from '@lightbox/contract/call.js';
import type { imageCalls } from '@lightbox/contract/images/calls.js';
import type { AccessExplanation } from '@lightbox/contract/images/insight.js';
import { type Explained, explained } from '@lightbox/contract/images/names.js';
import { decideImage } from '@lightbox/contract/images/policy.js';
import { shareState } from '@lightbox/contract/sharing/states.js';
import { isUsable } from '@lightbox/contract/users/states.js';
import { groundsOf } from '@lightbox/core/access/grounds.js';
import { imageFacts, requireImage } from '@lightbox/core/access/images.js';
import { covering, isLive, strongest } from '@lightbox/core/access/shares.js';
import { requireUser } from '@lightbox/core/access/users.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Answer, Context } from '../context.js';

type Call = typeof imageCalls.explainAccess;
type Decisions = AccessExplanation['decisions'];

/** Evaluates the enforcing policy for another person, and returns its reasons. */
export async function explainAccess({
  gateway,
  actor,
  viewer,
  params,
  query,
}: Context<Call>): Promise<Answer<DataOf<Call>>> {
  const now = gateway.clock.now();
  const [user, { image }] = await Promise.all([
    requireUser(gateway, viewer, params.id),
    requireImage(gateway.models, viewer, query.imageId, 'see', now),
  ]);
  const shares = await gateway.models.Share.find({ ...covering([image]), recipient: user._id })
    .sort({ live: -1, createAt: -1 })
    .lean<ShareDoc[]>();
  const live = shares.filter((one) => isLive(one, now));
  const share = strongest(live) ?? shares[0] ?? null;
  const facts = imageFacts(image, live, await groundsOf(gateway.models, asViewer(user), covering([image]), now));
  const decisions = Object.fromEntries(
    Object.entries(explained).map(([name, rule]) => [
      name,
      isUsable(user) ? decideImage(rule, asViewer(user), facts) : { may: false, because: 'account' },
    ]),
  ) as Decisions;
  await gateway.events.record(actor, {
    type: 'access.explain',
    record: user._id,
    records: [image._id],
    owners: [image.owner],
  });
  return {
    data: {
      userId: String(user._id),
      imageId: String(image._id),
      may: Object.fromEntries(Object.entries(decisions).map(([name, { may }]) => [name, may])) as Record<
        Explained,
        boolean
      >,
      because: decisions.know.because,
      decisions,
      share: share && presentShare(share, now),
    },
  };
}

const asViewer = (user: UserDoc) => ({ id: String(user._id), role: user.role });

function presentShare(share: ShareDoc, now: Date): NonNullable<AccessExplanation['share']> {
  return {
    shareId: String(share._id),
    state: shareState(share, now),
    createAt: share.createAt.toISOString(),
    expiresAt: share.expiresAt?.toISOString() ?? null,
    verifiedAt: share.verifiedAt?.toISOString() ?? null,
    endedAt: share.endedAt?.toISOString() ?? null,
  };
}
