import { limits } from '@lightbox/contract/limits.js';
import { type Connection, type Model, Schema } from 'mongoose';
import type {
  AnalysisDoc,
  AuditEntryDoc,
  AuditHeadDoc,
  AuditReceiptDoc,
  AuditRunDoc,
  CeremonyDoc,
  CodeDoc,
  ConversationDoc,
  CounterDoc,
  DecoyDoc,
  EventDoc,
  IdempotencyDoc,
  ImageDoc,
  MessageDoc,
  NotificationDoc,
  PasskeyDoc,
  PositionDoc,
  PreviewDoc,
  PushSubscriptionDoc,
  SentMailDoc,
  SessionDoc,
  SettingChangeDoc,
  SettingDoc,
  ShareDoc,
  TaskDoc,
  TombstoneDoc,
  TotpDoc,
  UsageDoc,
  UserDoc,
  UsernameHoldDoc,
} from './types.js';

const { ObjectId, Mixed } = Schema.Types;
const id = { type: ObjectId, required: true };
const string = { type: String, required: true };
const date = { type: Date, required: true };
const number = { type: Number, required: true };
const bool = { type: Boolean, required: true };
const bytes = { type: Buffer, required: true };
const options = { versionKey: false, strict: 'throw', autoIndex: false, autoCreate: false } as const;

const sealedValue = { type: new Schema({ keyId: string, sealed: bytes }, { _id: false }) };

const hours = (n: number) => n * 3600;
const days = (n: number) => hours(24) * n;

const user = new Schema<UserDoc>(
  {
    email: string,
    username: string,
    usernameKey: string,
    passwordHash: string,
    role: string,
    status: string,
    active: bool,
    rejectedReason: String,
    firstname: String,
    lastname: String,
    profile: sealedValue,
    words: { type: [String], required: true },
    sortKey: { type: String, default: '' },
    createAt: date,
    deletedAt: Date,
    closing: { type: new Schema({ at: date, by: id }, { _id: false }) },
    touched: Number,
    totpAt: Date,
    passkeyAt: Date,
    passkeyHandle: String,
    passwordAt: Date,
    accessEndedAt: Date,
  },
  options,
)
  .index({ email: 1 }, { unique: true })
  .index({ usernameKey: 1 }, { unique: true })
  // The orders of the list, each behind all that it is narrowed by (`listUsers.ts`).
  .index({ role: 1, status: 1, active: 1, sortKey: 1, _id: 1 })
  .index({ status: 1, role: 1, active: 1, sortKey: 1, _id: 1 })
  .index({ active: 1, role: 1, status: 1, sortKey: 1, _id: 1 })
  .index({ role: 1, status: 1, active: 1, email: 1 })
  .index({ role: 1, status: 1, active: 1, createAt: 1, _id: 1 })
  .index({ words: 1 })
  // What an older key has sealed, and what none has yet.
  .index({ 'profile.keyId': 1 })
  .index({ 'closing.at': 1 }, { sparse: true });

const session = new Schema<SessionDoc>(
  {
    user: id,
    createAt: date,
    lastSeenAt: date,
    expiresAt: date,
    generation: number,
    rotatedAt: date,
    stepUpAt: Date,
    endedAt: Date,
    endReason: String,
    touched: Number,
    ip: { type: String, default: '' },
    browser: String,
    system: String,
  },
  options,
)
  .index({ user: 1, endedAt: 1 })
  .index({ endedAt: 1, lastSeenAt: 1 })
  .index({ expiresAt: 1 }, { expireAfterSeconds: days(30) });

const codeSeed = { keyId: string, salt: string };

const code = new Schema<CodeDoc>(
  {
    ...codeSeed,
    user: id,
    purpose: string,
    undo: Mixed,
    tries: number,
    askedFrom: String,
    askersTries: Number,
    usedFrom: String,
    usedAt: Date,
    createAt: date,
    expiresAt: date,
  },
  options,
)
  .index({ user: 1, purpose: 1, createAt: -1 })
  .index({ expiresAt: 1 }, { expireAfterSeconds: hours(1) });

const totp = new Schema<TotpDoc>(
  {
    secret: String,
    createAt: date,
    confirmedAt: Date,
    lastStep: number,
    tries: number,
    recoveryCodes: { type: [{ _id: false, keyId: string, hash: string }], required: true },
    recoveryAt: Date,
  },
  options,
)
  // It begins with the id of its key.
  .index({ secret: 1 });

