import { z } from 'zod';
import { call } from '../call.js';
import { flag, PageQuery, sortBy } from '../envelope.js';
import { Id, Params, text } from '../ids.js';
import { limits } from '../limits.js';
import { BlackOut } from './blackOut.js';
import { burnedInGuesses, FrameFacts, TagChange, TagRow, TextPlace } from './drawing.js';
import { AccessExplanation, TimelineEntry } from './insight.js';
import { Month, MonthsOf, Place, PlaceOf } from './months.js';
import { contentTypes, imageSorts } from './names.js';
import { frameTypes, Image, Sha256, UploadFields } from './schemas.js';
import { ImageSearch } from './search.js';

const list = PageQuery.extend({
  shared: flag.optional(),
  /** An image of a study stands for all of them. */
  grouped: flag.optional(),
  sort: sortBy(imageSorts, '-createAt'),
});

/** The number of a frame or page, from 1. Another value is the path of no frame. */
const FrameParams = Params.extend({
  n: z
    .string()
    .regex(/^[1-9]\d{0,5}$/)
    .transform(Number),
});

const decimal = z
  .string()
  .regex(/^-?\d{1,9}(\.\d{1,6})?$/, 'Must be a number.')
  .transform(Number);

/** `rendered`: the server's own picture, with this window or else that of the file. */
const FrameQuery = z
  .strictObject({
    rendered: flag.default(false),
    center: decimal.optional(),
    width: decimal.pipe(z.number().positive('Must be above 0.')).optional(),
  })
  .superRefine(({ rendered, center, width }, context) => {
    const path = (center === undefined) !== (width === undefined) ? [center === undefined ? 'center' : 'width'] : null;
    if (path) context.addIssue({ code: 'custom', path, message: 'A window has a center and a width.' });
    else if (center !== undefined && !rendered) {
      context.addIssue({ code: 'custom', path: ['center'], message: 'Only a rendered frame has a window.' });
    }
  });

