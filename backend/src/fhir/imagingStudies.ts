import type { QueryOf } from '@lightbox/contract/call.js';
import { doors } from '@lightbox/contract/doors.js';
import type { fhirCalls } from '@lightbox/contract/fhir/calls.js';
import { fhirSystems } from '@lightbox/contract/fhir/resources.js';
import type { DateValue } from '@lightbox/contract/fhir/values.js';
import { openable, openStudies, reachOf } from '@lightbox/core/access/openable.js';
import { notHeld } from '@lightbox/core/access/requests.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { firstValue, type JsonDataSet } from '@lightbox/core/dicomWeb/json.js';
import { unlessDamaged } from '@lightbox/core/errors.js';
import type { StudyDoc } from '@lightbox/core/models/study.js';
import { attributesOf, uidKeys } from '@lightbox/core/studies/instance.js';
import type { Gateway } from '../context.js';
import { type Found, type InstanceDoc, isInstance } from '../dicomWeb/instances.js';
import { byOf } from '../images/imageBytes.js';
import { recordLook } from '../images/looks.js';
import { all, byConstant, byDay, byId, byPatient } from './filters.js';
import type { Asking, Finder, Resource, Shown } from './finder.js';
import { referencesTo, unknownPatient } from './references.js';

type Wanted = QueryOf<typeof fhirCalls.searchFhirImagingStudies>;

/** A series as far as the viewer may open it. */
interface Series {
  study: ObjectId;
  /** The first of its images, by whose header the series is described. */
  found: Found;
  images: number;
  /** When its newest image arrived. */
  newest: Date;
  header: JsonDataSet;
}

interface Row extends Shown<StudyDoc> {
  series: Series[];
}

/** DICOM studies that the viewer may open. The same study of two owners is two resources. */
export const imagingStudies: Finder<StudyDoc, Row, Wanted> = {
  exact: false,
  async source({ gateway, viewer }, wanted) {
    const { models, clock } = gateway;
    const reach = await reachOf(models, viewer, clock.now());
    return {
      model: models.Study,
      filter: all(
        { kind: 'dicom', lead: { $exists: true }, ...notHeld },
        reach.studies,
        ...byId(wanted._id),
        ...byPatient(gateway, wanted.patient, wanted.subject),
        ...byConstant(wanted.status, 'available'),
        ...byDay(wanted.started, 'studyDate'),
        ...(wanted.modality ?? []).map((codes) => ({ modalities: { $in: codes } })),
        ...(await byUid(gateway, wanted.identifier)),
        ...(await byArrival(gateway, reach.images, wanted._lastUpdated)),
      ),
      sort: ['_id'],
      direction: -1,
    };
  },
  async show(asking, docs, { modality = [], started = [] }) {
    const { models, clock } = asking.gateway;
    const series = await seriesOf(asking, docs);
    const whole = await openStudies(models, asking.viewer, docs, clock.now());
    const reference = await referencesTo(
      models,
      docs.map(({ patient }) => patient),
    );
    return docs.flatMap((doc) => {
      const mine = series.filter(({ study }) => study.equals(doc._id));
      const known = whole.has(String(doc._id));
      // The day is one of the study, and not of the images that the viewer may open.
      if (!known && started.length > 0) return [];
      const shown = known ? doc : withoutStudy(doc);
      const resource = mine.length > 0 ? present(asking.gateway, shown, mine, reference) : null;
      // A study may have modalities in series that the viewer may not open.
      const modalities = new Set(mine.map(modalityOf));
      const meant = modality.every((codes) => codes.some((code) => modalities.has(code)));
      return resource && meant ? [{ doc, resource, series: mine }] : [];
    });
  },
  async record({ gateway, viewer, actor }, rows, how) {
    const [row] = rows;
    if (how === 'read' && row) {
      const { doc, series } = row;
      const by = series[0] ? byOf(series[0].found) : {};
      return recordLook({ gateway, viewer, actor }, 'study.read', { _id: doc._id, owner: doc.owner, ...by });
    }
    return gateway.events.record(actor, {
      type: 'image.list',
      records: rows.flatMap(({ doc }) => doc.lead ?? []),
      owners: rows.map(({ doc }) => doc.owner),
    });
  },
};

/** The filter of the Study Instance UID, as `urn:dicom:uid|urn:oid:…`. */
const byUid = (gateway: Gateway, values: readonly string[][] = []): Promise<object[]> =>
  Promise.all(
    values.map(async (codes) => {
      const keys = await Promise.all(codes.map((code) => uidKeys.study(gateway, code.replace(/^urn:oid:/, ''))));
      const among = { ...isInstance, 'instance.study': { $in: keys } };
      return { _id: { $in: await gateway.models.Image.distinct('study', among) } };
    }),
  );

/** The filters of the time when the newest image arrived, of those that the viewer can reach. */
const byArrival = ({ models }: Gateway, images: object, values: readonly DateValue[] = []): Promise<object[]> => {
  const arrivedFrom = (time: Date) =>
    models.Image.distinct('study', { $and: [isInstance, images, { createAt: { $gte: time } }] });
  return Promise.all(
    values.map(async ({ prefix, from, until }) => {
      const since = async (time: Date) => ({ $in: await arrivedFrom(time) });
      const before = async (time: Date) => ({ $nin: await arrivedFrom(time) });
      const conditions = {
        eq: async () => ({ ...(await since(from)), ...(await before(until)) }),
        gt: () => since(until),
        sa: () => since(until),
        ge: () => since(from),
        lt: () => before(from),
        eb: () => before(from),
        le: () => before(until),
      };
      return { _id: await conditions[prefix]() };
    }),
  );
};

