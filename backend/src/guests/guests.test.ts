import { randomUUID } from 'node:crypto';
import type { CallShape } from '@lightbox/contract/call.js';
import { type CallName, calls } from '@lightbox/contract/calls.js';
import { guestLinkState, guestLinkStates } from '@lightbox/contract/guests/states.js';
import { decideImage, type ImageFacts, type ImageRule, imageRules } from '@lightbox/contract/images/policy.js';
import { limits } from '@lightbox/contract/limits.js';
import { liveLink, openLink, overdueLink } from '@lightbox/core/access/guests.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import { newId } from '@lightbox/core/db/ids.js';
import { newCodeSeed } from '@lightbox/core/keys/codes.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { GuestLinkDoc } from '@lightbox/core/models/guestLink.js';
import { describe, expect, it } from 'vitest';
import { payloads } from '../realtime/payloads.js';
import { allCells } from '../testing/allCells.js';
import { envelopeOf } from '../testing/envelope.js';
import {
  type BuiltImage,
  buildAdmin,
  buildImage,
  buildPatient,
  buildProvider,
  buildShare,
  buildStudy,
  type Person,
  wrong,
} from '../testing/factories.js';
import { leaks } from '../testing/leaks.js';
import { useGateway } from '../testing/useGateway.js';

const { test, api } = useGateway();

interface Link {
  id: string;
  url: string;
  code: string;
  /** The address as the calls of a guest take it. */
  link: string;
  image: BuiltImage;
}

const targetOf = ({ id, study }: BuiltImage) => (study ? { studyId: String(study) } : { imagemetadataId: id });
const ask = (image: BuiltImage, rest: object = {}, as: Person = image.owner) =>
  api.as(as).post('/sharing/guest', { ...targetOf(image), expiresInHours: 24, ...rest });

async function makeLink(rest: object = {}, on?: BuiltImage): Promise<Link> {
  const image = on ?? (await buildImage(test.gateway));
  const { body } = await ask(image, rest).expect(201);
  const { id, url, code } = body.data;
  return {
    id,
    url,
    code,
    image,
    link: new URL(url).pathname.replace('/guest/', '') + new URL(url).hash.replace('#', '.'),
  };
}

const open = ({ link, code }: Pick<Link, 'link' | 'code'>) => api.post('/guest/open', { link, code });
const stateOf = async ({ link }: Link) => (await api.post('/guest/state', { link }).expect(200)).body.data.state;
const guestOf = async (link: Link) => api.as((await open(link).expect(200)).body.data.token as string);
const eventsOf = ({ id }: Pick<Link, 'id'>, more: object = {}) =>
  test.gateway.models.Event.find({ records: id, ...more })
    .sort({ _id: 1 })
    .lean<EventDoc[]>();
const typesOf = (events: EventDoc[]) => events.map(({ type, status }) => `${type} ${status}`);

