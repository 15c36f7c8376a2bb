import type { QueryOf } from '@lightbox/contract/call.js';
import type { dicomWebCalls } from '@lightbox/contract/dicomWeb/calls.js';
import { limits } from '@lightbox/contract/limits.js';
import { openable, openStudies, type Reach, reachOf } from '@lightbox/core/access/openable.js';
import { notHeld } from '@lightbox/core/access/requests.js';
import { type ObjectId, sameId } from '@lightbox/core/db/ids.js';
import { attributes, includes, type Level } from '@lightbox/core/dicomWeb/attributes.js';
import { firstValue, type JsonDataSet } from '@lightbox/core/dicomWeb/json.js';
import { unlessDamaged } from '@lightbox/core/errors.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import { attributesOf, uidKeys } from '@lightbox/core/studies/instance.js';
import type { Gateway, Viewer } from '../context.js';
import { stream } from '../http/stream.js';
import { requireJson } from './accept.js';
import { addressOf, jsonArray, jsonHeaders } from './answer.js';
import { type Call, type InstanceDoc, isInstance, openInstances, type Uids, underUids } from './instances.js';
import { type Condition, matches, queryOf, uidsIn } from './match.js';

interface Search extends Call<Partial<Uids>> {
  query: QueryOf<typeof dicomWebCalls.searchStudies>;
}

/** A study, series or instance that a search has found. */
interface Row {
  /** The image whose header the row is made of. */
  image: InstanceDoc;
  /** The modalities in the study, of the images that the viewer may open. */
  modalities: readonly string[];
  set: JsonDataSet;
}

/** Studies that are looked at together. */
const BATCH = 100;

const STUDY = '0020000D';
const SERIES = '0020000E';
const SOP = '00080018';
const MODALITIES = '00080061';

/** Returns the handler of a search for rows of a level (QIDO-RS, PS3.18 §10.6). */
export const search =
  (level: Level) =>
  async (context: Omit<Search, 'params'> & { params?: Partial<Uids> | undefined }): Promise<undefined> => {
    const { gateway, viewer, actor, query, req, res } = context;
    requireJson(req);
    const { limit = limits.dicomRowsDefault, offset, fuzzymatching, ...rest } = query;
    const { conditions, unknown } = queryOf(rest, level);
    const searching = new Searching(gateway, viewer, level, [...conditions, ...inPath(context.params)]);
    const rows: Row[] = [];
    let skipped = 0;
    let more = false;
    if (limit > 0) {
      for await (const row of searching.rows()) {
        if (skipped++ < offset) continue;
        more = rows.length === limit;
        if (more) break;
        rows.push(row);
      }
    }
    const record = () =>
      gateway.events.record(actor, {
        type: 'image.list',
        records: rows.map(({ image }) => image._id),
        owners: [...new Map(rows.map(({ image: { owner } }) => [String(owner), owner])).values()],
      });
    const warnings = [
      ...(fuzzymatching === 'true'
        ? ['The fuzzymatching parameter is not supported. Only literal matching was performed.']
        : []),
      ...(unknown.length > 0 ? ['Some of the attributes are not supported and were ignored.'] : []),
      ...(more || searching.cut ? ['There are additional results that can be requested.'] : []),
    ];
    if (warnings.length > 0) {
      res.setHeader('Warning', warnings.map((text) => `299 lightbox "${text}"`).join(', '));
    }
    if (rows.length === 0) {
      await record();
      res.status(204).end();
      return undefined;
    }
    const shown = level === 'instance' ? rows.map(({ set }) => set) : await searching.counted(rows);
    await stream(context, { headers: jsonHeaders(), chunks: jsonArray(shown), record });
    return undefined;
  };

const uid = (tag: string, keyword: string, level: Level, value: string): Condition => ({
  attribute: { tag, keyword, vr: 'UI', level },
  value,
});

const inPath = ({ study, series }: Partial<Uids> = {}): Condition[] => [
  ...(study === undefined ? [] : [uid(STUDY, 'StudyInstanceUID', 'study', study)]),
  ...(series === undefined ? [] : [uid(SERIES, 'SeriesInstanceUID', 'series', series)]),
];

class Searching {
  private reach: Promise<Reach> | undefined;
  private asked: Promise<object> | undefined;
  /** True when there were more studies than one search looks at. */
  cut = false;

  constructor(
    private readonly gateway: Gateway,
    private readonly viewer: Viewer,
    private readonly level: Level,
    private readonly conditions: readonly Condition[],
  ) {}

