import { Worker } from 'node:worker_threads';
import { isSignersOwn } from '@lightbox/contract/analysis/policy.js';
import { worded } from '@lightbox/contract/analysis/sentences.js';
import { inUrdu } from '@lightbox/contract/analysis/urdu.js';
import { reportContext } from '@lightbox/core/analysis/reports.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { previewContext } from '@lightbox/core/blobs/preview.js';
import type { Core } from '@lightbox/core/core.js';
import { isAway } from '@lightbox/core/db/away.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import { type ObjectId, oid } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { open, seal } from '@lightbox/core/keys/seal.js';
import type { AnalysisVersionDoc } from '@lightbox/core/models/analysisVersion.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import type { PreviewDoc } from '@lightbox/core/models/preview.js';
import type { ReportDoc } from '@lightbox/core/models/report.js';
import { compiled } from '@lightbox/core/process/compiled.js';
import type { JobContext } from '../jobContext.js';
import type { Pictures, Rendered } from '../previews/preview.js';
import type { ReportFacts } from './document.js';
import { marksOf } from './marks.js';

const TIMEOUT_MS = 60_000;

/** Makes one report, once. Does nothing when the image was deleted meanwhile. */
export async function makeReport(
  core: Core,
  pictures: Pick<Pictures, 'frame'>,
  reportId: string,
  { isLastAttempt }: Pick<JobContext, 'isLastAttempt'>,
): Promise<void> {
  const { AnalysisVersion, Image, Report } = core.models;
  const report = await Report.findById(oid(reportId)).readConcern(NEWEST).lean<ReportDoc>();
  if (!report || report.sealed) return;
  const [image, version] = await Promise.all([
    Image.findById(report.image).readConcern(NEWEST).lean<ImageDoc>(),
    AnalysisVersion.findOne({ image: report.image, version: report.version })
      .readConcern(NEWEST)
      .lean<AnalysisVersionDoc>(),
  ]);
  if (!image || !version) return;
  const key = unwrapDataKey(core.keys.images, String(image._id), image.dataKey);
  const preview = await previewOf(core, pictures, image, key).catch((error) => {
    if (!isLastAttempt || isAway(error)) throw error;
    return null;
  });
  const bytes = await inThread(await factsOf(core, { key, report, image, version, preview }));
  // No upsert: the record is gone when the image was deleted.
  await Report.updateOne({ _id: report._id }, { $set: { sealed: seal(key, reportContext(report), bytes) } });
}

/** Returns the preview as a JPEG, because PDF documents cannot hold its WebP. A renderer decodes it: its bytes come from a file. */
async function previewOf(
  { models }: Core,
  pictures: Pick<Pictures, 'frame'>,
  { _id }: ImageDoc,
  key: Buffer,
): Promise<Rendered | null> {
  const preview = await models.Preview.findById(_id).lean<PreviewDoc>();
  if (!preview) return null;
  const webp = open(key, previewContext(String(_id)), bufferOf(preview.sealed));
  return pictures.frame(webp, 'image/webp', { frame: 1, format: 'jpeg' });
}

interface Sources {
  key: Buffer;
  report: ReportDoc;
  image: ImageDoc;
  version: AnalysisVersionDoc;
  preview: Rendered | null;
}

async function factsOf(core: Core, { key, report, image, version, preview }: Sources): Promise<ReportFacts> {
  const { run, signature, findings } = version;
  const people = [version.by, run.by, ...(image.patient ? [image.patient] : [])];
  const name = await namesOf(core, people);
  return {
    language: report.language,
    timeZone: report.timeZone,
    clinic: await core.settings.get('clinic.name'),
    mark: report.mark,
    image: {
      caption: image.caption,
      patient: image.patient && name(image.patient),
      createAt: image.createAt,
      modality: image.dicom?.modality,
      studyDate: image.dicom?.studyDate,
      preview,
    },
    findings: { ...findings, ...(report.language === 'ur' ? worded(findings, inUrdu) : {}) },
    run: { by: name(run.by), at: run.at, inputSha256: run.inputSha256 },
    version: version.version,
    marks: report.marks === undefined ? [] : await marksOf(core, key, image, version.by),
    ...(signature && {
      signature: {
        by: name(version.by),
        at: version.at,
        comment: signature.comment,
        edited: signature.edited,
        notADiagnosis: !isSignersOwn(findings, signature.edited),
      },
    }),
  };
}

async function namesOf({ models }: Core, ids: ObjectId[]): Promise<(id: ObjectId) => string> {
  const users = await models.User.find({ _id: { $in: ids } }, { firstname: 1, lastname: 1 }).lean();
  return (id) => {
    const user = users.find(({ _id }) => _id.equals(id));
    return [user?.firstname, user?.lastname].filter(Boolean).join(' ') || '–';
  };
}

/** Shaping Urdu takes seconds for long texts. A thread does it, so that other jobs of this process go on. */
function inThread(facts: ReportFacts): Promise<Buffer> {
  const thread = new Worker(compiled('reportThread.js', import.meta.url), {
    workerData: facts,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  return new Promise<Buffer>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The report took too long.')), TIMEOUT_MS);
    thread
      .once('message', (bytes: Uint8Array) => resolve(Buffer.from(bytes)))
      .once('error', reject)
      .once('exit', () => {
        clearTimeout(timer);
        reject(new Error('The report was not made.'));
      });
  }).finally(() => thread.terminate());
}