describe('making a guest link', () => {
  it('address and code are in the answer and stored nowhere; email and note are sealed', async () => {
    const wish = { email: 'gp@clinic.test', note: 'Please compare with May.', maxOpens: 2, download: true };
    const made = await makeLink(wish);
    expect(made.url).toMatch(/\/guest\/[0-9a-f]{24}#[\w-]{43}$/);
    expect(made.code).toMatch(/^\d{6}$/);
    const kept = await test.gateway.models.GuestLink.findById(made.id).lean<GuestLinkDoc>();
    const stored = JSON.stringify([kept, await eventsOf(made)]);
    for (const secret of [`"${made.code}"`, made.link.slice(25), wish.email, wish.note]) {
      expect(stored).not.toContain(secret);
    }
    const [event] = await eventsOf(made);
    expect(event).toMatchObject({ type: 'guest.created', refs: { mailed: kept?._id } });
    const { body } = await api.as(made.image.owner).get(`/sharing/guest?imageId=${made.image.id}`).expect(200);
    expect(body.data).toMatchObject([
      { id: made.id, state: 'open', opens: 0, maxOpens: 2, download: true, email: wish.email, note: wish.note },
    ]);
    expect(JSON.stringify(body)).not.toContain(made.link.slice(25));
  });

  it('a repeat with the same key makes one link and gives the same address and code', async () => {
    const image = await buildImage(test.gateway);
    const key = randomUUID();
    const bodies = await Promise.all([1, 2, 3].map(() => ask(image).set('Idempotency-Key', key).expect(201)));
    expect(new Set(bodies.map(({ body }) => JSON.stringify(body.data))).size).toBe(1);
    expect(await test.gateway.models.GuestLink.countDocuments({ image: image._id })).toBe(1);
  });

  it.each([
    { expiresInHours: 0 },
    { expiresInHours: 721 },
    { maxOpens: 0 },
    { maxOpens: 101 },
    { email: 'a@b' },
    { note: 'x'.repeat(501) },
    { download: 'yes' },
  ])('the wish %j is refused', async (wish) => {
    await ask(await buildImage(test.gateway), wish).expect(422);
  });

  it('only the owner and administrators make, list and end links, and are told of them', async () => {
    const made = await makeLink();
    const { recipient } = await buildShare(test.gateway, { image: made.image, verified: true });
    for (const [person, status] of [
      [recipient, 403],
      [await buildProvider(test.gateway), 404],
      [await buildAdmin(test.gateway), 200],
    ] as const) {
      expect((await ask(made.image, {}, person)).status).toBe(status === 200 ? 201 : status);
      expect((await api.as(person).get(`/sharing/guest?imageId=${made.image.id}`)).status).toBe(status);
      const told = await payloads['guest:opened'](test.gateway, person, { link: made.id });
      expect(told !== null).toBe(status === 200);
      expect((await api.as(person).del(`/sharing/guest/${made.id}`)).status).toBe(status === 200 ? 200 : 404);
    }
    await ask(made.image, {}, await buildPatient(test.gateway)).expect(403);
  });
});

describe('an image with guest links', () => {
  it('people who may share it see how many have not ended, in lists too, and nobody else does', async () => {
    const [kept, ended] = [await makeLink(), await makeLink({ maxOpens: 1 })];
    const second = await makeLink({}, kept.image);
    const third = await makeLink({}, kept.image);
    await api.as(kept.image.owner).del(`/sharing/guest/${third.id}`).expect(200);
    await api.as(ended.image.owner).del(`/sharing/guest/${ended.id}`).expect(200);
    const { recipient } = await buildShare(test.gateway, { image: kept.image, verified: true });
    const seenBy = async (person: Person, image = kept.image) =>
      (await api.as(person).get(`/upload/image/${image.id}`).expect(200)).body.data.recipients;
    for (const person of [kept.image.owner, await buildAdmin(test.gateway)]) {
      expect(await seenBy(person)).toMatchObject({ total: 1, guestLinks: 2 });
    }
    expect(await seenBy(recipient)).toBeUndefined();
    expect(await seenBy(ended.image.owner, ended.image)).toEqual({ total: 0, opened: 0, locked: 0, pending: 0 });
    const list = await api.as(kept.image.owner).get('/upload/my-images').expect(200);
    expect(list.body.data).toMatchObject([{ id: kept.image.id, recipients: { guestLinks: 2 } }]);
    // The same answer for a link that nobody can open any more, but whose screens may still be open.
    await open(second).expect(200);
    expect(await seenBy(kept.image.owner)).toMatchObject({ guestLinks: 2 });
  });

  it('a link of a study counts for its image', async () => {
    const { image } = await makeLink({}, await buildStudy(test.gateway));
    const { body } = await api.as(image.owner).get('/upload/my-images?grouped=true').expect(200);
    expect(body.data).toMatchObject([{ recipients: { total: 0, guestLinks: 1 } }]);
  });
});

describe('opening a guest link', () => {
  it('the right code gives a token for the picture, without a name or a caption', async () => {
    const made = await makeLink({ note: 'The hand we spoke of.' });
    const guest = await guestOf(made);
    const view = (await guest.get('/guest/view').expect(200)).body.data;
    expect(view).toMatchObject({ imageId: made.image.id, download: false, note: 'The hand we spoke of.' });
    expect(JSON.stringify(view)).not.toMatch(/Left hand|firstname|owner/);
    const facts = await guest.get(`/upload/image/${made.image.id}/frames`).expect(200);
    expect(facts.headers).toMatchObject({ 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' });
    await guest.get(`/upload/image/${made.image.id}/frames/1`).expect(200);
    await guest.get(`/upload/image/${made.image.id}/content`).expect(403);
    await (await guestOf(await makeLink({ download: true }, made.image)))
      .get(`/upload/image/${made.image.id}/content`)
      .expect(200);
  });

  it('an address that is wrong in any part is 404, and a wrong code never tells more', async () => {
    const [made, other] = [await makeLink(), await makeLink()];
    const mixed = [made.id, other.link.slice(25)].join('.');
    const absent = `${newId()}.${made.link.slice(25)}`;
    for (const link of [mixed, absent]) {
      await open({ link, code: made.code }).expect(404);
      await api.post('/guest/state', { link }).expect(404);
    }
    await open({ link: made.id, code: made.code }).expect(422);
    expect(await eventsOf(made, { type: 'guest.opened' })).toEqual([]);
  });

  it('five wrong codes lock the link, also for the right one, and the owner’s list says so', async () => {
    const made = await makeLink();
    const { body } = await open({ ...made, code: wrong(made.code) }).expect(422);
    expect(body).toMatchObject({ error: 'WRONG_CODE', triesLeft: 4 });
    // A right code in between starts the count again.
    await open(made).expect(200);
    const guesses = Array.from({ length: 30 }, () => open({ ...made, code: wrong(made.code) }));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 422)).toHaveLength(limits.codeTries);
    expect(statuses.filter((status) => status === 423)).toHaveLength(30 - limits.codeTries);
    await open(made).expect(423);
    expect(await stateOf(made)).toBe('locked');
    const list = await api.as(made.image.owner).get(`/sharing/guest?imageId=${made.image.id}`).expect(200);
    expect(list.body.data).toMatchObject([{ state: 'locked' }]);
    expect(typesOf(await eventsOf(made, { type: 'guest.locked' }))).toEqual(['guest.locked success']);
  });

  it('of many right codes at once no more open it than its maker allowed', async () => {
    const made = await makeLink({ maxOpens: 3 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => open(made)));
    const opened = answers.filter(({ status }) => status === 200);
    expect(opened).toHaveLength(3);
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.error))).toEqual(
      new Set(['LINK_USED_UP']),
    );
    expect(await stateOf(made)).toBe('usedUp');
    // The screens that are open stay open.
    await api
      .as(opened[0]?.body.data.token as string)
      .get('/guest/alive')
      .expect(200);
    expect(typesOf(await eventsOf(made, { type: 'guest.opened', status: 'success' }))).toHaveLength(3);
  });

  it('each state of a link is the one that its filter finds', async () => {
    const { GuestLink } = test.gateway.models;
    const now = test.clock.now();
    const inMs = (ms: number) => new Date(now.getTime() + ms);
    const image = newId();
    const links: GuestLinkDoc[] = [true, false].flatMap((live) =>
      [inMs(-1), now, inMs(1)].flatMap((expiresAt) =>
        [0, limits.codeTries].flatMap((tries) =>
          [0, 1].map((opensLeft) => ({
            ...{
              _id: newId(),
              image,
              madeBy: newId(),
              createAt: inMs(-9),
              maxOpens: 1,
              download: false,
              mailed: false,
            },
            ...newCodeSeed(test.gateway.keys.codes),
            ...{ live, expiresAt, tries, opensLeft, ...(live ? {} : { endedAt: inMs(-2) }) },
          })),
        ),
      ),
    );
    await GuestLink.insertMany(links);
    const state = (link: GuestLinkDoc) => guestLinkState(link, now);
    expect(new Set(links.map(state))).toEqual(new Set(guestLinkStates));
    const filters: [object, (link: GuestLinkDoc) => boolean][] = [
      [openLink(now), (link) => state(link) === 'open'],
      [liveLink(now), (link) => ['open', 'locked', 'usedUp'].includes(state(link))],
      [overdueLink(now), (link) => state(link) === 'expired' && link.live],
    ];
    for (const [filter, matches] of filters) {
      const found = await GuestLink.find({ image, ...filter }, { _id: 1 }).lean();
      const ids = links.filter(matches).map(({ _id }) => String(_id));
      expect(found.map(({ _id }) => String(_id)).sort()).toEqual(ids.sort());
    }
  });
});

