import type { AuditAction } from '@lightbox/contract/audit/actions.js';
import { sameLook } from '@lightbox/contract/audit/faults.js';
import type { CallShape } from '@lightbox/contract/call.js';
import { type CallName, calls } from '@lightbox/contract/calls.js';
import type { ServerEvent } from '@lightbox/contract/events.js';
import {
  decideImage,
  type ImageBar,
  type ImageFacts,
  type ImageRule,
  imageRules,
} from '@lightbox/contract/images/policy.js';
import { type Permission, type Role, roleMay, roles } from '@lightbox/contract/permissions.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import type { AnalysisDoc } from '@lightbox/core/models/analysis.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { Response } from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { payloads } from './realtime/payloads.js';
import {
  type BuiltImage,
  type BuiltShare,
  buildAdmin,
  buildEmergency,
  buildImage,
  buildInvite,
  buildPatient,
  buildProvider,
  buildShare,
  buildStudy,
  type Person,
} from './testing/factories.js';
import { leaks } from './testing/leaks.js';
import { useGateway } from './testing/useGateway.js';

/**
 * Callers × calls × states of one image, or of a study with one image and shares of the study. The expected answer of a cell comes from the policy that the server enforces,
 * the expected entry in the audit log from the contract's calls.
 */
const { test, api } = useGateway();
/** Nobody, somebody between password and code, and accounts that cannot sign in, with tokens from before. */
let outsiders: [name: string, token: string | null][];
let tokenless: Person[];
/** To share with. */
let somebody: Person;
let another: Person;

beforeAll(async () => {
  tokenless = [
    await buildProvider(test.gateway, { status: 'pending' }),
    await buildProvider(test.gateway, { status: 'rejected' }),
    await buildAdmin(test.gateway, { active: false }),
  ];
  somebody = await buildProvider(test.gateway);
  another = await buildProvider(test.gateway);
  outsiders = [
    ['nobody', null],
    ['before the code', test.gateway.tokens.verification(String(newId()), String(newId()))],
    ...tokenless.map(({ token }, i) => [['unapproved', 'rejected', 'inactive'][i], token] as [string, string]),
  ];
});

const builders: Record<Role, () => Promise<Person>> = {
  patient: () => buildPatient(test.gateway),
  healthProvider: () => buildProvider(test.gateway),
  admin: () => buildAdmin(test.gateway),
};

const states = [
  'own',
  'shared pending',
  'shared verified',
  'shared without download',
  'expired share',
  'revoked share',
  'in an emergency',
  'emergency over',
  'foreign',
  'deleted',
  'absent',
] as const;
type State = (typeof states)[number];
type What = 'image' | 'study';

const emergencies: Partial<Record<State, { minutes?: number }>> = {
  'in an emergency': {},
  'emergency over': { minutes: -1 },
};

interface World {
  /** Stands to the image as the state says; `other` has the same role and nothing to do with it. */
  viewer: Person;
  other: Person;
  image: BuiltImage;
  /** The viewer's share, or where the state has none somebody else's. */
  share: BuiltShare;
  /** Somebody's share of the image, to be managed. */
  managed: BuiltShare;
  /** The id of somebody's invitation to the image. */
  invite: string;
  /** Null when there is no such image. */
  facts: ImageFacts | null;
}

const findings = {
  description: 'A grey rectangle.',
  differentialDiagnosis: [],
  treatment: [],
  followUp: [],
  warnings: [],
  confidence: null,
  assessed: false,
  provider: 'local',
  model: 'measure-1',
};

