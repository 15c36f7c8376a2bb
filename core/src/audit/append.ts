import { actionOf } from '@lightbox/contract/audit/actions.js';
import { sameLook } from '@lightbox/contract/audit/faults.js';
import type { Core } from '../core.js';
import type { Signal } from '../events/signals.js';
import type { AuditEntryDoc } from '../models/auditEntry.js';
import type { ImageDoc } from '../models/image.js';
import type { StudyDoc } from '../models/study.js';
import { appendAudit } from './chain.js';

/** Appends new events to the log, and notifies the open timelines of the images concerned. */
export const appendAndTell = (core: Core): Promise<number> =>
  appendAudit(core.models, core.keys.audit, {
    now: () => core.clock.now(),
    onAppended: (entries) =>
      notifyTimelines(core, entries).catch((error) => core.warn(error, 'timelines were not notified')),
  });

/**
 * Sends one signal for each image or study, however many entries it has. Gateways decide who may read its timeline.
 */
async function notifyTimelines({ models, signals }: Core, entries: AuditEntryDoc[]): Promise<void> {
  const ids = entries.flatMap(({ type, record, reason }) =>
    record && actionOf(type)?.timeline && reason !== sameLook ? [record] : [],
  );
  if (ids.length === 0) return;
  const fields = { owner: 1, patient: 1 };
  const [images, studies] = await Promise.all([
    models.Image.find({ _id: { $in: ids } }, fields).lean<ImageDoc[]>(),
    models.Study.find({ _id: { $in: ids } }, { ...fields, lead: 1 }).lean<StudyDoc[]>(),
  ]);
  const tell = ({ owner, patient }: ImageDoc | StudyDoc, refs: Record<string, string>): Signal => ({
    push: {
      name: 'image:activity',
      to: [String(owner), ...(patient ? [String(patient)] : []), 'role:admin'],
      refs,
    },
  });
  await signals.send([
    ...images.map((image) => tell(image, { record: String(image._id) })),
    ...studies.flatMap((study) =>
      study.lead ? [tell(study, { record: String(study.lead), study: String(study._id) })] : [],
    ),
  ]);
}