const passkey = new Schema<PasskeyDoc>(
  {
    user: id,
    credentialId: string,
    publicKey: bytes,
    counter: number,
    transports: { type: [String], required: true },
    synced: bool,
    name: string,
    createAt: date,
    usedAt: Date,
  },
  options,
)
  .index({ credentialId: 1 }, { unique: true })
  .index({ user: 1, createAt: 1 });

const ceremony = new Schema<CeremonyDoc>({ expiresAt: date }, options).index(
  { expiresAt: 1 },
  { expireAfterSeconds: hours(1) },
);

const usernameHold = new Schema<UsernameHoldDoc>(
  { _id: String, expiresAt: date },
  { ...options, collection: 'usernameholds' },
).index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

const decoy = new Schema<DecoyDoc>(
  {
    _id: String,
    user: id,
    username: string,
    usernameKey: string,
    firstname: { type: String, default: '' },
    lastname: { type: String, default: '' },
    role: string,
    createAt: date,
    expiresAt: date,
  },
  options,
).index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

const image = new Schema<ImageDoc>(
  {
    owner: id,
    patient: ObjectId,
    caption: string,
    contentType: string,
    size: number,
    sha256: string,
    width: Number,
    height: Number,
    dicom: Mixed,
    dicomDetail: Mixed,
    blob: id,
    dataKey: { ...sealedValue, required: true },
    preview: string,
    analysis: string,
    audience: [ObjectId],
    isShared: bool,
    createAt: date,
    touched: Number,
  },
  { ...options, collection: 'imagemetadata' },
)
  .index({ createAt: -1, _id: -1 })
  .index({ isShared: 1, createAt: -1, _id: -1 })
  .index({ owner: 1, createAt: -1, _id: -1 })
  .index({ owner: 1, isShared: 1, createAt: -1, _id: -1 })
  .index({ audience: 1, createAt: -1, _id: -1 })
  .index({ patient: 1 }, { sparse: true })
  // Whose images a provider keeps.
  .index({ owner: 1, patient: 1 }, { partialFilterExpression: { patient: { $exists: true } } })
  .index({ blob: 1 })
  .index({ 'dataKey.keyId': 1 })
  // Covers the totals of the storage.
  .index({ contentType: 1, size: 1 });

const tombstone = new Schema<TombstoneDoc>({ at: date }, options).index({ at: 1 });
const position = new Schema<PositionDoc>({ _id: String, after: id }, options);

const preview = new Schema<PreviewDoc>({ sealed: bytes, width: number, height: number }, options);

const share = new Schema<ShareDoc>(
  {
    ...codeSeed,
    image: id,
    sharedBy: id,
    recipient: id,
    createAt: date,
    expiresAt: Date,
    codeExpiresAt: date,
    tries: number,
    verifiedAt: Date,
    live: bool,
    endedAt: Date,
  },
  options,
)
  .index({ image: 1, recipient: 1 }, { unique: true, partialFilterExpression: { live: true } })
  .index({ image: 1, live: 1 })
  .index({ recipient: 1, live: 1 })
  // Whom somebody has shared with, and what somebody has opened, at any time.
  .index({ sharedBy: 1, recipient: 1 })
  .index({ recipient: 1, image: 1 }, { partialFilterExpression: { verifiedAt: { $exists: true } } })
  .index({ live: 1, expiresAt: 1 })
  // The few whose code is locked, for the administrators.
  .index({ tries: 1 }, { partialFilterExpression: { live: true, tries: { $gte: limits.codeTries } } });

const analysis = new Schema<AnalysisDoc>(
  {
    status: string,
    run: number,
    progress: number,
    requestedBy: id,
    startedAt: date,
    finishedAt: Date,
    findings: Mixed,
    reason: String,
    reasonCode: String,
  },
  options,
)
  .index({ status: 1, startedAt: 1 })
  // Those that one person asked for of late.
  .index({ requestedBy: 1, startedAt: 1 });

const conversation = new Schema<ConversationDoc>(
  {
    _id: String,
    members: { type: [ObjectId], required: true },
    seq: number,
    lastAt: date,
    read: { type: Mixed, default: {} },
  },
  { ...options, minimize: false },
).index({ members: 1, lastAt: -1 });

