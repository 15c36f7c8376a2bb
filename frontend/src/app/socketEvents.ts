import type { ServerEvent } from '@lightbox/contract/events.js';
import { analysisEvents } from '../analysis/analysis';
import { carerEvents } from '../carers/carers';
import { emergencyEvents } from '../emergencies/emergencies';
import { imageEvents } from '../images/images';
import { studyEvents } from '../images/studies';
import { settingEvents } from '../lib/publicSettings';
import type { SocketRows } from '../lib/socket';
import { attachmentEvents } from '../messages/attachments';
import { messageEvents } from '../messages/messages';
import { pinnedEvents } from '../messages/pinnedEvents';
import { notificationEvents } from '../notifications/notifications';
import { overviewEvents } from '../overview/overview';
import { noticeSettingEvents } from '../profile/noticeSettings';
import { requestEvents } from '../requests/requests';
import { guestEvents } from '../sharing/guests';
import { shareEvents } from '../sharing/sharing';
import { userEvents } from '../users/users';
import { viewerEvents } from '../viewer/events';

const features = [
  imageEvents,
  studyEvents,
  shareEvents,
  guestEvents,
  requestEvents,
  emergencyEvents,
  carerEvents,
  analysisEvents,
  messageEvents,
  attachmentEvents,
  pinnedEvents,
  notificationEvents,
  noticeSettingEvents,
  userEvents,
  overviewEvents,
  settingEvents,
  viewerEvents,
] as const;

type EventOf<Rows> = Rows extends unknown ? keyof Rows : never;
/** The server events without a row in any feature. `connectSocket` itself handles `session:revoked`. */
type WithoutRow = Exclude<ServerEvent, EventOf<(typeof features)[number]> | 'session:revoked'>;

/** The rows of all features. A server event without a row is a compile error that names the event. */
export const socketEvents: readonly SocketRows[] = features satisfies [WithoutRow] extends [never]
  ? readonly SocketRows[]
  : WithoutRow;
