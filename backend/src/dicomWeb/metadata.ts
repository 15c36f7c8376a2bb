import { sourceOf } from '@lightbox/core/deidentify/copy.js';
import { tagText } from '@lightbox/core/dicomWeb/attributes.js';
import { firstValue, type JsonDataSet, jsonOf } from '@lightbox/core/dicomWeb/json.js';
import { AppError } from '@lightbox/core/errors.js';
import { readHead } from '@lightbox/core/imaging/head.js';
import { attributesOf } from '@lightbox/core/studies/instance.js';
import type { Gateway } from '../context.js';
import { stream } from '../http/stream.js';
import { openStudyLook, recordLook } from '../images/looks.js';
import { requireJson } from './accept.js';
import { addressOf, jsonArray, jsonHeaders } from './answer.js';
import { vrOf } from './dictionary.js';
import { type Call, type Found, type InstanceDoc, mayStill, requireInstances, type Uids } from './instances.js';
import { byStudy, seenFile } from './retrieve.js';

/** Headers that are read ahead. */
const AHEAD = 4;

/**
 * Streams the headers of a study, a series or an instance in DICOM's JSON (WADO-RS, PS3.18 §10.4.1.1.2). Pixels and other
 * large values are addresses. For several files this is the look in which their frames are counted.
 */
export async function retrieveMetadata(context: Call<Uids>): Promise<undefined> {
  const { gateway, viewer, params, req } = context;
  requireJson(req);
  const found = await requireInstances(gateway, viewer, params, 'open');
  await stream(context, {
    headers: jsonHeaders(),
    chunks: jsonArray(headersOf(gateway, found)),
    record: () => recordHeaders(context, found),
    may: mayStill(gateway, found, 'open'),
  });
  return undefined;
}

async function* headersOf(gateway: Gateway, found: readonly Found[]): AsyncGenerator<JsonDataSet> {
  const reading: Promise<JsonDataSet>[] = [];
  const begin = (at: number) => {
    const one = found[at];
    if (!one) return;
    const header = headerOf(gateway, one.image);
    // Its failure is thrown when its turn comes.
    header.catch(() => undefined);
    reading.push(header);
  };
  for (let at = 0; at < AHEAD; at++) begin(at);
  for (let at = 0; at < found.length; at++) {
    begin(at + AHEAD);
    yield (await reading.shift()) as JsonDataSet;
  }
}

async function headerOf(gateway: Gateway, image: InstanceDoc): Promise<JsonDataSet> {
  const known = attributesOf(gateway, image);
  const address = addressOf(gateway, {
    study: firstValue(known, '0020000D'),
    series: firstValue(known, '0020000E'),
    instance: firstValue(known, '00080018'),
  });
  const bulkData = (path: string) => `${address}/bulkdata/${path}`;
  const { transferSyntax } = image.dicomDetail ?? {};
  const stored = transferSyntax ? { '00083002': { vr: 'UI', Value: [transferSyntax] } } : {};
  try {
    const { bytes, elements, encoding, pixels } = await readHead(sourceOf(gateway, image));
    const set = jsonOf(bytes, elements, encoding, { vrOf, bulkData });
    if (!pixels) return { ...set, ...stored };
    const tag = tagText(pixels.tag);
    const vr = pixels.vr === '' ? vrOf(pixels.tag, false) : pixels.vr;
    return { ...set, ...stored, [tag]: { vr, BulkDataURI: bulkData(tag) } };
  } catch (error) {
    // A header that cannot be followed: what the upload found in it.
    if (error instanceof AppError && error.code === 'UNREADABLE_FILE') return { ...known, ...stored };
    throw error;
  }
}

async function recordHeaders(context: Call<Uids>, found: readonly Found[]): Promise<void> {
  const [first] = found;
  if (context.params.instance !== undefined && first) return recordLook(context, 'image.tags', seenFile(first));
  for (const { study, images } of byStudy(found)) await openStudyLook(context, study, images, { isComplete: true });
}
