import { readingRule } from '@lightbox/contract/analysis/policy.js';
import type { AuditAction } from '@lightbox/contract/audit/actions.js';
import { sameLook } from '@lightbox/contract/audit/faults.js';
import type { CallShape } from '@lightbox/contract/call.js';
import { type CallName, calls } from '@lightbox/contract/calls.js';
import { carerLook } from '@lightbox/contract/carers/states.js';
import type { ServerEvent } from '@lightbox/contract/events.js';
import {
  decideImage,
  formOf,
  formRules,
  type ImageBar,
  type ImageFacts,
  type ImageRule,
  imageRules,
} from '@lightbox/contract/images/policy.js';
import { type Permission, type Role, roleMay, roles } from '@lightbox/contract/permissions.js';
import { reportContext, reportId } from '@lightbox/core/analysis/reports.js';
import { appendAudit } from '@lightbox/core/audit/chain.js';
import { unwrapDataKey } from '@lightbox/core/blobs/cipher.js';
import { newId } from '@lightbox/core/db/ids.js';
import { seal } from '@lightbox/core/keys/seal.js';
import type { AnalysisDoc } from '@lightbox/core/models/analysis.js';
import type { EventDoc } from '@lightbox/core/models/event.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import type { Response } from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { payloads } from './realtime/payloads.js';
import { allCells } from './testing/allCells.js';
import {
  type BuiltImage,
  type BuiltShare,
  buildAdmin,
  buildCarer,
  buildEmergency,
  buildImage,
  buildInvite,
  buildPatient,
  buildProvider,
  buildShare,
  buildStudy,
  idBeforeEvents,
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
  'copy pending',
  'copy verified',
  'expired share',
  'revoked share',
  'in an emergency',
  'emergency over',
  'as a carer',
  'as a carer, locked',
  'as a former carer',
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

/** The viewer is named by a patient who has a share of the image. */
const carers: Partial<Record<State, { verified: boolean; live: boolean }>> = {
  'as a carer': { verified: true, live: true },
  'as a carer, locked': { verified: false, live: true },
  'as a former carer': { verified: true, live: false },
};

/** The share that the viewer has. */
const shareWishes: Partial<Record<State, object>> = {
  'shared pending': {},
  'shared verified': { verified: true },
  'shared without download': { verified: true, download: false },
  'copy pending': { deidentified: true },
  'copy verified': { deidentified: true, verified: true },
  'expired share': { verified: true, hours: -1 },
  'revoked share': { verified: true, revoked: true },
  deleted: { verified: true },
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

/** Stores the report of the draft, as a worker makes it. */
async function storeReport({ _id: image }: BuiltImage): Promise<void> {
  const { models, keys } = test.gateway;
  const asked = { image, version: 1, mark: 'draft', language: 'en' } as const;
  const _id = reportId(keys.images, asked);
  const { dataKey } = (await models.Image.findById(image).lean<ImageDoc>()) as ImageDoc;
  const key = unwrapDataKey(keys.images, String(image), dataKey);
  const sealed = seal(key, reportContext({ image, _id }), Buffer.from('%PDF-'));
  await models.Report.create([{ _id, ...asked, sealed, createAt: test.gateway.clock.now() }]);
}

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
  const cared = carers[state];
  if (cared) {
    const helped = await builders.patient();
    await buildShare(test.gateway, { image, recipient: helped, verified: cared.verified });
    const ended = { state: 'ended', live: false } as const;
    await buildCarer(test.gateway, { patient: helped, carer: viewer, ...(cared.live ? {} : ended) });
  }
  const now = new Date();
  const analysed: Omit<AnalysisDoc, '_id'> = {
    status: 'completed',
    run: 1,
    progress: 100,
    requestedBy: image.owner._id,
    startedAt: now,
    findings,
    version: 1,
    review: { state: 'draft' },
  };
  await models.Analysis.create([{ _id: image._id, ...analysed }]);
  const by = image.owner._id;
  await models.AnalysisVersion.create([
    {
      _id: newId(),
      image: image._id,
      version: 1,
      kind: 'run',
      by,
      at: now,
      findings,
      run: { number: 1, by, at: now, inputSha256: '0'.repeat(64) },
    },
  ]);
  await storeReport(image);
  const managed = await buildShare(test.gateway, { image });
  const mine =
    shareWishes[state] && (await buildShare(test.gateway, { image, recipient: viewer, ...shareWishes[state] }));
  const invite = String((await buildInvite(test.gateway, { image }))._id);
  const world = { viewer, other, image, share: mine ?? managed, managed, invite };
  const live: Partial<Record<State, NonNullable<ImageFacts['share']>>> = {
    'shared pending': { verified: false, download: false },
    'shared verified': { verified: true, download: true },
    'shared without download': { verified: true, download: false },
  };
  const copies: typeof live = {
    'copy pending': { verified: false, download: false },
    'copy verified': { verified: true, download: true },
  };
  const share = live[state] ?? null;
  const copy = copies[state] ?? null;
  if (state === 'deleted') {
    const admin = await builders.admin();
    await api.as(admin).del(`/upload/image/${image.id}`).expect(200);
  }
  if (state === 'absent') {
    return { ...world, image: { ...image, _id: newId(), id: String(newId()), study: newId() }, facts: null };
  }
  const facts = { ownerId: image.owner.id, patientId: patient?.id ?? null, share, copy };
  const emergency = state === 'in an emergency';
  const carer = state === 'as a carer';
  return { ...world, facts: state === 'deleted' ? null : { ...facts, emergency, carer } };
}

interface Cell {
  name: CallName;
  /** HEAD is answered by GET's handler, and judged like it. */
  method?: 'head';
  /** The rule that the policy has to allow. Without one the role alone decides. */
  rule: ImageRule | ((role: Role) => ImageRule) | null;
  request: (world: World, caller: Person) => { path: string; body?: object };
  success: number;
  /** The whole log of a call that is allowed, where a call before it changes what is entered. */
  log?: string[];
  /** Further entries that the call leaves in the log, beside or instead of its own action. */
  leaves?: AuditAction[];
  /** A viewer who may not see the image gets the same answer about its shares as about the image. */
  hidden?: true;
  changes?: true;
}
const line = (type: string, status = 'success', reason = '') => `${type} ${status} ${reason}`.trim();
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
  { name: 'getAnnotations', rule: 'open', success: 200, leaves: [], request: at('/upload/image/', '/annotations') },
  { name: 'getTags', rule: 'open', success: 200, request: at('/upload/image/', '/tags') },
  { name: 'getDeidentified', rule: 'share', success: 200, request: at('/upload/image/', '/deidentified') },
  {
    name: 'getDeidentifiedChanges',
    rule: 'share',
    success: 200,
    request: at('/upload/image/', '/deidentified/changes'),
  },
  {
    // The rectangle lies outside of the picture: whoever may black out is told so.
    name: 'blackOut',
    rule: 'share',
    success: 422,
    log: [],
    request: ({ image }) => ({
      path: `/upload/image/${image.id}/blackout`,
      body: { rectangles: [{ x0: 0, y0: 0, x1: 60_000, y1: 60_000 }], caption: 'Copy' },
    }),
  },
  { name: 'getTimeline', rule: 'timeline', success: 200, request: at('/upload/image/', '/timeline') },
  { name: 'listShares', rule: 'share', success: 200, request: at('/sharing?imageId=') },
  { name: 'listInvitations', rule: 'share', success: 200, request: at('/sharing/invitations?imageId=') },
  { name: 'getAnalysis', rule: readingRule, success: 200, request: at('/analyze/') },
  {
    name: 'getAnalysisReport',
    rule: readingRule,
    success: 200,
    request: at('/analyze/', '/report?language=en'),
  },
  { name: 'listAnalysisVersions', rule: 'analyse', success: 200, request: at('/analyze/', '/versions') },
  { name: 'getPreviousAnalysis', rule: 'analyse', success: 200, request: at('/analyze/', '/previous') },
  {
    name: 'explainAccess',
    rule: 'see',
    success: 200,
    request: ({ image }, caller) => ({ path: `/users/${caller.id}/may?imageId=${image.id}` }),
  },
  {
    // Of those whom the rule lets in, administrators and the signer withdraw; nobody has signed here.
    name: 'withdrawAnalysis',
    rule: (role) => (role === 'admin' ? 'analyse' : 'readSigned'),
    success: 200,
    changes: true,
    request: ({ image }) => ({ path: `/analyze/${image.id}/withdraw`, body: { reason: 'Wrong side' } }),
  },
  {
    name: 'signAnalysis',
    rule: 'sign',
    success: 200,
    changes: true,
    request: ({ image }) => ({ path: `/analyze/${image.id}/sign`, body: { version: 1 } }),
  },
  {
    name: 'saveAnnotations',
    rule: 'annotate',
    success: 200,
    changes: true,
    request: ({ image }) => ({
      path: `/upload/image/${image.id}/annotations`,
      body: { version: 0, shared: true, marks: [] },
    }),
  },
  {
    // The image is no DICOM file: whoever may export is told so.
    name: 'exportAnnotations',
    rule: 'exportMarks',
    success: 422,
    log: [],
    request: at('/upload/image/', '/annotations/dicom?format=sr'),
  },
  {
    // The image is no DICOM file, and the settings name no other viewer.
    name: 'openElsewhere',
    rule: 'openElsewhere',
    success: 409,
    log: [],
    request: ({ image }) => ({ path: '/sharing/viewer', body: { imageId: image.id } }),
  },
  {
    name: 'deleteAnnotations',
    rule: 'annotate',
    success: 200,
    changes: true,
    request: at('/upload/image/', '/annotations'),
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
  // It belongs to the look of the call before.
  {
    name: 'getStudyAnnotations',
    rule: 'open',
    success: 200,
    log: [line('study.frames')],
    request: ofStudy('/annotations'),
  },
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
const imageEvents: Record<
  Extract<ServerEvent, `image:${string}` | `annotations:${string}` | `analysis:${string}`>,
  ImageRule | null
> = {
  'image:uploaded': 'see',
  'image:updated': 'see',
  'image:activity': 'timeline',
  'image:deleted': null,
  'annotations:changed': 'open',
  'analysis:progress': null,
  'analysis:completed': 'analyse',
  'analysis:failed': null,
  // Their own tests: the rule depends on the role.
  'analysis:signed': null,
  'analysis:withdrawn': null,
};
const studyEvents: Record<Extract<ServerEvent, `study:${string}`>, ImageRule | null> = {
  'study:updated': 'see',
  'study:complete': 'see',
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

/** The contract's order: the role, then what is not theirs to know of, then what is seen but not allowed. */
function expected(
  { name, method, rule, success, leaves, hidden, log }: Cell,
  caller: Person,
  facts: ImageFacts | null,
): Outcome {
  const shape = calls[name] as CallShape;
  const action = shape.action as AuditAction;
  const denied = (status: number, reason: string) => ({ status, log: [line(action, 'denied', reason)] });
  if (!roleMay(caller.role, shape.who as Permission)) return denied(403, 'FORBIDDEN');
  if (!facts || !imageRules.see(caller, facts)) return denied(404, 'NOT_FOUND');
  const form = formOf(caller, facts);
  // A viewer opens and downloads the original or the copy.
  const named = typeof rule === 'function' ? rule(caller.role) : rule;
  const asked = rule === 'open' || rule === 'download' ? formRules[rule][form] : named;
  const decision = asked ? decideImage(asked, caller, facts) : ({ may: true } as const);
  // The call with HEAD comes after the one with GET: it is the same look.
  const isCarers = method !== 'head' && 'because' in decision && decision.because === 'carer';
  const reason = isCarers ? carerLook : '';
  if (decision.may && log) return { status: success, log };
  if (decision.may) return { status: success, log: (leaves ?? [action]).map((type) => line(type, 'success', reason)) };
  if (hidden) return denied(404, 'NOT_FOUND');
  const errors: Partial<Record<ImageBar, string>> = { notVerified: 'NOT_VERIFIED', noDownload: 'NO_DOWNLOAD' };
  return denied(403, (!decision.may && errors[decision.because]) || 'FORBIDDEN');
}

/** Returns the entries that a new person left in the log since the last call. */
function logOf(person: Person): () => Promise<string[]> {
  let last = idBeforeEvents(person._id);
  return async () => {
    // One process makes all events here, so their ids grow.
    const events = test.gateway.models.Event.find({ actor: person._id, _id: { $gt: last } });
    const fresh = await events.sort({ _id: 1 }).lean<EventDoc[]>();
    last = fresh.at(-1)?._id ?? last;
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
 * States that change nothing for the role, because one like them is kept: administrators need no share, only providers have
 * an emergency access, and only patients are carers.
 */
const idle: Record<Role, readonly State[]> = {
  healthProvider: ['as a carer, locked', 'as a former carer'],
  patient: ['emergency over'],
  admin: [
    'shared pending',
    'emergency over',
    'copy pending',
    'copy verified',
    'shared without download',
    'expired share',
    'revoked share',
    'as a carer, locked',
    'as a former carer',
  ],
};
const rows = (Object.keys(ofWhat) as What[]).flatMap((what) =>
  roles.flatMap((role) =>
    ofWhat[what].filter((state) => allCells || isSampled(what, role, state)).map((state) => ({ what, role, state })),
  ),
);

/**
 * In a sample the roles for which a state changes something take turns: one of them meets it with a study, and one with an
 * image, beside the provider, who meets all states of an image.
 */
function isSampled(what: What, role: Role, state: State): boolean {
  const able = roles.filter((one) => !idle[one].includes(state));
  if (what === 'image' && role === 'healthProvider') return able.includes(role);
  const others = what === 'image' ? able.filter((one) => one !== 'healthProvider') : able;
  return others[states.indexOf(state) % others.length] === role;
}

/** The states in which a stranger calls too: shares and emergencies of others change nothing for them. */
const withStranger: readonly State[] = ['shared verified', 'in an emergency', 'as a carer', 'deleted'];

const isAllowed = ({ name }: Cell, role: Role) => roleMay(role, (calls[name] as CallShape).who as Permission);
const ofStudies = new Set(studyCells);

/**
 * The calls whose entry in the log depends on an earlier call: one look has one entry, and only marks that were saved can be
 * removed. A sample has both or none.
 */
const earlier: Partial<Record<CallName, CallName>> = {
  getFrame: 'getFrames',
  getAnnotations: 'getFrames',
  getStudyAnnotations: 'getStudyFrames',
  deleteAnnotations: 'saveAnnotations',
};
const followed = ({ name, method }: Cell): CallName | null => (method === 'head' ? name : (earlier[name] ?? null));

/** The states in which providers make every call. The other states of an image differ from one of these in one fact. */
const whole: readonly State[] = ['own', 'shared verified', 'foreign'];

/**
 * The cells of one row. Providers make every call in the states of `whole`. Otherwise the calls with one rule take turns,
 * state by state, so each rule meets every state of an image. For a study the calls of its image come in every second state,
 * and those of the study in each. `authorization.test.ts` makes every call with every role.
 */
function sampled(what: What, role: Role, state: State, isStranger = false): Set<Cell> {
  const isWhole = role === 'healthProvider' && what === 'image' && !isStranger && whole.includes(state);
  if (allCells || isWhole) return new Set(table[what]);
  const turn = states.indexOf(state);
  const groups = new Map<unknown, Cell[]>();
  for (const cell of table[what].filter((one) => !followed(one))) {
    const alike = isAllowed(cell, role) ? [cell.rule, cell.changes, cell.hidden].join() : 'of other roles';
    const key = ofStudies.has(cell) && !isStranger ? cell : alike;
    groups.set(key, [...(groups.get(key) ?? []), cell]);
  }
  const chosen = [...groups.values()]
    .filter(([first], place) => what === 'image' || (first && ofStudies.has(first)) || (place + turn) % 2 === 0)
    .map((group) => group[turn % group.length]);
  const names = chosen.map((cell) => cell?.name);
  return new Set(table[what].filter((cell) => chosen.includes(cell) || names.some((name) => name === followed(cell))));
}

/** The states in which the code of a share is entered: by its recipient, by the owner, and by somebody else. */
const withCode = new Set<State>([...(Object.keys(shareWishes) as State[]), 'own', 'foreign']);

/** Arranges a world once, and runs what is done in it one after the other, in the order of the tests. */
function inWorld(role: Role, state: State, what: What) {
  let world: Promise<World> | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  return (work: (world: World) => Promise<void>): Promise<void> => {
    world ??= arrange(role, state, what);
    const arranged = world;
    const done = turn.then(async () => work(await arranged));
    turn = done.catch(() => undefined);
    return done;
  };
}

describe.concurrent.each(rows)('a shared $what, $state, for a $role', ({ what, role, state }) => {
  // The rows run at the same time, so each takes as long as all of them.
  const alone = inWorld(role, state, what);

  it('every socket event reaches only those whom the policy allows, without pixels', () =>
    alone(async ({ viewer, other, image, share, facts }) => {
      const refs = { record: image.id, share: share.id, progress: 10 };
      const strange = facts && { ...facts, share: null, copy: null, emergency: false, carer: false };
      const viewers = [[viewer, facts] as const, [other, strange] as const];
      for (const [person, known] of viewers.slice(0, withStranger.includes(state) ? 2 : 1)) {
        for (const name of keysOf(imageEvents)) {
          const rule = imageEvents[name];
          if (!rule) continue;
          const payload = await payloads[name](test.gateway, person, refs);
          expect(payload !== null, `${name} for ${person.role}`).toBe(
            known !== null && imageRules[rule](person, known),
          );
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
    }));

  it('every call of every caller is answered as the policy says', { timeout: 240_000 }, () =>
    alone(async (world) => {
      const { viewer, other, facts } = world;
      const strange = facts && { ...facts, share: null, copy: null, emergency: false, carer: false };
      const callers = [[other, strange] as const, [viewer, facts] as const].slice(withStranger.includes(state) ? 0 : 1);
      const [mine, theirs] = [sampled(what, role, state), sampled(what, role, state, true)];
      const logs = new Map([viewer, other].map((person) => [person, logOf(person)]));
      const got: Record<string, Outcome> = {};
      const want: Record<string, Outcome> = {};
      for (const cell of table[what]) {
        const label = `${cell.method ?? ''} ${cell.name}`.trim();
        for (const [person, known] of callers) {
          if (!(person === viewer ? mine : theirs).has(cell)) continue;
          const wanted = expected(cell, person, known);
          // Skip the change by the other administrator: this state's own viewer must find it unchanged.
          if (person === other && cell.changes && wanted.status < 300) continue;
          const answer = await ask(cell, world, person);
          const key = `${label} by ${person === viewer ? 'them' : 'another'}`;
          got[key] = { status: answer.status, log: (await logs.get(person)?.()) ?? [] };
          want[key] = wanted;
          const opens = known && (imageRules.open(person, known) || imageRules.openCopy(person, known));
          expect(inspect(answer, world, Boolean(opens)), key).toEqual([]);
          // The caption, and the title of the study.
          if (known && formOf(person, known) === 'copy') expect(answer.text ?? '', key).not.toMatch(/Left hand/);
        }
      }
      expect(got).toEqual(want);
    }),
  );

  const enterCode = async () => {
    const { viewer, other, share } = await arrange(role, state, what);
    const theirs = share.recipient.id === viewer.id;
    const log = logOf(viewer);
    const send = (as: Person) =>
      api.as(as).post('/sharing/verify', { sharingRequestId: share.id, verificationCode: share.code });
    expect((await send(other)).status).toBe(404);
    const { status } = await send(viewer);
    const outcomes: Record<number, string[]> = {
      200: state === 'shared pending' || state === 'copy pending' ? ['share.verify success'] : [],
      410: ['share.verify failed EXPIRED'],
      404: ['share.verify denied NOT_FOUND'],
    };
    const over = state === 'expired share' || state === 'revoked share';
    const wanted = !theirs || state === 'deleted' ? 404 : over ? 410 : 200;
    expect([status, await log()]).toEqual([wanted, outcomes[wanted]]);
  };
  if (withCode.has(state)) it('the code of the share works only where the policy allows it', enterCode);
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
    for (const [turn, cell] of table[what].entries()) {
      // In a sample, half of them make this call, and the other half the next one.
      const knocking = allCells ? outsiders : outsiders.filter((_, i) => i % 2 === turn % 2);
      for (const [name, token] of knocking) {
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
  const made = { type: { $ne: 'audit.signed' as const } };
  // The gateway counts refused sign-ins in an event of its own, at any moment.
  const events = await eventually(async () => {
    await appendAudit(models, keys.audit);
    const count = await models.Event.countDocuments();
    expect(await models.AuditEntry.countDocuments(made)).toBe(count);
    expect(await models.AuditEntry.distinct('event', made)).toHaveLength(count);
    return count;
  });
  const [nameless] = await models.AuditEntry.find({
    $or: [{ actor: { $exists: false } }, { ip: '' }, { at: { $exists: false } }, { table: '' }],
    type: { $nin: ['auth.failures', 'audit.signed'] },
  })
    .limit(1)
    .lean();
  expect(nameless).toBeUndefined();
  expect(events).toBeGreaterThan(700);
});
