import type { CallShape } from '@lightbox/contract/call.js';
import { type CallName, calls } from '@lightbox/contract/calls.js';
import { defaultNoticeSettings } from '@lightbox/contract/notifications/choices.js';
import { permissions, type Role, roleMay, roles } from '@lightbox/contract/permissions.js';
import { type UserFacts, userRules } from '@lightbox/contract/users/policy.js';
import { newId } from '@lightbox/core/db/ids.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { NotificationDoc } from '@lightbox/core/models/notification.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { afterAll, describe, expect, it } from 'vitest';
import { closeInspectors } from './files/inspectionPool.js';
import { allCells } from './testing/allCells.js';
import { envelopeOf } from './testing/envelope.js';
import { buildAdmin, buildPatient, buildProvider, idBeforeEvents, type Person } from './testing/factories.js';
import { leaks } from './testing/leaks.js';
import { useGateway } from './testing/useGateway.js';

const { test, api } = useGateway();

afterAll(closeInspectors);

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
  resendCode: { status: 410, body: {} },
  refresh: { status: 401, body: {} },
  logout: { status: 200, body: {} },
  forgotPassword: emptyBody,
  resetPassword: emptyBody,
  readInvitation: emptyBody,
  acceptInvitation: emptyBody,
  notMe: emptyBody,
  askPasskey: { status: 200, body: {} },
  passkeySignIn: emptyBody,
  demoPeople: list,
  listSignOn: list,
  // No provider is configured here.
  beginSignOn: { status: 404, path: '/auth/sign-on/clinic', body: {} },
  finishSignOn: { status: 404, path: '/auth/sign-on/clinic/finish', body: { query: '' } },
  endSignOn: { status: 415, path: '/auth/sign-on/clinic/back-channel-logout', body: {} },
  beginSignOnStepUp: { status: 404, body: {} },
  finishSignOnStepUp: { status: 404, path: '/auth/step-up/sign-on/clinic/finish', body: { query: '' } },
  listIdentities: list,
  getScimConfig: list,
  getScimSchemas: list,
  getScimTypes: list,
  listScimUsers: list,
  getScimUser: nothingThere,
  createScimUser: emptyBody,
  replaceScimUser: emptyBody,
  patchScimUser: emptyBody,
  deleteScimUser: nothingThere,
  listScimTokens: list,
  createScimToken: emptyBody,
  revokeScimToken: nothingThere,
  beginLink: { status: 404, path: '/auth/identities/clinic/begin', body: {} },
  finishLink: { status: 404, path: '/auth/identities/clinic/finish', body: { query: '' } },
  unlink: nothingThere,
  listSessions: list,
  endSession: nothingThere,
  endOtherSessions: list,
  listSignIns: list,
  getTotp: list,
  setUpTotp: { status: 422, body: { code: 'x' } },
  removeTotp: { status: 422, body: { code: 'x' } },
  renewRecoveryCodes: { status: 422, body: { code: 'x' } },
  stepUp: emptyBody,
  askStepUpPasskey: { status: 404, body: {} },
  mailStepUpCode: { status: 200, body: {} },
  listPasskeys: list,
  askNewPasskey: { status: 422, body: { password: '' } },
  addPasskey: emptyBody,
  renamePasskey: { status: 404, body: { name: 'Key' } },
  removePasskey: { status: 422, body: { code: 'x' } },
  changePassword: emptyBody,
  listTokens: list,
  createToken: emptyBody,
  getCurrentToken: nothingThere,
  revokeToken: nothingThere,
  listWebhooks: list,
  createWebhook: emptyBody,
  listInstallationWebhooks: list,
  createInstallationWebhook: emptyBody,
  changeWebhook: { status: 404, body: { url: 'https://ehr.example.org/x', events: ['image.uploaded'] } },
  switchWebhook: { status: 404, body: { on: false } },
  rotateWebhookSecret: { status: 404, body: {} },
  deleteWebhook: nothingThere,
  testWebhook: { status: 404, body: {} },
  listWebhookDeliveries: nothingThere,
  replayWebhookDelivery: { status: 404, body: {} },
  listDicomNodes: list,
  createDicomNode: emptyBody,
  changeDicomNode: { status: 404, body: { title: 'CT1', addresses: [], userId: absent } },
  deleteDicomNode: nothingThere,
  listUsers: list,
  exportUsers: list,
  getProfile: list,
  updateProfile: { status: 200, body: {} },
  exportProfile: list,
  listDisclosures: list,
  deleteProfile: emptyBody,
  getUser: nothingThere,
  deleteUser: nothingThere,
  toggleUserStatus: nothingThere,
  getLegalHold: nothingThere,
  setLegalHold: { status: 404, body: { held: true, reason: 'A letter of the court' } },
  changeRole: { status: 404, body: { role: 'patient' } },
  // After a sign-in alone; somebody else's authenticators ask for more.
  resetUserTotp: { status: 403 },
  approveProvider: emptyBody,
  undoApproval: emptyBody,
  rejectProvider: emptyBody,
  getStats: list,
  // Without a multipart body: the role is judged before anything of one is read.
  uploadImage: { status: 415, body: {} },
  describeUploads: { status: 204 },
  // Without the headers of tus.
  createUpload: { status: 412, body: {} },
  getUpload: { status: 412 },
  continueUpload: { status: 412 },
  endUpload: { status: 412 },
  findKnown: { status: 200, path: `/upload/known?sha256=${'0'.repeat(64)}` },
  listImages: list,
  listMyImages: list,
  listSharedImages: list,
  searchImages: { status: 200, body: {} },
  getImage: nothingThere,
  getImageContent: nothingThere,
  getImagePreview: nothingThere,
  getFrames: nothingThere,
  getFrame: nothingThere,
  getTags: nothingThere,
  getDeidentified: nothingThere,
  getDeidentifiedChanges: nothingThere,
  blackOut: { status: 404, body: { rectangles: [{ x0: 0, y0: 0, x1: 1, y1: 1 }], caption: 'Copy' } },
  getTimeline: nothingThere,
  explainAccess: { status: 404, path: `/users/${absent}/may?imageId=${absent}` },
  deleteImage: nothingThere,
  createStudy: emptyBody,
  getStudy: nothingThere,
  getStudyFrames: nothingThere,
  getStudyContent: nothingThere,
  updateStudy: { status: 404, body: { title: 'A hand' } },
  deleteStudy: nothingThere,
  searchStudies: { status: 204 },
  searchSeries: { status: 204 },
  searchInstances: { status: 204 },
  searchSeriesOfStudy: { status: 204, path: '/dicom-web/studies/1.2.3/series' },
  searchInstancesOfStudy: { status: 204, path: '/dicom-web/studies/1.2.3/instances' },
  searchInstancesOfSeries: { status: 204, path: '/dicom-web/studies/1.2.3/series/1.2.3.4/instances' },
  retrieveStudy: nothingThere,
  retrieveSeries: nothingThere,
  retrieveInstance: nothingThere,
  retrieveStudyMetadata: nothingThere,
  retrieveSeriesMetadata: nothingThere,
  retrieveMetadata: nothingThere,
  retrieveFrames: nothingThere,
  retrieveBulkData: nothingThere,
  renderInstance: nothingThere,
  renderFrames: nothingThere,
  // Without a multipart body.
  storeInstances: { status: 415, body: {} },
  fhirCapabilities: list,
  searchFhirPatients: list,
  readFhirPatient: nothingThere,
  searchFhirPractitioners: list,
  readFhirPractitioner: nothingThere,
  searchFhirImagingStudies: list,
  readFhirImagingStudy: nothingThere,
  searchFhirDiagnosticReports: list,
  readFhirDiagnosticReport: nothingThere,
  searchFhirDocumentReferences: list,
  readFhirDocumentReference: nothingThere,
  searchFhirConsents: list,
  readFhirConsent: nothingThere,
  searchFhirAuditEvents: list,
  readFhirAuditEvent: nothingThere,
  storeInstancesOfStudy: { status: 415, body: {}, path: '/dicom-web/studies/1.2.3' },
  createShare: { status: 404, body: { imagemetadataId: absent, createdfor: absent } },
  verifyShare: { status: 404, body: { sharingRequestId: absent, verificationCode: '123456' } },
  shareBatch: { status: 404, body: { images: [absent], people: [absent] } },
  changeShare: { status: 404, body: { download: false } },
  listInvitations: { status: 404, path: `/sharing/invitations?imageId=${absent}` },
  resendInvitation: nothingThere,
  cancelInvitation: nothingThere,
  resendShare: nothingThere,
  revokeShare: nothingThere,
  listShares: { status: 404, path: `/sharing?imageId=${absent}` },
  openElsewhere: { status: 404, body: { imageId: absent } },
  createGuestLink: { status: 404, body: { imagemetadataId: absent } },
  listGuestLinks: { status: 404, path: `/sharing/guest?imageId=${absent}` },
  revokeGuestLink: nothingThere,
  askGuestLink: emptyBody,
  openGuestLink: emptyBody,
  getGuestView: list,
  askGuest: list,
  createRequest: emptyBody,
  listRequests: list,
  getRequest: nothingThere,
  takeRequest: nothingThere,
  declineRequest: nothingThere,
  revokeRequest: nothingThere,
  openRequest: emptyBody,
  findSent: list,
  clearRequest: list,
  finishRequest: list,
  setPhoto: { status: 415, body: {} },
  removePhoto: list,
  getPhoto: nothingThere,
  listMonths: emptyBody,
  findPlace: emptyBody,
  listCarers: list,
  nameCarer: emptyBody,
  acceptCarer: { status: 404, body: {} },
  endCarer: { status: 404, body: {} },
  listCarerImages: nothingThere,
  getPatientEmergency: nothingThere,
  openEmergency: { status: 404, body: { reason: 'A patient without a name' } },
  listEmergencyImages: nothingThere,
  listEmergencies: list,
  countWaitingReviews: list,
  getEmergency: nothingThere,
  endEmergency: nothingThere,
  approveEmergency: nothingThere,
  questionEmergency: { status: 404, body: { comment: 'Why?' } },
  answerEmergency: { status: 404, body: { answer: 'A fall.' } },
  getAnalysisTarget: list,
  getAnalysis: nothingThere,
  startAnalysis: nothingThere,
  getAnnotations: nothingThere,
  getStudyAnnotations: nothingThere,
  saveAnnotations: { status: 404, body: { version: 0, shared: false, marks: [] } },
  deleteAnnotations: nothingThere,
  exportAnnotations: { status: 404, path: `/upload/image/${absent}/annotations/dicom?format=sr` },
  signAnalysis: { status: 404, body: { version: 1 } },
  withdrawAnalysis: { status: 404, body: { reason: 'Wrong side' } },
  listAnalysisVersions: nothingThere,
  getPreviousAnalysis: nothingThere,
  getAnalysisReport: nothingThere,
  getConsents: list,
  setConsents: { status: 422, body: {} },
  chatList: list,
  chat: nothingThere,
  checkAttachments: { status: 404, body: { images: [absent] } },
  sendVoice: { status: 415, body: {} },
  getVoice: { status: 404 },
  searchChat: { status: 404, body: { text: 'Hello' } },
  sendMessage: { status: 404, body: { recipientId: absent, content: 'Hello' } },
  readMessages: nothingThere,
  messagesSince: list,
  listNotifications: list,
  readAllNotifications: { status: 200, body: {} },
  readNotification: nothingThere,
  getNoticeSettings: list,
  setNoticeSettings: { status: 200, body: { ...defaultNoticeSettings, timeZone: 'Asia/Karachi' } },
  getPushKey: list,
  subscribePush: emptyBody,
  unsubscribePush: { status: 200, body: { endpoint: 'https://push.example.org/x' } },
  listAudit: list,
  exportAudit: list,
  verifyAudit: list,
  listRoles: list,
  listPermissions: list,
  listSettings: list,
  addSetting: emptyBody,
  editSetting: { status: 404, body: {} },
  deleteSetting: { status: 404, body: { id: absent } },
  listKnownSettings: list,
  listSettingHistory: nothingThere,
  listKnownSettingHistory: { status: 200, path: '/appsetting/known/sharing.expiryHours/history' },
  getPublicSettings: list,
  getLimits: list,
  getOverview: list,
  getSelfCheck: list,
  runSelfCheck: { status: 200, body: {} },
  openQueueBoard: { status: 200, body: {} },
  retryJob: { status: 404, path: `/admin/jobs/mail/${absent}/retry`, body: {} },
};

