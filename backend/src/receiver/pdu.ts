/** The messages of DICOM's upper layer protocol (PS3.8 §9.3), as the side that accepts associations needs them. */

export const PduType = {
  associateRequest: 1,
  associateAccept: 2,
  associateReject: 3,
  data: 4,
  releaseRequest: 5,
  releaseReply: 6,
  abort: 7,
} as const;

/** Bytes before the content of each PDU: its type, a reserved byte and the length of the content. */
export const PDU_HEADER = 6;

/** The one application context of DICOM (PS3.7 §A.2.1). */
const APPLICATION_CONTEXT = '1.2.840.10008.3.1.1.1';
const PROTOCOL_VERSION = 1;
const AE_TITLE = 16;
/** Bytes of an association request before its items. */
const FIXED = 68;

const ItemType = {
  applicationContext: 0x10,
  proposedContext: 0x20,
  acceptedContext: 0x21,
  abstractSyntax: 0x30,
  transferSyntax: 0x40,
  user: 0x50,
  maxLength: 0x51,
  implementationClass: 0x52,
  implementationVersion: 0x55,
} as const;

/** A presentation context that the other side proposes. */
export interface Proposed {
  id: number;
  abstractSyntax: string;
  transferSyntaxes: string[];
}

export interface AssociationRequest {
  calling: string;
  called: string;
  contexts: Proposed[];
  /** The longest PDU that the other side takes; 0: any. */
  maxLength: number;
}

/** The bytes break the protocol: the association is aborted. */
export class ProtocolFault extends Error {
  override name = 'ProtocolFault';
}

interface Item {
  type: number;
  content: Buffer;
}

/** Returns the items of a PDU (PS3.8 §9.3.2.1): type, reserved byte, length, content. */
function itemsOf(bytes: Buffer): Item[] {
  const items: Item[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + 4 > bytes.length) throw new ProtocolFault('An item is cut off.');
    const end = at + 4 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length) throw new ProtocolFault('An item is longer than what contains it.');
    items.push({ type: bytes.readUInt8(at), content: bytes.subarray(at + 4, end) });
    at = end;
  }
  return items;
}

/** UIDs in messages may be padded with zero bytes or spaces (PS3.5 §9.1). */
const uidIn = (bytes: Buffer): string => bytes.toString('latin1').replace(/[\0 ]+$/, '');
const titleIn = (bytes: Buffer): string => bytes.toString('latin1').trim();

function contextOf(content: Buffer): Proposed {
  if (content.length < 4) throw new ProtocolFault('A presentation context is cut off.');
  const items = itemsOf(content.subarray(4));
  const abstract = items.find(({ type }) => type === ItemType.abstractSyntax);
  return {
    id: content.readUInt8(0),
    abstractSyntax: abstract ? uidIn(abstract.content) : '',
    transferSyntaxes: items
      .filter(({ type }) => type === ItemType.transferSyntax)
      .map((syntax) => uidIn(syntax.content)),
  };
}

/** Reads the content of an A-ASSOCIATE-RQ (PS3.8 §9.3.2). Items of other kinds, as user identities, are left out. */
export function readAssociationRequest(content: Buffer): AssociationRequest {
  if (content.length < FIXED) throw new ProtocolFault('The association request is cut off.');
  if ((content.readUInt16BE(0) & PROTOCOL_VERSION) === 0) throw new ProtocolFault('Another version of the protocol.');
  const items = itemsOf(content.subarray(FIXED));
  const user = items.find(({ type }) => type === ItemType.user);
  const maxLength = user && itemsOf(user.content).find(({ type }) => type === ItemType.maxLength);
  return {
    called: titleIn(content.subarray(4, 4 + AE_TITLE)),
    calling: titleIn(content.subarray(4 + AE_TITLE, 4 + 2 * AE_TITLE)),
    contexts: items.filter(({ type }) => type === ItemType.proposedContext).map((item) => contextOf(item.content)),
    maxLength: maxLength?.content.length === 4 ? maxLength.content.readUInt32BE(0) : 0,
  };
}

/** Returns a PDU with its header. */
function pdu(type: number, content: Buffer): Buffer {
  const header = Buffer.alloc(PDU_HEADER);
  header.writeUInt8(type, 0);
  header.writeUInt32BE(content.length, 2);
  return Buffer.concat([header, content]);
}

