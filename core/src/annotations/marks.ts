import { type Mark, Marks } from '@lightbox/contract/annotations/schemas.js';
import { unwrapDataKey } from '../blobs/cipher.js';
import type { Core } from '../core.js';
import { bufferOf } from '../db/bytes.js';
import { open, seal } from '../keys/seal.js';
import type { AnnotationDoc } from '../models/annotation.js';
import type { ImageDoc } from '../models/image.js';

type Sealing = Pick<ImageDoc, '_id' | 'dataKey'>;
type Bound = Pick<AnnotationDoc, 'author' | 'version'>;

/** Binds sealed marks to their image, their author and their version. */
const marksContext = (image: Sealing, { author, version }: Bound): string =>
  `${image._id}:annotations:${author}:${version}`;

const keyOf = ({ keys }: Pick<Core, 'keys'>, { _id, dataKey }: Sealing): Buffer =>
  unwrapDataKey(keys.images, String(_id), dataKey);

export const sealMarks = (core: Pick<Core, 'keys'>, image: Sealing, layer: Bound, marks: readonly Mark[]): Buffer =>
  seal(keyOf(core, image), marksContext(image, layer), Buffer.from(JSON.stringify(marks)));

export const openMarks = (
  core: Pick<Core, 'keys'>,
  image: Sealing,
  layer: Bound & Pick<AnnotationDoc, 'marks'>,
): Mark[] =>
  Marks.parse(JSON.parse(open(keyOf(core, image), marksContext(image, layer), bufferOf(layer.marks)).toString()));
