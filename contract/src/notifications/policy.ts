import type { PushKind } from '../push/calls.js';
import { groupOf, isNotificationKind, mailedKinds, type NoticeSettings } from './choices.js';
import { quietUntil } from './clock.js';

/** The ways in which one notice reaches a person. */
export interface Delivery {
  /** It is in the notification centre. */
  app: boolean;
  /** A Date: it is quiet, and what is unread then is pushed together at that moment. */
  device: boolean | Date;
  /** A mail follows in general words, unless the notice is read before. */
  mail: boolean;
}

/** Decides how a notice of this kind is delivered now. Nothing else decides it. */
export function deliver(kind: PushKind, { choices, quiet, timeZone }: NoticeSettings, now: Date): Delivery {
  const { app, device, mail } = choices[groupOf[kind]];
  return {
    app: app && isNotificationKind(kind),
    device: device && ((quiet && quietUntil(quiet, timeZone, now)) ?? true),
    mail: mail && !mailedKinds.includes(kind),
  };
}