async function arrange(role: Role, state: State, what: What): Promise<World> {
  const { models } = test.gateway;
  const [viewer, other] = [await builders[role](), await builders[role]()];
  const build = what === 'study' ? buildStudy : buildImage;
  const patient = emergencies[state] && (await builders.patient());
  const image: BuiltImage = await build(test.gateway, {
    ...(state === 'own' ? { owner: viewer } : {}),
    ...(patient ? { patient: patient._id } : {}),
  });
  if (patient) await buildEmergency(test.gateway, { provider: viewer, patient, ...emergencies[state] });
  const now = new Date();
  const analysed: Omit<AnalysisDoc, '_id'> = {
    status: 'completed',
    run: 1,
    progress: 100,
    requestedBy: image.owner._id,
    startedAt: now,
    findings,
  };
  await models.Analysis.create([{ _id: image._id, ...analysed }]);
  const wishes: Partial<Record<State, object>> = {
    'shared pending': {},
    'shared verified': { verified: true },
    'shared without download': { verified: true, download: false },
    'expired share': { verified: true, hours: -1 },
    'revoked share': { verified: true, revoked: true },
    deleted: { verified: true },
  };
  const managed = await buildShare(test.gateway, { image });
  const mine = wishes[state] && (await buildShare(test.gateway, { image, recipient: viewer, ...wishes[state] }));
  const invite = String((await buildInvite(test.gateway, { image }))._id);
  const world = { viewer, other, image, share: mine ?? managed, managed, invite };
  const live: Partial<Record<State, NonNullable<ImageFacts['share']>>> = {
    'shared pending': { verified: false, download: false },
    'shared verified': { verified: true, download: true },
    'shared without download': { verified: true, download: false },
  };
  const share = live[state] ?? null;
  if (state === 'deleted') {
    const admin = await builders.admin();
    await api.as(admin).del(`/upload/image/${image.id}`).expect(200);
  }
  if (state === 'absent') {
    return { ...world, image: { ...image, _id: newId(), id: String(newId()), study: newId() }, facts: null };
  }
  const facts = { ownerId: image.owner.id, patientId: patient?.id ?? null, share };
  const emergency = state === 'in an emergency';
  return { ...world, facts: state === 'deleted' ? null : { ...facts, emergency } };
}

interface Cell {
  name: CallName;
  /** HEAD is answered by GET's handler, and judged like it. */
  method?: 'head';
  /** The rule that the policy has to allow. Without one the role alone decides. */
  rule: ImageRule | null;
  request: (world: World, caller: Person) => { path: string; body?: object };
  success: number;
  /** Further entries that the call leaves in the log, beside or instead of its own action. */
  leaves?: AuditAction[];
  /** A viewer who may not see the image gets the same answer about its shares as about the image. */
  hidden?: true;
  changes?: true;
}
const at =
  (prefix: string, suffix = '') =>
  ({ image }: World) => ({ path: `${prefix}${image.id}${suffix}` });