const shapes = calls as Record<CallName, CallShape>;
const pathOf = (shape: CallShape, id: string) => shape.path.replace(':n', '1').replace(/:\w+/, id);

describe('every call', () => {
  it('has a declared rule and a row here', () => {
    for (const [name, shape] of Object.entries(shapes)) {
      const known = ['anyone', 'verification', 'refreshCookie', 'guest', 'sender', 'scim', ...Object.keys(permissions)];
      expect(known, name).toContain(shape.who);
      expect(Object.hasOwn(rows, name), name).toBe(true);
    }
    expect(Object.keys(rows).sort()).toEqual(Object.keys(shapes).sort());
  });

  it('every call in the API documentation is in the contract', async () => {
    const { body } = await api.get('/openapi.json').expect(200);
    const documented = Object.values(body.paths as Record<string, object>).flatMap((path) => Object.keys(path));
    expect(documented.length).toBe(Object.keys(shapes).length);
  });
});

const callers = ['nobody', 'verification', ...roles, 'pending', 'rejected', 'inactive'] as const;
type Caller = (typeof callers)[number];

/** Accounts that cannot sign in, with tokens from before. One of each is enough, because no call changes them. */
const refused: Partial<Record<Caller, Promise<Person>>> = {};

/**
 * Callers without a session take turns, call by call, where not all cells are asked for. `tokens.test.ts` makes every call
 * with the token between password and code.
 */