describe('the end of a guest link', () => {
  const asAdmin = async () => api.as(await buildAdmin(test.gateway));
  const endings: [string, string, (made: Link) => Promise<unknown>][] = [
    ['it is revoked', 'revoked', ({ id, image }) => api.as(image.owner).del(`/sharing/guest/${id}`).expect(200)],
    ['it expires', 'expired', async () => test.clock.forward({ hours: 25 })],
    [
      'its image is deleted',
      'revoked',
      async ({ image }) => (await asAdmin()).del(`/upload/image/${image.id}`).expect(200),
    ],
    [
      'its maker is deactivated',
      'expired',
      async ({ image }) => (await asAdmin()).put(`/users/toggleUserStatus/${image.owner.id}`, {}).expect(200),
    ],
    [
      'its maker gets another role',
      'expired',
      async ({ image }) => (await asAdmin()).put(`/users/role/${image.owner.id}`, { role: 'patient' }).expect(200),
    ],
  ];
  it.each(endings)('when %s, every token of it is refused at once, and the address says %s', async (_, state, end) => {
    await test.clock.still(async () => {
      const made = await makeLink();
      const guest = await guestOf(made);
      await guest.get('/guest/alive').expect(200);
      await end(made);
      for (const path of ['/guest/alive', '/guest/view', `/upload/image/${made.image.id}/frames`]) {
        await guest.get(path).expect(401);
      }
      expect(await stateOf(made)).toBe(state);
      await open(made).expect(410);
    });
  });

  it('a token ends after an hour, and the code gives another one', async () => {
    const made = await makeLink();
    const guest = await guestOf(made);
    test.clock.forward({ minutes: limits.guestMinutes + 1 });
    expect((await guest.get('/guest/alive').expect(401)).body.error).toBe('JWT_EXPIRED');
    await (await guestOf(made)).get('/guest/alive').expect(200);
  });

  it('a revocation that races with right codes leaves no token that works', async () => {
    const made = await makeLink();
    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: 8 }, () => open(made))),
      api.as(made.image.owner).del(`/sharing/guest/${made.id}`).expect(200),
    ]);
    expect(new Set([200, 410, ...answers.map(({ status }) => status)])).toEqual(new Set([200, 410]));
    for (const { body } of answers.filter(({ status }) => status === 200)) {
      await api
        .as(body.data.token as string)
        .get('/guest/alive')
        .expect(401);
    }
    expect(typesOf(await eventsOf(made, { type: 'guest.revoked' }))).toHaveLength(1);
  });

  it('a link that is made while its maker is deactivated ends with the others', async () => {
    const { GuestLink } = test.gateway.models;
    const admin = await asAdmin();
    const images = await Promise.all(Array.from({ length: 6 }, () => buildImage(test.gateway)));
    const makers = images.map(({ owner }) => owner);
    const answers = await Promise.all(
      images.flatMap((image) => [
        ask(image).then(({ status }) => status),
        admin.put(`/users/toggleUserStatus/${image.owner.id}`, {}).then(({ status }) => status),
      ]),
    );
    expect(answers.filter((status) => ![200, 201, 401].includes(status))).toEqual([]);
    const theirs = { madeBy: { $in: makers.map(({ _id }) => _id) }, ...liveLink(test.clock.now()) };
    expect(await GuestLink.countDocuments(theirs)).toBe(0);
  });

  it.each([
    ['is deactivated', ({ id }: Person) => `/users/toggleUserStatus/${id}`, {}],
    ['gets another role', ({ id }: Person) => `/users/role/${id}`, { role: 'patient' }],
  ])(
    'however many links an account made that %s, they end in one write, and no event waits for them',
    async (_, path, body) => {
      const { GuestLink } = test.gateway.models;
      const made = await makeLink();
      for (const _more of [1, 2]) await makeLink({}, made.image);
      await (await asAdmin()).put(path(made.image.owner), body).expect(200);
      expect(typesOf(await eventsOf(made))).toEqual(['guest.created success']);
      // Maintenance ends them one by one, each with its event.
      const waiting = { madeBy: made.image.owner._id, ...overdueLink(test.clock.now()) };
      expect(await GuestLink.countDocuments(waiting)).toBe(3);
    },
  );

  it('a link whose maker’s account no longer works shows nothing, before the link itself is ended', async () => {
    const made = await makeLink();
    const guest = await guestOf(made);
    await guest.get('/guest/alive').expect(200);
    await test.gateway.models.User.updateOne({ _id: made.image.owner._id }, { deletedAt: test.clock.now() });
    await guest.get('/guest/alive').expect(401);
    await guest.get(`/upload/image/${made.image.id}/frames`).expect(401);
  });

  it('the links that a closed account made end with it', async () => {
    const made = await makeLink();
    // The answer waits five seconds by the clock for the rest, which maintenance would do later.
    const admin = await asAdmin();
    await test.clock.still(async () => admin.del(`/users/${made.image.owner.id}`).expect(200));
    await expect.poll(() => stateOf(made)).toBe('revoked');
  });
});

