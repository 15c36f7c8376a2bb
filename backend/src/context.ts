import type { DemoPerson as DemoPersonSchema } from '@lightbox/contract/auth/calls.js';
import type { BodyOf, CallShape, DataOf, ParamsOf, QueryOf } from '@lightbox/contract/call.js';
import type { Pagination } from '@lightbox/contract/envelope.js';
import type { Role } from '@lightbox/contract/permissions.js';
import type { RequestKind } from '@lightbox/contract/requests/calls.js';
import type { ShareTarget } from '@lightbox/core/access/shares.js';
import type { Core } from '@lightbox/core/core.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import type { Actor } from '@lightbox/core/events/events.js';
import type { LookDoc } from '@lightbox/core/models/look.js';
import type { MessageDoc } from '@lightbox/core/models/message.js';
import type { ScimTokenDoc } from '@lightbox/core/models/scimToken.js';
import type { SessionDoc } from '@lightbox/core/models/session.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import type { Presence } from '@lightbox/core/realtime/presence.js';
import type { Together } from '@lightbox/core/realtime/together.js';
import type { Request, Response } from 'express';
import type { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { AnonymousFailures } from './audit/anonymousFailures.js';
import type { Authenticate } from './auth/passport.js';
import type { Recent } from './auth/recent.js';
import type { Tokens } from './auth/tokens.js';
import type { Throttle } from './http/throttle.js';
import type { KnownChats, MessageSettler, MessageWriter } from './messages/messageWriter.js';
import type { SignOnProviders } from './signOn/providers.js';

export type DemoPerson = z.infer<typeof DemoPersonSchema>;

/** The services and stores that the features of a gateway use. */
export interface Gateway extends Core {
  tokens: Tokens;
  authenticate: Authenticate;
  throttle: Throttle;
  /** The providers of single sign-on. */
  signOn: SignOnProviders;
  /** The users who are connected. */
  presence: Presence;
  /** The people who look at images together. */
  together: Together;
  recent: Recent;
  /** `readSession` and `readUser` read by id. Every request needs both. */
  readSession: (id: ObjectId) => Promise<SessionDoc | null>;
  readUser: (id: ObjectId) => Promise<UserDoc | null>;
  /** Writes that a session is active. */
  touchSession: (id: ObjectId) => Promise<void>;
  /** True when a worker has drawn the image. Calls that wait for it ask often, and share the reads. */
  isDrawn: (id: ObjectId) => Promise<boolean>;
  /** Remembers looks of the last half hour: the ends of the time in which a repeat is the same look. */
  looks: LRUCache<string, number>;
  writeLook: (look: LookDoc) => Promise<void>;
  countFrames: (ids: string[]) => Promise<boolean>;
  /** The conversations to which this gateway wrote lately. */
  knownChats: KnownChats;
  writeMessage: MessageWriter;
  settleMessage: MessageSettler;
  /** Messages that this gateway has written and not broadcast yet. They never change, so presenting them needs no read. */
  recentMessages: LRUCache<string, MessageDoc>;
  /** The last `seq` of messages that this gateway has shown, by the ids of person and message. */
  shownMessages: LRUCache<string, number>;
  demoPeople: DemoPerson[];
  anonymousFailures: AnonymousFailures;
  /**
   * Returns the account id that stands for an address without an account, so that both are answered, counted and locked
   * alike.
   */
  decoyAccountId: (email: string) => ObjectId;
}

/**
 * The signed-in person who makes a call. Read from the database at each call, so a changed role takes effect at once.
 */
export interface Viewer {
  id: string;
  _id: ObjectId;
  role: Role;
  /** Has an authenticator app or a passkey. */
  secondFactor: boolean;
  sessionId: ObjectId;
  /** The one image or study that the token of the call opens. The calls that accept such tokens look at nothing else. */
  only?: ShareTarget;
}

/** The holder of an opened guest link: reads one image or one study, and acts for no account. */
export interface Guest {
  /** The id of the link. */
  id: string;
  _id: ObjectId;
  role: 'guest';
  /** The id of the opening of the link: reads of one opening belong together. */
  sessionId: ObjectId;
}

/** Somebody without an account who sends files for a request. They read nothing. */
export interface Sender {
  /** The id of the request for images. */
  id: string;
  _id: ObjectId;
  role: 'sender';
  /** The id of the opening of the link. */
  sessionId: ObjectId;
  /** The person who asked. They own the files. */
  by: ObjectId;
  kind: RequestKind;
}

/** A person who uploads, or somebody who sends files for a request. */
export type Uploader = Viewer | Sender;

/** A person or a guest who reads an image or a study. */
export type Reader = Viewer | Guest;

/** The holder of a verification token: the password was right, the code is not entered yet. */
export interface Verification {
  userId: ObjectId;
  codeId: ObjectId;
}

type ViewerOf<C extends CallShape> = C['who'] extends 'anyone' | 'scim' | 'verification' | 'refreshCookie'
  ? null
  : C['who'] extends 'guest'
    ? Guest
    : C['who'] extends 'sender'
      ? Sender
      : C extends { guests: true }
        ? Reader
        : C extends { senders: true }
          ? Uploader
          : Viewer;

export interface Context<C extends CallShape = CallShape> {
  gateway: Gateway;
  call: C;
  actor: Actor;
  viewer: ViewerOf<C>;
  verification: C['who'] extends 'verification' ? Verification : null;
  /** The token of a call of SCIM. */
  scim: C['who'] extends 'scim' ? ScimTokenDoc : null;
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