const cells: Cell[] = [
  { name: 'getImage', rule: 'see', success: 200, request: at('/upload/image/') },
  { name: 'getImage', method: 'head', rule: 'see', success: 200, request: at('/upload/image/') },
  { name: 'getImageContent', rule: 'download', success: 200, request: at('/upload/image/', '/content') },
  {
    name: 'getImageContent',
    method: 'head',
    rule: 'download',
    success: 200,
    request: at('/upload/image/', '/content'),
  },
  { name: 'getImagePreview', rule: 'open', success: 200, request: at('/upload/image/', '/preview') },
  { name: 'getImagePreview', method: 'head', rule: 'open', success: 200, request: at('/upload/image/', '/preview') },
  { name: 'getFrames', rule: 'open', success: 200, request: at('/upload/image/', '/frames') },
  { name: 'getFrames', method: 'head', rule: 'open', success: 200, request: at('/upload/image/', '/frames') },
  // The look of the calls before counts it: no further entry.
  { name: 'getFrame', rule: 'open', success: 200, leaves: [], request: at('/upload/image/', '/frames/1') },
  { name: 'getTags', rule: 'open', success: 200, request: at('/upload/image/', '/tags') },
  { name: 'getTimeline', rule: 'timeline', success: 200, request: at('/upload/image/', '/timeline') },
  { name: 'listShares', rule: 'share', success: 200, request: at('/sharing?imageId=') },
  { name: 'listInvitations', rule: 'share', success: 200, request: at('/sharing/invitations?imageId=') },
  { name: 'getAnalysis', rule: 'analyse', success: 200, request: at('/analyze/') },
  {
    name: 'explainAccess',
    rule: 'see',
    success: 200,
    request: ({ image }, caller) => ({ path: `/users/${caller.id}/may?imageId=${image.id}` }),
  },
  {
    name: 'startAnalysis',
    rule: 'analyse',
    success: 202,
    leaves: ['analysis.request'],
    request: at('/analyze/'),
    changes: true,
  },
  {
    name: 'createShare',
    rule: 'share',
    success: 201,
    changes: true,
    request: ({ image }) => ({
      path: '/sharing/request',
      body: {
        ...(image.study ? { studyId: image.study } : { imagemetadataId: image.id }),
        createdfor: somebody.id,
      },
    }),
  },
  {
    name: 'shareBatch',
    rule: 'share',
    success: 201,
    changes: true,
    leaves: ['share.create', 'invite.created'],
    request: ({ image }) => ({
      path: '/sharing/batch',
      body: {
        ...(image.study ? { studies: [image.study] } : { images: [image.id] }),
        people: [another.id],
        emails: [`${newId()}@hospital.test`],
      },
    }),
  },
  {
    name: 'changeShare',
    rule: 'share',
    hidden: true,
    success: 200,
    changes: true,
    request: ({ managed, facts }) => ({ path: `/sharing/${facts ? managed.id : newId()}`, body: { download: true } }),
  },
  {
    name: 'resendInvitation',
    rule: 'share',
    hidden: true,
    success: 200,
    changes: true,
    request: ({ invite, facts }) => ({ path: `/sharing/invitations/${facts ? invite : newId()}/resend`, body: {} }),
  },
  {
    name: 'cancelInvitation',
    rule: 'share',
    hidden: true,
    success: 200,
    changes: true,
    request: ({ invite, facts }) => ({ path: `/sharing/invitations/${facts ? invite : newId()}` }),
  },
  {
    name: 'resendShare',
    rule: 'share',
    hidden: true,
    success: 200,
    changes: true,
    request: ({ managed, facts }) => ({ path: `/sharing/${facts ? managed.id : newId()}/resend`, body: {} }),
  },
  {
    name: 'revokeShare',
    rule: 'share',
    hidden: true,
    success: 200,
    changes: true,
    request: ({ managed, facts }) => ({ path: `/sharing/${facts ? managed.id : newId()}` }),
  },
];
const ofStudy =
  (suffix = '') =>
  ({ image }: World) => ({ path: `/studies/${image.study}${suffix}` });
const studyCells: Cell[] = [
  { name: 'getStudy', rule: 'see', success: 200, request: ofStudy() },
  { name: 'getStudyFrames', rule: 'open', success: 200, request: ofStudy('/frames') },
  { name: 'getStudyContent', rule: 'download', success: 200, request: ofStudy('/content') },
  { name: 'getStudyContent', method: 'head', rule: 'download', success: 200, request: ofStudy('/content') },
  {
    name: 'listShares',
    rule: 'share',
    success: 200,
    request: ({ image }) => ({ path: `/sharing?studyId=${image.study}` }),
  },
  {
    name: 'listInvitations',
    rule: 'share',
    success: 200,
    request: ({ image }) => ({ path: `/sharing/invitations?studyId=${image.study}` }),
  },
  {
    name: 'updateStudy',
    rule: 'edit',
    success: 200,
    changes: true,
    request: ({ image }) => ({ path: `/studies/${image.study}`, body: { title: 'Right hand' } }),
  },
];
const table: Record<What, Cell[]> = {
  image: [
    ...cells,
    { name: 'deleteImage', rule: 'delete', success: 200, changes: true, request: at('/upload/image/') },
  ],
  study: [
    // HEAD has the handler of GET: the rows of an image show it.
    ...cells.filter(({ method }) => !method),
    ...studyCells,
    { name: 'deleteStudy', rule: 'delete', success: 200, changes: true, request: ofStudy() },
  ],
};

