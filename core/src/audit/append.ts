import { actionOf } from '@lightbox/contract/audit/actions.js';
import type { Core } from '../core.js';
import type { AuditEntryDoc } from '../models/auditEntry.js';
import type { ImageDoc } from '../models/image.js';
import { appendAudit } from './chain.js';

/** Brings the log up to date, and tells the open timelines of the images it is about. */
export const appendAndTell = (core: Core): Promise<number> =>
  appendAudit(core.models, core.keys.audit, {
    now: () => core.clock.now(),
    told: (entries) => tellTimelines(core, entries).catch((error) => core.warn(error, 'timelines were not told')),
  });

/** One signal for an image, however much happened to it; who may read its timeline is judged where it is shown. */
async function tellTimelines({ models, signals }: Core, entries: AuditEntryDoc[]): Promise<void> {
  const ids = entries.flatMap(({ type, record }) => (record && actionOf(type)?.timeline ? [record] : []));
  if (ids.length === 0) return;
  const images = await models.Image.find({ _id: { $in: ids } }, { owner: 1, patient: 1 }).lean<ImageDoc[]>();
  await signals.send(
    images.map(({ _id, owner, patient }) => ({
      push: {
        name: 'image:activity',
        to: [String(owner), ...(patient ? [String(patient)] : []), 'role:admin'],
        refs: { record: String(_id) },
      },
    })),
  );
}
