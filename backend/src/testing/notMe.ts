import type { ObjectId } from '@lightbox/core/db/ids.js';
import { linkTokenOf } from '@lightbox/core/keys/codes.js';
import type { CodeDoc } from '@lightbox/core/models/code.js';
import type { Gateway } from '../context.js';

/** Returns the token of the newest "this was not me" link that was mailed to a person. */
export async function notMeToken(gateway: Gateway, user: ObjectId): Promise<string> {
  const newest = { createAt: -1, _id: -1 } as const;
  const code = await gateway.models.Code.findOne({ user, purpose: 'notMe' }).sort(newest).lean<CodeDoc>();
  return (code && linkTokenOf(gateway.keys.codes, String(code._id), code)) ?? '';
}