const shut: readonly Caller[] = ['verification', 'pending', 'rejected', 'inactive'];
const isMade = (caller: Caller, { who }: CallShape, turn: number): boolean =>
  allCells || !shut.includes(caller) || who === caller || shut[turn % shut.length] === caller;

async function arrive(caller: Caller): Promise<{ _id: Person['_id'] | null; token: string | null }> {
  if (caller === 'nobody') return { _id: null, token: null };
  if (caller === 'verification') return { _id: null, token: test.gateway.tokens.verification(absent, absent) };
  if (caller === 'pending' || caller === 'rejected') {
    refused[caller] ??= builders.healthProvider({ status: caller });
    return refused[caller];
  }
  if (caller === 'inactive') {
    refused[caller] ??= builders.admin({ active: false });
    return refused[caller];
  }
  return builders[caller]();
}

function expectedFor(shape: CallShape, caller: Caller, row: Harmless): number {
  if (shape.who === 'anyone' || shape.who === 'refreshCookie') return row.status;
  // No token of a person is one of SCIM.
  if (shape.who === 'scim') return 401;
  if (shape.who === 'verification') return caller === 'verification' ? row.status : 401;
  // A guest's own calls are in `guests.test.ts`, a sender's in `requests.test.ts`.
  if (shape.who === 'guest' || shape.who === 'sender') return 401;
  const role = roles.find((known) => known === caller);
  if (!role) return 401;
  return roleMay(role, shape.who as keyof typeof permissions) ? row.status : 403;
}

