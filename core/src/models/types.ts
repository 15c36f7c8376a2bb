import type { ReasonCode } from '@lightbox/contract/analysis/reasons.js';
import type { Findings } from '@lightbox/contract/analysis/schemas.js';
import type { AuditAction, NotificationKind } from '@lightbox/contract/audit/actions.js';
import type { AuditFault } from '@lightbox/contract/audit/faults.js';
import type { AnalysisStatus, DicomFacts } from '@lightbox/contract/images/schemas.js';
import type { Role } from '@lightbox/contract/permissions.js';
import type { ProfileField, UserStatus } from '@lightbox/contract/users/schemas.js';
import type { Types } from 'mongoose';
import type { CodeSeed } from '../keys/codes.js';

type Id = Types.ObjectId;

/** `touched`, of accounts, sessions and images: raised by transactions that rely on them (`access/hold.ts`). */
export interface UserDoc {
  _id: Id;
  email: string;
  username: string;
  /** The username in lower case: unique whatever the case. */
  usernameKey: string;
  passwordHash: string;
  role: Role;
  status: UserStatus;
  /** The administrators' switch. */
  active: boolean;
  rejectedReason?: string;
  /** Case- and accent-blind words for prefix search. */
  words: string[];
  /** Case-blind `lastname firstname`, the order of lists. */
  sortKey: string;
  createAt: Date;
  deletedAt?: Date;
  /** Who closed it and when, as long as its images and shares are still to be passed on (`users/closing.ts`). */
  closing?: { at: Date; by: Id };
  touched?: number;
  /** Since when the account signs in with an authenticator app; absent while it does not. */
  totpAt?: Date;
  /** Since when the account has a passkey; absent while it has none. */
  passkeyAt?: Date;
  /** The account as passkeys know it: random, and the same for all of them. */
  passkeyHandle?: string;
  /** When the password was last changed. */
  passwordAt?: Date;
  /** When all access to the account was last ended (`auth/endAccess.ts`). */
  accessEndedAt?: Date;
  firstname?: string;
  lastname?: string;
  /** All else that people say about themselves (`users/profile.ts`). Absent only in databases from before it was sealed. */
  profile?: SealedValue;
}

/** What is sealed of an account: dates of birth, addresses, numbers and everything about health. */
export type Profile = { [F in Exclude<ProfileField, 'firstname' | 'lastname'>]?: string };

/** An account with its profile opened. */
export type Person = UserDoc & Profile;

export interface SessionDoc {
  _id: Id;
  user: Id;
  createAt: Date;
  lastSeenAt: Date;
  /** Absolute end, however busy. */
  expiresAt: Date;
  /** Counts refreshes; the cookie names the one it belongs to. */
  generation: number;
  rotatedAt: Date;
  /** When the person last proved themself after the sign-in. */
  stepUpAt?: Date;
  endedAt?: Date;
  endReason?: string;
  touched?: number;
  ip: string;
  browser?: string;
  system?: string;
}

export interface CodeDoc extends CodeSeed {
  _id: Id;
  user: Id;
  /**
   * `totp` mails nothing: it counts the tries of one sign-in with an app or a recovery code. `notMe` is never a code to type, but
   * the link that takes back a change.
   */
  purpose: 'signIn' | 'totp' | 'reset' | 'stepUp' | 'notMe';
  undo?: Undo;
  tries: number;
  /** The network that asked for a reset code, as a keyed hash, and the tries made from there. */
  askedFrom?: string;
  askersTries?: number;
  /** The network from which a reset code was used, in the same form. */
  usedFrom?: string;
  usedAt?: Date;
  createAt: Date;
  expiresAt: Date;
}

/** What the link of a mail takes back: an app or a password since then, recovery codes of then, or that passkey. */
export type Undo = { app: Date } | { password: Date } | { recoveryCodes: Date } | { passkey: Id };

/** A passkey (WebAuthn) of an account. */
export interface PasskeyDoc {
  _id: Id;
  user: Id;
  /** As the authenticator named it, base64url. */
  credentialId: string;
  /** COSE. */
  publicKey: Buffer;
  /** How often the authenticator says it was used; stays 0 with those that do not count. */
  counter: number;
  transports: string[];
  synced: boolean;
  name: string;
  createAt: Date;
  usedAt?: Date;
}

