/** Commands of DICOM's messages (PS3.7): what `C-ECHO` and `C-STORE` need of them. */
import { StoreStatus } from '../dicomWeb/storeInstance.js';
import { ProtocolFault } from './pdu.js';

export const CommandField = {
  storeRequest: 0x0001,
  storeReply: 0x8001,
  echoRequest: 0x0030,
  echoReply: 0x8030,
  cancel: 0x0fff,
} as const;

/** Replies have this bit. */
const REPLY = 0x8000;
/** Of `CommandDataSetType`: the message has no data set. */
const NO_DATA_SET = 0x0101;

const Tag = {
  groupLength: 0x0000,
  affectedClass: 0x0002,
  requestedClass: 0x0003,
  field: 0x0100,
  messageId: 0x0110,
  repliedTo: 0x0120,
  dataSetType: 0x0800,
  status: 0x0900,
  comment: 0x0902,
  affectedInstance: 0x1000,
} as const;

/** Statuses of replies (PS3.7 annex C). */
export const Status = { success: 0x0000, unknownOperation: 0x0211, ...StoreStatus } as const;
export type Status = (typeof Status)[keyof typeof Status];

const names = new Map(Object.entries(Status).map(([name, status]) => [status, name]));
/** Returns the name of a status, for metrics. */
export const statusName = (status: Status): string => names.get(status) ?? 'unknown';

export interface Command {
  field: number;
  messageId: number;
  sopClass: string;
  sopInstance: string;
  hasDataSet: boolean;
}

/** Reads a command set. Its elements are implicit little endian (PS3.7 §6.3.1), all of group 0000. */
export function readCommand(bytes: Buffer): Command {
  const values = new Map<number, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    if (at + 8 > bytes.length) throw new ProtocolFault('A command element is cut off.');
    const end = at + 8 + bytes.readUInt32LE(at + 4);
    if (bytes.readUInt16LE(at) !== 0 || end > bytes.length) throw new ProtocolFault('A command element is wrong.');
    values.set(bytes.readUInt16LE(at + 2), bytes.subarray(at + 8, end));
    at = end;
  }
  const number = (tag: number): number => {
    const value = values.get(tag);
    if (value?.length !== 2) throw new ProtocolFault('A command lacks a number.');
    return value.readUInt16LE(0);
  };
  const uid = (tag: number): string => (values.get(tag)?.toString('latin1') ?? '').replace(/[\0 ]+$/, '');
  const field = number(Tag.field);
  return {
    field,
    messageId: field === CommandField.cancel ? 0 : number(Tag.messageId),
    sopClass: uid(Tag.affectedClass) || uid(Tag.requestedClass),
    sopInstance: uid(Tag.affectedInstance),
    hasDataSet: number(Tag.dataSetType) !== NO_DATA_SET,
  };
}

function element(tag: number, value: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt16LE(tag, 2);
  header.writeUInt32LE(value.length, 4);
  return Buffer.concat([header, value]);
}

const word = (value: number): Buffer => Buffer.from([value & 0xff, value >> 8]);
const evenText = (value: string, pad: string): Buffer =>
  Buffer.from(value.length % 2 === 0 ? value : `${value}${pad}`, 'latin1');

/** Returns the reply to a command. The comment is at most 64 characters long. */
export function replyTo(command: Command, status: Status, comment?: string): Buffer {
  const { field, messageId, sopClass, sopInstance } = command;
  const body = Buffer.concat([
    ...(sopClass ? [element(Tag.affectedClass, evenText(sopClass, '\0'))] : []),
    element(Tag.field, word(field | REPLY)),
    element(Tag.repliedTo, word(messageId)),
    element(Tag.dataSetType, word(NO_DATA_SET)),
    element(Tag.status, word(status)),
    ...(comment ? [element(Tag.comment, evenText(comment.slice(0, 64), ' '))] : []),
    ...(sopInstance ? [element(Tag.affectedInstance, evenText(sopInstance, '\0'))] : []),
  ]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([element(Tag.groupLength, length), body]);
}