const message = new Schema<MessageDoc>(
  {
    conversation: string,
    seq: number,
    sender: id,
    recipient: id,
    members: { type: [ObjectId], required: true },
    content: string,
    clientId: String,
    createAt: date,
    deliveredAt: Date,
    readAt: Date,
    remindedAt: Date,
    pending: bool,
  },
  options,
)
  .index({ conversation: 1, seq: -1 }, { unique: true })
  // Only what is unread: counting costs as much as there is to count.
  .index({ conversation: 1, recipient: 1, seq: 1 }, { partialFilterExpression: { readAt: null } })
  .index({ createAt: 1 }, { partialFilterExpression: { readAt: null, remindedAt: null } })
  .index({ members: 1, createAt: 1, _id: 1 })
  .index({ sender: 1, clientId: 1 }, { unique: true, partialFilterExpression: { clientId: { $exists: true } } })
  .index({ pending: 1, createAt: 1 }, { partialFilterExpression: { pending: true } });

const notification = new Schema<NotificationDoc>(
  { user: id, event: id, kind: string, record: ObjectId, at: date, readAt: Date, unread: bool },
  options,
)
  .index({ event: 1, user: 1 }, { unique: true })
  .index({ user: 1, at: -1, _id: -1 })
  .index({ user: 1, unread: 1, at: -1, _id: -1 })
  .index({ at: 1 }, { expireAfterSeconds: days(180) });

const pushSubscription = new Schema<PushSubscriptionDoc>(
  {
    user: id,
    session: id,
    endpoint: string,
    p256dh: string,
    auth: string,
    seenAt: date,
    expiresAt: date,
  },
  options,
)
  .index({ endpoint: 1 }, { unique: true })
  .index({ user: 1, seenAt: 1 })
  .index({ session: 1 })
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

const recorded = {
  type: string,
  status: string,
  actor: ObjectId,
  table: string,
  record: ObjectId,
  records: { type: [ObjectId], default: undefined },
  owners: { type: [ObjectId], default: undefined },
  ip: { type: String, default: '' },
  reason: { type: String, default: '' },
  at: date,
};

const event = new Schema<EventDoc>(
  {
    ...recorded,
    recipients: [ObjectId],
    refs: { type: Mixed, default: {} },
    pending: bool,
    unaudited: bool,
    owed: { type: [String], default: undefined },
    keyId: String,
    mac: String,
  },
  { ...options, minimize: false },
)
  .index({ pending: 1, at: 1 }, { partialFilterExpression: { pending: true } })
  .index({ unaudited: 1, _id: 1 }, { partialFilterExpression: { unaudited: true } })
  .index({ owed: 1, at: 1 }, { partialFilterExpression: { 'owed.0': { $exists: true } } })
  // The audit entry keeps what happened; the event itself has done its work.
  .index({ at: 1 }, { expireAfterSeconds: days(7), partialFilterExpression: { pending: false, unaudited: false } });

const auditEntry = new Schema<AuditEntryDoc>(
  { ...recorded, seq: number, event: id, keyId: string, hash: string, concerns: [ObjectId] },
  { ...options, collection: 'auditlogs' },
)
  .index({ seq: -1 }, { unique: true })
  .index({ event: 1 }, { unique: true })
  .index({ at: -1, seq: -1 })
  .index({ status: 1, at: -1, seq: -1 })
  .index({ actor: 1, status: 1, at: -1, seq: -1 })
  // A person's sign-ins among all that they did.
  .index({ actor: 1, type: 1, at: -1, seq: -1 })
  // An image's timeline.
  .index({ record: 1, seq: -1 }, { partialFilterExpression: { record: { $exists: true } } })
  .index({ concerns: 1, status: 1, at: -1, seq: -1 })
  .index({ concerns: 1, type: 1, status: 1, at: -1, seq: -1 })
  // Covers what is counted per day, too.
  .index({ type: 1, status: 1, at: -1, seq: -1 });

const auditHead = new Schema<AuditHeadDoc>(
  {
    _id: String,
    seq: number,
    hash: string,
    keyId: string,
    mac: string,
    keyIds: { type: [String], default: undefined },
    found: Mixed,
  },
  { ...options, collection: 'auditheads' },
);

const auditReceipt = new Schema<AuditReceiptDoc>(
  { run: string, n: number, events: [ObjectId], keyId: string, mac: string },
  { ...options, collection: 'auditreceipts' },
).index({ run: 1, n: 1 });

const auditRun = new Schema<AuditRunDoc>(
  { _id: String, n: number, keyId: string, mac: string },
  { ...options, collection: 'auditruns' },
);

