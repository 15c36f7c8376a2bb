import { z } from 'zod';
import { backwards, forwards, Moment } from '../audit/calls.js';
import { call } from '../call.js';
import { PageQuery, sortBy } from '../envelope.js';
import { Id, Params, text } from '../ids.js';
import { texts } from '../texts.js';
import { TimeZone } from '../timeZone.js';
import { Disclosure } from './disclosures.js';
import { userSorts } from './policy.js';
import { Email, Language, ProfileChange, ProviderEmail, RoleName, User, UserRow, UserStatus } from './schemas.js';

export const Stats = z.object({
  totalImages: z.int(),
  sharedImages: z.int(),
  totalUsers: z.int(),
  /** The total by role; for admins only. */
  usersByRole: z.record(RoleName, z.int()).optional(),
});
export type Stats = z.infer<typeof Stats>;

const filter = {
  search: text(100).optional(),
  role: RoleName.optional(),
  status: UserStatus.optional(),
  sort: sortBy(userSorts, 'name'),
};

const period = {
  /** One image or study; all without it. */
  image: Id.optional(),
  from: Moment.optional(),
  /** A date without a time includes that whole day. */
  to: Moment.optional(),
};

export const userCalls = {
  listUsers: call({
    method: 'get',
    path: '/users',
    who: 'user.list',
    scopes: ['share'],
    action: 'user.list',
    summary: 'People the caller may see, without the caller; by lastname, firstname, id',
    query: PageQuery.extend(filter),
    data: z.array(UserRow),
    paged: true,
    throttles: ['people'],
  }),
  exportUsers: call({
    method: 'get',
    path: '/users/export',
    who: 'user.manage',
    action: 'user.export',
    stepUp: 'recent',
    summary: 'The same people as the list, all of them, as a CSV file',
    query: z.strictObject(filter),
    binary: ['text/csv'],
  }),
  getProfile: call({
    method: 'get',
    path: '/users/profile',
    who: 'profile.read',
    scopes: ['read'],
    action: 'profile.read',
    summary: 'The caller’s own account',
    data: User,
  }),
  updateProfile: call({
    method: 'put',
    path: '/users/profile',
    who: 'profile.write',
    action: 'profile.update',
    summary: 'Change the caller’s own profile',
    body: ProfileChange.extend({
      language: Language.optional(),
      timeZone: TimeZone.optional(),
      readReceipts: z.boolean().optional(),
    }),
    multipart: 'also',
    data: User,
    throttles: ['username'],
  }),
  setPhoto: call({
    method: 'post',
    path: '/users/profile/photo',
    who: 'profile.write',
    action: 'profile.photo',
    summary: 'Set the caller’s photo, a JPEG or PNG file; the answer has its id once it is drawn',
    body: z.strictObject({}),
    multipart: 'only',
    /** Null: it is drawn later. */
    data: z.object({ photo: Id.nullable() }),
    fails: ['FILE_TOO_LARGE', 'UNSUPPORTED_TYPE', 'UNREADABLE_FILE', 'TOO_MANY_PIXELS'],
    throttles: ['photo'],
  }),
  removePhoto: call({
    method: 'delete',
    path: '/users/profile/photo',
    who: 'profile.write',
    action: 'profile.photoRemoved',
    summary: 'Remove the caller’s photo',
  }),
  exportProfile: call({
    method: 'get',
    path: '/users/profile/export',
    who: 'ownData.read',
    action: 'profile.exported',
    stepUp: 'recent',
    summary: 'All data of the caller as a ZIP file: profile, images, messages, log, shares, and what is connected',
    binary: ['application/zip'],
    throttles: ['ownData'],
  }),
  listDisclosures: call({
    method: 'get',
    path: '/users/profile/disclosures',
    who: 'ownData.read',
    action: 'profile.disclosed',
    summary: 'Who got access to images of the caller as a patient, who looked at them and who downloaded them',
    query: PageQuery.extend(period).refine(forwards, backwards),
    data: z.array(Disclosure),
    paged: true,
  }),
  deleteProfile: call({
    method: 'delete',
    path: '/users/profile',
    who: 'profile.write',
    action: 'profile.delete',
    summary: 'Close the caller’s own account',
    body: z.strictObject({ password: z.string().min(1, texts.required).max(1000) }),
    fails: ['LAST_ADMIN', 'LAST_BREAK_GLASS', 'LEGAL_HOLD'],
    throttles: ['ownPassword'],
  }),
  getUser: call({
    method: 'get',
    path: '/users/:id',
    who: 'user.read',
    action: 'user.read',
    summary: 'One account the caller may see',
    params: Params,
    data: User,
    throttles: ['people'],
  }),
  getPhoto: call({
    method: 'get',
    path: '/users/:id/photo',
    who: 'user.read',
    action: 'user.read',
    summary: 'The photo of a person the caller may see, WebP of 256 pixels a side',
    params: Params,
    binary: ['image/webp'],
  }),
  deleteUser: call({
    method: 'delete',
    path: '/users/:id',
    who: 'user.manage',
    action: 'user.delete',
    summary: 'Close an account; its sessions end at once',
    params: Params,
    fails: ['NOT_ONESELF', 'LAST_ADMIN', 'LAST_BREAK_GLASS', 'LEGAL_HOLD'],
  }),
  toggleUserStatus: call({
    method: 'put',
    path: '/users/toggleUserStatus/:id',
    who: 'user.manage',
    action: 'user.activate',
    summary:
      'Activate or deactivate an account; its sessions end at once. A repeat that names the wanted state changes nothing; without it the call switches the state',
    params: Params,
    body: z.strictObject({ active: z.boolean().optional() }),
    data: User,
    fails: ['NOT_ONESELF', 'LAST_ADMIN', 'LAST_BREAK_GLASS', 'CONFLICT'],
  }),
  changeRole: call({
    method: 'put',
    path: '/users/role/:id',
    who: 'user.manage',
    action: 'user.role',
    stepUp: 'recent',
    summary: 'Give an account another role; its sessions end at once',
    params: Params,
    body: z.strictObject({ role: RoleName }),
    data: User,
    fails: ['LAST_ADMIN', 'LAST_BREAK_GLASS', 'CONFLICT'],
    throttles: ['staffMail'],
  }),
  resetUserTotp: call({
    method: 'delete',
    path: '/users/totp/:id',
    who: 'user.manage',
    action: 'totp.reset',
    stepUp: 'always',
    summary:
      'Take the authenticator app and the passkeys off an account whose owner has lost them; its sessions end, and a mail says so',
    params: Params,
    fails: ['NOT_ONESELF'],
    throttles: ['staffMail'],
  }),
  approveProvider: call({
    method: 'post',
    path: '/users/approve-provider',
    who: 'user.approve',
    action: 'user.approve',
    summary: 'Approve a provider; mails the decision',
    body: z.strictObject({ email: ProviderEmail }),
    data: User,
    fails: ['NOT_FOUND', 'NOT_PENDING'],
    throttles: ['staffMail'],
  }),
  undoApproval: call({
    method: 'post',
    path: '/users/undo-approval',
    who: 'user.approve',
    action: 'user.reconsidered',
    summary: 'Take back an approval within a minute: the provider waits for a decision again; mails it',
    body: z.strictObject({ email: Email }),
    data: User,
    fails: ['NOT_FOUND', 'EXPIRED'],
    throttles: ['staffMail'],
  }),
  rejectProvider: call({
    method: 'post',
    path: '/users/reject-provider',
    who: 'user.approve',
    action: 'user.reject',
    summary: 'Reject a provider with a reason; mails the decision',
    body: z.strictObject({ email: ProviderEmail, reason: text(500).min(1, 'Please give a reason.') }),
    data: User,
    fails: ['NOT_FOUND', 'NOT_PENDING'],
    throttles: ['staffMail'],
  }),
  getStats: call({
    method: 'get',
    path: '/stats',
    who: 'stats.read',
    action: 'stats.read',
    summary: 'Totals for the dashboard',
    data: Stats,
  }),
};