it('Every call whose path names an image or a study is in the table of cells.', () => {
  const tested = new Set<string>([...table.image, ...table.study].map(({ name }) => name));
  const ofImages = Object.entries(calls).filter(([, { path }]) => /^\/(upload\/image|analyze|studies)\/:/.test(path));
  expect(ofImages.length).toBeGreaterThanOrEqual(7);
  expect(ofImages.map(([name]) => name).filter((name) => !tested.has(name))).toEqual([]);
});

/**
 * The rule that decides who receives the live update about an image. Null where no rule can decide: the record is gone, or
 * the payload depends on the state of the run, which its own test covers.
 */
const imageEvents: Record<Extract<ServerEvent, `image:${string}` | `analysis:${string}`>, ImageRule | null> = {
  'image:uploaded': 'see',
  'image:updated': 'see',
  'image:activity': 'timeline',
  'image:deleted': null,
  'analysis:progress': null,
  'analysis:completed': 'analyse',
  'analysis:failed': null,
};
const studyEvents: Record<Extract<ServerEvent, `study:${string}`>, ImageRule | null> = {
  'study:updated': 'see',
  'study:deleted': null,
};
const shareEvents: Record<Extract<ServerEvent, `share:${string}`>, true> = {
  'share:created': true,
  'share:verified': true,
  'share:locked': true,
  'share:resent': true,
  'share:revoked': true,
  'share:expired': true,
  'share:changed': true,
};
const keysOf = <Name extends string>(table: Record<Name, unknown>) => Object.keys(table) as Name[];

interface Outcome {
  status: number;
  /** `action status reason`, one for each event that the caller left. */
  log: string[];
}
const line = (type: string, status = 'success', reason = '') => `${type} ${status} ${reason}`.trim();

/** The contract's order: the role, then what is not theirs to know of, then what is seen but not allowed. */
function expected({ name, rule, success, leaves, hidden }: Cell, caller: Person, facts: ImageFacts | null): Outcome {
  const shape = calls[name] as CallShape;
  const action = shape.action as AuditAction;
  const denied = (status: number, reason: string) => ({ status, log: [line(action, 'denied', reason)] });
  if (!roleMay(caller.role, shape.who as Permission)) return denied(403, 'FORBIDDEN');
  if (!facts || !imageRules.see(caller, facts)) return denied(404, 'NOT_FOUND');
  const decision = rule ? decideImage(rule, caller, facts) : ({ may: true } as const);
  if (decision.may) return { status: success, log: (leaves ?? [action]).map((type) => line(type)) };
  if (hidden) return denied(404, 'NOT_FOUND');
  const errors: Partial<Record<ImageBar, string>> = { notVerified: 'NOT_VERIFIED', noDownload: 'NO_DOWNLOAD' };
  return denied(403, (!decision.may && errors[decision.because]) || 'FORBIDDEN');
}

/** Returns the entries that a person left in the log since the last call. */
function logOf(person: Person): () => Promise<string[]> {
  const known = new Set<ObjectId>();
  return async () => {
    const events = test.gateway.models.Event.find({ actor: person._id, _id: { $nin: [...known] } });
    const fresh = await events.sort({ _id: 1 }).lean<EventDoc[]>();
    for (const { _id } of fresh) known.add(_id);
    // The calls with HEAD come after those with GET, in the same session.
    return fresh.map(({ type, status, reason }) => line(type, status, reason === sameLook ? '' : reason));
  };
}

