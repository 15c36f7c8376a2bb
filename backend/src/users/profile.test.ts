import { randomBytes } from 'node:crypto';
import { defaultNoticeSettings } from '@lightbox/contract/notifications/choices.js';
import { nextAt } from '@lightbox/contract/notifications/clock.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import { newId } from '@lightbox/core/db/ids.js';
import type { PhotoDoc } from '@lightbox/core/models/photo.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { openProfile, sealedFields } from '@lightbox/core/users/profile.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { connectSocket } from '../testing/client.js';
import { buildAdmin, buildImage, buildPatient, buildProvider, PASSWORD, type Person } from '../testing/factories.js';
import { files } from '../testing/files.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();
let admin: Person;

beforeAll(async () => {
  admin = await buildAdmin(test.gateway);
});

const defaultSettings = { ...defaultNoticeSettings, timeZone: 'Asia/Karachi' };

/** Values that are nobody's, so that finding one in the database's own bytes can mean one thing only. */
const planted = {
  dob: '1931-07-23',
  gender: 'other',
  bloodgroup: 'Bg-77',
  phone: '+92 321 5550177',
  address: 'Planted-Street-9',
  insurancenumber: 'Planted-Insurance',
  primphysician: 'Planted-Physician',
  bio: 'Planted-History',
};

const users = () => test.gateway.models.User.collection;
const stored = (id: Person['_id']) => test.gateway.models.User.findById(id).lean<UserDoc>();

/** The documents of the people as the database has them. */
async function bytesOfPeople(): Promise<Buffer> {
  const found = await users()
    .find({}, { raw: true } as object)
    .toArray();
  return Buffer.concat(found as unknown as Buffer[]);
}

async function flip(person: Person, at = 20): Promise<void> {
  const { profile } = (await stored(person._id)) as UserDoc;
  const bytes = Buffer.from(bufferOf(profile?.sealed ?? Buffer.alloc(0)));
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  await users().updateOne({ _id: person._id }, { $set: { 'profile.sealed': bytes } });
}

