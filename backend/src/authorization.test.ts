import type { CallShape } from '@lightbox/contract/call.js';
import { type CallName, calls } from '@lightbox/contract/calls.js';
import { type ImageFacts, type ImageRule, imageRules } from '@lightbox/contract/images/policy.js';
import { permissions, type Role, roleMay, roles } from '@lightbox/contract/permissions.js';
import { type UserFacts, userRules } from '@lightbox/contract/users/policy.js';
import { newId } from '@lightbox/core/db/ids.js';
import { closeInspectors } from '@lightbox/core/files/inspect.js';
import type { NotificationDoc, UserDoc } from '@lightbox/core/models/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from './testing/client.js';
import {
  type BuiltImage,
  type BuiltShare,
  buildAdmin,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  type Person,
} from './testing/factories.js';
import { buildGateway, type TestGateway } from './testing/gateway.js';

let test: TestGateway;
let api: Client;

beforeAll(async () => {
  test = await buildGateway();
  api = new Client(test.url);
});
afterAll(() => test.stop().then(closeInspectors));

const builders: Record<Role, (changes?: Partial<UserDoc>) => Promise<Person>> = {
  patient: (changes) => buildPatient(test.gateway, changes),
  healthProvider: (changes) => buildProvider(test.gateway, changes),
  admin: (changes) => buildAdmin(test.gateway, changes),
};

/** For each call a request that changes nothing, and how it is answered once the caller's role has passed. */
interface Harmless {
  status: number;
  path?: string;
  body?: object;
}
const absent = String(newId());
const nothingThere: Harmless = { status: 404 };
const emptyBody: Harmless = { status: 422, body: {} };
const list: Harmless = { status: 200 };

const rows: Record<CallName, Harmless> = {
  register: emptyBody,
  login: emptyBody,
  confirm: emptyBody,
  resendCode: { status: 200, body: {} },
  refresh: { status: 401, body: {} },
  logout: { status: 200, body: {} },
  forgotPassword: emptyBody,
  resetPassword: emptyBody,
  demoPeople: list,
  listUsers: list,
  getProfile: list,
  updateProfile: { status: 200, body: {} },
  deleteProfile: emptyBody,
  getUser: nothingThere,
  deleteUser: nothingThere,
  toggleUserStatus: nothingThere,
  approveProvider: emptyBody,
  rejectProvider: emptyBody,
  getStats: list,
  // Without a multipart body: the role is judged before anything of one is read.
  uploadImage: { status: 415, body: {} },
  listImages: list,
  listMyImages: list,
  listSharedImages: list,
  getImage: nothingThere,
  getImageContent: nothingThere,
  getImagePreview: nothingThere,
  getTimeline: nothingThere,
  explainAccess: { status: 404, path: `/users/${absent}/may?imageId=${absent}` },
  deleteImage: nothingThere,
  createShare: { status: 404, body: { imagemetadataId: absent, createdfor: absent } },
  verifyShare: { status: 404, body: { sharingRequestId: absent, verificationCode: '123456' } },
  resendShare: nothingThere,
  revokeShare: nothingThere,
  listShares: { status: 404, path: `/sharing?imageId=${absent}` },
  getAnalysis: nothingThere,
  startAnalysis: nothingThere,
  chatList: list,
  chat: nothingThere,
  sendMessage: { status: 404, body: { recipientId: absent, content: 'Hello' } },
  readMessages: nothingThere,
  messagesSince: list,
  listNotifications: list,
  readAllNotifications: { status: 200, body: {} },
  readNotification: nothingThere,
  listAudit: list,
  verifyAudit: list,
  listRoles: list,
  listPermissions: list,
  listSettings: list,
  addSetting: emptyBody,
  editSetting: { status: 404, body: {} },
  deleteSetting: { status: 404, body: { id: absent } },
  listKnownSettings: list,
  listSettingHistory: nothingThere,
  getPublicSettings: list,
  getOverview: list,
  retryJob: { status: 404, path: `/admin/jobs/mail/${absent}/retry`, body: {} },
};

const shapes = calls as Record<CallName, CallShape>;
const pathOf = (shape: CallShape, id: string) => shape.path.replace(/:\w+/, id);

describe('every call', () => {
  it('has a declared rule and a row here', () => {
    for (const [name, shape] of Object.entries(shapes)) {
      const known = ['anyone', 'verification', 'refreshCookie', ...Object.keys(permissions)];
      expect(known, name).toContain(shape.who);
      expect(Object.hasOwn(rows, name), name).toBe(true);
    }
    expect(Object.keys(rows).sort()).toEqual(Object.keys(shapes).sort());
  });

  it('of the API documentation is one of the contract', async () => {
    const { body } = await api.get('/openapi.json').expect(200);
    const documented = Object.values(body.paths as Record<string, object>).flatMap((path) => Object.keys(path));
    expect(documented.length).toBe(Object.keys(shapes).length);
  });
});

