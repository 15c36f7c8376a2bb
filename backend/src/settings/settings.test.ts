import { randomUUID } from 'node:crypto';
import { permissions, roles } from '@lightbox/contract/permissions.js';
import { newId } from '@lightbox/core/db/ids.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../testing/client.js';
import { buildAdmin, buildPatient } from '../testing/factories.js';
import { buildGateway, type TestGateway } from '../testing/gateway.js';

let test: TestGateway;
let admin: Client;

beforeAll(async () => {
  test = await buildGateway();
  admin = new Client(test.url).as(await buildAdmin(test.gateway));
});
afterAll(() => test.stop());

const add = (body: object) => admin.post('/appsetting/add', body);

describe('settings', () => {
  it('are added, listed, changed and deleted, with the fields that clients send without need', async () => {
    const { body } = await add({ name: 'ward.name', value: 'North', description: 'Shown nowhere' }).expect(201);
    const setting = body.data;
    expect(Object.keys(setting).sort()).toEqual(['createAt', 'description', 'id', 'name', 'updatedAt', 'value']);
    const change = { ...setting, value: 'South', createAt: 'ignored', updatedAt: 'ignored', id: 'ignored' };
    const edited = await admin.put(`/appsetting/edit/${setting.id}`, change).expect(200);
    expect(edited.body.data).toMatchObject({
      id: setting.id,
      name: 'ward.name',
      value: 'South',
      createAt: setting.createAt,
    });
    const list = await admin.get('/appsetting/').expect(200);
    expect(list.body.data).toContainEqual(edited.body.data);
    expect((await admin.get('/appsetting').expect(200)).body.data).toEqual(list.body.data);
    await admin.del('/appsetting/delete', { id: setting.id, user: { id: 'somebody' } }).expect(200);
    await admin.del('/appsetting/delete', { id: setting.id }).expect(404);
    await admin.put(`/appsetting/edit/${setting.id}`, { value: 'x' }).expect(404);
  });

  it.each([
    [{ name: '', value: 'x' }, 'name'],
    [{ name: '__proto__', value: 'x' }, 'name'],
    [{ name: 'x', value: 'x'.repeat(2001) }, 'value'],
    [{ name: 'x', value: 5 }, 'value'],
    [{ name: 'x' }, 'value'],
    [{ name: 'x', value: 'x', extra: 1 }, 'extra'],
    [{ name: 'upload.maxBytes', value: 'many' }, 'value'],
    [{ name: 'upload.maxBytes', value: '1024' }, 'value'],
    [{ name: 'upload.maxBytes', value: String(513 * 1024 * 1024) }, 'value'],
    [{ name: 'upload.maxBytes', value: '' }, 'value'],
    [{ name: 'sharing.expiryHours', value: '24.5' }, 'value'],
    [{ name: 'sharing.expiryHours', value: '721' }, 'value'],
    [{ name: 'session.idleMinutes', value: '0' }, 'value'],
  ])('%j are refused', async (body, field) => {
    const answer = await add(body).expect(422);
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toEqual([field]);
  });

  it('have their name once, and one effect for one key', async () => {
    const key = randomUUID();
    const send = () => add({ name: 'once', value: '1' }).set('Idempotency-Key', key).expect(201);
    expect((await send()).body).toEqual((await send()).body);
    expect((await add({ name: 'once', value: '2' }).expect(409)).body.error).toBe('CONFLICT');
    const other = await add({ name: 'other', value: '1' }).expect(201);
    await admin.put(`/appsetting/edit/${other.body.data.id}`, { name: 'once' }).expect(409);
    const many = await Promise.all(Array.from({ length: 5 }, () => add({ name: 'parallel', value: '1' })));
    expect(many.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409, 409]);
  });

  it('cannot be turned into a known one with a value that it cannot have', async () => {
    const { body } = await add({ name: 'note', value: 'text' }).expect(201);
    await admin.put(`/appsetting/edit/${body.data.id}`, { name: 'session.idleMinutes' }).expect(422);
  });

  it('of the idle time hold at once, for sessions that are there already', async () => {
    const person = await buildPatient(test.gateway);
    const api = new Client(test.url).as(person);
    const { body } = await add({ name: 'session.idleMinutes', value: '5' }).expect(201);
    await api.get('/users/profile').expect(200);
    test.clock.forward({ minutes: 6 });
    await api.get('/users/profile').expect(401);
    admin = new Client(test.url).as(await buildAdmin(test.gateway));
    await admin.del('/appsetting/delete', { id: body.data.id }).expect(200);
    await api.get('/users/profile').expect(200);
    await admin.put(`/appsetting/edit/${newId()}`, {}).expect(404);
  });
});

it('roles and permissions come from the policy that the server enforces', async () => {
  const names = async (path: string) =>
    (await admin.get(path).expect(200)).body.data.map((row: { name: string }) => row.name);
  expect(await names('/roles')).toEqual(roles);
  expect(await names('/roles/permissions')).toEqual(Object.keys(permissions));
});