function item(type: number, ...content: Buffer[]): Buffer {
  const header = Buffer.alloc(4);
  const body = Buffer.concat(content);
  header.writeUInt8(type, 0);
  header.writeUInt16BE(body.length, 2);
  return Buffer.concat([header, body]);
}

const text = (value: string): Buffer => Buffer.from(value, 'latin1');
const long = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** Results of the negotiation of one presentation context (PS3.8 §9.3.3.2). */
export const ContextResult = { accepted: 0, unknownAbstractSyntax: 3, unknownTransferSyntaxes: 4 } as const;

/** The answer to one proposed presentation context. */
export interface Negotiated extends Proposed {
  result: (typeof ContextResult)[keyof typeof ContextResult];
  /** The chosen one; of a refused context it has no meaning. */
  transferSyntax: string;
}

export interface Acceptance {
  contexts: readonly Negotiated[];
  /** The longest PDU that this side takes. */
  maxLength: number;
  implementation: { classUid: string; versionName: string };
}

/** Returns an A-ASSOCIATE-AC (PS3.8 §9.3.3). The two AE titles are those of the request (`asked`: its content). */
export function acceptAssociation(asked: Buffer, { contexts, maxLength, implementation }: Acceptance): Buffer {
  const fixed = Buffer.from(asked.subarray(0, FIXED));
  fixed.writeUInt16BE(PROTOCOL_VERSION, 0);
  return pdu(
    PduType.associateAccept,
    Buffer.concat([
      fixed,
      item(ItemType.applicationContext, text(APPLICATION_CONTEXT)),
      ...contexts.map(({ id, result, transferSyntax }) =>
        item(
          ItemType.acceptedContext,
          Buffer.from([id, 0, result, 0]),
          item(ItemType.transferSyntax, text(transferSyntax)),
        ),
      ),
      item(
        ItemType.user,
        item(ItemType.maxLength, long(maxLength)),
        item(ItemType.implementationClass, text(implementation.classUid)),
        item(ItemType.implementationVersion, text(implementation.versionName)),
      ),
    ]),
  );
}

/** Reasons for the rejection of an association (PS3.8 §9.3.4): result, source, reason. */
const rejections = {
  /** A rejection for good: another try gets the same answer. */
  notAllowed: [1, 1, 1],
  unknownCalling: [1, 1, 3],
  unknownCalled: [1, 1, 7],
  /** A rejection for now: the sender may try again later. */
  congestion: [2, 3, 1],
  tooMany: [2, 3, 2],
} as const;
export type Rejection = keyof typeof rejections;

export const rejectAssociation = (rejection: Rejection): Buffer =>
  pdu(PduType.associateReject, Buffer.from([0, ...rejections[rejection]]));

export const releaseReply = (): Buffer => pdu(PduType.releaseReply, Buffer.alloc(4));

/** Returns an A-ABORT (PS3.8 §9.3.8) of the service provider, without a reason. */
export const abort = (): Buffer => pdu(PduType.abort, Buffer.from([0, 0, 2, 0]));

/** A part of a message (PS3.8 §9.3.5.1 and §E.2). */
export interface DataValue {
  context: number;
  isCommand: boolean;
  isLast: boolean;
  bytes: Buffer;
}

/** Returns the values of a P-DATA-TF. */
export function readDataValues(content: Buffer): DataValue[] {
  const values: DataValue[] = [];
  for (let at = 0; at < content.length; ) {
    if (at + 6 > content.length) throw new ProtocolFault('A data value is cut off.');
    const length = content.readUInt32BE(at);
    const end = at + 4 + length;
    if (length < 2 || end > content.length) throw new ProtocolFault('A data value has a wrong length.');
    const flags = content.readUInt8(at + 5);
    values.push({
      context: content.readUInt8(at + 4),
      isCommand: (flags & 1) === 1,
      isLast: (flags & 2) === 2,
      bytes: content.subarray(at + 6, end),
    });
    at = end;
  }
  return values;
}

/** Returns a P-DATA-TF with a whole command. */
export function commandData(context: number, command: Buffer): Buffer {
  return pdu(PduType.data, Buffer.concat([long(command.length + 2), Buffer.from([context, 3]), command]));
}
