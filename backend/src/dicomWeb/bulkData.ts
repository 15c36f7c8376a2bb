import type { dicomWebCalls } from '@lightbox/contract/dicomWeb/calls.js';
import { sourceOf } from '@lightbox/core/deidentify/copy.js';
import type { Element } from '@lightbox/core/deidentify/elements.js';
import { AppError } from '@lightbox/core/errors.js';
import { inLittleEndian } from '@lightbox/core/imaging/byteOrder.js';
import { readHead } from '@lightbox/core/imaging/head.js';
import type { Context, Gateway } from '../context.js';
import { acceptedBy, takesWhole } from '../http/accept.js';
import { stream } from '../http/stream.js';
import { guarded } from '../images/imageBytes.js';
import { recordLook } from '../images/looks.js';
import { takesPart } from './accept.js';
import { framePart, framesIn, pixelsOf, readerOf, typeFor } from './frames.js';
import { type Found, type InstanceDoc, mayStill, requireInstances } from './instances.js';
import { multipartOf, type Part } from './multipart.js';
import { seenFile } from './retrieve.js';

type Call = Context<typeof dicomWebCalls.retrieveBulkData>;

const BYTES = 'application/octet-stream';
const PIXELS = /^7FE000(08|09|10)$/i;

/**
 * Streams the value of an element, to which the header of a file gives an address. Its numbers are little endian, as the type
 * of the bytes says. It is a part of the original, such as a
 * document: whoever may not download that gets frames only.
 */
export async function retrieveBulkData(context: Call): Promise<undefined> {
  const { gateway, viewer, params, req } = context;
  const [found] = (await requireInstances(gateway, viewer, params, 'download')) as [Found];
  const { image } = found;
  const parts = PIXELS.test(params.element)
    ? await pixelParts(req, gateway, image)
    : [await valueAt(gateway, image, params.element)];
  const [only] = parts;
  const form = formFor(context, parts);
  const body =
    form === 'single' && only
      ? { headers: { 'Content-Type': only.type, 'Content-Length': String(only.length) }, chunks: chunksOf(only) }
      : multipartOf(parts);
  await stream(context, {
    headers: { ...guarded(BYTES), ...body.headers },
    chunks: body.chunks,
    record: () => recordLook(context, 'image.content', seenFile(found)),
    may: mayStill(gateway, [found], 'download'),
  });
  return undefined;
}

function formFor({ req }: Call, parts: readonly Part[]): 'single' | 'multipart' {
  const [first] = parts;
  const type = first?.type.split(';', 1)[0] ?? BYTES;
  for (const accepted of acceptedBy(req)) {
    if (takesPart(accepted, type)) return 'multipart';
    if (parts.length === 1 && takesWhole(accepted, type)) return 'single';
  }
  throw new AppError('NOT_ACCEPTABLE');
}

async function* chunksOf(part: Part): AsyncGenerator<Buffer> {
  yield* part.read();
}

/** Returns the pixels: each frame of encapsulated ones is a part. */
async function pixelParts(req: Call['req'], gateway: Gateway, image: InstanceDoc): Promise<Part[]> {
  const stored = await framesIn(gateway, image);
  const read = pixelsOf(gateway, image, stored);
  if (stored.encapsulated) {
    const type = typeFor(req, image, stored);
    return stored.frames.map((_, i) => framePart(stored, read, i + 1, type));
  }
  const ranges = stored.frames.flat();
  const length = ranges.reduce((sum, [, one]) => sum + one, 0);
  return [{ type: BYTES, length, read: () => read(ranges) }];
}

async function valueAt(gateway: Gateway, image: InstanceDoc, path: string): Promise<Part> {
  const { bytes, elements, encoding, deflatedFrom } = await readHead(sourceOf(gateway, image));
  const found = elementAt({ elements, big: encoding.big }, path.split('.'));
  if (!found || found.element.items) throw new AppError('NOT_FOUND');
  const { element, big } = found;
  const { from, to } = element;
  if (!big) {
    // Read again while it is sent, so that a slow reader holds no large header.
    const read = readerOf(gateway, image, deflatedFrom);
    return { type: BYTES, length: to - from, read: () => read([[from, to - from]]) };
  }
  const value = inLittleEndian(bytes.subarray(from, to), element.vr);
  return {
    type: BYTES,
    length: value.length,
    read: async function* () {
      yield value;
    },
  };
}

interface DataSet {
  elements: readonly Element[];
  big: boolean;
}

/** Returns the element at the end of a path of tags, with the number of an item between each two, and its order of bytes. */
function elementAt(
  { elements, big }: DataSet,
  [tag = '', item, ...rest]: readonly string[],
): { element: Element; big: boolean } | undefined {
  const element = elements.find((one) => one.tag === Number.parseInt(tag, 16));
  if (item === undefined || !element) return element && { element, big };
  return elementAt({ elements: element.items?.[Number(item)] ?? [], big: element.within.big }, rest);
}