/** Talk, what one was told already, totals and the product's own names: read without an entry in the audit log. */
const unrecorded: readonly CallName[] = [
  'chatList',
  'chat',
  'checkAttachments',
  'searchChat',
  'sendMessage',
  'readMessages',
  'messagesSince',
  'listNotifications',
  'readNotification',
  'readAllNotifications',
  'getNoticeSettings',
  'getStats',
  'countWaitingReviews',
  'listRoles',
  'listPermissions',
  'listSettings',
  'listKnownSettings',
  'listSettingHistory',
  'listKnownSettingHistory',
  'getPublicSettings',
  'getPushKey',
  'listRequests',
];

/** One's own security, read or set anew: nothing of anybody is shown, and nothing changed in these requests. */
const unchanged: readonly CallName[] = [
  'listSessions',
  'endOtherSessions',
  'getTotp',
  'listPasskeys',
  'listTokens',
  'listIdentities',
  'listScimTokens',
  'listDicomNodes',
  'listWebhooks',
  'listInstallationWebhooks',
  'unsubscribePush',
  'removePhoto',
];

/** The fields of the entry beside its kind. */
const reasons: Partial<Record<CallName, string>> = { exportAudit: 'csv', exportUsers: 'csv' };

/** Exactly what the contract says of it: a success under the call's name, a refusal, or nothing. */
function logFor(name: CallName, caller: Caller, status: number, error: string): string[] {
  const signedIn = (roles as readonly string[]).includes(caller);
  const action = shapes[name].action;
  if (!signedIn || !action) return [];
  if (status === 403 || error === 'NOT_FOUND') return [`${action} denied ${error}`];
  if (status >= 300 || unrecorded.includes(name) || unchanged.includes(name)) return [];
  return [`${action} success ${reasons[name] ?? ''}`];
}