async function ask({ name, method, request }: Cell, world: World, caller: Person): Promise<Response> {
  const { path, body } = await request(world, caller);
  return api.as(caller).call(method ?? (calls[name] as CallShape).method, path, body);
}

/** Just the status for a token that opens nothing; on a connection that stays. */
async function knock({ name, method, request }: Cell, world: World, token: string | null): Promise<number> {
  const { path, body } = await request(world, world.viewer);
  const answer = await fetch(`${test.url}/api${path}`, {
    method: (method ?? (calls[name] as CallShape).method).toUpperCase(),
    headers: { ...(token ? { Authorization: `Bearer ${token}` } : {}), 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  await answer.arrayBuffer();
  return answer.status;
}

const notThere = { message: 'Not found.', error: 'NOT_FOUND', requestId: expect.any(String) };

/** Checks that an answer leaks nothing, whatever its status, and has no pixels without the right to open the image. */
function inspect(answer: Response, { share, managed }: World, opens: boolean): string[] {
  const text = `${answer.text ?? ''}${Buffer.isBuffer(answer.body) ? answer.body.toString('latin1') : ''}`;
  const said = leaks(answer.body, text);
  for (const { code } of [share, managed]) if (text.includes(`"${code}"`)) said.push('the code');
  if (!opens && /data:image|not really webp|IHDR/.test(text)) said.push('pixels');
  if (answer.status === 404 && answer.text) expect(answer.body).toEqual(notThere);
  return said;
}

const ofWhat = { image: states, study: states.filter((state) => state !== 'deleted') } satisfies Record<
  What,
  readonly State[]
>;
/**
 * Administrators need no share, and only providers have an emergency access: a live share and a live emergency access
 * show that they change nothing for them.
 */
const idle: Record<Role, readonly State[]> = {
  healthProvider: [],
  patient: ['emergency over'],
  admin: ['emergency over', 'shared without download', 'expired share', 'revoked share'],
};
const rows = (Object.keys(ofWhat) as What[]).flatMap((what) =>
  roles.flatMap((role) =>
    ofWhat[what].filter((state) => !idle[role].includes(state)).map((state) => ({ what, role, state })),
  ),
);
/** The states in which a stranger calls too: shares and emergencies of others change nothing for them. */
const withStranger: readonly State[] = ['shared verified', 'in an emergency', 'deleted'];

describe.concurrent.each(rows)('a shared $what, $state, for a $role', ({ what, role, state }) => {
  // The rows run at the same time, so each takes as long as all of them.
  it('every call of every caller is answered as the policy says', { timeout: 240_000 }, async () => {
    const world = await arrange(role, state, what);
    const { viewer, other, facts } = world;
    const strange = facts && { ...facts, share: null, emergency: false };
    const callers = [[other, strange] as const, [viewer, facts] as const].slice(withStranger.includes(state) ? 0 : 1);
    const logs = new Map([viewer, other].map((person) => [person, logOf(person)]));
    const got: Record<string, Outcome> = {};
    const want: Record<string, Outcome> = {};
    for (const cell of table[what]) {
      const label = `${cell.method ?? ''} ${cell.name}`.trim();
      for (const [person, known] of callers) {
        const wanted = expected(cell, person, known);
        // Skip the change by the other administrator: this state's own viewer must find it unchanged.
        if (person === other && cell.changes && wanted.status < 300) continue;
        const answer = await ask(cell, world, person);
        const key = `${label} by ${person === viewer ? 'them' : 'another'}`;
        got[key] = { status: answer.status, log: (await logs.get(person)?.()) ?? [] };
        want[key] = wanted;
        expect(inspect(answer, world, Boolean(known && imageRules.open(person, known))), key).toEqual([]);
      }
    }
    expect(got).toEqual(want);
  });

  it('the code of the share works only where the policy allows it', async () => {
    const { viewer, other, share } = await arrange(role, state, what);
    const theirs = share.recipient.id === viewer.id;
    const log = logOf(viewer);
    const send = (as: Person) =>
      api.as(as).post('/sharing/verify', { sharingRequestId: share.id, verificationCode: share.code });
    expect((await send(other)).status).toBe(404);
    const { status } = await send(viewer);
    const outcomes: Record<number, string[]> = {
      200: state === 'shared pending' ? ['share.verify success'] : [],
      410: ['share.verify failed EXPIRED'],
      404: ['share.verify denied NOT_FOUND'],
    };
    const over = state === 'expired share' || state === 'revoked share';
    const wanted = !theirs || state === 'deleted' ? 404 : over ? 410 : 200;
    expect([status, await log()]).toEqual([wanted, outcomes[wanted]]);
  });

  it('every socket event reaches only those whom the policy allows, without pixels', async () => {
    const { viewer, other, image, share, facts } = await arrange(role, state, what);
    const refs = { record: image.id, share: share.id, progress: 10 };
    for (const [person, known] of [
      [viewer, facts] as const,
      [other, facts && { ...facts, share: null, emergency: false }] as const,
    ]) {
      for (const name of keysOf(imageEvents)) {
        const rule = imageEvents[name];
        if (!rule) continue;
        const payload = await payloads[name](test.gateway, person, refs);
        expect(payload !== null, `${name} for ${person.role}`).toBe(known !== null && imageRules[rule](person, known));
        expect(JSON.stringify(payload)).not.toMatch(/data:image|not really webp/);
      }
      for (const name of image.study ? keysOf(studyEvents) : []) {
        const rule = studyEvents[name];
        const payload = rule && (await payloads[name](test.gateway, person, { record: String(image.study) }));
        if (rule) expect(payload !== null, name).toBe(known !== null && imageRules[rule](person, known));
      }
      for (const name of keysOf(shareEvents)) {
        const payload = await payloads[name](test.gateway, person, refs);
        const ends = [share.recipient.id, share.image.owner.id].includes(person.id);
        expect(payload !== null, `${name} for ${person.role}`).toBe(person.role === 'admin' || ends);
        expect(leaks(payload, JSON.stringify(payload))).toEqual([]);
      }
    }
  });
});

// Without a session the caller has no role, and only the record can make a difference: it is there, or it is not.
describe.each([
  ['image', 'own'],
  ['image', 'absent'],
  ['study', 'own'],
  ['study', 'absent'],
] as const)('a shared %s, %s, for a caller without a session', (what, state) => {
  it('every call is answered with 401 and leaves nothing in the log', async () => {
    const world = await arrange('healthProvider', state, what);
    const opened: string[] = [];
    for (const cell of table[what]) {
      for (const [name, token] of outsiders) {
        const status = await knock(cell, world, token);
        if (status !== 401) opened.push(`${cell.method ?? ''} ${cell.name} by ${name}: ${status}`.trim());
      }
    }
    expect(opened).toEqual([]);
    const left = await test.gateway.models.Event.countDocuments({ actor: { $in: tokenless.map(({ _id }) => _id) } });
    expect(left).toBe(0);
  });
});

it('the audit log has one entry for each cell, with actor, action, address and outcome', async () => {
  const { models, keys } = test.gateway;
  await appendAudit(models, keys.audit);
  const events = await models.Event.countDocuments();
  const made = { type: { $ne: 'audit.signed' as const } };
  expect(await models.AuditEntry.countDocuments(made)).toBe(events);
  expect(await models.AuditEntry.distinct('event', made)).toHaveLength(events);
  const [nameless] = await models.AuditEntry.find({
    $or: [{ actor: { $exists: false } }, { ip: '' }, { at: { $exists: false } }, { table: '' }],
    type: { $nin: ['auth.failures', 'audit.signed'] },
  })
    .limit(1)
    .lean();
  expect(nameless).toBeUndefined();
  expect(events).toBeGreaterThan(700);
});
