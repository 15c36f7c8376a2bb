import type { analysisCalls } from '@lightbox/contract/analysis/calls.js';
import { readingRule } from '@lightbox/contract/analysis/policy.js';
import { limits } from '@lightbox/contract/limits.js';
import { requireImage } from '@lightbox/core/access/images.js';
import { reportContext, reportId } from '@lightbox/core/analysis/reports.js';
import { findLayers } from '@lightbox/core/annotations/layers.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import { isDuplicate, type ObjectId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { AppError } from '@lightbox/core/errors.js';
import { open } from '@lightbox/core/keys/seal.js';
import type { AnalysisDoc } from '@lightbox/core/models/analysis.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { ReportDoc } from '@lightbox/core/models/report.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Context, Reader } from '../context.js';
import { checkAgain, stream } from '../http/stream.js';
import { until } from '../images/drawings.js';
import { guarded } from '../images/imageBytes.js';
import { recordLook } from '../images/looks.js';
import { findAnalysis, hidesDrafts } from './analysis.js';

type Asking = Context<typeof analysisCalls.getAnalysisReport>;

/** Sends the analysis as a PDF document: to staff the newest version, to others the signed text. */
export async function getAnalysisReport(context: Asking): Promise<undefined> {
  const { viewer } = context;
  const { image, chosen } = await readChosen(context, viewer);
  const bytes = await reportOf(context, image, chosen);
  const may = async (reader: Reader): Promise<void> => {
    const now = await readChosen(context, reader);
    // Another text is in place of this one: the next call gets it.
    if (now.chosen.version !== chosen.version || now.chosen.mark !== chosen.mark) throw pending();
  };
  // The right, the consent or the text may have ended while a worker wrote.
  await checkAgain(context, may);
  await stream(context, {
    chunks: (async function* () {
      yield bytes;
    })(),
    headers: {
      ...guarded('application/pdf'),
      'Content-Length': String(bytes.length),
      'Content-Disposition': `inline; filename="analysis-${image._id}.pdf"`,
    },
    record: () => recordLook(context, 'analysis.report', image),
    may,
  });
  return undefined;
}

/** Returns the version of the report that the viewer, read as `reader`, may have now. Throws when there is none. */
async function readChosen(
  { gateway, viewer, params }: Asking,
  reader: Reader,
): Promise<{ image: ImageDoc; chosen: Chosen }> {
  // The role is that of the session: a new one ends it.
  const rule = readingRule(viewer.role);
  const { image } = await requireImage(gateway.models, reader, params.imageId, rule, gateway.clock.now());
  const analysis = await findAnalysis(gateway, image);
  const signedOnly = rule === 'readSigned' || (await hidesDrafts(gateway, image, analysis));
  const chosen = analysis && choose(analysis, signedOnly);
  if (!chosen) throw new AppError(signedOnly && rule === 'analyse' ? 'CONSENT_NEEDED' : 'NOT_FOUND');
  return { image, chosen };
}

const pending = (): AppError => new AppError('REPORT_PENDING', { retryAfterSeconds: 2 });

type Chosen = Pick<ReportDoc, 'version' | 'mark'> & { signer?: ObjectId };

/** Returns the version of the report; null when there is none that the reader may have. */
function choose({ version, review, signed }: AnalysisDoc, signedOnly: boolean): Chosen | null {
  if (signedOnly || review?.state === 'signed') return signed ? { version: signed.version, signer: signed.by } : null;
  if (version === undefined || !review) return null;
  return { version, mark: review.state === 'withdrawn' ? 'withdrawn' : 'draft' };
}

/** Returns the document that a worker makes, and waits for it. Calls for the same report share one job. */
async function reportOf({ gateway, viewer, query, req }: Asking, image: ImageDoc, chosen: Chosen): Promise<Buffer> {
  const { models, queues, throttle } = gateway;
  const account = await models.User.findById(viewer._id, { language: 1, timeZone: 1 }).lean<UserDoc>();
  const language = query.language ?? account?.language ?? 'en';
  const { signer, ...which } = chosen;
  const [layer] = signer ? await findLayers(models, { image: image._id, author: signer, shared: true }) : [];
  const marks = layer ? { marks: layer.version } : {};
  const asked = {
    image: image._id,
    ...which,
    ...marks,
    language,
    ...(account?.timeZone && { timeZone: account.timeZone }),
  };
  const _id = reportId(gateway.keys.images, asked);
  const find = async () => {
    const found = await models.Report.findById(_id).readConcern(NEWEST).lean<ReportDoc>();
    return found?.sealed ? { ...found, sealed: bufferOf(found.sealed) } : null;
  };
  let done = await find();
  if (!done) {
    await throttle.take('report', { caller: viewer.id });
    await models.Report.create([{ _id, ...asked, createAt: gateway.clock.now() }]).catch((error) => {
      if (!isDuplicate(error)) throw error;
    });
    await queues.add([{ name: 'makeReport', data: { reportId: String(_id) }, once: `report-${_id}` }]);
    done = await until(gateway, req, limits.reportSeconds, find);
  }
  if (!done) throw pending();
  const key = unwrapDataKey(gateway.keys.images, String(image._id), image.dataKey);
  return open(key, reportContext(done), done.sealed);
}