  /** Yields the rows that meet all conditions: studies with the newest first, what is in them by its numbers. */
  async *rows(): AsyncGenerator<Row> {
    const named = this.conditions.find(({ attribute }) => attribute.tag === STUDY);
    const studies = named ? this.named(uidsIn(named.value)) : this.reachable();
    for await (const row of studies) {
      if (this.level === 'study') {
        if (matches(row.set, this.conditions)) yield row;
      } else if (
        matches(
          row.set,
          this.conditions.filter(({ attribute }) => attribute.level === 'study'),
        )
      ) {
        yield* this.within(row);
      }
    }
  }

  /** Yields the series or instances of a study. */
  private async *within({ image, modalities }: Row): AsyncGenerator<Row> {
    const filter = { ...isInstance, 'instance.study': image.instance.study, ...(await this.ofInstances()) };
    const seen = new Set<string>();
    for (const found of await openInstances(this.gateway, this.viewer, filter)) {
      const series = String(found.image.instance.series);
      if (this.level === 'series' && seen.has(series)) continue;
      const row = this.rowOf([found.image], modalities);
      if (!row || !matches(row.set, this.conditions)) continue;
      seen.add(series);
      yield row;
    }
  }

  /** Yields the studies of these UIDs. */
  private async *named(uids: readonly string[]): AsyncGenerator<Row> {
    this.cut = uids.length > BATCH;
    for (const study of uids.slice(0, BATCH)) {
      if (!/^[0-9.]{1,64}$/.test(study)) continue;
      const filter = await underUids(this.gateway, { study });
      const found = await openInstances(this.gateway, this.viewer, filter);
      const images = found.map(({ image }) => image);
      const row = this.rowOf(images, modalitiesOf(images));
      if (row) yield row;
    }
  }

  /** Yields the studies that the viewer may open. */
  private async *reachable(): AsyncGenerator<Row> {
    const { models, clock } = this.gateway;
    const { studies, images } = await this.reached();
    const wanted = await this.ofStudies();
    const seen = new Set<string>();
    let after: ObjectId | null = null;
    for (let looked = 0; looked < limits.dicomStudiesSearched; looked += BATCH) {
      const batch: StudyDoc[] = await models.Study.find({
        $and: [
          studies,
          ...wanted,
          { kind: 'dicom', lead: { $exists: true }, ...notHeld },
          after ? { _id: { $lt: after } } : {},
        ],
      })
        .sort({ _id: -1 })
        .limit(BATCH)
        .lean<StudyDoc[]>();
      const whole = await openStudies(models, this.viewer, batch, clock.now());
      const isWhole = ({ _id }: StudyDoc) => whole.has(String(_id));
      const known = [
        ...(await this.firstOf(batch.filter(isWhole))),
        // Of a study of which only images were shared.
        ...(await models.Image.find({
          $and: [
            isInstance,
            images,
            { study: { $in: batch.filter((study) => !isWhole(study)).map(({ _id }) => _id) } },
          ],
        }).lean<InstanceDoc[]>()),
      ];
      const may = await openable(models, this.viewer, known, clock.now());
      for (const study of batch) {
        const mine = may.flatMap(({ image }) => (image.study?.equals(study._id) ? [image] : []));
        const leadFirst = mine.toSorted(
          (a, b) => Number(sameId(b._id, study.lead)) - Number(sameId(a._id, study.lead)),
        );
        const key = String(leadFirst[0]?.instance.study);
        const row = seen.has(key)
          ? null
          : this.rowOf(leadFirst, isWhole(study) ? study.modalities : modalitiesOf(mine));
        if (!row) continue;
        seen.add(key);
        yield row;
      }
      after = batch.at(-1)?._id ?? null;
      if (batch.length < BATCH) return;
    }
    this.cut = true;
  }

  /**
   * Returns an image of each study, by which it is described: the first one, or another where that is no instance, because its
   * file lacks a UID or is not read yet.
   */
  private async firstOf(studies: readonly StudyDoc[]): Promise<InstanceDoc[]> {
    const { Image } = this.gateway.models;
    const leads = await Image.find({ ...isInstance, _id: { $in: studies.flatMap(({ lead }) => lead ?? []) } }).lean<
      InstanceDoc[]
    >();
    const others = studies.filter(({ lead }) => !leads.some(({ _id }) => sameId(_id, lead)));
    if (others.length === 0) return leads;
    const firsts = await Image.aggregate<{ first: ObjectId }>([
      { $match: { ...isInstance, study: { $in: others.map(({ _id }) => _id) } } },
      { $group: { _id: '$study', first: { $min: '$_id' } } },
    ]);
    return [
      ...leads,
      ...(await Image.find({ ...isInstance, _id: { $in: firsts.map(({ first }) => first) } }).lean<InstanceDoc[]>()),
    ];
  }

  private reached(): Promise<Reach> {
    const { gateway, viewer } = this;
    this.reach ??= reachOf(gateway.models, viewer, gateway.clock.now());
    return this.reach;
  }

