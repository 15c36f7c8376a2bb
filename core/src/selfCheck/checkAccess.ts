import { decideImage, type ImageRule } from '@lightbox/contract/images/policy.js';
import { findImage } from '../access/images.js';
import type { Core } from '../core.js';
import { type PlantedViewer, plant, uproot } from './planted.js';
import { failed, ok, type Seen } from './seen.js';

const checked = [
  'see',
  'open',
  'download',
  'openCopy',
  'share',
  'delete',
  'timeline',
] as const satisfies readonly ImageRule[];
type Checked = (typeof checked)[number];

/**
 * The decisions that are right, written down here once more and not read from the rules: a rule that was changed by
 * mistake differs from this table.
 */
const right: Record<PlantedViewer, readonly Checked[]> = {
  admin: ['see', 'open', 'download', 'share', 'delete', 'timeline'],
  owner: ['see', 'open', 'download', 'share', 'delete', 'timeline'],
  otherProvider: [],
  otherPatient: [],
  patient: ['see', 'open', 'download', 'timeline'],
  pending: ['see'],
  locked: ['see'],
  verified: ['see', 'open', 'download'],
  viewOnly: ['see', 'open'],
  copyOnly: ['see', 'openCopy'],
  revoked: [],
  guest: ['see', 'open'],
  guestDownload: ['see', 'open', 'download'],
  endedGuest: [],
  emergency: ['see', 'open'],
  endedEmergency: [],
  carer: ['see', 'open'],
  endedCarer: [],
};

/** These need no share, link or access that expires. */
const always: readonly PlantedViewer[] = ['admin', 'owner'];

/** Asks the access rules about a planted image, for each kind of viewer, now and after everything has expired. */
export async function checkAccess(core: Core): Promise<Seen> {
  await uproot(core);
  const planted = await plant(core);
  try {
    let wrong = 0;
    let decisions = 0;
    for (const now of [core.clock.now(), planted.later]) {
      for (const [name, viewer] of Object.entries(planted.viewers) as [
        PlantedViewer,
        (typeof planted.viewers)['admin'],
      ][]) {
        const isOver = now === planted.later && !always.includes(name);
        const expected = isOver || (viewer.role === 'guest' && !planted.hasLinks) ? [] : right[name];
        const access = await findImage(core.models, viewer, planted.imageId, now);
        for (const rule of checked) {
          const may = access !== null && decideImage(rule, viewer, access.facts).may;
          decisions++;
          if (may !== expected.includes(rule)) wrong++;
        }
      }
    }
    const saw = { decisions };
    return wrong === 0 ? ok(saw) : failed('wrongDecision', saw);
  } finally {
    await uproot(core, planted);
  }
}
