import type { CallShape } from '@lightbox/contract/call.js';
import { type CallName, calls } from '@lightbox/contract/calls.js';
import { type ClientEvent, clientEventRules, clientEvents, serverEvents } from '@lightbox/contract/events.js';
import { defaultNoticeSettings } from '@lightbox/contract/notifications/choices.js';
import { permissions, roleMay, roles } from '@lightbox/contract/permissions.js';
import { newId } from '@lightbox/core/db/ids.js';
import { describe, expect, it } from 'vitest';
import { createApp } from './app.js';
import { payloads } from './realtime/payloads.js';
import { Client, connectSocket } from './testing/client.js';
import { envelopeOf } from './testing/envelope.js';
import {
  buildAdmin,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  buildStudy,
  PASSWORD,
  type Person,
} from './testing/factories.js';
import { buildGateway, firstAdmin } from './testing/gateway.js';
import { leaks } from './testing/leaks.js';
import { useGateway } from './testing/useGateway.js';

const { test, api } = useGateway();

const shapes = calls as Record<CallName, CallShape>;
const builders = {
  patient: () => buildPatient(test.gateway),
  healthProvider: () => buildProvider(test.gateway),
  admin: () => buildAdmin(test.gateway),
};

interface Layer {
  route?: { path: string | string[]; methods: Record<string, boolean> };
  handle?: { stack?: Layer[] };
}

/** Every route that Express has, however deep; those that answer every method refuse, and are looked at below. */
function routesOf(stack: Layer[]): string[] {
  return stack.flatMap(({ route, handle }) => {
    if (!route) return handle?.stack ? routesOf(handle.stack) : [];
    const methods = Object.keys(route.methods).filter((method) => route.methods[method] && method !== '_all');
    return [route.path].flat().flatMap((path) => methods.map((method) => `${method} ${path}`));
  });
}

describe('the router', () => {
  it('the router has exactly the declared routes, each with a rule', () => {
    const app = createApp(test.gateway, () => false);
    const found = routesOf((app.router as unknown as { stack: Layer[] }).stack);
    // Health and documentation: open to all clients, and without personal data.
    const open = ['get /healthz', 'get /readyz', 'get /openapi.json'];
    const declared = Object.values(shapes).map(({ method, path }) => `${method} ${path}`);
    expect(found.filter((route) => !open.includes(route) && !route.endsWith('{*path}')).sort()).toEqual(
      declared.sort(),
    );
    const known = ['anyone', 'verification', 'refreshCookie', 'guest', 'sender', 'scim', ...Object.keys(permissions)];
    for (const [name, { who }] of Object.entries(shapes)) expect(known, name).toContain(who);
  });

  const paths = [...new Set(Object.values(shapes).map(({ path }) => path))];
  const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'];

  let admin: Person | undefined;

  it.each(paths)('%s refuses every other method with 405, whoever asks, and names those it has', async (path) => {
    const own = Object.values(shapes).filter((shape) => shape.path === path);
    const named = own.map(({ method }) => method.toUpperCase());
    const answering = Object.values(shapes).filter((shape) => shape.path === path || matches(shape.path, path));
    const allowed = answering.map(({ method }) => method as string);
    admin ??= await builders.admin();
    const concrete = path.replace(/:\w+/g, String(newId()));
    const others = methods.filter((one) => !allowed.includes(one) && !(one === 'head' && allowed.includes('get')));
    for (const [i, method] of others.entries()) {
      for (const caller of i === 0 ? [null, admin] : [null]) {
        const answer = await api.as(caller).call(method, concrete);
        expect(answer.status, `${method} ${path}`).toBe(405);
        expect(answer.headers.allow?.split(', ')).toEqual(named);
        if (method !== 'head') expect(envelopeOf(answer.body).error).toBe('METHOD_NOT_ALLOWED');
      }
    }
  });

  /** `/users/profile` is a `/users/:id` too, to the method that only the latter has. */
  function matches(pattern: string, path: string): boolean {
    return !path.includes(':') && new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(path);
  }
});