const callers = ['nobody', 'verification', ...roles, 'pending', 'rejected', 'inactive'] as const;
type Caller = (typeof callers)[number];

async function tokenOf(caller: Caller): Promise<string | null> {
  if (caller === 'nobody') return null;
  if (caller === 'verification') return test.gateway.tokens.verification(absent, absent);
  if (caller === 'pending' || caller === 'rejected') return (await builders.healthProvider({ status: caller })).token;
  if (caller === 'inactive') return (await builders.admin({ active: false })).token;
  return (await builders[caller]()).token;
}

function expectedFor(shape: CallShape, caller: Caller, row: Harmless): number {
  if (shape.who === 'anyone' || shape.who === 'refreshCookie') return row.status;
  if (shape.who === 'verification') return caller === 'verification' ? row.status : 401;
  const role = roles.find((known) => known === caller);
  if (!role) return 401;
  return roleMay(role, shape.who as keyof typeof permissions) ? row.status : 403;
}

describe.each(callers)('called by %s', (caller) => {
  it.concurrent.each(Object.keys(rows) as CallName[])('%s', async (name) => {
    const shape = shapes[name];
    const row = rows[name];
    const path = row.path ?? pathOf(shape, absent);
    const { status, body } = await api.as(await tokenOf(caller)).call(shape.method, path, row.body);
    expect(status, JSON.stringify(body)).toBe(expectedFor(shape, caller, row));
    if (status >= 400) expect(body).toMatchObject({ message: expect.any(String), requestId: expect.any(String) });
  });
});

const states = [
  'own',
  'shared pending',
  'shared verified',
  'expired share',
  'revoked share',
  'foreign',
  'deleted',
  'absent',
] as const;
type State = (typeof states)[number];

interface Case {
  viewer: Person;
  image: BuiltImage;
  share: BuiltShare | null;
  /** Null when there is no such image. */
  facts: ImageFacts | null;
}

async function arrange(role: Role, state: State): Promise<Case> {
  const viewer = await builders[role]();
  const image = await buildImage(test.gateway, state === 'own' ? { owner: viewer } : {});
  const facts = (share: ImageFacts['share']): ImageFacts => ({ ownerId: image.owner.id, patientId: null, share });
  const shared = (wishes: { verified?: boolean; revoked?: boolean; hours?: number }) =>
    buildShare(test.gateway, { image, recipient: viewer, ...wishes });
  switch (state) {
    case 'shared pending':
      return { viewer, image, share: await shared({}), facts: facts({ verified: false }) };
    case 'shared verified':
      return { viewer, image, share: await shared({ verified: true }), facts: facts({ verified: true }) };
    case 'expired share':
      return { viewer, image, share: await shared({ verified: true, hours: -1 }), facts: facts(null) };
    case 'revoked share':
      return { viewer, image, share: await shared({ verified: true, revoked: true }), facts: facts(null) };
    case 'deleted': {
      const share = await shared({ verified: true });
      await api
        .as(await builders.admin())
        .del(`/upload/image/${image.id}`)
        .expect(200);
      return { viewer, image, share, facts: null };
    }
    case 'absent':
      return { viewer, image: { ...image, id: String(newId()) }, share: null, facts: null };
    default:
      return { viewer, image, share: null, facts: facts(null) };
  }
}

/** The contract's order: the role, then what is not theirs to know of, then what is seen but not allowed. */
function expectedOf(name: CallName, rule: ImageRule, { viewer, facts }: Case, success: number): number {
  if (!roleMay(viewer.role, shapes[name].who as keyof typeof permissions)) return 403;
  if (!facts || !imageRules.see(viewer, facts)) return 404;
  return imageRules[rule](viewer, facts) ? success : 403;
}

interface ImageCall {
  name: CallName;
  rule: ImageRule;
  success: number;
  request: (image: BuiltImage) => Promise<{ path: string; body?: object }>;
}
const below =
  (prefix: string, suffix = '') =>
  async ({ id }: BuiltImage) => ({ path: `${prefix}${id}${suffix}` });

const imageCalls: ImageCall[] = [
  { name: 'getImage', rule: 'see', success: 200, request: below('/upload/image/') },
  { name: 'getImageContent', rule: 'open', success: 200, request: below('/upload/image/', '/content') },
  { name: 'getImagePreview', rule: 'open', success: 200, request: below('/upload/image/', '/preview') },
  { name: 'getAnalysis', rule: 'analyse', success: 202, request: below('/analyze/') },
  { name: 'startAnalysis', rule: 'analyse', success: 202, request: below('/analyze/') },
  { name: 'listShares', rule: 'share', success: 200, request: below('/sharing?imageId=') },
  {
    name: 'createShare',
    rule: 'share',
    success: 201,
    request: async ({ id }) => ({
      path: '/sharing/request',
      body: { imagemetadataId: id, createdfor: (await builders.healthProvider()).id },
    }),
  },
  { name: 'deleteImage', rule: 'delete', success: 200, request: below('/upload/image/') },
];

