import { reread } from '../lib/live';
import type { SocketRows } from '../lib/socket';
import { studiesKey, viewerKey } from './keysOfQueries';

/** An open study asks again whether it may be shown: its share may have ended, or it may have been deleted. */
const check: SocketRows['share:revoked'] = (_, cache) => void reread(cache, studiesKey);

export const viewerEvents = {
  feeds: [viewerKey],
  'share:revoked': check,
  'share:expired': check,
  'image:deleted': check as never,
} satisfies SocketRows;