/** A ceremony that was answered: no answer counts twice. */
export interface CeremonyDoc {
  _id: Id;
  expiresAt: Date;
}

/** An account's authenticator app, and the recovery codes of all its authenticators. */
export interface TotpDoc {
  /** The account's id. */
  _id: Id;
  /** Sealed with the key ring; absent while there is no app. */
  secret?: string;
  createAt: Date;
  /** Absent until the first code has shown that the app has the secret. */
  confirmedAt?: Date;
  /** The last time step that was used: no code counts twice. */
  lastStep: number;
  /** Wrong codes in a row outside of a sign-in. */
  tries: number;
  recoveryCodes: { keyId: string; hash: string }[];
  recoveryAt?: Date;
}

/** A username that looks taken: it was asked for with an address that has an account, which must not show. */
export interface UsernameHoldDoc {
  /** The username in lower case. */
  _id: string;
  expiresAt: Date;
}

/** What a registration of an address that has an account looks like afterwards (`auth/decoys.ts`). */
export interface DecoyDoc {
  /** Keyed hash of the address and an Argon2id digest of the password. */
  _id: string;
  /** The id that the registration was answered with; no account has it. */
  user: Id;
  username: string;
  usernameKey: string;
  firstname: string;
  lastname: string;
  role: Role;
  createAt: Date;
  expiresAt: Date;
}

/** Sealed with AES-256-GCM under a key of the ring; bound to its record. */
export interface SealedValue {
  keyId: string;
  sealed: Buffer;
}

export interface ImageDoc {
  _id: Id;
  owner: Id;
  patient?: Id;
  caption: string;
  contentType: string;
  size: number;
  sha256: string;
  width?: number;
  height?: number;
  dicom?: DicomFacts;
  /** More of the DICOM header, for the analysis alone; never names or UIDs. */
  dicomDetail?: Record<string, unknown>;
  blob: Id;
  dataKey: SealedValue;
  preview: 'pending' | 'ready' | 'none';
  analysis: AnalysisStatus;
  /** Whose list of shared images it is in: recipients of live shares, and then the owner. Kept with the shares. */
  audience: Id[];
  isShared: boolean;
  createAt: Date;
  touched?: number;
}

/** A blob whose image was deleted, written with the deletion; it goes when the last byte has gone. */
export interface TombstoneDoc {
  /** The blob's id. */
  _id: Id;
  at: Date;
}

/** How far a search that goes on the next time has come. */
export interface PositionDoc {
  /** The name of the search. */
  _id: string;
  after: Id;
}

export interface PreviewDoc {
  /** The image's id. */
  _id: Id;
  sealed: Buffer;
  width: number;
  height: number;
}

export interface ShareDoc extends CodeSeed {
  _id: Id;
  image: Id;
  sharedBy: Id;
  recipient: Id;
  createAt: Date;
  /** Absent for the standing share of the image's patient. */
  expiresAt?: Date;
  codeExpiresAt: Date;
  tries: number;
  verifiedAt?: Date;
  /** False once revoked, expired or the image deleted. */
  live: boolean;
  endedAt?: Date;
}

export interface AnalysisDoc {
  /** The image's id: one analysis per image, however often it is asked for. */
  _id: Id;
  status: Exclude<AnalysisStatus, 'none'>;
  /** Rises with each run, so that a late worker of an older run changes nothing. */
  run: number;
  progress: number;
  requestedBy: Id;
  startedAt: Date;
  finishedAt?: Date;
  findings?: Findings;
  reason?: string;
  reasonCode?: ReasonCode;
}

export interface ConversationDoc {
  /** The two ids, the smaller first, joined by `_`. */
  _id: string;
  members: Id[];
  seq: number;
  lastAt: Date;
  /** Per member the last `seq` they have read: for processes of an older version, which count what is unread by it. */
  read: Record<string, number>;
}

export interface MessageDoc {
  _id: Id;
  conversation: string;
  seq: number;
  sender: Id;
  recipient: Id;
  members: Id[];
  content: string;
  clientId?: string;
  createAt: Date;
  deliveredAt?: Date;
  /** Absent while it is unread. */
  readAt?: Date;
  /** When its recipient was told by mail that something lies unread. */
  remindedAt?: Date;
  /** Its own event: true until it was handed to the gateways. */
  pending: boolean;
}