describe('socket events', () => {
  it('every socket event has a declared rule, which is enforced for each role', async () => {
    expect(Object.keys(clientEventRules).sort()).toEqual(Object.keys(clientEvents).sort());
    for (const role of roles) {
      const person = await builders[role]();
      const client = await connectSocket(test.url, { token: person.token });
      for (const name of Object.keys(clientEvents) as ClientEvent[]) {
        const may = roleMay(role, clientEventRules[name]);
        expect(await client.ask(name, { wrong: true }), name).toMatchObject({
          error: may ? 'VALIDATION_FAILED' : 'FORBIDDEN',
        });
      }
      client.socket.close();
    }
  });

  it('events of the server are read through the policy: people without access get nothing about records', async () => {
    const names = Object.keys(serverEvents).filter((name) => name !== 'session:revoked' && !name.startsWith('view:'));
    expect(Object.keys(payloads).sort()).toEqual(names.sort());
    const share = await buildShare(test.gateway, { verified: true });
    const [stranger, sender] = [await builders.patient(), share.image.owner];
    const body = { recipientId: share.recipient.id, content: 'Between us' };
    const message = (await api.as(sender).post('/message/send', body).expect(201)).body.data;
    const made = await api.as(sender).post('/sharing/guest', { imagemetadataId: share.image.id }).expect(201);
    const link: string = made.body.data.id;
    const records: Partial<Record<keyof typeof payloads, string>> = {
      'message:new': message.id,
      'notification:new': String(newId()),
    };
    // Addressed by whoever acts, they carry ids of people who share a chat, or nothing at all.
    const personal = [
      'message:delivered',
      'message:read',
      'typing',
      'presence',
      'image:deleted',
      'study:deleted',
      'invite:created',
      'invite:accepted',
      'invite:ended',
      'settings:changed',
      'notification:settled',
    ];
    for (const name of Object.keys(payloads) as (keyof typeof payloads)[]) {
      if (personal.includes(name)) continue;
      const refs = { record: records[name] ?? share.image.id, share: share.id, link, progress: 1 };
      expect(await payloads[name](test.gateway, stranger, refs), name).toBeNull();
    }
  });
});

