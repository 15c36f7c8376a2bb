import { tokensOf } from '../../auth/personalTokens.js';
import type { Gateway, Viewer } from '../../context.js';
import { identitiesOf } from '../../signOn/identities.js';
import { webhooksOf } from '../../webhooks/webhooks.js';

/** Reads the programs and the sign-ins that a person has connected, as their screens show them: without any secret. */
export async function accessOf(gateway: Gateway, viewer: Viewer) {
  const [tokens, webhooks, signIns] = await Promise.all([
    tokensOf(gateway, viewer._id),
    webhooksOf(gateway, viewer),
    identitiesOf(gateway, viewer._id),
  ]);
  return { tokens, webhooks, signIns };
}