describe('the profile', () => {
  it('a profile is stored encrypted, and is shown to those who may see it', async () => {
    const who = { username: `seal.${randomBytes(4).toString('hex')}`, password: PASSWORD, role: 'patient' };
    const registration = { ...who, email: `${who.username}@hospital.test`, firstname: 'Noor', lastname: 'Sealed' };
    const { body } = await api.post('/auth/register', { ...registration, ...planted }).expect(201);
    const changed = await buildPatient(test.gateway);
    const { gender: _, dob, ...others } = planted;
    await api
      .as(changed)
      .put('/users/profile', { ...others, dob })
      .expect(200);

    const bytes = await bytesOfPeople();
    expect(bytes.includes(who.username), 'names are in clear').toBe(true);
    for (const value of Object.values(planted)) if (value !== 'other') expect(bytes.includes(value), value).toBe(false);
    for (const field of sealedFields) expect(bytes.includes(`\x02${field}\0`), field).toBe(false);
    const shown = await api.as(admin).get(`/users/${body.data.user.id}`).expect(200);
    expect(shown.body.data).toMatchObject(planted);
    expect((await api.as(changed).get('/users/profile').expect(200)).body.data).toMatchObject(others);
    const csv = await api.as(admin).get('/users/export?search=sealed').expect(200);
    expect(csv.text).toContain(',other,');
  });

  it('a profile is encrypted again at each change, and never to the same bytes', async () => {
    const person = await buildPatient(test.gateway);
    const before = await stored(person._id);
    await api.as(person).put('/users/profile', { dob: '1980-05-17' }).expect(200);
    const after = await stored(person._id);
    expect(openProfile(test.gateway.keys, after as UserDoc)).toEqual(openProfile(test.gateway.keys, before as UserDoc));
    expect(String(after?.profile?.sealed)).not.toBe(String(before?.profile?.sealed));
  });

  it('an account has a language, English until it is changed, and a change of it changes nothing else', async () => {
    const person = await buildPatient(test.gateway, { phone: planted.phone });
    const profile = async () => (await api.as(person).get('/users/profile').expect(200)).body.data;
    const before = await profile();
    expect(before.language).toBe('en');
    await api.as(person).put('/users/profile', { language: 'ur' }).expect(200);
    expect(await profile()).toEqual({ ...before, language: 'ur' });
    await api.as(person).put('/users/profile', { language: 'xx' }).expect(422);
    const other = (
      await api
        .as(await buildPatient(test.gateway))
        .get('/users')
        .expect(200)
    ).body.data;
    expect(other.filter((one: object) => 'language' in one)).toEqual([]);
  });

  it('the choices of notifications are stored, are live in the person’s other tabs only, and end with the account', async () => {
    const person = await buildPatient(test.gateway);
    const tabs = await Promise.all([person, admin].map(({ token }) => connectSocket(test.url, { token })));
    const path = '/users/profile/notifications';
    const { body } = await api.as(person).get(path).expect(200);
    expect(body.data).toMatchObject(defaultNoticeSettings);
    const shares = { app: false, device: true, mail: true };
    const chosen = {
      ...defaultNoticeSettings,
      choices: { ...defaultNoticeSettings.choices, shares },
      ...{ quiet: { from: '22:00', to: '07:00' }, digest: 'weekly', digestAt: '07:30', timeZone: 'Asia/Karachi' },
    };
    await api.as(person).put(path, chosen).expect(200);
    expect((await api.as(person).get(path).expect(200)).body.data).toEqual(chosen);
    await tabs[0]?.until('notification:chosen');
    const { nextDigestAt } = (await stored(person._id)) as UserDoc;
    expect(nextDigestAt).toEqual(nextAt('07:30', 'Asia/Karachi', 'weekly', test.gateway.clock.now()));
    // A person who travels gets the digest at that hour of their new place.
    await api.as(person).put('/users/profile', { timeZone: 'Europe/Berlin' }).expect(200);
    expect((await stored(person._id))?.nextDigestAt).toEqual(
      nextAt('07:30', 'Europe/Berlin', 'weekly', test.gateway.clock.now()),
    );
    await api.as(person).put(path, defaultSettings).expect(200);
    expect(await stored(person._id)).not.toHaveProperty('nextDigestAt');
    await tabs[0]?.until('notification:chosen', 2);
    expect(tabs[1]?.seen('notification:chosen')).toEqual([]);
    for (const { socket } of tabs) socket.close();
    await api.as(person).call('delete', '/users/profile', { password: PASSWORD }).expect(200);
    for (const field of ['notices', 'timeZone', 'language']) expect(await stored(person._id)).not.toHaveProperty(field);
  });

  it('a digest that is due is kept when the time zone or the choices are saved before it is sent, and goes when it is turned off', async () => {
    const person = await buildPatient(test.gateway);
    const path = '/users/profile/notifications';
    const chosen = { ...defaultSettings, digest: 'daily', digestAt: '07:30' };
    await api.as(person).put(path, chosen).expect(200);
    const due = new Date(test.gateway.clock.now().getTime() - 1_000);
    await users().updateOne({ _id: person._id }, { $set: { nextDigestAt: due } });
    const next = async () => (await stored(person._id))?.nextDigestAt;
    // A browser sends its zone with each change of it, and a form its unchanged choices.
    for (const timeZone of ['Asia/Karachi', 'Europe/Berlin']) {
      await api.as(person).put('/users/profile', { timeZone }).expect(200);
      expect(await next(), timeZone).toEqual(due);
    }
    await api
      .as(person)
      .put(path, { ...chosen, digestAt: '18:00' })
      .expect(200);
    expect(await next()).toEqual(due);
    await api.as(person).put(path, defaultSettings).expect(200);
    expect(await next()).toBeUndefined();
  });

  it.each([
    [
      'security mails off',
      { choices: { ...defaultNoticeSettings.choices, account: { app: true, device: true, mail: false } } },
    ],
    ['an unknown time zone', { timeZone: 'Asia/Nowhere' }],
    ['quiet hours without length', { quiet: { from: '07:00', to: '07:00' } }],
  ])('choices with %s are refused', async (_, change) => {
    const person = await buildPatient(test.gateway);
    await api
      .as(person)
      .put('/users/profile/notifications', { ...defaultSettings, ...change })
      .expect(422);
    expect(await stored(person._id)).not.toHaveProperty('notices');
  });

  it('two concurrent changes of a profile are both stored', async () => {
    const person = await buildPatient(test.gateway);
    const changes = { city: 'Lahore', state: 'Punjab', zipcode: '54000', taxid: 'T-1', address: 'Mall Road' };
    await Promise.all(
      Object.entries(changes).map(([field, value]) =>
        api
          .as(person)
          .put('/users/profile', { [field]: value })
          .expect(200),
      ),
    );
    expect((await api.as(person).get('/users/profile').expect(200)).body.data).toMatchObject(changes);
  });

  it('two concurrent changes of a name leave the words and the sort key of the stored name', async () => {
    const admin = await buildAdmin(test.gateway);
    // The second change has read the account before the first one is stored.
    for (let i = 0; i < 3; i++) {
      const person = await buildPatient(test.gateway, { firstname: 'Oldfirst', lastname: 'Oldlast' });
      await Promise.all([
        api
          .as(person)
          .put('/users/profile', { firstname: `Newfirst${i}` })
          .expect(200),
        api
          .as(person)
          .put('/users/profile', { lastname: `Newlast${i}` })
          .expect(200),
      ]);
      const { body } = await api.as(admin).get(`/users?search=newfirst${i}%20newlast${i}`).expect(200);
      expect(body.data.map(({ id }: { id: string }) => id)).toEqual([person.id]);
      const { sortKey } = (await test.gateway.models.User.findById(person._id).lean<UserDoc>()) as UserDoc;
      expect(sortKey).toBe(`newlast${i} newfirst${i}`);
    }
  });

  it('a profile that an older version stored in clear is read, and encrypted by the next change', async () => {
    const person = await buildPatient(test.gateway, { dob: '' });
    await users().updateOne({ _id: person._id }, { $unset: { profile: 1 }, $set: { dob: planted.dob, city: 'Swat' } });
    const { body } = await api.as(person).get('/users/profile').expect(200);
    expect(body.data).toMatchObject({ dob: planted.dob, city: 'Swat' });
    await api.as(person).put('/users/profile', { city: 'Gilgit' }).expect(200);
    expect(await stored(person._id)).not.toHaveProperty('dob');
    expect(await stored(person._id)).not.toHaveProperty('city');
    const again = await api.as(person).get('/users/profile').expect(200);
    expect(again.body.data).toMatchObject({ dob: planted.dob, city: 'Gilgit' });
  });

  it('a profile cannot be stored in clear', async () => {
    const { _id } = await buildPatient(test.gateway);
    await expect(test.gateway.models.User.updateOne({ _id }, { $set: { dob: '1980-01-01' } })).rejects.toThrow(
      'strict',
    );
  });
});

