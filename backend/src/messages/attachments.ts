import type { DataOf } from '@lightbox/contract/call.js';
import { formOf, type ImageFacts, imageRules } from '@lightbox/contract/images/policy.js';
import type { AttachingOutcome, Attachment, messageCalls } from '@lightbox/contract/messages/calls.js';
import { messageRules } from '@lightbox/contract/messages/policy.js';
import { texts } from '@lightbox/contract/texts.js';
import { noGrounds } from '@lightbox/core/access/grounds.js';
import { imageFacts } from '@lightbox/core/access/images.js';
import { covering, covers, liveShare, shareFacts, strongest } from '@lightbox/core/access/shares.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError } from '@lightbox/core/errors.js';
import { conversationOf } from '@lightbox/core/messages/messages.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ShareDoc } from '@lightbox/core/models/share.js';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { requirePartner } from './partner.js';

type Person = Pick<Viewer, 'id' | 'role' | '_id'>;

interface Attached {
  image: ImageDoc;
  /** The live shares of one person that cover the image. */
  shares: ShareDoc[];
}

/** An emergency access and a carer's access open images for a look, and no images for a chat: nobody passes them on. */
const factsOf = ({ image, shares }: Attached): ImageFacts => imageFacts(image, shares, noGrounds);

const readShares = ({ models, clock }: Gateway, { _id }: Person, images: ImageDoc[]): Promise<ShareDoc[]> =>
  models.Share.find({ ...covering(images), recipient: _id, ...liveShare(clock.now()) })
    .readConcern(NEWEST)
    .lean<ShareDoc[]>();

/** Reads attached images, with the shares that the person has of them, by their ids. Deleted images are absent. */
export async function findAttached(gateway: Gateway, person: Person, ids: ObjectId[]): Promise<Map<string, Attached>> {
  if (ids.length === 0) return new Map();
  const images = await gateway.models.Image.find({ _id: { $in: ids } })
    .readConcern(NEWEST)
    .lean<ImageDoc[]>();
  const shares = images.length > 0 ? await readShares(gateway, person, images) : [];
  return new Map(
    images.map((image) => [String(image._id), { image, shares: shares.filter((share) => covers(share, image)) }]),
  );
}

/** Presents an attached image as its reader may see it now. */
export function presentAttachment(reader: Person, { image, shares }: Attached): Attachment {
  const facts = factsOf({ image, shares });
  const access = messageRules.access(reader, facts);
  const share = access === 'locked' ? strongest(shares) : null;
  return {
    imageId: String(image._id),
    access,
    ...(share ? { shareId: String(share._id) } : {}),
    ...(access === 'open'
      ? {
          caption: formOf(reader, facts) === 'copy' ? texts.copyCaption : image.caption,
          contentType: image.contentType,
          ...(image.dicom?.modality ? { modality: image.dicom.modality } : {}),
        }
      : {}),
  };
}

/** Returns the outcome of attaching each image to a message to the recipient. */
async function outcomesOf(
  gateway: Gateway,
  sender: Person,
  recipient: Person,
  attached: Map<string, Attached>,
): Promise<Map<string, AttachingOutcome>> {
  const all = [...attached.values()];
  const theirs =
    all.length > 0
      ? await readShares(
          gateway,
          recipient,
          all.map(({ image }) => image),
        )
      : [];
  return new Map(
    all.map(({ image, shares }) => {
      const own = factsOf({ image, shares });
      const facts = { ...own, copy: null, ...shareFacts(theirs.filter((share) => covers(share, image))) };
      return [
        String(image._id),
        messageRules.attaching({ viewer: sender, image: own }, { viewer: recipient, image: facts }),
      ];
    }),
  );
}

/**
 * Returns the images that a message must share with its recipient. Throws when the sender may not attach one of them: as
 * for the image itself when the sender may not open it, and `CANNOT_ATTACH` when only its owner can give access to it.
 */
export async function requireAttachable(
  gateway: Gateway,
  sender: Person,
  recipient: Person,
  ids: ObjectId[],
): Promise<ObjectId[]> {
  const attached = await findAttached(gateway, sender, ids);
  for (const id of ids) {
    const found = attached.get(String(id));
    const facts = found && factsOf(found);
    if (!facts || !imageRules.see(sender, facts)) throw new AppError('NOT_FOUND');
    if (!imageRules.open(sender, facts) && imageRules.openCopy(sender, facts)) throw new AppError('CANNOT_ATTACH');
    if (!imageRules.open(sender, facts)) throw new AppError('NOT_VERIFIED');
  }
  const outcomes = await outcomesOf(gateway, sender, recipient, attached);
  if ([...outcomes.values()].includes('refuse')) throw new AppError('CANNOT_ATTACH');
  return ids.filter((id) => outcomes.get(String(id)) === 'share');
}

export async function checkAttachments({
  gateway,
  viewer,
  params,
  body,
}: Context<typeof messageCalls.checkAttachments>): Promise<Answer<DataOf<typeof messageCalls.checkAttachments>>> {
  const recipient = await partnerNow(gateway, viewer, params.userId);
  const ids = body.images.map(oid);
  const attached = await findAttached(gateway, viewer, ids);
  const outcomes = recipient ? await outcomesOf(gateway, viewer, recipient, attached) : new Map();
  return {
    data: body.images.map((imageId) => {
      const found = attached.get(imageId);
      return {
        ...(found ? presentAttachment(viewer, found) : { imageId, access: 'none' as const }),
        outcome: outcomes.get(imageId) ?? 'refuse',
      };
    }),
  };
}

/** Returns the other person; null when the two have a chat and may no longer write to each other. */
async function partnerNow(gateway: Gateway, viewer: Viewer, userId: string): Promise<Person | null> {
  try {
    const { _id, role } = await requirePartner(gateway, viewer, userId);
    return { _id, id: String(_id), role };
  } catch (error) {
    const _id = conversationOf(viewer._id, oid(userId));
    if (error instanceof AppError && (await gateway.models.Conversation.exists({ _id }))) return null;
    throw error;
  }
}