const setting = new Schema<SettingDoc>(
  {
    name: string,
    value: { type: String, default: '' },
    description: { type: String, default: '' },
    createAt: date,
    updatedAt: date,
  },
  { ...options, collection: 'appsettings' },
).index({ name: 1 }, { unique: true });

const settingChange = new Schema<SettingChangeDoc>(
  { setting: id, name: string, from: String, to: String, by: id, at: date },
  { ...options, collection: 'appsettinghistory' },
)
  .index({ setting: 1, at: -1, _id: -1 })
  .index({ name: 1, at: -1, _id: -1 });

const idempotency = new Schema<IdempotencyDoc>(
  { _id: String, record: id, request: string, createAt: date },
  options,
).index({ createAt: 1 }, { expireAfterSeconds: hours(limits.idempotencyHours) });

const counter = new Schema<CounterDoc>({ _id: String, count: number, at: date }, options);
const usage = new Schema<UsageDoc>({ _id: ObjectId, files: number, bytes: number, at: date }, options).index({ at: 1 });
const sentMail = new Schema<SentMailDoc>({ _id: String, at: date }, options).index(
  { at: 1 },
  { expireAfterSeconds: days(7) },
);

const task = new Schema<TaskDoc>({ _id: String, nextAt: date, begunAt: Date }, options);

export interface Models {
  User: Model<UserDoc>;
  Session: Model<SessionDoc>;
  Code: Model<CodeDoc>;
  Image: Model<ImageDoc>;
  Preview: Model<PreviewDoc>;
  Tombstone: Model<TombstoneDoc>;
  Position: Model<PositionDoc>;
  Share: Model<ShareDoc>;
  Analysis: Model<AnalysisDoc>;
  Conversation: Model<ConversationDoc>;
  Message: Model<MessageDoc>;
  Notification: Model<NotificationDoc>;
  PushSubscription: Model<PushSubscriptionDoc>;
  Event: Model<EventDoc>;
  AuditEntry: Model<AuditEntryDoc>;
  AuditHead: Model<AuditHeadDoc>;
  AuditReceipt: Model<AuditReceiptDoc>;
  AuditRun: Model<AuditRunDoc>;
  Setting: Model<SettingDoc>;
  SettingChange: Model<SettingChangeDoc>;
  Idempotency: Model<IdempotencyDoc>;
  Counter: Model<CounterDoc>;
  Usage: Model<UsageDoc>;
  SentMail: Model<SentMailDoc>;
  Task: Model<TaskDoc>;
  Totp: Model<TotpDoc>;
  Passkey: Model<PasskeyDoc>;
  Ceremony: Model<CeremonyDoc>;
  UsernameHold: Model<UsernameHoldDoc>;
  Decoy: Model<DecoyDoc>;
}

/** The models on one connection; nothing is kept on mongoose itself, so that tests run several side by side. */
export function createModels(db: Connection): Models {
  // Mongoose types a model by its schema's inferred document; ours are declared once in `types.ts`.
  const model = <T>(name: string, schema: unknown) => db.model(name, schema as Schema) as unknown as Model<T>;
  return {
    User: model('User', user),
    Session: model('Session', session),
    Code: model('Code', code),
    Image: model('Image', image),
    Preview: model('Preview', preview),
    Tombstone: model('Tombstone', tombstone),
    Position: model('Position', position),
    Share: model('Share', share),
    Analysis: model('Analysis', analysis),
    Conversation: model('Conversation', conversation),
    Message: model('Message', message),
    Notification: model('Notification', notification),
    PushSubscription: model('PushSubscription', pushSubscription),
    Event: model('Event', event),
    AuditEntry: model('AuditEntry', auditEntry),
    AuditHead: model('AuditHead', auditHead),
    AuditReceipt: model('AuditReceipt', auditReceipt),
    AuditRun: model('AuditRun', auditRun),
    Setting: model('Setting', setting),
    SettingChange: model('SettingChange', settingChange),
    Idempotency: model('Idempotency', idempotency),
    Counter: model('Counter', counter),
    Usage: model('Usage', usage),
    SentMail: model('SentMail', sentMail),
    Task: model('Task', task),
    Totp: model('Totp', totp),
    Passkey: model('Passkey', passkey),
    Ceremony: model('Ceremony', ceremony),
    UsernameHold: model('UsernameHold', usernameHold),
    Decoy: model('Decoy', decoy),
  };
}
