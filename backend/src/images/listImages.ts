import type { imageCalls, imageSorts } from '@lightbox/contract/images/calls.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { requireImage } from '@lightbox/core/access/images.js';
import { type Orders, orderOf } from '@lightbox/core/db/page.js';
import { AppError } from '@lightbox/core/errors.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { QueryFilter } from 'mongoose';
import type { Answer, Context } from '../context.js';
import { presentImages } from './present.js';

type ListCall = typeof imageCalls.listImages | typeof imageCalls.listMyImages | typeof imageCalls.listSharedImages;

const orders: Orders<ImageDoc, (typeof imageSorts)[number]> = { createAt: ['createAt', '_id'] };

const narrowed = (shared: boolean | undefined) => (shared === undefined ? {} : { isShared: shared });
const suffix = (shared: boolean | undefined) => (shared === undefined ? '' : shared ? ':shared' : ':unshared');

export const listImages = (context: Context<typeof imageCalls.listImages>) =>
  list(context, narrowed(context.query.shared), `images${suffix(context.query.shared)}`);

export const listMyImages = (context: Context<typeof imageCalls.listMyImages>) =>
  list(
    context,
    { owner: context.viewer._id, ...narrowed(context.query.shared) },
    `images:${context.viewer.id}${suffix(context.query.shared)}`,
  );

/**
 * One index serves this list: the audience of an image holds the recipients of its live shares, and its owner once it
 * is shared.
 */
export const listSharedImages = (context: Context<typeof imageCalls.listSharedImages>) =>
  list(context, { audience: context.viewer._id }, `images:${context.viewer.id}:audience`);

async function list(
  context: Context<ListCall>,
  filter: QueryFilter<ImageDoc>,
  counter: string,
): Promise<Answer<Image[]>> {
  const { gateway, actor, viewer } = context;
  const { shared: _, sort, ...page } = context.query;
  const { rows, pagination } = await gateway.pages.list<ImageDoc>(
    { model: gateway.models.Image, filter, ...orderOf(orders, sort), counter },
    page,
  );
  const data = await presentImages(gateway, viewer, rows);
  const ids = new Set(data.map(({ id }) => id));
  const shown = rows.filter((image) => ids.has(String(image._id)));
  await gateway.events.record(actor, {
    type: 'image.list',
    records: shown.map((image) => image._id),
    owners: shown.map((image) => image.owner),
  });
  return { data, pagination };
}

export async function getImage({
  gateway,
  actor,
  viewer,
  params,
}: Context<typeof imageCalls.getImage>): Promise<Answer<Image>> {
  const { image } = await requireImage(gateway.models, viewer, params.id, 'see', gateway.clock.now());
  const [shown] = await presentImages(gateway, viewer, [image]);
  if (!shown) throw new AppError('NOT_FOUND');
  await gateway.events.record(actor, {
    type: 'image.read',
    record: image._id,
    owners: [image.owner],
  });
  return { data: shown };
}