it('the log names the link and no account; the first opening alone is a notice to the owner', async () => {
  const made = await makeLink();
  await open({ ...made, code: wrong(made.code) }).expect(422);
  const guest = await guestOf(made);
  const path = `/upload/image/${made.image.id}`;
  await guest.get(`${path}/frames`).expect(200);
  for (let i = 0; i < 3; i++) await guest.get(`${path}/frames/1`).expect(200);
  await guest.get(`${path}/preview`).expect(200);
  await guest.get(`${path}/content`).expect(403);
  await open(made).expect(200);
  const events = await eventsOf(made);
  expect(typesOf(events)).toEqual([
    'guest.created success',
    'guest.opened failed',
    'guest.opened success',
    'guest.viewed success',
    'guest.viewed success',
    'guest.viewed denied',
    'guest.opened success',
  ]);
  for (const event of events.slice(1)) {
    expect(event.actor).toBeUndefined();
    expect(event).toMatchObject({ record: made.image._id });
  }
  const [first, second] = events.filter(({ type, status }) => type === 'guest.opened' && status === 'success');
  expect([first?.refs.first !== undefined, second?.refs.first !== undefined]).toEqual([true, false]);
  // The job of the notice is owed for the first opening alone.
  expect([first?.owed ?? [], second?.owed ?? []]).toEqual([['notify'], []]);
  await appendAudit(test.gateway.models, test.gateway.keys.audit);
  const { body } = await api.as(made.image.owner).get(`${path}/timeline?limit=50`).expect(200);
  const opened = body.data.filter(({ actiontype }: { actiontype: string }) => actiontype === 'guest.viewed');
  expect(opened).toMatchObject([{ user: null }, { user: null }, { user: null }]);
});