const cells = roles.flatMap((role) => states.map((state) => ({ role, state })));

describe.concurrent.each(cells)('an image, $state, for a $role', ({ role, state }) => {
  it.concurrent.each(imageCalls)('$name', async ({ name, rule, success, request }) => {
    const arranged = await arrange(role, state);
    const { path, body } = await request(arranged.image);
    const answer = await api.as(arranged.viewer).call(shapes[name].method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(expectedOf(name, rule, arranged, success));
    if (answer.status === 404) expect(answer.body).toMatchObject({ error: 'NOT_FOUND', message: 'Not found.' });
  });

  it('revoking and resending its share', async () => {
    for (const name of ['resendShare', 'revokeShare'] as const) {
      const arranged = await arrange(role, state);
      const share = arranged.facts ? await buildShare(test.gateway, { image: arranged.image }) : arranged.share;
      const path = pathOf(shapes[name], share?.id ?? absent);
      const answer = await api.as(arranged.viewer).call(shapes[name].method, path);
      const { viewer, facts } = arranged;
      const may = facts && imageRules.share(viewer, facts);
      // Of shares that are not theirs to manage people learn nothing, whether or not they see the image.
      expect(answer.status, name).toBe(role === 'patient' ? 403 : may ? 200 : 404);
    }
  });

  it('its code', async () => {
    const { viewer, share } = await arrange(role, state);
    const other = share ?? (await buildShare(test.gateway));
    const body = { sharingRequestId: other.id, verificationCode: other.code };
    const { status } = await api.as(viewer).post('/sharing/verify', body);
    const live = state === 'shared pending' || state === 'shared verified';
    const over = state === 'expired share' || state === 'revoked share';
    expect(status).toBe(live ? 200 : over ? 410 : 404);
  });
});

const accounts = ['oneself', ...roles, 'pending', 'inactive', 'deleted', 'absent'] as const;

interface Account {
  id: string;
  facts: UserFacts | null;
}

async function account(viewer: Person, kind: (typeof accounts)[number]): Promise<Account> {
  const factsOf = (person: Person, rest: Partial<UserFacts> = {}): Account => ({
    id: person.id,
    facts: { id: person.id, role: person.role, status: 'active', active: true, ...rest },
  });
  switch (kind) {
    case 'oneself':
      return factsOf(viewer);
    case 'pending':
      return factsOf(await builders.healthProvider({ status: 'pending' }), { status: 'pending' });
    case 'inactive':
      return factsOf(await builders.healthProvider({ active: false }), { active: false });
    case 'deleted': {
      const person = await builders.healthProvider();
      await api
        .as(await builders.admin())
        .del(`/users/${person.id}`)
        .expect(200);
      return { id: person.id, facts: null };
    }
    case 'absent':
      return { id: String(newId()), facts: null };
    default:
      return factsOf(await builders[kind]());
  }
}

const people = roles.flatMap((role) => accounts.map((kind) => ({ role, kind })));

describe.concurrent.each(people)('the account: $kind, for a $role', ({ role, kind }) => {
  it('is seen, written to and managed as the policy says', async () => {
    const viewer = await builders[role]();
    const { id, facts } = await account(viewer, kind);
    const own: UserFacts = { id: viewer.id, role, status: 'active', active: true };
    const sees = facts !== null && userRules.see(viewer, facts);
    const writes = facts !== null && userRules.message(own, facts);
    const caller = api.as(viewer);

    expect((await caller.get(`/users/${id}`)).status).toBe(sees ? 200 : 404);
    expect((await caller.get(`/message/chat/${id}`)).status).toBe(writes ? 200 : 404);
    expect((await caller.post('/message/send', { recipientId: id, content: 'x' })).status).toBe(writes ? 201 : 404);
    expect((await caller.post(`/message/read/${id}`, {})).status).toBe(writes ? 200 : 404);
    const managed = role === 'admin' ? (kind === 'oneself' ? 409 : sees ? 200 : 404) : 403;
    expect((await caller.put(`/users/toggleUserStatus/${id}`)).status).toBe(managed);
    expect((await caller.del(`/users/${id}`)).status).toBe(managed);
  });
});

it('a notification is its owner’s alone', async () => {
  const [owner, other] = [await builders.patient(), await builders.admin()];
  const notification: NotificationDoc = {
    _id: newId(),
    user: owner._id,
    event: newId(),
    kind: 'share.created',
    at: new Date(),
    unread: true,
  };
  await test.gateway.models.Notification.create([notification]);
  const path = `/notifications/${notification._id}/read`;
  await api.as(other).post(path, {}).expect(404);
  await api.as(owner).post(path, {}).expect(200);
});
