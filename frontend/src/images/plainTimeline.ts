import { type LookAction, lookActions, type TimelineAction } from '@lightbox/contract/audit/actions.js';
import type { TimelineEntry } from '@lightbox/contract/images/insight.js';
import { daysAgo } from '../lib/format';

/** The key of an entry's sentence below `images.timeline.plain`. */
const sentences = {
  'image.upload': 'added',
  'image.blackOut': 'added',
  'image.transfer': 'moved',
  'study.updated': 'changed',
  'share.create': 'shared',
  'share.verify': 'code',
  'share.lock': 'locked',
  'share.resend': 'resent',
  'share.revoke': 'revoked',
  'share.expire': 'expired',
  'token.viewer': 'elsewhere',
  'emergency.opened': 'emergency',
  'emergency.ended': 'emergencyEnd',
  'analysis.request': 'analysis',
  'analysis.complete': 'analysed',
  'analysis.fail': 'notAnalysed',
  'analysis.signed': 'signed',
  'analysis.withdrawn': 'withdrawn',
} as const satisfies Partial<Record<TimelineAction, string>>;
export type Sentence =
  | (typeof sentences)[keyof typeof sentences]
  | 'looked'
  | 'emergencyLook'
  | 'carerLook'
  | 'wrongCode'
  | 'refused'
  | 'other';

const looks: readonly Sentence[] = ['looked', 'emergencyLook', 'carerLook'];

export interface PlainEntry {
  entry: TimelineEntry;
  sentence: Sentence;
  /** The number of times that the person looked, for neighbouring looks of one day. */
  times: number;
}

/** A preview and its original, or a page and its parts, are read within this time. They are one look. */
const oneLookMs = 30_000;

const isLook = (type: TimelineAction): type is LookAction => (lookActions as readonly string[]).includes(type);

function sentenceOf({ actiontype, status, emergency, carer }: TimelineEntry): Sentence {
  if (isLook(actiontype)) {
    if (status !== 'success') return 'refused';
    return emergency ? 'emergencyLook' : carer ? 'carerLook' : 'looked';
  }
  if (actiontype === 'share.verify' && status !== 'success') return 'wrongCode';
  if (status !== 'success') return 'refused';
  return actiontype in sentences ? sentences[actiontype as keyof typeof sentences] : 'other';
}

/** Puts neighbouring looks of one person on one day together. The entries come newest first, and so do the results. */
export function plainOf(entries: readonly TimelineEntry[]): PlainEntry[] {
  const plain: (PlainEntry & { since: number })[] = [];
  for (const entry of entries) {
    const sentence = sentenceOf(entry);
    const at = Date.parse(entry.createAt);
    const before = plain.at(-1);
    const joins =
      looks.includes(sentence) &&
      before?.sentence === sentence &&
      before.entry.user?.id === entry.user?.id &&
      daysAgo(before.entry.createAt) === daysAgo(entry.createAt);
    if (!joins) plain.push({ entry, sentence, times: 1, since: at });
    else {
      if (before.since - at > oneLookMs) before.times += 1;
      before.since = at;
    }
  }
  return plain.map(({ since: _, ...rest }) => rest);
}