describe('called by', () => {
  const cells = (Object.keys(rows) as CallName[]).flatMap((name, turn) =>
    callers.filter((caller) => isMade(caller, shapes[name], turn)).map((caller) => ({ caller, name })),
  );
  it.concurrent.each(cells)('$caller: $name', async ({ caller, name }) => {
    const [shape, row] = [shapes[name], rows[name]];
    const { _id, token } = await arrive(caller);
    const answer = await api.as(token).call(shape.method, row.path ?? pathOf(shape, absent), row.body);
    const { status, body } = answer;
    expect(status, JSON.stringify(body)).toBe(expectedFor(shape, caller, row));
    if (status >= 400 && shape.method !== 'head')
      expect(envelopeOf(body)).toMatchObject({ message: expect.any(String), requestId: expect.any(String) });
    // In FHIR each value of a vocabulary is a `code`.
    const leaking = leaks(body).filter((field) => !(shape.fhir && field.endsWith('.code')));
    if (name !== 'listAudit') expect(leaking).toEqual([]);
    const left = _id && { actor: _id, _id: { $gt: idBeforeEvents(_id) } };
    const events = left ? await test.gateway.models.Event.find(left).lean<EventDoc[]>() : [];
    expect(events.map((event) => `${event.type} ${event.status} ${event.reason}`)).toEqual(
      logFor(name, caller, status, envelopeOf(body).error ?? (status === 404 ? 'NOT_FOUND' : '')),
    );
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
    const sees = facts !== null && userRules.see(viewer, facts, true, false);
    const writes = facts !== null && userRules.message(own, facts, true);
    const caller = api.as(viewer);

    expect((await caller.get(`/users/${id}`)).status).toBe(sees ? 200 : 404);
    expect((await caller.get(`/message/chat/${id}`)).status).toBe(writes ? 200 : 404);
    expect((await caller.post(`/message/chat/${id}/search`, { text: 'x' })).status).toBe(writes ? 200 : 404);
    expect((await caller.post('/message/send', { recipientId: id, content: 'x' })).status).toBe(writes ? 201 : 404);
    expect((await caller.post(`/message/read/${id}`, {})).status).toBe(writes ? 200 : 404);
    const managed = role === 'admin' ? (kind === 'oneself' ? 409 : sees ? 200 : 404) : 403;
    expect((await caller.put(`/users/toggleUserStatus/${id}`)).status).toBe(managed);
    expect((await caller.del(`/users/${id}`)).status).toBe(managed);
  });
});

it('only its owner can read and mark a notification', async () => {
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
