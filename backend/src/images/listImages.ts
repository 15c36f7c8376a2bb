import type { imageCalls } from '@lightbox/contract/images/calls.js';
import type { imageSorts } from '@lightbox/contract/images/names.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { requireImage } from '@lightbox/core/access/images.js';
import { notHeld } from '@lightbox/core/access/requests.js';
import { type Orders, orderOf } from '@lightbox/core/db/page.js';
import { AppError } from '@lightbox/core/errors.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { QueryFilter } from 'mongoose';
import type { Answer, Context } from '../context.js';
import { seenImage } from './imageBytes.js';
import { listCards, presentList } from './listCards.js';
import { recordLook } from './looks.js';
import { presentImages } from './present.js';

type ListCall = typeof imageCalls.listImages | typeof imageCalls.listMyImages | typeof imageCalls.listSharedImages;

const orders: Orders<ImageDoc, (typeof imageSorts)[number]> = { createAt: ['createAt', '_id'] };

type Narrowing = Pick<Context<ListCall>['query'], 'shared' | 'grouped'>;

/** An image without a study stands for itself, so a grouped list has one row for each study and each such image. */
const narrowed = ({ shared, grouped }: Narrowing): QueryFilter<ImageDoc> => ({
  ...(grouped ? { isLead: true } : {}),
  ...(shared === undefined ? {} : { isShared: shared }),
});
const suffix = ({ shared, grouped }: Narrowing) =>
  `${shared === undefined ? '' : shared ? ':shared' : ':unshared'}${grouped ? ':grouped' : ''}`;

export const listImages = (context: Context<typeof imageCalls.listImages>) =>
  list(context, narrowed(context.query), `images${suffix(context.query)}`);

export const listMyImages = (context: Context<typeof imageCalls.listMyImages>) =>
  list(
    context,
    { owner: context.viewer._id, ...narrowed(context.query) },
    `images:${context.viewer.id}${suffix(context.query)}`,
  );

/** All of the list is shared, so what is not shared is none of it. */
const sharedOnly = (shared: boolean | undefined) => (shared === false ? { _id: { $in: [] } } : {});

/**
 * One index serves this list: the audience of an image holds the recipients of its live shares, and its owner once it
 * is shared. A grouped list has the cards, by the time of the share with the viewer.
 */
export function listSharedImages(context: Context<typeof imageCalls.listSharedImages>): Promise<Answer<Image[]>> {
  const { viewer, query } = context;
  const counter = `images:${viewer.id}:audience${suffix(query)}`;
  if (!query.grouped) return list(context, { audience: viewer._id, ...sharedOnly(query.shared) }, counter);
  return listCards(context, { person: viewer._id, shared: true, ...sharedOnly(query.shared) }, { counter });
}

async function list(
  context: Context<ListCall>,
  filter: QueryFilter<ImageDoc>,
  counter: string,
): Promise<Answer<Image[]>> {
  const { gateway } = context;
  const { shared: _, grouped = false, sort, ...page } = context.query;
  const { rows, pagination } = await gateway.pages.list<ImageDoc>(
    { model: gateway.models.Image, filter: { ...filter, ...notHeld }, ...orderOf(orders, sort), counter },
    page,
  );
  return { data: await presentList(context, rows, { grouped }), pagination };
}

export async function getImage(context: Context<typeof imageCalls.getImage>): Promise<Answer<Image>> {
  const { gateway, viewer, params } = context;
  const access = await requireImage(gateway.models, viewer, params.id, 'see', gateway.clock.now());
  const [shown] = await presentImages(gateway, viewer, [access.image]);
  if (!shown) throw new AppError('NOT_FOUND');
  await recordLook(context, 'image.read', seenImage(access));
  return { data: shown };
}
