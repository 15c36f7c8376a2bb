import { analysis } from './analysis';
import { audit } from './audit';
import { carers } from './carers';
import { emergencies } from './emergencies';
import { guests } from './guests';
import { images } from './images';
import { info } from './info';
import { messages } from './messages';
import { noticeSettings } from './noticeSettings';
import { notifications } from './notifications';
import { overview } from './overview';
import { profile } from './profile';
import { push } from './push';
import { requests } from './requests';
import { roles } from './roles';
import { security } from './security';
import { selfCheck } from './selfCheck';
import { settings } from './settings';
import { shareImage } from './shareImage';
import { sharing } from './sharing';
import { studies } from './studies';
import { uploads } from './uploads';
import { users } from './users';
import { viewer } from './viewer';

/** The texts of the features after the sign-in. */
export const signedIn = {
  users,
  profile,
  images,
  uploads,
  studies,
  sharing,
  guests,
  requests,
  info,
  emergencies,
  carers,
  shareImage,
  analysis,
  messages,
  notifications,
  noticeSettings,
  push,
  audit,
  roles,
  security,
  settings,
  overview,
  selfCheck,
  viewer,
} as const;