export const imageCalls = {
  uploadImage: call({
    method: 'post',
    path: '/upload/image',
    who: 'image.upload',
    scopes: ['upload'],
    action: 'image.upload',
    summary:
      'Store a JPEG, PNG, PDF or DICOM file; multipart file, caption, patientId, studyId, mismatchReason in any order',
    body: UploadFields,
    multipart: 'only',
    data: Image,
    status: 201,
    creates: true,
    fails: [
      'FILE_TOO_LARGE',
      'UNSUPPORTED_TYPE',
      'UNREADABLE_FILE',
      'TOO_MANY_PIXELS',
      'QUOTA_REACHED',
      'PATIENT_MISMATCH',
    ],
    causes: ['share.create'],
    throttles: ['upload', 'studyFiles', 'shareMail'],
  }),
  findKnown: call({
    method: 'get',
    path: '/upload/known',
    who: 'image.upload',
    scopes: ['upload'],
    action: 'image.list',
    summary: 'The caller’s own image with these bytes, before they are sent again',
    query: z.strictObject({ sha256: Sha256 }),
    data: z.object({ imageId: Id.nullable() }),
  }),
  listImages: call({
    method: 'get',
    path: '/upload/images',
    who: 'image.listAll',
    scopes: ['read'],
    action: 'image.list',
    summary: 'Every image',
    query: list,
    data: z.array(Image),
    paged: true,
  }),
  listMyImages: call({
    method: 'get',
    path: '/upload/my-images',
    who: 'image.listOwn',
    scopes: ['read'],
    action: 'image.list',
    summary: 'Images the caller owns',
    query: list,
    data: z.array(Image),
    paged: true,
  }),
  listSharedImages: call({
    method: 'get',
    path: '/upload/shared-images',
    who: 'image.listShared',
    scopes: ['read'],
    action: 'image.list',
    summary: 'Images shared with the caller, and the caller’s own that are shared',
    query: list,
    data: z.array(Image),
    paged: true,
  }),
  searchImages: call({
    method: 'post',
    path: '/upload/search',
    who: 'image.listShared',
    scopes: ['read'],
    action: 'image.list',
    summary:
      'Images in the caller’s gallery that meet the conditions; those that are not verified by nothing they hide',
    query: PageQuery.extend({ sort: sortBy(imageSorts, '-createAt') }),
    body: ImageSearch,
    data: z.array(Image),
    paged: true,
  }),
  listMonths: call({
    method: 'post',
    path: '/upload/months',
    who: 'image.listShared',
    scopes: ['read'],
    action: 'image.list',
    summary: 'The months that have images in a list of the gallery, the newest first',
    body: MonthsOf,
    data: z.array(Month),
  }),
  findPlace: call({
    method: 'post',
    path: '/upload/place',
    who: 'image.listShared',
    action: 'image.list',
    summary: 'The page of a list of the gallery on which a month begins',
    body: PlaceOf,
    data: Place,
  }),
  getImage: call({
    method: 'get',
    path: '/upload/image/:id',
    who: 'image.read',
    scopes: ['read'],
    action: 'image.read',
    summary: 'One image',
    params: Params,
    data: Image,
  }),
  getImageContent: call({
    method: 'get',
    path: '/upload/image/:id/content',
    who: 'image.read',
    scopes: ['read', 'fhir'],
    action: 'image.content',
    guests: true,
    summary: 'The original bytes, as an attachment; a single range with 206',
    params: Params,
    binary: contentTypes,
    alsoStatus: 206,
    fails: ['NOT_VERIFIED', 'NO_DOWNLOAD', 'RANGE_NOT_SATISFIABLE', 'CANNOT_DEIDENTIFY'],
  }),
  getImagePreview: call({
    method: 'get',
    path: '/upload/image/:id/preview',
    who: 'image.read',
    scopes: ['read'],
    action: 'image.preview',
    guests: true,
    summary: 'The preview, webp, longest side at most 512 pixels',
    params: Params,
    binary: ['image/webp'],
    fails: ['NOT_VERIFIED', 'PREVIEW_PENDING', 'NO_PREVIEW'],
  }),
  getFrames: call({
    method: 'get',
    path: '/upload/image/:id/frames',
    who: 'image.read',
    scopes: ['read'],
    action: 'image.view',
    guests: true,
    summary: 'The facts that drawing the file needs; waits for a file that was just stored',
    params: Params,
    data: FrameFacts,
    fails: ['NOT_VERIFIED', 'PREVIEW_PENDING'],
  }),
  getFrame: call({
    method: 'get',
    path: '/upload/image/:id/frames/:n',
    who: 'image.read',
    scopes: ['read'],
    action: 'image.view',
    guests: true,
    summary:
      'The bytes of one frame, counted from 1, with their transfer syntax; or a frame or page as the server draws it',
    params: FrameParams,
    query: FrameQuery,
    binary: frameTypes,
    fails: ['NOT_VERIFIED', 'PREVIEW_PENDING', 'NO_FRAME'],
    throttles: ['rendering'],
  }),
  getTags: call({
    method: 'get',
    path: '/upload/image/:id/tags',
    who: 'image.read',
    scopes: ['read'],
    action: 'image.tags',
    summary: 'The elements of a DICOM file, values cut at 256 characters',
    params: Params,
    query: z.strictObject({ search: text(limits.tagSearchLength).optional() }),
    data: z.array(TagRow),
    fails: ['NOT_VERIFIED', 'PREVIEW_PENDING', 'CANNOT_DEIDENTIFY'],
  }),
  getDeidentified: call({
    method: 'get',
    path: '/upload/image/:id/deidentified',
    who: 'share.create',
    action: 'image.content',
    summary: 'The copy without identity as a recipient gets it, for the owner; a single range with 206',
    params: Params,
    binary: contentTypes,
    alsoStatus: 206,
    fails: ['CANNOT_DEIDENTIFY', 'RANGE_NOT_SATISFIABLE'],
  }),
  getDeidentifiedChanges: call({
    method: 'get',
    path: '/upload/image/:id/deidentified/changes',
    who: 'share.create',
    action: 'image.tags',
    summary: 'How that copy differs from the original, and a guess at names that are written into the picture',
    params: Params,
    data: z.object({
      changes: z.array(TagChange),
      burnedIn: z.enum(burnedInGuesses),
      /** False when the recipient sees no preview: it shows what the copy hides. */
      preview: z.boolean(),
      /** Places of the preview's frame that look like printed text, and the size of that frame. */
      text: z.array(TextPlace),
      frame: z.object({ columns: z.int().positive(), rows: z.int().positive() }).nullable(),
    }),
    fails: ['CANNOT_DEIDENTIFY'],
  }),
  blackOut: call({
    method: 'post',
    path: '/upload/image/:id/blackout',
    who: 'image.upload',
    action: 'image.blackOut',
    summary:
      'A new image of the caller: a copy without identity in which rectangles are black. The original is not changed',
    params: Params,
    body: BlackOut,
    data: Image,
    status: 201,
    creates: true,
    fails: ['PREVIEW_PENDING', 'CANNOT_BLACK_OUT', 'CANNOT_DEIDENTIFY', 'FILE_TOO_LARGE', 'QUOTA_REACHED'],
    throttles: ['upload'],
  }),
  getTimeline: call({
    method: 'get',
    path: '/upload/image/:id/timeline',
    who: 'image.timeline',
    scopes: ['read'],
    action: 'image.timeline',
    summary: 'Who was given the image, opened it, failed a code, downloaded or analysed it',
    params: Params,
    query: PageQuery,
    data: z.array(TimelineEntry),
    paged: true,
  }),
  explainAccess: call({
    method: 'get',
    path: '/users/:id/may',
    who: 'access.explain',
    action: 'access.explain',
    summary: 'Why a person may, or may not, see an image',
    params: Params,
    query: z.strictObject({ imageId: Id }),
    data: AccessExplanation,
  }),
  deleteImage: call({
    method: 'delete',
    path: '/upload/image/:id',
    who: 'image.delete',
    action: 'image.delete',
    summary: 'Delete an image with its blob, preview, shares and analysis',
    params: Params,
    body: z.strictObject({ reason: text(500).optional() }).default({}),
    fails: ['LEGAL_HOLD'],
  }),
};