describe('fields that are nobody’s to send', () => {
  const extra = {
    role: 'admin',
    active: false,
    isVerified: true,
    status: 'active',
    sharedBy: String(newId()),
    owner: String(newId()),
    _id: String(newId()),
    password: 'Granite-Willow-99',
    passwordHash: 'x',
    createAt: '2001-01-01T00:00:00.000Z',
  };
  /** A good body for each call that takes one; what the seed's client sends without need is ignored, not refused. */
  async function bodies(): Promise<
    Partial<Record<CallName, { as: Person; path?: string; body: object; ignores?: string[] }>>
  > {
    const [admin, patient, provider] = [
      await builders.admin(),
      await builders.patient(),
      await builders.healthProvider(),
    ];
    const image = await buildImage(test.gateway, { owner: provider });
    const { study } = await buildStudy(test.gateway, { owner: provider });
    const share = await buildShare(test.gateway, { image, recipient: patient });
    const pending = await buildProvider(test.gateway, { status: 'pending' });
    const setting = (await api.as(admin).post('/appsetting/add', { name: `n${newId()}`, value: 'x' })).body.data;
    const post = (as: Person, body: object, path?: string) => ({ as, body, ...(path ? { path } : {}) });
    const person = { firstname: 'A', lastname: 'B', username: `u${newId()}`, role: 'patient', password: PASSWORD };
    return {
      register: { as: patient, body: { ...person, email: `${newId()}@hospital.test` }, ignores: ['active'] },
      login: post(patient, { email: patient.email, password: PASSWORD }),
      resendCode: post(patient, {}),
      confirm: post(patient, { code: '123456' }),
      refresh: post(patient, {}),
      logout: post(await builders.patient(), {}),
      forgotPassword: post(patient, { email: patient.email }),
      resetPassword: post(patient, { email: patient.email, otp: '123456', newPassword: PASSWORD }),
      updateProfile: post(patient, { city: 'Lahore' }),
      searchImages: post(patient, { text: 'hand' }),
      listMonths: post(patient, { list: 'shared', timeZone: 'Asia/Karachi' }),
      findPlace: post(patient, { list: 'shared', at: '2026-01-01T00:00:00Z', limit: 10 }),
      deleteProfile: post(patient, { password: PASSWORD }),
      setUpTotp: post(patient, {}),
      notMe: post(patient, { token: 'x' }),
      askPasskey: post(patient, {}),
      passkeySignIn: post(patient, { ceremony: 'x', response: {} }),
      stepUp: post(patient, { password: PASSWORD }),
      askStepUpPasskey: post(patient, {}),
      mailStepUpCode: post(patient, {}),
      askNewPasskey: post(patient, {}),
      addPasskey: post(patient, { ceremony: 'x', response: {}, name: 'x' }),
      renamePasskey: post(patient, { name: 'x' }, `/auth/passkeys/${newId()}`),
      removePasskey: post(patient, {}, `/auth/passkeys/${newId()}`),
      removeTotp: post(patient, { code: '123456' }),
      renewRecoveryCodes: post(patient, { code: '123456' }),
      changePassword: post(patient, { currentPassword: PASSWORD, newPassword: 'Harbour-Lantern-42' }),
      createToken: post(patient, { name: 'x', scopes: ['read'], days: 1 }),
      beginSignOn: post(patient, {}, '/auth/sign-on/clinic'),
      finishSignOn: post(patient, { query: '' }, '/auth/sign-on/clinic/finish'),
      beginSignOnStepUp: post(patient, {}),
      finishSignOnStepUp: post(patient, { query: '' }, '/auth/step-up/sign-on/clinic/finish'),
      beginLink: post(patient, {}, '/auth/identities/clinic/begin'),
      finishLink: post(patient, { query: '' }, '/auth/identities/clinic/finish'),
      createScimToken: post(admin, { name: 'x', provider: 'clinic' }),
      setLegalHold: post(
        admin,
        { held: true, reason: 'A letter' },
        `/users/${(await builders.patient()).id}/legal-hold`,
      ),
      toggleUserStatus: post(admin, { active: true }, `/users/toggleUserStatus/${patient.id}`),
      changeRole: post(admin, { role: 'healthProvider' }, `/users/role/${(await builders.patient()).id}`),
      createDicomNode: post(admin, { title: 'CT1', addresses: [], userId: patient.id }),
      changeDicomNode: post(admin, { title: 'CT1', addresses: [], userId: patient.id }, `/dicom-nodes/${newId()}`),
      createWebhook: post(patient, { url: 'https://127.0.0.1/x', events: ['image.uploaded'] }),
      createInstallationWebhook: post(admin, { url: 'https://127.0.0.1/x', events: ['image.uploaded'] }),
      changeWebhook: post(patient, { url: 'https://127.0.0.1/x', events: ['image.uploaded'] }, `/webhooks/${newId()}`),
      switchWebhook: post(patient, { on: false }, `/webhooks/${newId()}/state`),
      rotateWebhookSecret: post(patient, {}, `/webhooks/${newId()}/secret`),
      testWebhook: post(patient, {}, `/webhooks/${newId()}/test`),
      replayWebhookDelivery: post(patient, {}, `/webhooks/deliveries/${newId()}/replay`),
      subscribePush: post(patient, { endpoint: 'https://push.example.org/x', keys: { p256dh: 'x', auth: 'x' } }),
      unsubscribePush: post(patient, { endpoint: 'https://push.example.org/x' }),
      approveProvider: post(admin, { email: pending.email }),
      undoApproval: post(admin, { email: pending.email }),
      rejectProvider: post(admin, { email: pending.email, reason: 'x' }),
      createStudy: post(provider, { title: 'Left hand' }),
      updateStudy: post(provider, { title: 'Right hand' }, `/studies/${study}`),
      deleteStudy: post(provider, {}, `/studies/${study}`),
      createShare: post(provider, { imagemetadataId: image.id, createdfor: admin.id }),
      shareBatch: post(provider, { images: [image.id], people: [admin.id] }),
      changeShare: post(provider, { expiresInHours: 2 }, `/sharing/${share.id}`),
      readInvitation: post(patient, { token: `${newId()}.${'x'.repeat(43)}` }),
      acceptInvitation: post(patient, { token: `${newId()}.${'x'.repeat(43)}` }),
      resendInvitation: post(provider, {}, `/sharing/invitations/${newId()}/resend`),
      verifyShare: post(patient, { sharingRequestId: share.id, verificationCode: share.code }),
      resendShare: post(provider, {}, `/sharing/${share.id}/resend`),
      createGuestLink: post(provider, { imagemetadataId: image.id }),
      openElsewhere: post(provider, { imageId: image.id }),
      askGuestLink: post(provider, { link: `${newId()}.${'x'.repeat(43)}` }),
      openGuestLink: post(provider, { link: `${newId()}.${'x'.repeat(43)}`, code: '123456' }),
      createRequest: post(provider, { kind: 'file' }),
      takeRequest: post(provider, {}, `/requests/${newId()}/take`),
      openRequest: post(provider, { link: `${newId()}.${'x'.repeat(43)}` }),
      openEmergency: post(provider, { reason: 'Unconscious after a fall' }, `/users/${patient.id}/emergency`),
      endEmergency: post(provider, {}, `/emergencies/${newId()}/end`),
      approveEmergency: post(admin, {}, `/emergencies/${newId()}/approve`),
      questionEmergency: post(admin, { comment: 'Why?' }, `/emergencies/${newId()}/question`),
      answerEmergency: post(provider, { answer: 'A fall' }, `/emergencies/${newId()}/answer`),
      nameCarer: post(patient, { email: 'nobody@example.test' }),
      acceptCarer: post(patient, {}, `/carers/${newId()}/accept`),
      endCarer: post(patient, {}, `/carers/${newId()}/end`),
      blackOut: post(
        provider,
        { rectangles: [{ x0: 0, y0: 0, x1: 1, y1: 1 }], caption: 'Copy' },
        `/upload/image/${image.id}/blackout`,
      ),
      deleteImage: post(provider, {}, `/upload/image/${image.id}`),
      startAnalysis: post(provider, {}, `/analyze/${image.id}`),
      saveAnnotations: post(
        provider,
        { version: 0, shared: false, marks: [] },
        `/upload/image/${image.id}/annotations`,
      ),
      signAnalysis: post(provider, { version: 1 }, `/analyze/${image.id}/sign`),
      withdrawAnalysis: post(provider, { reason: 'Wrong side' }, `/analyze/${image.id}/withdraw`),
      setConsents: post(patient, { analysis: 'granted' }),
      sendMessage: post(provider, { recipientId: patient.id, content: 'Hi' }),
      checkAttachments: post(provider, { images: [image.id] }, `/message/chat/${patient.id}/images`),
      searchChat: post(provider, { text: 'Hi' }, `/message/chat/${patient.id}/search`),
      readMessages: post(provider, {}, `/message/read/${patient.id}`),
      readNotification: post(provider, {}, `/notifications/${newId()}/read`),
      readAllNotifications: post(provider, {}),
      setNoticeSettings: post(patient, { ...defaultNoticeSettings, timeZone: 'Asia/Karachi' }),
      addSetting: post(admin, { name: `m${newId()}`, value: 'x' }),
      editSetting: { as: admin, path: `/appsetting/edit/${setting.id}`, body: { value: 'y' }, ignores: ['createAt'] },
      deleteSetting: post(admin, { id: setting.id }),
      runSelfCheck: post(admin, {}),
      openQueueBoard: post(admin, {}),
      retryJob: post(admin, {}, `/admin/jobs/mail/${newId()}/retry`),
    };
  }
  const withBody = (Object.keys(shapes) as CallName[]).filter(
    // SCIM wants unknown attributes ignored (RFC 7644, 3.3), and a provider's sign-out sends a form.
    (name) =>
      shapes[name].body && shapes[name].multipart !== 'only' && shapes[name].who !== 'scim' && !shapes[name].form,
  );

  it('every call with a body refuses such fields by name, and they change nothing', async () => {
    const all = await bodies();
    expect(Object.keys(all).sort()).toEqual([...withBody].sort());
    const { User, Image, Study, Share, Setting, Message } = test.gateway.models;
    const kept = async () =>
      JSON.stringify(
        await Promise.all([
          User.find().lean(),
          Image.find().lean(),
          Study.find().lean(),
          Share.find().lean(),
          Setting.find().lean(),
          Message.find().lean(),
        ]),
      );
    const before = await kept();
    for (const name of withBody) {
      const { as, path, body, ignores = [] } = all[name] ?? { as: await builders.patient(), body: {} };
      const token =
        shapes[name].who === 'verification' ? test.gateway.tokens.verification(as.id, String(newId())) : as.token;
      /** Sends such fields in one call, and returns those that the refusal names. */
      const refused = async (fields: [string, unknown][]): Promise<string[]> => {
        const sent = { ...body, ...Object.fromEntries(fields) };
        const answer = await api.as(token).call(shapes[name].method, path ?? shapes[name].path, sent);
        expect(leaks(answer.body)).toEqual([]);
        // The cookie is asked for before the body is looked at.
        if (shapes[name].who === 'refreshCookie' && answer.status === 401) return fields.map(([field]) => field);
        expect(answer.status, `${name} with ${fields.join()}: ${answer.text}`).toBe(422);
        return answer.body.errors.map(({ field }: { field: string }) => field);
      };
      const strange = Object.entries(extra).filter(
        ([field]) => !ignores.includes(field) && !Object.hasOwn(body, field),
      );
      const named = await refused(strange);
      // Some calls know a password, but not this one.
      for (const one of strange) if (!named.includes(one[0])) await refused([one]);
    }
    expect(await kept()).toBe(before);
  });

  it('calls without a body refuse every field too, and one that is no JSON, and change nothing', async () => {
    const reading = (Object.keys(shapes) as CallName[]).filter((name) => {
      const { method, body, multipart, takes, tus, who } = shapes[name];
      return method !== 'get' && !(body || multipart || takes || tus) && Object.hasOwn(permissions, who);
    });
    expect(reading).toContain('deleteUser');
    const [admin, inactive] = [await builders.admin(), await buildPatient(test.gateway, { active: false })];
    const [patient, healthProvider] = await Promise.all([builders.patient(), builders.healthProvider()]);
    const people = { patient, healthProvider, admin };
    for (const name of reading) {
      const { method, path, who } = shapes[name];
      const as = roles.find((role) => roleMay(role, who as keyof typeof permissions)) ?? 'admin';
      const at = path.replace(/:\w+/g, path.startsWith('/users/') ? inactive.id : String(newId()));
      const answer = await api.as(people[as]).call(method, at, { active: false });
      expect(answer.status, `${name}: ${answer.text}`).toBe(422);
      expect(answer.body.errors).toMatchObject([{ field: 'active' }]);
    }
    const toggle = () => api.as(admin).put(`/users/toggleUserStatus/${inactive.id}`);
    await toggle().set('Content-Type', 'application/json').send('not json').expect(400);
    expect(await test.gateway.models.User.findById(inactive.id).lean()).toMatchObject({ active: false });
    await toggle().set('Content-Type', 'application/json').expect(200);
    await toggle().send({}).expect(200);
  });

  it('such fields that are accepted from the old client change nothing either', async () => {
    const email = `${newId()}@hospital.test`;
    const body = { firstname: 'A', lastname: 'B', username: `u${newId()}`, role: 'healthProvider', password: PASSWORD };
    await api.post('/auth/register', { ...body, email, active: true, role: 'admin' }).expect(422);
    await api.post('/auth/register', { ...body, email, active: false }).expect(201);
    const user = await test.gateway.models.User.findOne({ email }).lean();
    expect(user).toMatchObject({ active: true, status: 'pending', role: 'healthProvider' });
  });
});

