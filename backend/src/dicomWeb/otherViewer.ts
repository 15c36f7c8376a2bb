import { type AnyScope, viewerScope } from '@lightbox/contract/auth/personalTokens.js';
import type { DataOf } from '@lightbox/contract/call.js';
import type { otherViewerCalls } from '@lightbox/contract/dicomWeb/otherViewer.js';
import { decideImage } from '@lightbox/contract/images/policy.js';
import { limits } from '@lightbox/contract/limits.js';
import { requireImage } from '@lightbox/core/access/images.js';
import { covering, openedOriginal, type ShareTarget, strongest } from '@lightbox/core/access/shares.js';
import { requireStudy } from '@lightbox/core/access/studies.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { firstValue } from '@lightbox/core/dicomWeb/json.js';
import { AppError } from '@lightbox/core/errors.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import { attributesOf } from '@lightbox/core/studies/instance.js';
import { newToken } from '../auth/personalTokens.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { type InstanceDoc, isInstance } from './instances.js';

type Call = typeof otherViewerCalls.openElsewhere;

/** An image or a study that somebody takes to another viewer. */
interface Opened {
  target: ShareTarget;
  owner: ObjectId;
  /** The share on which the right rests; null for the owner. */
  share: ShareDoc | null;
}

/**
 * Makes an address that opens one image or study in the other viewer of the settings. Its token is the person's own right,
 * limited to this target and to reading, and ends with the share and at the sign-out. The person opens it for themselves:
 * the log names them.
 */
export async function openElsewhere({ gateway, actor, viewer, body }: Context<Call>): Promise<Answer<DataOf<Call>>> {
  const { target, owner, share } = await requireOpened(gateway, viewer, body);
  const template = await gateway.settings.get('viewer.url');
  if (template === '') throw new AppError('CONFLICT', { message: 'The settings name no other viewer.' });
  const uid = await studyUidOf(gateway, target);
  const hour = new Date(gateway.clock.now().getTime() + limits.viewerTokenMinutes * 60_000);
  const expiresAt = share?.expiresAt && share.expiresAt < hour ? share.expiresAt : hour;
  const scopes: AnyScope[] = [viewerScope];
  const rights = { scopes, only: target, session: viewer.sessionId, ...(share ? { share: share._id } : {}) };
  const name = new URL(template).host.slice(0, limits.tokenNameLength);
  const { token, doc } = newToken(gateway, viewer._id, { name, ...rights }, expiresAt);
  await gateway.events.change(actor, async (tx) => {
    await gateway.models.Session.create([doc], { session: tx.session });
    tx.record({
      type: 'token.viewer',
      record: target.study ?? target.image,
      records: [doc._id, ...(share ? [share._id] : [])],
      owners: [owner],
    });
    return doc._id;
  });
  const marks: Record<string, string> = { '{study}': uid, '{token}': token };
  const url = template.replace(/\{(?:study|token)\}/g, (mark) => encodeURIComponent(marks[mark] ?? ''));
  return { data: { id: String(doc._id), url, expiresAt: expiresAt.toISOString() } };
}

/** Returns the target, or throws the refusal of the policy. */
async function requireOpened(
  gateway: Gateway,
  viewer: Viewer,
  { imageId, studyId }: Context<Call>['body'],
): Promise<Opened> {
  const { models, clock } = gateway;
  const now = clock.now();
  if (studyId === undefined) {
    const { image, facts } = await requireImage(models, viewer, imageId ?? '', 'openElsewhere', now);
    const by = decideImage('openElsewhere', viewer, facts);
    const share = by.because === 'owner' ? null : await shareOf(gateway, viewer, covering([image]));
    return { target: { image: image._id }, owner: image.owner, share };
  }
  const { study, facts } = await requireStudy(models, viewer, studyId, 'openElsewhere', now);
  if (!study.lead) throw notThere();
  const by = decideImage('openElsewhere', viewer, facts);
  const share = by.because === 'owner' ? null : await shareOf(gateway, viewer, { study: study._id });
  return { target: { image: study.lead, study: study._id }, owner: study.owner, share };
}

/** Returns the viewer's share of the original on which the right rests. */
async function shareOf({ models, clock }: Gateway, { _id }: Viewer, among: object): Promise<ShareDoc> {
  const shares = await models.Share.find({
    $and: [among, openedOriginal(clock.now()), { recipient: _id }],
  })
    .readConcern(NEWEST)
    .lean<ShareDoc[]>();
  const share = strongest(shares);
  // It has ended since the policy was asked.
  if (!share) throw new AppError('NOT_FOUND');
  return share;
}

/** Returns the Study Instance UID of the target. */
async function studyUidOf(gateway: Gateway, { image, study }: ShareTarget): Promise<string> {
  const of = study ? { study } : { _id: image };
  const found = await gateway.models.Image.findOne({ ...isInstance, ...of }).lean<InstanceDoc>();
  const uid = found && firstValue(attributesOf(gateway, found), '0020000D');
  if (!uid) throw notThere();
  return uid;
}

const notThere = () =>
  new AppError('CONFLICT', { message: 'There is no DICOM file here that another viewer can open.' });
