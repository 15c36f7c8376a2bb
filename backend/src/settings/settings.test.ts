import { randomUUID } from 'node:crypto';
import { permissions, roles } from '@lightbox/contract/permissions.js';
import type { Setting, SettingChange } from '@lightbox/contract/settings/calls.js';
import { settingNames } from '@lightbox/contract/settings/known.js';
import { newId } from '@lightbox/core/db/ids.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../testing/client.js';
import { buildAdmin, buildPatient } from '../testing/factories.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let admin: Client;

beforeAll(async () => {
  admin = api.as(await buildAdmin(test.gateway));
});

const add = (body: object) => admin.post('/appsetting/add', body);

describe('settings', () => {
  it('settings are added, listed, changed and deleted, also with the superfluous fields of clients', async () => {
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
    [{ name: 'session.idleMinutes', value: '0x18' }, 'value'],
    [{ name: 'session.idleMinutes', value: '3e1' }, 'value'],
    [{ name: 'session.idleMinutes', value: '+30' }, 'value'],
    [{ name: 'session.idleMinutes', value: '٣٠' }, 'value'],
    [{ name: 'session.idleMinutes', value: '[30]' }, 'value'],
    [{ name: 'directory.patients', value: 'none' }, 'value'],
    [{ name: 'directory.patients', value: '' }, 'value'],
  ])('the setting %j is refused', async (body, field) => {
    const answer = await add(body).expect(422);
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toEqual([field]);
  });

  it('a name of a setting is unique, and one key has one effect', async () => {
    const key = randomUUID();
    const send = () => add({ name: 'once', value: '1' }).set('Idempotency-Key', key).expect(201);
    expect((await send()).body).toEqual((await send()).body);
    const { body } = await add({ name: 'once', value: '2' }).set('Idempotency-Key', key).expect(422);
    expect(body.errors.map((error: { field: string }) => error.field)).toEqual(['Idempotency-Key']);
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

  it('that the product knows are described with what holds now, set or not', async () => {
    const known = async () =>
      new Map<string, { current: string }>(
        (await admin.get('/appsetting/known').expect(200)).body.data.map((row: { name: string }) => [row.name, row]),
      );
    const before = await known();
    expect([...before.keys()]).toEqual(settingNames);
    expect(before.get('sharing.expiryHours')).toEqual({
      name: 'sharing.expiryHours',
      description: expect.any(String),
      kind: 'number',
      unit: 'hours',
      min: 1,
      max: 720,
      default: '24',
      current: '24',
      changed: null,
    });
    expect(before.get('directory.patients')).toMatchObject({
      kind: 'choice',
      options: ['all', 'known'],
      default: 'all',
      current: 'all',
    });
    const { body } = await add({ name: 'sharing.expiryHours', value: ' 048 ' }).expect(201);
    expect((await known()).get('sharing.expiryHours')).toMatchObject({ default: '24', current: '48' });
    const person = new Client(test.url).as(await buildPatient(test.gateway));
    const values = async () => (await person.get('/settings/public').expect(200)).body.data;
    expect(await values()).toEqual({
      'clinic.name': '',
      'clinic.phone': '',
      'clinic.url': '',
      'upload.maxBytes': 10 * 1024 * 1024,
      'sharing.expiryHours': 48,
      'session.idleMinutes': 30,
      'analysis.consent': 'off',
      'viewer.url': '',
    });
    const stranger = new Client(test.url);
    expect((await stranger.get('/settings/limits').expect(200)).body.data).toEqual({
      'clinic.name': '',
      'clinic.phone': '',
      'clinic.url': '',
      'upload.maxBytes': 10 * 1024 * 1024,
      'sharing.expiryHours': 48,
    });
    await stranger.get('/settings/public').expect(401);
    await admin.del('/appsetting/delete', { id: body.data.id }).expect(200);
    expect((await values())['sharing.expiryHours']).toBe(24);
    await person.get('/appsetting/known').expect(403);
  });

  it('the history of a setting has old and new value, person and time, also after its deletion', async () => {
    const { body } = await add({ name: 'ward.phone', value: '1' }).expect(201);
    const { id } = body.data;
    const path = `/appsetting/edit/${id}`;
    await admin.put(path, { value: '2' }).expect(200);
    await admin.put(path, { description: 'no other value' }).expect(200);
    await admin.put(path, { name: 'sharing.expiryHours', value: 'never' }).expect(422);
    const other = await buildAdmin(test.gateway, { firstname: 'Mariam', lastname: 'Yousaf' });
    await new Client(test.url).as(other).put(path, { name: 'ward.fax' }).expect(200);
    await admin.del('/appsetting/delete', { id }).expect(200);

    const history = await admin.get(`/appsetting/${id}/history`).expect(200);
    const rows = history.body.data.map(({ name, from, to }: SettingChange) => ({ name, from, to }));
    expect(rows).toEqual([
      { name: 'ward.fax', from: '2', to: null },
      { name: 'ward.fax', from: '2', to: '2' },
      { name: 'ward.phone', from: '1', to: '2' },
      { name: 'ward.phone', from: null, to: '1' },
    ]);
    expect(history.body.data[1].by).toEqual({ id: other.id, firstname: 'Mariam', lastname: 'Yousaf' });
    expect(history.body.pagination).toMatchObject({ totalItems: 4 });
    await admin.get(`/appsetting/${newId()}/history`).expect(404);
  });

  it('that the product knows keep one history under their name, through every return to the default', async () => {
    const path = '/appsetting/known/sharing.expiryHours/history';
    const earlier = (await admin.get(path).expect(200)).body.pagination.totalItems;
    const set = (value: string) => add({ name: 'sharing.expiryHours', value }).expect(201);
    const toDefault = (id: string) => admin.del('/appsetting/delete', { id }).expect(200);
    await toDefault((await set('36')).body.data.id);
    await toDefault((await set('72')).body.data.id);
    const { body } = await admin.get(`${path}?limit=4`).expect(200);
    expect(body.data.map(({ from, to }: SettingChange) => [from, to])).toEqual([
      ['72', null],
      [null, '72'],
      ['36', null],
      [null, '36'],
    ]);
    expect(body.pagination.totalItems).toBe(earlier + 4);
    const known = (await admin.get('/appsetting/known').expect(200)).body.data;
    const info = known.find((row: { name: string }) => row.name === 'sharing.expiryHours');
    expect(info.changed).toEqual({ by: body.data[0].by, at: body.data[0].at });
    await admin.get('/appsetting/known/ward.name/history').expect(404);
  });

  it('that are changed at once have a history without a gap', async () => {
    const { body } = await add({ name: 'ward.beds', value: '0' }).expect(201);
    const values = ['1', '2', '3', '4', '5'];
    await Promise.all(values.map((value) => admin.put(`/appsetting/edit/${body.data.id}`, { value }).expect(200)));
    const rows: SettingChange[] = (await admin.get(`/appsetting/${body.data.id}/history`).expect(200)).body.data;
    // Each change follows from exactly one other, whatever their order.
    expect(rows.map(({ to }) => to).sort()).toEqual(['0', ...values]);
    const now = (await admin.get('/appsetting/').expect(200)).body.data.find(
      (row: Setting) => row.name === 'ward.beds',
    );
    const froms = rows.flatMap(({ from }) => from ?? []);
    expect([...froms, now.value].sort()).toEqual(['0', ...values]);
  });

  it('a new idle time applies at once, also to existing sessions', async () => {
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
