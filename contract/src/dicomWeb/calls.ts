import { z } from 'zod';
import { call } from '../call.js';
import { doors } from '../doors.js';
import { voiFunctions } from '../images/drawing.js';
import { limits } from '../limits.js';

/** A UID of DICOM (PS3.5 §9.1), as loose as the files that name it. Another value is the path of nothing. */
const Uid = z.string().regex(/^[0-9.]{1,64}$/);

const OfStudy = z.strictObject({ study: Uid });
const OfSeries = OfStudy.extend({ series: Uid });
const OfInstance = OfSeries.extend({ instance: Uid });
const OfFrames = OfInstance.extend({
  /** The numbers of frames, from 1. */
  frames: z
    .string()
    .max(4000)
    .regex(/^[1-9]\d{0,5}(,[1-9]\d{0,5})*$/)
    .transform((text) => text.split(',').map(Number)),
});
const OfBulkData = OfInstance.extend({
  /** The tag of an element; within a sequence the tag of the sequence and the number of the item go before it. */
  element: z.string().regex(/^[0-9A-F]{8}(\.\d{1,6}\.[0-9A-F]{8}){0,16}$/i),
});

const number = (max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'Must be a number.')
    .transform((text) => Math.min(Number(text), max));

/** A search: `limit`, `offset`, and conditions by keyword or tag (PS3.18 §8.3.4). */
const Search = z
  .object({
    limit: number(limits.dicomRows).optional(),
    offset: number(1_000_000).default(0),
    fuzzymatching: z.enum(['true', 'false']).default('false'),
  })
  .catchall(z.union([z.string().max(1000), z.array(z.string().max(1000)).max(100)]));

const Rendering = z.strictObject({
  /** Center, width and function of the window (PS3.18 §8.3.5.1.4). */
  window: z
    .string()
    .regex(
      /^-?\d{1,9}(\.\d{1,6})?,\d{1,9}(\.\d{1,6})?(,(linear|linear-exact|sigmoid))?$/i,
      'Must be a center, a width, and linear, linear-exact or sigmoid.',
    )
    .transform((text) => {
      const [center, width, named] = text.split(',') as [string, string, string?];
      const voiFunction = voiFunctions.find((one) => one === named?.toUpperCase().replace('-', '_'));
      return { center: Number(center), width: Number(width), ...(voiFunction ? { voiFunction } : {}) };
    })
    .refine(({ width }) => width > 0, 'The width must be above 0.')
    .optional(),
});

const json = ['application/dicom+json'];
const files = ['multipart/related; type="application/dicom"', 'application/dicom'];
const pictures = ['image/jpeg', 'image/png', 'image/webp'];

const search = (path: string, summary: string) =>
  ({
    method: 'get',
    path,
    who: 'image.read',
    scopes: ['dicom', 'viewer'],
    action: 'image.list',
    summary,
    query: Search,
    binary: json,
    alsoStatus: 204,
    fails: ['NOT_ACCEPTABLE'],
  }) as const;

const read = (path: string, summary: string) =>
  ({ method: 'get', path, who: 'image.read', scopes: ['dicom', 'viewer'], summary }) as const;

const store = (path: string, summary: string) =>
  ({
    method: 'post',
    path,
    who: 'image.upload',
    scopes: ['dicom'],
    action: 'image.upload',
    summary,
    takes: ['multipart/related'],
    binary: json,
    alsoStatus: 202,
    fails: ['MALFORMED_UPLOAD', 'UNSUPPORTED_MEDIA_TYPE', 'CONFLICT', 'QUOTA_REACHED'],
    throttles: ['deviceStudies', 'deviceFiles'],
  }) as const;

const studies = `${doors.dicomWeb}/studies` as const;
const study = `${studies}/:study` as const;
const series = `${study}/series/:series` as const;
const instance = `${series}/instances/:instance` as const;

