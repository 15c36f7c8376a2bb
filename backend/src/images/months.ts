import type { SortOf } from '@lightbox/contract/envelope.js';
import type { imageCalls } from '@lightbox/contract/images/calls.js';
import type { Month, Place } from '@lightbox/contract/images/months.js';
import type { ImageSearch } from '@lightbox/contract/images/search.js';
import { limits } from '@lightbox/contract/limits.js';
import { monthStart } from '@lightbox/contract/notifications/clock.js';
import { roleMay } from '@lightbox/contract/permissions.js';
import { notHeld } from '@lightbox/core/access/requests.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import type { ListSource } from '@lightbox/core/db/page.js';
import type { Model, QueryFilter } from 'mongoose';
import type { Answer, Context, Gateway, Viewer } from '../context.js';
import { searchFilter } from './searchImages.js';

interface Asked {
  list: 'uploaded' | 'shared';
  search: ImageSearch;
}

/** A row of a list of the gallery: a card or an image. */
interface Row {
  _id: ObjectId;
  /** The time of a card. */
  at: Date;
  /** The time of an image. */
  createAt: Date;
}

interface Source extends ListSource<Row> {
  /** The field that has the time of a row. */
  time: 'at' | 'createAt';
}

/** Returns the same list as the calls that page it. */
async function sourceOf(
  gateway: Gateway,
  viewer: Viewer,
  { list, search }: Asked,
  sort: SortOf<'createAt'>,
): Promise<Source> {
  const { models } = gateway;
  const direction = sort === '-createAt' ? -1 : 1;
  const all = roleMay(viewer.role, 'image.listAll');
  const rows = (model: unknown, time: Source['time'], filter: object): Source => ({
    model: model as Model<Row>,
    filter: filter as QueryFilter<Row>,
    sort: [time, '_id'],
    direction,
    time,
  });
  const cards = (filter: object) => rows(models.Card, 'at', filter);
  if (Object.keys(search).length > 0) return cards(searchFilter(gateway, viewer, { ...search, list }));
  if (list === 'shared' && !all) return cards({ person: viewer._id, shared: true });
  const mine = all ? {} : { owner: viewer._id };
  return rows(models.Image, 'createAt', { ...mine, isLead: true, isShared: list === 'shared', ...notHeld });
}

/** Lists the months that have images. One read of an index finds each month, however many images it has. */
export async function listMonths({
  gateway,
  viewer,
  body,
}: Context<typeof imageCalls.listMonths>): Promise<Answer<Month[]>> {
  const { model, filter, time } = await sourceOf(gateway, viewer, body, '-createAt');
  const months: Month[] = [];
  let before: object = {};
  while (months.length < limits.months) {
    const older = { $and: [filter, before] } as QueryFilter<Row>;
    const newest = await model
      .findOne(older, { [time]: 1 })
      .sort({ [time]: -1, _id: -1 })
      .lean<Row>();
    if (!newest) break;
    months.push({ at: newest[time].toISOString() });
    before = { [time]: { $lt: monthStart(newest[time], body.timeZone) } };
  }
  return { data: months };
}

/** Finds the page that contains the newest image at this time. */
export async function findPlace({
  gateway,
  viewer,
  body,
}: Context<typeof imageCalls.findPlace>): Promise<Answer<Place>> {
  const { time, ...source } = await sourceOf(gateway, viewer, body, body.sort);
  return { data: await gateway.pages.placeOf(source, time, new Date(body.at), body.limit) };
}
