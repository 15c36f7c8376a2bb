import type { AuditEntry } from '@lightbox/contract/audit/calls.js';
import { type TokenScope, tokenPrefix, tokenScopes } from '@lightbox/contract/auth/personalTokens.js';
import type { CallShape } from '@lightbox/contract/call.js';
import { calls } from '@lightbox/contract/calls.js';
import { limits } from '@lightbox/contract/limits.js';
import { type Permission, permissions, roleMay } from '@lightbox/contract/permissions.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import { verifyAudit } from '@lightbox/core/audit/verify.js';
import { newId, oid } from '@lightbox/core/db/ids.js';
import type { AuditEntryDoc } from '@lightbox/core/models/auditEntry.js';
import { describe, expect, it } from 'vitest';
import { connectSocket } from '../testing/client.js';
import { envelopeOf } from '../testing/envelope.js';
import { buildAdmin, buildImage, buildPatient, buildProvider, type Person, signIn } from '../testing/factories.js';
import { png } from '../testing/files.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();

interface Made {
  id: string;
  token: string;
}

async function make(person: Person, scopes: readonly TokenScope[] = ['read'], days = 30): Promise<Made> {
  const { body } = await api.as(person).post('/auth/tokens', { name: 'Archive', scopes, days }).expect(201);
  return body.data;
}

const tokensOf = async (person: Person) => (await api.as(person).get('/auth/tokens').expect(200)).body.data;

const shapes = Object.entries(calls) as [string, CallShape][];
const forPeople = shapes.filter(([, { who }]) => Object.hasOwn(permissions, who));

