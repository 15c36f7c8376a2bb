import './ur/fonts.css';
import type { LanguageFile } from './languageFile';
import { analysis } from './ur/analysis';
import { app } from './ur/app';
import { audit } from './ur/audit';
import { auth } from './ur/auth';
import { carers } from './ur/carers';
import { common, time } from './ur/common';
import { emergencies } from './ur/emergencies';
import { errors } from './ur/errors';
import { guests } from './ur/guests';
import { images } from './ur/images';
import { info } from './ur/info';
import { landing } from './ur/landing';
import { messages } from './ur/messages';
import { noticeSettings } from './ur/noticeSettings';
import { notifications } from './ur/notifications';
import { overview } from './ur/overview';
import { profile } from './ur/profile';
import { push } from './ur/push';
import { receiver } from './ur/receiver';
import { requests } from './ur/requests';
import { roles } from './ur/roles';
import { security } from './ur/security';
import { selfCheck } from './ur/selfCheck';
import { sentences } from './ur/sentences';
import { settings } from './ur/settings';
import { shareImage } from './ur/shareImage';
import { sharing } from './ur/sharing';
import { studies } from './ur/studies';
import { uploads } from './ur/uploads';
import { users } from './ur/users';
import { viewer } from './ur/viewer';
import { webhooks } from './ur/webhooks';

export const ur: LanguageFile = {
  texts: {
    common,
    time,
    errors,
    app,
    landing,
    auth,
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
    settings,
    security,
    overview,
    selfCheck,
    viewer,
    webhooks,
    receiver,
  },
  sentences,
};
