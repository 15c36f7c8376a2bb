import { carers } from './carers';
import { images } from './images';
import { messages } from './messages';
import { noticeSettings } from './noticeSettings';
import { notifications } from './notifications';
import { push } from './push';
import { requests } from './requests';
import { sharing } from './sharing';
import { studies } from './studies';
import { users } from './users';

/** The texts of the frame after the sign-in, of the gallery and of the chats, which most visits begin with. */
export const signedIn = {
  users,
  images,
  studies,
  sharing,
  requests,
  carers,
  messages,
  notifications,
  noticeSettings,
  push,
} as const;
