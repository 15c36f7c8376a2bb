import { date, type Id, Mixed, number, ObjectId, schemaOf } from './fields.js';

export interface ConversationDoc {
  /** The two ids, the smaller first, joined by `_`. */
  _id: string;
  members: Id[];
  /** The greatest `seq` among its removed messages, or a greater one that a process of an older version gave. */
  seq: number;
  /** The time of its last message, or up to a minute before it (`LAST_AT_MS` in `messageWriter.ts`). */
  lastAt: Date;
  /** The last `seq` that each member has read. Only processes of an older version use it, to count unread messages. */
  read: Record<string, number>;
}

export const conversation = schemaOf<ConversationDoc>(
  {
    _id: String,
    members: { type: [ObjectId], required: true },
    seq: number,
    lastAt: date,
    read: { type: Mixed, default: {} },
  },
  { minimize: false },
).index({ members: 1, lastAt: -1 });
