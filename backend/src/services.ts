import type { Core } from '@lightbox/core/core.js';
import { byId } from '@lightbox/core/db/byId.js';
import { oid } from '@lightbox/core/db/ids.js';
import { connectRedis } from '@lightbox/core/db/redis.js';
import { hmac } from '@lightbox/core/keys/keyring.js';
import { Presence } from '@lightbox/core/realtime/presence.js';
import { Together } from '@lightbox/core/realtime/together.js';
import { LRUCache } from 'lru-cache';
import { AnonymousFailures } from './audit/anonymousFailures.js';
import { createAuthenticate } from './auth/passport.js';
import { findPersonalToken } from './auth/personalTokens.js';
import { Recent } from './auth/recent.js';
import { createToucher } from './auth/sessions.js';
import { Tokens } from './auth/tokens.js';
import type { Gateway } from './context.js';
import { Throttle } from './http/throttle.js';
import { createFrameCounter, createLookWriter } from './images/lookWriter.js';
import { createKnownChats, createMessageSettler, createMessageWriter } from './messages/messageWriter.js';
import { SignOnProviders } from './signOn/providers.js';

/** Returns what the features need beside `core`, for the gateway and for the receiver. */
export function servicesOf(core: Core): Omit<Gateway, keyof Core> {
  const tokens = new Tokens(core.keys, core.clock);
  const knownChats = createKnownChats();
  const readDrawn = byId(core.models.Drawing, { _id: 1 });
  return {
    tokens,
    authenticate: createAuthenticate(tokens, findPersonalToken(core)),
    throttle: new Throttle(core.redis, core.config.rateLimits, (key) =>
      hmac(core.keys.throttles.current.key, key).toString('base64url').slice(0, 22),
    ),
    signOn: new SignOnProviders(core.config),
    presence: new Presence(core.redis, 'online', core.clock),
    together: new Together(core.redis, core.clock, () => connectRedis(core.config.redisUrl, 'patient')),
    recent: new Recent(),
    readSession: byId(core.models.Session),
    readUser: byId(core.models.User),
    touchSession: createToucher(core),
    isDrawn: async (id) => (await readDrawn(id)) !== null,
    looks: new LRUCache({ max: 50_000 }),
    writeLook: createLookWriter(core),
    countFrames: createFrameCounter(core),
    knownChats,
    writeMessage: createMessageWriter(core, knownChats),
    settleMessage: createMessageSettler(core),
    recentMessages: new LRUCache({ max: 2_000, ttl: 60_000 }),
    shownMessages: new LRUCache({ max: 100_000, ttl: 10 * 60_000 }),
    demoPeople: [],
    anonymousFailures: new AnonymousFailures(core.events),
    decoyAccountId: (email) => oid(hmac(core.keys.codes.current.key, 'nobody', email).toString('hex').slice(0, 24)),
  };
}
