import type { BurnedIn } from '@lightbox/contract/images/drawing.js';
import type { ContentType } from '@lightbox/contract/images/names.js';
import type { AnalysisStatus, DicomFacts } from '@lightbox/contract/images/schemas.js';
import type { StoreName } from '../blobs/names.js';
import { bool, date, type Id, id, Mixed, number, ObjectId, part, schemaOf, string } from './fields.js';
import { type SealedValue, sealedValue } from './sealedValue.js';

/**
 * Further fields of a DICOM header, for the analysis alone: about the picture and the device, never about people, never
 * their UIDs.
 */
export interface DicomDetail {
  transferSyntax: string;
  hasPixels: boolean;
  bitsAllocated: number | null;
  bitsStored: number | null;
  samplesPerPixel: number | null;
  photometricInterpretation: string | null;
  /** Millimetres between rows, between columns. */
  pixelSpacing: [number, number] | null;
  sliceThickness: number | null;
  windowCenter: number | null;
  windowWidth: number | null;
  manufacturerModel: string | null;
  laterality: string | null;
  orientation: string | null;
  /** True when names may be written into the picture itself (0028,0301). */
  burnedIn: boolean;
  /** The guess by the flag and by the kind of picture. Absent in records of older versions, like all below. */
  burnedInGuess?: BurnedIn;
  /** Exposure index, its target, and the deviation (IEC 62494-1): (0018,1411) to (0018,1413). */
  exposureIndex?: number | null;
  targetExposureIndex?: number | null;
  deviationIndex?: number | null;
}

/** The facts that the inspection of a file finds during the upload. */
export interface FileFacts {
  contentType: ContentType;
  size: number;
  /** Hexadecimal. */
  sha256: string;
  width?: number;
  height?: number;
  dicom?: DicomFacts;
  dicomDetail?: DicomDetail;
}

/** The series of a DICOM image in its study. */
export interface ImageSeries {
  /** Opaque, and the same for all images of the series. */
  id: Id;
  number?: number;
  description?: string;
  modality?: string;
}

/** The place of an image in its series. */
export interface ImagePlace {
  /** Position along the normal of the slice, in millimetres. Comparable with slices of the same normal. */
  slice?: number;
  normal?: number[];
  /** InstanceNumber of the file. */
  instance?: number;
  /** The name of the file, sealed with the image's data key, because it may name a person. */
  name?: Buffer;
}

/** A DICOM file with all its UIDs, for DICOMweb (`core/studies/instance.ts`). */
export interface Instance {
  /** Pseudonyms of the UIDs of study, series and instance: the same for the same UID, whoever owns the file. */
  study: Id;
  series: Id;
  sop: Id;
  /** The attributes of the header for which people search, sealed with the image's data key. */
  attributes: Buffer;
}

/** The request for which an image arrived, until it is taken. */
export interface Held {
  request: Id;
  /** The patient whom the file names, sealed with the image's data key: compared when the image is taken. */
  identity?: Buffer;
}

export interface ImageDoc extends FileFacts {
  _id: Id;
  owner: Id;
  patient?: Id;
  caption: string;
  blob: Id;
  dataKey: SealedValue;
  /** The store that has its bytes; absent in records of older versions, which have them in GridFS. */
  store?: StoreName;
  preview: 'pending' | 'ready' | 'none';
  /** The frames that can be drawn, once a worker has looked at the file: pages of a PDF, 0 when there is none. */
  frames?: number;
  analysis: AnalysisStatus;
  /** True while its analysis has a signed text. */
  hasSigned?: boolean;
  /**
   * The people who see it in their list of shared images: recipients of live shares, and then the owner. Updated with
   * the shares.
   */
  audience: Id[];
  /** The people in whose grouped list of shared images it is a card: one image of a study for each person. */
  shownTo: Id[];
  isShared: boolean;
  study?: Id;
  /** True for an image without a study, and for the image that stands for its study. */
  isLead: boolean;
  series?: ImageSeries;
  place?: ImagePlace;
  /** Absent for files that are no DICOM or lack a UID. */
  instance?: Instance;
  /** Present while the image is held. No list shows it, and nobody can share or download it. */
  held?: Held;
  /** Present for a copy without identity, whose dates are moved already. True when rectangles were blacked out in it. */
  blackedOut?: boolean;
  createAt: Date;
  touched?: number;
}

const series = part<ImageSeries>({ id, number: Number, description: String, modality: String });
const place = part<ImagePlace>({
  slice: Number,
  normal: { type: [Number], default: undefined },
  instance: Number,
  name: Buffer,
});
const instance = part<Instance>({ study: id, series: id, sop: id, attributes: { type: Buffer, required: true } });
const held = part<Held>({ request: id, identity: Buffer });

export const image = schemaOf<ImageDoc>(
  {
    owner: id,
    patient: ObjectId,
    caption: string,
    contentType: string,
    size: number,
    sha256: string,
    width: Number,
    height: Number,
    dicom: Mixed,
    dicomDetail: Mixed,
    blob: id,
    dataKey: { type: sealedValue, required: true },
    store: String,
    preview: string,
    frames: Number,
    analysis: string,
    hasSigned: Boolean,
    audience: [ObjectId],
    shownTo: [ObjectId],
    isShared: bool,
    study: ObjectId,
    isLead: bool,
    series,
    place,
    instance,
    held,
    blackedOut: Boolean,
    createAt: date,
    touched: Number,
  },
  { collection: 'imagemetadata' },
)
  .index({ createAt: -1, _id: -1 })
  .index({ isShared: 1, createAt: -1, _id: -1 })
  .index({ owner: 1, createAt: -1, _id: -1 })
  .index({ owner: 1, isShared: 1, createAt: -1, _id: -1 })
  .index({ audience: 1, createAt: -1, _id: -1 })
  // Finds the owner's image with the same bytes.
  .index({ owner: 1, sha256: 1 })
  // Grouped lists: one image stands for a study.
  .index({ isLead: 1, createAt: -1, _id: -1 })
  .index({ isLead: 1, isShared: 1, createAt: -1, _id: -1 })
  .index({ owner: 1, isLead: 1, createAt: -1, _id: -1 })
  .index({ owner: 1, isLead: 1, isShared: 1, createAt: -1, _id: -1 })
  .index({ study: 1, createAt: 1, _id: 1 }, { partialFilterExpression: { study: { $exists: true } } })
  .index({ patient: 1 }, { sparse: true })
  // The patients whose images a provider owns.
  .index({ owner: 1, patient: 1 }, { partialFilterExpression: { patient: { $exists: true } } })
  .index({ 'held.request': 1, sha256: 1 }, { partialFilterExpression: { held: { $exists: true } } })
  .index({ blob: 1 })
  // DICOMweb names studies, series and instances by their UIDs.
  .index({ 'instance.study': 1, 'instance.series': 1 }, { partialFilterExpression: { instance: { $exists: true } } })
  .index({ 'instance.series': 1 }, { partialFilterExpression: { instance: { $exists: true } } })
  // Also finds the owner's files with a UID.
  .index({ 'instance.sop': 1, owner: 1 }, { partialFilterExpression: { instance: { $exists: true } } })
  .index({ 'dataKey.keyId': 1 })
  // Covers the totals of the storage.
  .index({ contentType: 1, size: 1 });