/** Returns the series of studies, each with the images that the viewer may open. Whole files are not read. */
async function seriesOf({ gateway, viewer }: Asking, studies: StudyDoc[]): Promise<Series[]> {
  const { models, clock, log } = gateway;
  if (studies.length === 0) return [];
  const { images } = await reachOf(models, viewer, clock.now());
  const among = { $and: [{ ...isInstance, study: { $in: studies.map(({ _id }) => _id) } }, images] };
  const groups = await models.Image.aggregate<{ first: ObjectId; images: number; newest: Date }>([
    { $match: among },
    {
      $group: {
        _id: { study: '$study', series: '$instance.series' },
        first: { $min: '$_id' },
        images: { $sum: 1 },
        newest: { $max: '$createAt' },
      },
    },
  ]);
  const byImage = new Map(groups.map((group) => [String(group.first), group]));
  const firsts = await models.Image.find({ _id: { $in: groups.map(({ first }) => first) } }).lean<InstanceDoc[]>();
  const may = await openable(models, viewer, firsts, clock.now());
  return may.flatMap((found): Series[] => {
    const { image } = found;
    const group = byImage.get(String(image._id));
    const header = unlessDamaged(log, () => attributesOf(gateway, image));
    if (!group || !image.study || !header) return [];
    return [{ study: image.study, found, images: group.images, newest: group.newest, header }];
  });
}

const UID = /^[0-9.]{1,64}$/;
const elementOf = (header: JsonDataSet, tag: string): string => firstValue(header, tag).trim();
/** An element of a file may hold anything. A code of FHIR has no spaces at its ends. */
const modalityOf = ({ found }: Series): string => {
  const code = found.image.series?.modality?.trim() ?? '';
  return /^[A-Z0-9_]{1,16}$/.test(code) ? code : 'OT';
};
const isDay = (text: string | undefined): boolean => text !== undefined && dayOf(text) === text;
function dayOf(text: string): string | null {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? null : time.toISOString().slice(0, 10);
}

function present(
  { config }: Gateway,
  study: StudyDoc,
  all: Series[],
  reference: (id: ObjectId) => object,
): Resource | null {
  const series = all
    .filter(({ header }) => UID.test(elementOf(header, '0020000E')))
    .sort((a, b) => numberOf(a) - numberOf(b) || String(a.found.image._id).localeCompare(String(b.found.image._id)));
  const [first] = series;
  if (!first) return null;
  const uid = elementOf(first.header, '0020000D');
  const accession = elementOf(first.header, '00080050');
  const newest = Math.max(...series.map((one) => one.newest.getTime()));
  const coded = (one: Series) => ({ system: fhirSystems.dicom, code: modalityOf(one) });
  return {
    resourceType: 'ImagingStudy',
    id: String(study._id),
    meta: { lastUpdated: new Date(newest).toISOString() },
    contained: [endpoint(config.publicUrl)],
    identifier: [
      { use: 'official', system: fhirSystems.uid, value: `urn:oid:${uid}` },
      ...(accession === '' ? [] : [{ type: accessionNumber, value: accession }]),
    ],
    status: 'available',
    modality: [...new Map(series.map((one) => [modalityOf(one), coded(one)])).values()],
    subject: study.patient ? reference(study.patient) : unknownPatient,
    ...(isDay(study.studyDate) ? { started: study.studyDate } : {}),
    endpoint: [{ reference: '#dicomweb' }],
    numberOfSeries: series.length,
    numberOfInstances: series.reduce((sum, { images }) => sum + images, 0),
    ...(study.title.trim() === '' ? {} : { description: study.title }),
    series: series.map((one) => ({
      uid: elementOf(one.header, '0020000E'),
      ...(Number.isFinite(numberOf(one)) && numberOf(one) >= 0 ? { number: numberOf(one) } : {}),
      modality: coded(one),
      ...(one.found.image.series?.description?.trim() ? { description: one.found.image.series.description } : {}),
      numberOfInstances: one.images,
    })),
  };
}

/** Of a study of which they may open images alone, people learn what those images say. */
const withoutStudy = ({ studyDate: _, ...study }: StudyDoc): StudyDoc => ({ ...study, title: '' });

const numberOf = ({ found }: Series): number => found.image.series?.number ?? Number.POSITIVE_INFINITY;

const accessionNumber = { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'ACSN' }] };

/** The files are read by DICOMweb, so the resource needs no list of its instances. */
const endpoint = (publicUrl: string) => ({
  resourceType: 'Endpoint',
  id: 'dicomweb',
  status: 'active',
  connectionType: { system: 'http://terminology.hl7.org/CodeSystem/endpoint-connection-type', code: 'dicom-wado-rs' },
  payloadType: [{ text: 'DICOM files' }],
  payloadMimeType: ['application/dicom'],
  address: `${publicUrl}${doors.dicomWeb}`,
});
