import type { DemoPerson as DemoPersonSchema } from '@lightbox/contract/auth/calls.js';
import type { BodyOf, CallShape, DataOf, ParamsOf, QueryOf } from '@lightbox/contract/call.js';
import type { Pagination } from '@lightbox/contract/envelope.js';
import type { Role } from '@lightbox/contract/permissions.js';
import type { Core } from '@lightbox/core/core.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import type { Actor } from '@lightbox/core/events/events.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Presence } from '@lightbox/core/realtime/presence.js';
import type { Request, Response } from 'express';
import type { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { AnonymousFailures } from './audit/anonymousFailures.js';
import type { Authenticate } from './auth/passport.js';
import type { Tokens } from './auth/tokens.js';
import type { Throttle } from './http/throttle.js';
import type { MessageSettler, MessageWriter } from './messages/messageWriter.js';

export type DemoPerson = z.infer<typeof DemoPersonSchema>;

/** What a gateway's features work with. */
export interface Gateway extends Core {
  tokens: Tokens;
  authenticate: Authenticate;
  throttle: Throttle;
  /** Who is connected. */
  presence: Presence;
  /** Sessions and accounts by id, which every request asks for. */
  readSession: (id: ObjectId) => Promise<SessionDoc | null>;
  readUser: (id: ObjectId) => Promise<UserDoc | null>;
  writeMessage: MessageWriter;
  settleMessage: MessageSettler;
  /** Messages this gateway has just written: they never change, so showing them needs no second read. */
  recentMessages: LRUCache<string, MessageDoc>;
  /** Messages that were shown to whoever is connected here. */
  shownMessages: LRUCache<string, true>;
  demoPeople: DemoPerson[];
  anonymousFailures: AnonymousFailures;
  /** The account of an address that has none, so that both are answered, counted and locked alike. */
  decoyAccountId: (email: string) => ObjectId;
}

/** The signed-in person a call is made for; read from the database at each call, so a changed role holds at once. */
export interface Viewer {
  id: string;
  _id: ObjectId;
  role: Role;
  /** Has an authenticator app or a passkey. */
  secondFactor: boolean;
  sessionId: ObjectId;
}

/** Holder of a verification token: the password was right, the code is still to come. */
export interface Verification {
  userId: ObjectId;
  codeId: ObjectId;
}

type ViewerOf<C extends CallShape> = C['who'] extends 'anyone' | 'verification' | 'refreshCookie' ? null : Viewer;

export interface Context<C extends CallShape = CallShape> {
  gateway: Gateway;
  call: C;
  actor: Actor;
  viewer: ViewerOf<C>;
  verification: C['who'] extends 'verification' ? Verification : null;
  params: ParamsOf<C>;
  query: QueryOf<C>;
  body: BodyOf<C>;
  req: Request;
  res: Response;
}

export interface Answer<D> {
  data: D;
  message?: string;
  pagination?: Pagination;
  status?: number;
}

/** Returns the answer, or undefined when it has written the response itself (bytes). */
export type Handler<C extends CallShape> = (context: Context<C>) => Promise<Answer<DataOf<C>> | undefined>;
