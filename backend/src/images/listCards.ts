import type { PageQuery, SortOf } from '@lightbox/contract/envelope.js';
import type { imageSorts } from '@lightbox/contract/images/names.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { type Orders, orderOf } from '@lightbox/core/db/page.js';
import type { CardDoc } from '@lightbox/core/models/card.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { QueryFilter } from 'mongoose';
import type { Answer, Context, Viewer } from '../context.js';
import { presentImages } from './present.js';

export type Sort = (typeof imageSorts)[number];
/** The record by which alone the viewer sees the images of a list, and the reason for the log. */
interface SeenBy {
  record: ObjectId;
  reason: string;
}

type Listing = Pick<Context, 'gateway' | 'actor'> & { viewer: Viewer };

/** Presents the images of a list as the viewer may see them, and records that they were listed. */
export async function presentList(
  { gateway, actor, viewer }: Listing,
  images: ImageDoc[],
  { grouped, by }: { grouped: boolean; by?: SeenBy | undefined },
): Promise<Image[]> {
  const data = await presentImages(gateway, viewer, images, { grouped });
  const ids = new Set(data.map(({ id }) => id));
  const shown = images.filter((image) => ids.has(String(image._id)));
  await gateway.events.record(actor, {
    type: 'image.list',
    records: [...shown.map((image) => image._id), ...(by ? [by.record] : [])],
    owners: shown.map((image) => image.owner),
    ...(by ? { reason: by.reason } : {}),
  });
  return data;
}

const orders: Orders<CardDoc, Sort> = { createAt: ['at', '_id'] };

/** Reads one page of cards, and presents their images. */
export async function listCards(
  context: Listing & { query: PageQuery & { sort: SortOf<Sort> } },
  filter: QueryFilter<CardDoc>,
  { counter, by }: { counter?: string; by?: SeenBy } = {},
): Promise<Answer<Image[]>> {
  const { gateway, query } = context;
  const { page, limit, cursor, sort } = query;
  const source = {
    model: gateway.models.Card,
    filter,
    ...orderOf(orders, sort),
    ...(counter ? { counter } : {}),
    projection: { at: 1, image: 1 },
  } as const;
  const { rows, pagination } = await gateway.pages.list<CardDoc>(source, { page, limit, cursor });
  const images = await gateway.models.Image.find({ _id: { $in: rows.map(({ image }) => image) } }).lean<ImageDoc[]>();
  const byId = new Map(images.map((image) => [String(image._id), image]));
  const inOrder = rows.flatMap(({ image }) => byId.get(String(image)) ?? []);
  return { data: await presentList(context, inOrder, { grouped: true, by }), pagination };
}