/** DICOMweb (PS3.18): QIDO-RS, WADO-RS and STOW-RS. The gateway serves these paths without `/api` too. */
export const dicomWebCalls = {
  searchStudies: call(search(studies, 'DICOMweb: studies by their attributes')),
  searchSeries: call(search(`${doors.dicomWeb}/series`, 'DICOMweb: series by their attributes')),
  searchInstances: call(search(`${doors.dicomWeb}/instances`, 'DICOMweb: instances by their attributes')),
  searchSeriesOfStudy: call({ ...search(`${study}/series`, 'DICOMweb: series of a study'), params: OfStudy }),
  searchInstancesOfStudy: call({ ...search(`${study}/instances`, 'DICOMweb: instances of a study'), params: OfStudy }),
  searchInstancesOfSeries: call({
    ...search(`${series}/instances`, 'DICOMweb: instances of a series'),
    params: OfSeries,
  }),
  retrieveStudy: call({
    ...read(study, 'DICOMweb: the original files of a study'),
    action: 'study.content',
    params: OfStudy,
    binary: files,
    fails: ['NO_DOWNLOAD', 'NOT_ACCEPTABLE'],
  }),
  retrieveSeries: call({
    ...read(series, 'DICOMweb: the original files of a series'),
    action: 'study.content',
    params: OfSeries,
    binary: files,
    fails: ['NO_DOWNLOAD', 'NOT_ACCEPTABLE'],
  }),
  retrieveInstance: call({
    ...read(instance, 'DICOMweb: an original file'),
    action: 'image.content',
    params: OfInstance,
    binary: files,
    fails: ['NO_DOWNLOAD', 'NOT_ACCEPTABLE'],
  }),
  retrieveStudyMetadata: call({
    ...read(`${study}/metadata`, 'DICOMweb: the headers of a study'),
    action: 'study.frames',
    params: OfStudy,
    binary: json,
    fails: ['NOT_ACCEPTABLE'],
  }),
  retrieveSeriesMetadata: call({
    ...read(`${series}/metadata`, 'DICOMweb: the headers of a series'),
    action: 'study.frames',
    params: OfSeries,
    binary: json,
    fails: ['NOT_ACCEPTABLE'],
  }),
  retrieveMetadata: call({
    ...read(`${instance}/metadata`, 'DICOMweb: the header of a file'),
    action: 'image.tags',
    params: OfInstance,
    binary: json,
    fails: ['NOT_ACCEPTABLE'],
  }),
  retrieveFrames: call({
    ...read(`${instance}/frames/:frames`, 'DICOMweb: frames as they are stored'),
    action: 'image.view',
    params: OfFrames,
    binary: ['multipart/related'],
    fails: ['NO_FRAME', 'NOT_ACCEPTABLE'],
  }),
  retrieveBulkData: call({
    ...read(`${instance}/bulkdata/:element`, 'DICOMweb: the value of an element that its header leaves out'),
    action: 'image.content',
    params: OfBulkData,
    binary: ['multipart/related', 'application/octet-stream'],
    fails: ['NO_DOWNLOAD', 'NOT_ACCEPTABLE'],
  }),
  renderInstance: call({
    ...read(`${instance}/rendered`, 'DICOMweb: the first frame as the server draws it'),
    action: 'image.view',
    params: OfInstance,
    query: Rendering,
    binary: pictures,
    fails: ['NO_FRAME', 'NOT_ACCEPTABLE', 'PREVIEW_PENDING'],
    throttles: ['rendering'],
  }),
  renderFrames: call({
    ...read(`${instance}/frames/:frames/rendered`, 'DICOMweb: a frame as the server draws it'),
    action: 'image.view',
    params: OfFrames,
    query: Rendering,
    binary: pictures,
    fails: ['NO_FRAME', 'NOT_ACCEPTABLE', 'PREVIEW_PENDING'],
    throttles: ['rendering'],
  }),
  storeInstances: call(store(studies, 'DICOMweb: store files, as parts of multipart/related')),
  storeInstancesOfStudy: call({
    ...store(study, 'DICOMweb: store files of one study'),
    params: OfStudy,
  }),
};