describe('the limits of administrators', () => {
  it('administrators can only read the audit log', async () => {
    const writing = Object.values(shapes).filter(({ path, method }) => path.startsWith('/audit') && method !== 'get');
    expect(writing).toEqual([]);
    const admin = api.as(await builders.admin());
    for (const method of ['post', 'put', 'patch', 'delete']) {
      expect((await admin.call(method, '/audit/logs', {})).status).toBe(405);
      expect((await admin.call(method, `/audit/logs/${newId()}`, {})).status).toBe(404);
    }
  });

  it('administrators cannot remove themselves or the last administrator', async () => {
    const alone = await buildGateway();
    const { User } = alone.gateway.models;
    const last = await User.findOne({ email: firstAdmin.email }).lean();
    const second = await buildAdmin(alone.gateway);
    const client = new Client(alone.url).as(second);
    for (const path of [`/users/${second.id}`, `/users/toggleUserStatus/${second.id}`]) {
      const answer = await client.call(path.includes('toggle') ? 'put' : 'delete', path);
      expect(answer.body.error).toBe('NOT_ONESELF');
    }
    await client.put(`/users/toggleUserStatus/${last?._id}`).expect(200);
    const { body } = await client.del('/users/profile', { password: PASSWORD }).expect(409);
    expect(body.error).toBe('LAST_ADMIN');
    expect(await User.countDocuments({ role: 'admin', active: true, deletedAt: { $exists: false } })).toBe(1);
    await alone.stop();
  });
});

it('a patient sees only the directory’s fields of other people, and never health fields', async () => {
  const [me, other, provider] = [await builders.patient(), await builders.patient(), await builders.healthProvider()];
  for (const path of ['/users?limit=100', `/users/${provider.id}`, '/message/chat-list', '/upload/shared-images']) {
    const { body, text } = await api.as(me).get(path).expect(200);
    expect(leaks(body, text), path).toEqual([]);
    expect(text, path).not.toContain(other.id);
  }
  await buildImage(test.gateway, { owner: provider, patient: other._id });
  const { text } = await api.as(provider).get(`/users/${other.id}`).expect(200);
  expect(text).toContain('1980-05-17');
  expect(text).not.toContain('+92 300');
});
