import { actionOf } from '@lightbox/contract/audit/actions.js';
import type { Core } from '../core.js';
import type { AuditEntryDoc } from '../models/auditEntry.js';
import type { ImageDoc } from '../models/image.js';
import { appendAudit } from './chain.js';

/** Appends new events to the log, and notifies the open timelines of the images concerned. */
export const appendAndTell = (core: Core): Promise<number> =>
  appendAudit(core.models, core.keys.audit, {
    now: () => core.clock.now(),
    onAppended: (entries) =>
      notifyTimelines(core, entries).catch((error) => core.warn(error, 'timelines were not notified')),
  });

/** Sends one signal for each image, however many entries it has. Gateways decide who may read its timeline. */
async function notifyTimelines({ models, signals }: Core, entries: AuditEntryDoc[]): Promise<void> {
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