  /** The conditions that records of studies can answer, as filters. The others need the sealed attributes. */
  private async ofStudies(): Promise<object[]> {
    const { Image } = this.gateway.models;
    const [{ images }, named] = await Promise.all([this.reached(), this.ofInstances()]);
    const parts = this.conditions.flatMap(({ attribute: { tag }, value }): object[] => {
      if (tag === MODALITIES && !/[*?\\]/.test(value)) return [{ modalities: value }];
      if (tag !== '00080020' || !/^\d{8}$|^(\d{8})?-(\d{8})?$/.test(value)) return [];
      const [from, to = from] = value.split('-').map(isoDate);
      return [{ studyDate: { ...(from ? { $gte: from } : {}), ...(to ? { $lte: to } : {}), $exists: true } }];
    });
    if (Object.keys(named).length === 0) return parts;
    return [...parts, { _id: { $in: await Image.distinct('study', { $and: [isInstance, named, images] }) } }];
  }

  /** The UIDs of series and instances that are asked for, as a filter for images. */
  private ofInstances(): Promise<object> {
    this.asked ??= this.filterOfUids();
    return this.asked;
  }

  private async filterOfUids(): Promise<object> {
    const filters = this.conditions.flatMap(({ attribute: { tag }, value }) => {
      const field = tag === SERIES ? 'series' : tag === SOP ? 'sop' : null;
      if (!field) return [];
      const keys = Promise.all(uidsIn(value).map((one) => uidKeys[field](this.gateway, one)));
      return [keys.then((among) => ({ [`instance.${field}`]: { $in: among } }))];
    });
    return filters.length > 0 ? { $and: await Promise.all(filters) } : {};
  }

  /** Makes a row of the first header whose attributes are not damaged. Null when there is none: the other rows are shown. */
  private rowOf([image, ...others]: readonly InstanceDoc[], modalities: readonly string[]): Row | null {
    if (!image) return null;
    const all = unlessDamaged(this.gateway.log, () => attributesOf(this.gateway, image));
    if (!all) return this.rowOf(others, modalities);
    const { level } = this;
    const own = attributes.filter((attribute) => includes(level, attribute.level) && all[attribute.tag]);
    const of = (tag: string) => firstValue(all, tag);
    const set: JsonDataSet = {
      '00080005': { vr: 'CS', Value: ['ISO_IR 192'] },
      '00080056': { vr: 'CS', Value: ['ONLINE'] },
      ...Object.fromEntries(own.map(({ tag }) => [tag, all[tag] as JsonDataSet[string]])),
      '00081190': {
        vr: 'UR',
        Value: [
          addressOf(this.gateway, {
            study: of(STUDY),
            series: level === 'study' ? undefined : of(SERIES),
            instance: level === 'instance' ? of(SOP) : undefined,
          }),
        ],
      },
      ...(modalities.length > 0 ? { [MODALITIES]: { vr: 'CS', Value: [...modalities] } } : {}),
      ...(level === 'instance' && image.dicomDetail?.transferSyntax
        ? { '00083002': { vr: 'UI', Value: [image.dicomDetail.transferSyntax] } }
        : {}),
    };
    return { image, modalities, set };
  }

  /** Adds the numbers of series and instances that the viewer can reach. */
  async counted(rows: readonly Row[]): Promise<JsonDataSet[]> {
    const { images } = await this.reached();
    const studies = rows.map(({ image }) => image.instance.study);
    const counts = await this.gateway.models.Image.aggregate<{ _id: { study: ObjectId; series: ObjectId }; n: number }>(
      [
        { $match: { $and: [{ ...isInstance, 'instance.study': { $in: studies } }, images] } },
        { $group: { _id: { study: '$instance.study', series: '$instance.series', sop: '$instance.sop' } } },
        { $group: { _id: { study: '$_id.study', series: '$_id.series' }, n: { $sum: 1 } } },
      ],
    );
    return rows.map(({ image: { instance }, set }) => {
      const ofStudy = counts.filter(({ _id }) => _id.study.equals(instance.study));
      const ofSeries = ofStudy.filter(({ _id }) => _id.series.equals(instance.series));
      const files = (some: typeof counts) => some.reduce((sum, { n }) => sum + n, 0);
      const numbers =
        this.level === 'study'
          ? { '00201206': ofStudy.length, '00201208': files(ofStudy) }
          : { '00201209': files(ofSeries) };
      const added = Object.entries(numbers).map(([tag, value]) => [tag, { vr: 'IS', Value: [value] }]);
      return { ...set, ...Object.fromEntries(added) };
    });
  }
}

const modalitiesOf = (images: readonly InstanceDoc[]): string[] => [
  ...new Set(images.flatMap(({ series }) => series?.modality ?? [])),
];

const isoDate = (date: string): string => date.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
