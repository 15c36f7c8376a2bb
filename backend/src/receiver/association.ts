import { implementation } from '@lightbox/core/imaging/implementation.js';
import { type Command, CommandField, readCommand, replyTo, Status } from './command.js';
import type { ReceiverLimits } from './limits.js';
import {
  type AssociationRequest,
  acceptAssociation,
  ContextResult,
  commandData,
  type Negotiated,
  PduType,
  type Proposed,
  ProtocolFault,
  type Rejection,
  readAssociationRequest,
  rejectAssociation,
  releaseReply,
} from './pdu.js';
import { isStorage, isTransferSyntax, VERIFICATION } from './syntaxes.js';
import { ConnectionEnded, type Wire } from './wire.js';

/** A data set that arrives with its command. It can be read once. */
export interface Arriving {
  command: Command;
  transferSyntax: string;
  dataSet: AsyncIterable<Buffer>;
}

export interface Reply {
  status: Status;
  /** Shown to the people at the device. It says nothing about a patient. */
  comment?: string;
}

/** The rights of an association that was accepted. */
export interface Served {
  store: (arriving: Arriving) => Promise<Reply>;
  /** True when no further message is served. */
  isStopping: () => boolean;
}

export type Admission = { rejection: Rejection } | { served: Served };

/** The end of an association. */
export type Outcome = 'released' | 'rejected' | 'ended';

/**
 * Talks with one sender from the association request to the release. Throws `ProtocolFault` and `ConnectionEnded`: the caller
 * aborts then.
 */
export async function serveAssociation(
  wire: Wire,
  limits: ReceiverLimits,
  admit: (request: AssociationRequest) => Promise<Admission>,
): Promise<Outcome> {
  const first = await wire.request();
  // A check by a load balancer, for instance.
  if (!first) return 'ended';
  if (first.type !== PduType.associateRequest) throw new ProtocolFault('An association must be requested first.');
  const request = readAssociationRequest(first.content);
  const admission = await admit(request);
  if ('rejection' in admission) {
    await wire.send(rejectAssociation(admission.rejection));
    return 'rejected';
  }
  const contexts = request.contexts.map(negotiate);
  await wire.send(acceptAssociation(first.content, { contexts, maxLength: limits.pduBytes, implementation }));
  const accepted = new Map(
    contexts.filter(({ result }) => result === ContextResult.accepted).map((one) => [one.id, one]),
  );
  return new Conversation(wire, limits, accepted, admission.served).run();
}

function negotiate(proposed: Proposed): Negotiated {
  const known = proposed.abstractSyntax === VERIFICATION || isStorage(proposed.abstractSyntax);
  const transferSyntax = proposed.transferSyntaxes.find(isTransferSyntax);
  const result = !known
    ? ContextResult.unknownAbstractSyntax
    : transferSyntax === undefined
      ? ContextResult.unknownTransferSyntaxes
      : ContextResult.accepted;
  return { ...proposed, result, transferSyntax: transferSyntax ?? '' };
}

class Conversation {
  constructor(
    private readonly wire: Wire,
    private readonly limits: ReceiverLimits,
    private readonly contexts: ReadonlyMap<number, Negotiated>,
    private readonly served: Served,
  ) {}

  async run(): Promise<Outcome> {
    for (;;) {
      if (this.served.isStopping()) throw new ConnectionEnded('The receiver is stopping.');
      const received = await this.command();
      if (!received) {
        await this.wire.send(releaseReply());
        return 'released';
      }
      const { context, command } = received;
      if (command.field === CommandField.cancel) continue;
      const { status, comment } = await this.answer(context, command);
      await this.wire.send(commandData(context.id, replyTo(command, status, comment)));
    }
  }

  /** Returns the next command; null when the other side releases the association. */
  private async command(): Promise<{ context: Negotiated; command: Command } | null> {
    const parts: Buffer[] = [];
    let length = 0;
    for (;;) {
      const value = await this.wire.value();
      if (!value && parts.length === 0) return null;
      const context = value && this.contexts.get(value.context);
      if (!context || !value.isCommand) throw new ProtocolFault('A command is expected, in an accepted context.');
      parts.push(value.bytes);
      length += value.bytes.length;
      if (length > this.limits.commandBytes) throw new ProtocolFault('The command is too long.');
      if (value.isLast) return { context, command: readCommand(Buffer.concat(parts)) };
    }
  }

  private async answer(context: Negotiated, command: Command): Promise<Reply> {
    const data = this.dataSet(context.id);
    const rest = async () => {
      // The reply follows the whole message, also when its beginning was enough to refuse it.
      if (command.hasDataSet) for await (const _ of data.left());
    };
    if (command.field === CommandField.storeRequest && command.hasDataSet) {
      const { transferSyntax } = context;
      const reply = await this.served.store({ command, transferSyntax, dataSet: data.left() });
      await rest();
      return reply;
    }
    await rest();
    if (command.field === CommandField.echoRequest) return { status: Status.success };
    return { status: Status.unknownOperation, comment: 'Only C-ECHO and C-STORE.' };
  }

  /** The data set of the message. `left` yields what was not read yet. */
  private dataSet(context: number): { left: () => AsyncGenerator<Buffer> } {
    const { wire, limits } = this;
    const begun = wire.waited;
    let isWhole = false;
    async function* left(): AsyncGenerator<Buffer> {
      while (!isWhole) {
        const value = await wire.value();
        if (!value || value.isCommand || value.context !== context) {
          throw new ProtocolFault('The data set of the message is expected.');
        }
        if (wire.waited - begun > limits.fileMs) throw new ConnectionEnded('The sender is too slow.');
        isWhole = value.isLast;
        yield value.bytes;
      }
    }
    return { left };
  }
}
