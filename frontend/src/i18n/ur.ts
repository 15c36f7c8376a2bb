import './ur/fonts.css';
import type { LanguageFile } from './languages';
import { analysis } from './ur/analysis';
import { app } from './ur/app';
import { auth } from './ur/auth';
import { common, time } from './ur/common';
import { errors } from './ur/errors';
import { images } from './ur/images';
import { landing } from './ur/landing';
import { messages } from './ur/messages';
import { notifications } from './ur/notifications';
import { sentences } from './ur/sentences';
import { sharing } from './ur/sharing';
import { users } from './ur/users';

export const ur: LanguageFile = {
  texts: {
    common,
    time,
    errors,
    app,
    landing,
    auth,
    users,
    images,
    sharing,
    analysis,
    messages,
    notifications,
  },
  sentences,
};