export interface NotificationDoc {
  _id: Id;
  user: Id;
  event: Id;
  kind: NotificationKind;
  record?: Id;
  at: Date;
  readAt?: Date;
  /** For `unread` lists, which an index on an absent field would not serve. */
  unread: boolean;
}

/** A browser that wants to be notified (W3C Push API). */
export interface PushSubscriptionDoc {
  _id: Id;
  user: Id;
  /** The session that asked for it, or was last seen with it. Signing out of that ends it; a quiet end does not. */
  session: Id;
  endpoint: string;
  p256dh: string;
  auth: string;
  seenAt: Date;
  expiresAt: Date;
}

export type EventStatus = 'success' | 'denied' | 'failed';

/** One change or one read of protected content: audit source, push, notification and job trigger at once. */
export interface EventDoc {
  _id: Id;
  type: AuditAction;
  status: EventStatus;
  actor?: Id;
  table: string;
  /** The object acted on; for shares, the image. */
  record?: Id;
  records?: Id[];
  /** Owners of the image(s), in the order of `records`: they see the entry in their audit log. */
  owners?: Id[];
  /** Who is told. */
  recipients: Id[];
  ip: string;
  reason: string;
  at: Date;
  /** Ids of other records that the reactions need. */
  refs: Record<string, Id>;
  /** Not yet handed over to sockets and queues. */
  pending: boolean;
  unaudited: boolean;
  /** Names of its jobs that have not come to their end. Redis may lose them; by this they are entered again. */
  owed?: string[];
  /** Signature of the process that made it; absent on events of versions before events were signed. */
  keyId?: string;
  mac?: string;
}

export interface AuditEntryDoc {
  _id: Id;
  seq: number;
  event: Id;
  type: AuditAction;
  status: EventStatus;
  actor?: Id;
  table: string;
  record?: Id;
  records?: Id[];
  owners?: Id[];
  ip: string;
  reason: string;
  at: Date;
  keyId: string;
  hash: string;
  /** Actor and owners: in whose log it is. Not part of the hash, it is derived from fields that are. */
  concerns: Id[];
}

/** A signed place in the audit log: its newest entry (`head`), or the last one that was verified (`checkpoint`). */
export interface AuditHeadDoc {
  _id: string;
  seq: number;
  hash: string;
  keyId: string;
  mac: string;
  /** Of the head: every key that an entry of the log needs. */
  keyIds?: string[];
  /** Of the checkpoint: the first entry up to it that reports a fault. */
  found?: { seq: number; fault: AuditFault };
}

/** A process states which events it committed: an event that is not in the log later was removed. */
export interface AuditReceiptDoc {
  _id: Id;
  /** One start of one process. */
  run: string;
  /** Counts the receipts of a run, from 1. */
  n: number;
  events: Id[];
  keyId: string;
  mac: string;
}

/** How many receipts of a run the log has taken up. */
export interface AuditRunDoc {
  _id: string;
  n: number;
  keyId: string;
  mac: string;
}

export interface SettingDoc {
  _id: Id;
  name: string;
  value: string;
  description: string;
  createAt: Date;
  updatedAt: Date;
}

/** What a setting was and became; written with the change. */
export interface SettingChangeDoc {
  _id: Id;
  setting: Id;
  name: string;
  /** Absent before it was added. */
  from?: string;
  /** Absent after it was deleted. */
  to?: string;
  by: Id;
  at: Date;
}

/** Which answer a client's `Idempotency-Key` led to; written with the change itself. */
export interface IdempotencyDoc {
  _id: string;
  record: Id;
  /** Keyed hash of the request: the key answers for no other one. */
  request: string;
  createAt: Date;
}

export interface CounterDoc {
  _id: string;
  count: number;
  at: Date;
}

/** What an account's images take; kept when they come and go, so that nobody has to count them. */
export interface UsageDoc {
  /** The owner. */
  _id: Id;
  files: number;
  bytes: number;
  /** When it was last counted. */
  at: Date;
}

/** Maintenance that comes round by itself; whoever moves `nextAt` on does it this time. */
export interface TaskDoc {
  /** Its name. */
  _id: string;
  /** By MongoDB's clock. */
  nextAt: Date;
  /** When it was last begun. */
  begunAt?: Date;
}

export interface SentMailDoc {
  /** `{eventId}-{template}`, the mail's Message-ID too. */
  _id: string;
  at: Date;
}