describe('a personal token', () => {
  it('is shown once, kept as a hash, and listed with its end and its last use', async () => {
    const person = await buildProvider(test.gateway);
    const made = await make(person, ['share', 'read', 'read']);
    expect(made).toMatchObject({ name: 'Archive', scopes: ['read', 'share'] });
    expect(made.token).toMatch(new RegExp(`^${tokenPrefix}[\\w-]{43}$`));
    const stored = await test.gateway.models.Session.findById(made.id).lean();
    expect(JSON.stringify(stored)).not.toContain(made.token.slice(tokenPrefix.length));
    const { token: _, ...shown } = { ...made };
    expect(await tokensOf(person)).toEqual([shown]);
    await api.as(made.token).get('/upload/my-images').expect(200);
    await expect.poll(() => tokensOf(person)).toEqual([{ ...shown, lastUsedAt: expect.any(String) }]);
    const { body } = await api.as(made.token).get('/auth/tokens/current').expect(200);
    expect(body.data).toMatchObject({ id: made.id, user: { id: person.id, role: 'healthProvider' } });
    // It is no device, and a session is no token.
    expect((await api.as(person).get('/auth/sessions').expect(200)).body.data).toHaveLength(1);
    await api.as(person).del(`/auth/sessions/${made.id}`).expect(404);
    await api.as(person).del(`/auth/tokens/${person.sessionId}`).expect(404);
  });

  it('uploads and reads for its person, and the log names the person and the token', async () => {
    const person = await buildProvider(test.gateway);
    const { id, token } = await make(person, ['upload', 'read']);
    const { body } = await api.as(token).upload(png(4, 4)).expect(201);
    await api.as(token).get(`/upload/image/${body.data.id}/content`).expect(200);
    const events = await test.gateway.models.Event.find({ record: body.data.id }).lean();
    expect(events.map(({ type, actor }) => [type, String(actor)])).toEqual(
      expect.arrayContaining([
        ['image.upload', person.id],
        ['image.content', person.id],
      ]),
    );
    await api.as(token).get(`/upload/image/${newId()}`).expect(404);
    await api.as(person).get(`/upload/image/${body.data.id}/content`).expect(200);
    const { models, keys } = test.gateway;
    await appendAudit(models, keys.audit);
    const own = api.as(person);
    const { body: log } = await own.get('/audit/logs?limit=50').expect(200);
    const told = (log.data as AuditEntry[]).map(({ actiontype, status, tokenId }) => [actiontype, status, tokenId]);
    expect(told).toEqual(
      expect.arrayContaining([
        ['image.upload', 'success', id],
        ['image.content', 'success', id],
        ['image.content', 'success', undefined],
        ['image.read', 'denied', id],
      ]),
    );
    const csv = (await own.get('/audit/export').expect(200)).text.split('\r\n');
    expect(csv[0]).toMatch(/,tokenId,nodeId$/);
    expect(csv.find((line) => line.includes('image.upload'))).toMatch(new RegExp(`,${id},$`));
    const fhir = JSON.parse((await own.get('/audit/export?format=fhir').expect(200)).text);
    expect(JSON.stringify(fhir)).toContain(`"who":{"identifier":{"system":"urn:lightbox:token","value":"${id}"}}`);
    // The token is one of the facts that the chain protects.
    expect(await verifyAudit(models, keys.audit)).toMatchObject({ ok: true });
    const { seq } = (await models.AuditEntry.findOne({ type: 'image.upload', token: oid(id) }).lean()) as AuditEntryDoc;
    for (const change of [{ $unset: { token: 1 } }, { $set: { token: newId() } }]) {
      await models.AuditEntry.updateOne({ seq }, change);
      expect(await verifyAudit(models, keys.audit)).toMatchObject({ ok: false, firstBroken: seq });
    }
    await models.AuditEntry.updateOne({ seq }, { $set: { token: oid(id) } });
    expect(await verifyAudit(models, keys.audit)).toMatchObject({ ok: true });
  });

  it.each(tokenScopes)('with the scope %s opens exactly the calls that name it', async (scope) => {
    const admin = await buildAdmin(test.gateway);
    const { token } = await make(admin, [scope]);
    const { id } = await buildImage(test.gateway);
    for (const [name, shape] of forPeople) {
      const path = shape.path.replace(/:\w+/g, name.includes('mage') ? id : String(newId()));
      const answer = await api
        .as(token)
        .call(shape.method, path, ['post', 'put'].includes(shape.method) ? {} : undefined);
      if (shape.scopes?.includes(scope)) expect(answer.status, name).not.toBe(401);
      else if (shape.method === 'head') expect(answer.status, name).toBe(401);
      else expect([answer.status, envelopeOf(answer.body).message], name).toEqual([401, 'Authentication failed']);
    }
  });

  it('never opens a call that needs a proof of identity, the socket, or a call that changes who the person is', async () => {
    for (const [name, { scopes, stepUp, who }] of shapes.filter(([, shape]) => shape.scopes)) {
      expect(stepUp, name).toBeUndefined();
      expect(tokenScopes.every((scope) => scopes?.includes(scope)) && name !== 'getCurrentToken', name).toBe(false);
      if (name === 'getCurrentToken') continue;
      expect(['session.manage', 'totp.manage', 'password.change', 'profile.write', 'user.manage'], name).not.toContain(
        who,
      );
    }
    const { token } = await make(await buildAdmin(test.gateway), tokenScopes);
    await expect(connectSocket(test.url, { token })).rejects.toThrow('Unauthenticated');
  });

  it('may no more than its person', async () => {
    const patient = await buildPatient(test.gateway);
    const { token } = await make(patient, tokenScopes);
    for (const [name, shape] of forPeople.filter(([, { scopes }]) => scopes)) {
      if (roleMay('patient', shape.who as Permission)) continue;
      const answer = await api.as(token).call(shape.method, shape.path.replace(/:\w+/g, String(newId())));
      expect(answer.status, name).toBe(403);
    }
    const foreign = await buildImage(test.gateway);
    await api.as(token).get(`/upload/image/${foreign.id}`).expect(404);
  });

  it('counts every use, also one that calls itself a background call', async () => {
    const person = await buildProvider(test.gateway);
    const { token } = await make(person);
    await api.as(token).get('/upload/my-images').set('X-Background', '1').expect(200);
    await expect.poll(() => tokensOf(person)).toEqual([expect.objectContaining({ lastUsedAt: expect.any(String) })]);
  });

  it('ends by its date, and not by idleness', async () => {
    const person = await buildProvider(test.gateway);
    const { token } = await make(person, ['read'], 2);
    test.clock.forward({ minutes: limits.sessionIdleMinutes * 10 });
    await api.as(token).get('/upload/my-images').expect(200);
    test.clock.forward({ minutes: 2 * 24 * 60 });
    await api.as(token).get('/upload/my-images').expect(401);
  });

  it('ends at once when it is revoked, and only its person can revoke it', async () => {
    const [person, stranger] = [await buildProvider(test.gateway), await buildAdmin(test.gateway)];
    const [made, other] = [await make(person), await make(person)];
    await api.as(made.token).get('/upload/my-images').expect(200);
    await api.as(stranger).del(`/auth/tokens/${made.id}`).expect(404);
    await api.as(person).del(`/auth/tokens/${made.id}`).expect(200);
    await api.as(made.token).get('/upload/my-images').expect(401);
    await api.as(other.token).get('/upload/my-images').expect(200);
    await api.as(person).del(`/auth/tokens/${made.id}`).expect(404);
    expect(await tokensOf(person)).toHaveLength(1);
  });

  it('has a name, known scopes and an end, and an account has a limited number of them', async () => {
    const person = await buildProvider(test.gateway);
    const good = { name: 'Archive', scopes: ['read'], days: 30 };
    for (const wrong of [
      { name: ' ' },
      { scopes: [] },
      { scopes: ['admin'] },
      { days: 0 },
      { days: limits.tokenDays + 1 },
    ]) {
      await api
        .as(person)
        .post('/auth/tokens', { ...good, ...wrong })
        .expect(422);
    }
    expect(await tokensOf(person)).toEqual([]);
    const { Session } = test.gateway.models;
    const first = await make(person);
    const doc = await Session.findById(first.id).lean();
    const more = Array.from({ length: limits.tokens - 1 }, (_, i) => ({
      ...doc,
      _id: newId(),
      token: { ...doc?.token, hash: `hash ${i}` },
    }));
    await Session.create(more);
    await api.as(person).post('/auth/tokens', good).expect(409);
    await api.as(person).del(`/auth/tokens/${first.id}`).expect(200);
    // The last place is taken once, also by two devices at the same moment.
    const phone = await signIn(test.gateway, person._id);
    const answers = await Promise.all([person, phone].map((device) => api.as(device).post('/auth/tokens', good)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it('a token that nobody made, or a part of one, is refused with the one message', async () => {
    const { token } = await make(await buildProvider(test.gateway));
    for (const wrong of [`${tokenPrefix}${'A'.repeat(43)}`, token.slice(0, -1), tokenPrefix, `${token}A`]) {
      const { body } = await api.as(wrong).get('/upload/my-images').expect(401);
      expect(body.message).toBe('Authentication failed');
    }
  });
});