/** A guest is one more viewer of the policy: every call × the state of the guest's link. */
describe('called by a guest', () => {
  const shapes = calls as Record<CallName, CallShape>;
  const rules: Partial<Record<CallName, ImageRule>> = {
    getFrames: 'open',
    getFrame: 'open',
    getImagePreview: 'open',
    getImageContent: 'download',
    getStudyFrames: 'open',
    getAnnotations: 'open',
    getStudyAnnotations: 'open',
    getStudyContent: 'download',
  };
  const cells = (['image', 'study'] as const).flatMap((what) =>
    (['own', 'own with download', 'of another', 'of one image of the study'] as const).map((state) => ({
      what,
      state,
    })),
  );

  it('Every call that accepts guests has a rule here.', () => {
    const accepting = (Object.keys(shapes) as CallName[]).filter((name) => shapes[name].guests);
    expect(accepting.sort()).toEqual(Object.keys(rules).sort());
  });

  it.each(cells)('$what, link $state: every call is answered as the policy says', async ({ what, state }) => {
    const image = await (what === 'study' ? buildStudy : buildImage)(test.gateway);
    const on = state === 'of another' ? undefined : state === 'of one image of the study' ? { ...image } : image;
    if (on && state === 'of one image of the study') delete on.study;
    const made = await makeLink({ download: state === 'own with download' }, on);
    const guest = await guestOf(made);
    const got: Record<string, number> = {};
    const want: Record<string, number> = {};
    for (const name of Object.keys(shapes) as CallName[]) {
      const shape = shapes[name];
      // The calls without an identity ignore the token; their answers are in the table of roles.
      if (['anyone', 'refreshCookie'].includes(shape.who)) continue;
      // The state makes no difference where guests are refused.
      if (!allCells && !rules[name] && shape.who !== 'guest' && !(what === 'image' && state === 'own')) continue;
      const ofStudy = shape.path.startsWith('/studies');
      const path = shape.path.replace(':n', '1').replace(/:\w+/, ofStudy ? String(image.study ?? newId()) : image.id);
      const answer = await guest.call(shape.method, path, shape.body ? {} : undefined);
      got[name] = answer.status;
      expect(leaks(envelopeOf(answer.body)), name).toEqual([]);
      const covers = ofStudy
        ? image.study && (state === 'own' || state === 'own with download')
        : state !== 'of another';
      const facts: ImageFacts = {
        ...{ ownerId: image.owner.id, patientId: null, share: null },
        guestLink: covers ? { download: state === 'own with download' } : null,
      };
      const viewer = { id: made.id, role: 'guest' as const };
      const rule = rules[name];
      if (shape.who === 'guest') want[name] = 200;
      else if (!rule) want[name] = 401;
      else if (!imageRules.see(viewer, facts)) want[name] = 404;
      else want[name] = decideImage(rule, viewer, facts).may ? 200 : 403;
    }
    expect(got).toEqual(want);
  });

  it('a guest’s token opens no socket', async () => {
    const made = await makeLink();
    const token = (await open(made).expect(200)).body.data.token as string;
    expect(() => test.gateway.tokens.verify(token, 'access')).toThrow('Authentication failed');
  });
});
