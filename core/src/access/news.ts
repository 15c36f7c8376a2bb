import { emergencyRules } from '@lightbox/contract/emergencies/policy.js';
import { type ImageRule, imageRules } from '@lightbox/contract/images/policy.js';
import type { Role } from '@lightbox/contract/permissions.js';
import { shareRules } from '@lightbox/contract/sharing/policy.js';
import type { Core } from '../core.js';
import { oid } from '../db/ids.js';
import type { EmergencyDoc } from '../models/emergency.js';
import type { GuestLinkDoc } from '../models/guestLink.js';
import type { ShareDoc } from '../models/share.js';
import { ownerOf } from '../sharing/shareTarget.js';
import { partiesOf } from './emergencies.js';
import { findImage } from './images.js';
import { findStudy } from './studies.js';

/** A person who may learn of a change. Live updates and webhooks ask here, each time they tell it. */
export interface NewsViewer {
  id: string;
  role: Role;
}
type Viewer = NewsViewer;
type Reading = Pick<Core, 'models' | 'clock'>;

/** Returns the share if the viewer may follow it. */
export async function followedShare({ models }: Reading, viewer: Viewer, id: string): Promise<ShareDoc | null> {
  const found = await models.Share.findById(oid(id)).lean<ShareDoc>();
  if (!found) return null;
  const owner = await ownerOf(models, found);
  const parties = {
    recipientId: String(found.recipient),
    sharedById: String(found.sharedBy),
    ownerId: owner ? String(owner) : undefined,
  };
  return shareRules.follow(viewer, parties) ? found : null;
}

/** Returns the guest link if the viewer may share its image or study: only they see its guest links. */
export async function followedLink({ models }: Reading, viewer: Viewer, id: string): Promise<GuestLinkDoc | null> {
  const link = await models.GuestLink.findById(oid(id)).lean<GuestLinkDoc>();
  const owner = link && (await ownerOf(models, link));
  if (!link || !owner) return null;
  return imageRules.share(viewer, { ownerId: String(owner), patientId: null, share: null }) ? link : null;
}

/** True for the person who asked for images. */
export const followsRequest = async ({ models }: Reading, { id: by }: Viewer, id: string): Promise<boolean> =>
  (await models.ImageRequest.exists({ _id: oid(id), by: oid(by) })) !== null;

/** Returns the emergency access if the viewer sees its record. */
export async function seenEmergency({ models }: Reading, viewer: Viewer, id: string): Promise<EmergencyDoc | null> {
  const found = await models.Emergency.findById(oid(id)).lean<EmergencyDoc>();
  return found && emergencyRules.see(viewer, partiesOf(found)) ? found : null;
}

export async function mayImage(rule: ImageRule, core: Reading, viewer: Viewer, id: string): Promise<boolean> {
  const access = await findImage(core.models, viewer, id, core.clock.now());
  return access !== null && imageRules[rule](viewer, access.facts);
}

export async function mayStudy(rule: ImageRule, core: Reading, viewer: Viewer, id: string): Promise<boolean> {
  const access = await findStudy(core.models, viewer, id, core.clock.now());
  return access !== null && imageRules[rule](viewer, access.facts);
}
