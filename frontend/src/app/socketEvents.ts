import { analysisEvents } from '../analysis/analysis';
import { imageEvents } from '../images/images';
import { settingEvents } from '../lib/publicSettings';
import type { SocketRows } from '../lib/socket';
import { messageEvents } from '../messages/messages';
import { notificationEvents } from '../notifications/notifications';
import { overviewEvents } from '../overview/overview';
import { shareEvents } from '../sharing/sharing';
import { userEvents } from '../users/users';

/** Every server event and what it does to the cache, feature by feature. */
export const socketEvents: readonly SocketRows[] = [
  imageEvents,
  shareEvents,
  analysisEvents,
  messageEvents,
  notificationEvents,
  userEvents,
  overviewEvents,
  settingEvents,
];