describe('a profile that was tampered with', () => {
  it.each(['one bit of it', 'all of it, by somebody else’s'])('is refused after %s was changed', async (what) => {
    const [person, other] = [await buildPatient(test.gateway, planted), await buildPatient(test.gateway, planted)];
    const provider = await buildProvider(test.gateway);
    await buildImage(test.gateway, { owner: provider, patient: other._id });
    if (what.startsWith('one')) await flip(person);
    else await users().updateOne({ _id: person._id }, { $set: { profile: (await stored(other._id))?.profile } });

    const lines: string[] = [];
    const { log } = test.gateway;
    test.gateway.log = pino({}, { write: (line) => lines.push(line) });
    try {
      for (const refused of [
        api.as(provider).get(`/users/${person.id}`),
        api.as(person).get('/users/profile'),
        api.as(person).put('/users/profile', { city: 'Lahore' }),
      ]) {
        const { body } = await refused.expect(500);
        expect(body).toEqual({
          error: 'DAMAGED',
          message: 'The stored data is damaged and cannot be shown. Please tell an administrator.',
          requestId: expect.any(String),
        });
      }
      // Lists and other people go on: names are shown, what is damaged is left out and told to the log.
      const { body } = await api.as(admin).get(`/users?search=${person.username}`).expect(200);
      expect(body.data).toMatchObject([{ id: person.id, firstname: 'Ada' }]);
      expect(body.data[0]).not.toHaveProperty('dob');
      expect((await api.as(provider).get(`/users/${other.id}`).expect(200)).body.data.dob).toBe(planted.dob);
      expect(lines.join('')).toContain(`profile/${person.id}`);
      for (const value of Object.values(planted)) expect(lines.join(''), value).not.toContain(`"${value}"`);
    } finally {
      test.gateway.log = log;
    }
  });
});

it('the removal of a photo that is not there is no entry of the log', async () => {
  const person = await buildPatient(test.gateway);
  const { Event, Photo } = test.gateway.models;
  await Photo.create([{ _id: newId(test.clock.now()), user: person._id, createAt: test.clock.now() }]);
  for (let i = 0; i < 3; i++) await api.as(person).del('/users/profile/photo').expect(200);
  expect(await Event.countDocuments({ record: person._id, type: 'profile.photoRemoved' })).toBe(1);
});

describe('on a machine with a slow clock', () => {
  // The product's clock is two hours ahead of that of this machine.
  beforeAll(() => test.clock.forward({ hours: 2 }));
  const isNow = (time: Date | undefined) => Math.abs(Number(time) - test.clock.now().getTime()) < 60_000;

  it('a photo has the product’s time in its id, by which it replaces the one before', async () => {
    const person = await buildPatient(test.gateway);
    const { Photo } = test.gateway.models;
    const parts = [{ name: 'file', file: files.png, filename: 'photo.png', type: 'image/png' }];
    const sent = api.as(person).form({ path: '/users/profile/photo', parts }).expect(200);
    const drawn = eventually(async () => {
      // In place of a worker.
      const draw = { $rename: { received: 'picture' } };
      const photo = await Photo.findOneAndUpdate({ user: person._id }, draw).lean<PhotoDoc>();
      if (!photo) throw new Error('There is no photo yet.');
      return photo;
    });
    const [, { _id }] = await Promise.all([sent, drawn]);
    expect(isNow(_id.getTimestamp())).toBe(true);
  });

  it('an account is made at the product’s time', async () => {
    const who = { username: `slow.${randomBytes(4).toString('hex')}`, password: PASSWORD, role: 'patient' };
    const registration = { ...who, email: `${who.username}@hospital.test`, firstname: 'Noor', lastname: 'Late' };
    await api.post('/auth/register', registration).expect(201);
    const account = await test.gateway.models.User.findOne({ email: registration.email }).lean<UserDoc>();
    expect(isNow(account?.createAt)).toBe(true);
  });
});
