import { analysis } from './en/analysis';
import { app } from './en/app';
import { audit } from './en/audit';
import { auth } from './en/auth';
import { common, time } from './en/common';
import { errors } from './en/errors';
import { images } from './en/images';
import { landing } from './en/landing';
import { messages } from './en/messages';
import { notifications } from './en/notifications';
import { overview } from './en/overview';
import { profile } from './en/profile';
import { roles } from './en/roles';
import { security } from './en/security';
import { settings } from './en/settings';
import { shareImage } from './en/shareImage';
import { sharing } from './en/sharing';
import { users } from './en/users';

/** One file per feature; a key is `feature.what`. */
export const en = {
  common,
  time,
  errors,
  app,
  landing,
  auth,
  users,
  profile,
  images,
  sharing,
  shareImage,
  analysis,
  messages,
  notifications,
  audit,
  roles,
  settings,
  security,
  overview,
} as const;
