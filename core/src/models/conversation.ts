import { date, type Id, Mixed, number, ObjectId, schemaOf } from './fields.js';

export interface ConversationDoc {
  /** The two ids, the smaller first, joined by `_`. */
  _id: string;
  members: Id[];
  seq: number;
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
