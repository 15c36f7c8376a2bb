import { roles } from '@lightbox/contract/permissions.js';
import type { EventDoc } from '../models/event.js';
import type { JobRequest } from '../queues/queues.js';
import { consequencesOf } from './reactions.js';
import type { LiveUpdate, Signal } from './signals.js';

/** Returns what sockets learn of an event. */
export function liveUpdatesOf(event: EventDoc): Signal[] {
  const { push: name, toEverybody, each } = consequencesOf(event.type) ?? {};
  if (!name) return [];
  const refs = Object.fromEntries(Object.entries(event.refs).map(([key, id]) => [key, String(id)]));
  const record = event.record ? { record: String(event.record) } : {};
  const to = toEverybody ? roles.map((role) => `role:${role}`) : [...event.recipients.map(String), 'role:admin'];
  const ofEach = (each && event.records) ?? [];
  const { carers } = event;
  const updates: LiveUpdate[] = [
    { name, to, refs: { ...refs, ...record } },
    ...(carers ? [{ name: 'carer:changed' as const, to: carers.map(String), refs }] : []),
    ...ofEach.map((id) => ({
      name: each as LiveUpdate['name'],
      to,
      refs: { record: String(id), study: String(event.record) },
    })),
  ];
  return updates.map((push) => ({ push, ...(event.trace ? { trace: event.trace } : {}) }));
}

/** Returns the jobs that an event causes. */
export function jobsOf(event: EventDoc): JobRequest[] {
  const follows = consequencesOf(event.type);
  if (!follows) return [];
  const id = String(event._id);
  const template = follows.mail?.(event);
  const made: JobRequest[] = [
    ...(follows.jobs?.(event) ?? []).map((job) => ({ ...job, data: { ...job.data, eventId: id } }) as JobRequest),
    ...(template ? [{ name: 'sendMail' as const, data: { eventId: id, template }, id: `${id}-mail` }] : []),
    ...(follows.settles || (follows.notify && event.recipients.length > 0 && (follows.isNotice?.(event) ?? true))
      ? [{ name: 'notify' as const, data: { eventId: id }, id: `${id}-notify` }]
      : []),
  ];
  const { trace } = event;
  return trace ? made.map((job) => ({ ...job, trace })) : made;
}
