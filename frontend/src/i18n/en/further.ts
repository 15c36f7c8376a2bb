import { analysis } from './analysis';
import { audit } from './audit';
import { emergencies } from './emergencies';
import { guests } from './guests';
import { info } from './info';
import { overview } from './overview';
import { profile } from './profile';
import { receiver } from './receiver';
import { roles } from './roles';
import { security } from './security';
import { selfCheck } from './selfCheck';
import { settings } from './settings';
import { shareImage } from './shareImage';
import { uploads } from './uploads';
import { viewer } from './viewer';
import { webhooks } from './webhooks';

/** The texts of all other features after the sign-in. They are loaded with the first screen or dialog that uses one. */
export const further = {
  profile,
  uploads,
  guests,
  info,
  emergencies,
  shareImage,
  analysis,
  audit,
  roles,
  security,
  settings,
  overview,
  selfCheck,
  viewer,
  webhooks,
  receiver,
} as const;
