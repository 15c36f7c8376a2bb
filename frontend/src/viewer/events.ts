import { studies } from '../images/cache';
import { reread } from '../lib/live';
import type { SocketRows } from '../lib/socket';
import { heard } from './heard';
import { viewerKey } from './keysOfQueries';
import { layersKey } from './layers/keys';

/** An open study asks again whether it may be shown: its share may have ended, or it may have been deleted. */
const check: SocketRows['share:revoked'] = (_, cache) => void reread(cache, studies);

export const viewerEvents = {
  feeds: [viewerKey],
  'share:revoked': check,
  'share:expired': check,
  'image:deleted': check as never,
  'annotations:changed': (_, cache) => void reread(cache, layersKey),
  'view:people': heard('view:people'),
  'view:state': heard('view:state'),
  'view:pointer': heard('view:pointer'),
} satisfies SocketRows;
