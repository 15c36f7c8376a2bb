import type { ConsentAnswer } from '@lightbox/contract/consents/calls.js';
import type { ClientSession } from 'mongoose';
import { touch } from '../access/hold.js';
import type { Core } from '../core.js';
import { NEWEST } from '../db/newest.js';
import type { ImageDoc } from '../models/image.js';
import type { UserDoc } from '../models/user.js';

type Asked = Pick<Core, 'models' | 'settings'>;
type Named = Pick<ImageDoc, 'patient'>;

const isAsked = async ({ settings }: Asked, { patient }: Named): Promise<boolean> =>
  patient !== undefined && (await settings.get('analysis.consent')) === 'ask';

/** Returns the patient's answer about analyses of the image: `granted` when the image or the setting needs none. */
export async function analysisConsent(core: Asked, image: Named): Promise<ConsentAnswer> {
  if (!(await isAsked(core, image))) return 'granted';
  const patient = await core.models.User.findById(image.patient, { consents: 1 }).readConcern(NEWEST).lean<UserDoc>();
  return patient?.consents?.analysis ?? 'unset';
}

/** The same for a transaction that rests on it: it conflicts with one in which the patient takes the consent back. */
export async function holdConsent(core: Asked, image: Named, session: ClientSession): Promise<ConsentAnswer> {
  if (!image.patient || !(await isAsked(core, image))) return 'granted';
  const patient = await core.models.User.findOneAndUpdate({ _id: image.patient }, touch, { session }).lean<UserDoc>();
  return patient?.consents?.analysis ?? 'unset';
}
