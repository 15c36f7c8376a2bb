import { z } from 'zod';
import { type AuditAction, lookActions } from '../audit/actions.js';
import { carerLook } from '../carers/states.js';
import { Id, Time } from '../ids.js';
import { UserRef } from './schemas.js';

/** The events of a list of disclosures, in the order in which the page explains them. */
export const disclosureKinds = [
  'given',
  'opened',
  'changed',
  'ended',
  'looked',
  'carerLooked',
  'downloaded',
  'guestGiven',
  'guestOpened',
  'guestLooked',
  'guestDownloaded',
  'guestEnded',
] as const;
export type DisclosureKind = (typeof disclosureKinds)[number];

/** The kind of each action that is a disclosure. An action that is not here is in no list of disclosures. */
const kinds: Partial<Record<AuditAction, DisclosureKind>> = {
  ...Object.fromEntries(lookActions.map((action) => [action, 'looked' as const])),
  'image.content': 'downloaded',
  'study.content': 'downloaded',
  'profile.exported': 'downloaded',
  'share.create': 'given',
  'share.verify': 'opened',
  'share.changed': 'changed',
  'share.revoke': 'ended',
  'share.expire': 'ended',
  'guest.created': 'guestGiven',
  'guest.opened': 'guestOpened',
  'guest.viewed': 'guestLooked',
  'guest.downloaded': 'guestDownloaded',
  'guest.revoked': 'guestEnded',
  'guest.expired': 'guestEnded',
};
export const disclosureActions = Object.keys(kinds) as AuditAction[];
export const disclosureKind = (action: AuditAction, reason: string): DisclosureKind =>
  reason === carerLook ? 'carerLooked' : (kinds[action] ?? 'looked');

/** A person with an account, or a guest with the address to which the link was mailed. */
export const DisclosedTo = z.union([
  z.object({ user: UserRef }),
  /** Null: the link was not mailed, or its record is gone. */
  z.object({ guest: z.string().nullable() }),
]);
export type DisclosedTo = z.infer<typeof DisclosedTo>;

export const Disclosure = z.object({
  id: Id,
  at: Time,
  kind: z.enum(disclosureKinds),
  /** The image or the study, with its caption or title. */
  image: z.object({ id: Id, name: z.string() }),
  /** The person who did it; null for a guest, and for the product itself. */
  by: UserRef.nullable(),
  /** The person who got access; null where nobody did, or where the log is from before it names the share. */
  to: DisclosedTo.nullable(),
  /** The end of the access, as it is now; null without an end. */
  until: Time.nullable(),
});
export type Disclosure = z.infer<typeof Disclosure>;
