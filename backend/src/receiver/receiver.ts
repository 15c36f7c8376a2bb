import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Config, DicomConfig } from '@lightbox/core/config/config.js';
import { ConfigError } from '@lightbox/core/config/env.js';
import { assembleCore, prepareCore } from '@lightbox/core/core.js';
import type { Clock } from '@lightbox/core/db/clock.js';
import { AppError } from '@lightbox/core/errors.js';
import { startOps } from '@lightbox/core/process/ops.js';
import { portTakenMessage } from '@lightbox/core/process/portTaken.js';
import { noteReady } from '@lightbox/core/process/receiverReady.js';
import type { Gateway } from '../context.js';
import { closeInspectors } from '../files/inspectionPool.js';
import { servicesOf } from '../services.js';
import { type Admission, serveAssociation } from './association.js';
import { statusName } from './command.js';
import { type ReceiverLimits, receiverLimits } from './limits.js';
import { admitNode, type NodeRefusal, noteCall } from './nodes.js';
import { type AssociationRequest, abort, ProtocolFault, type Rejection } from './pdu.js';
import { receiveInstance } from './receive.js';
import { ConnectionEnded, Wire } from './wire.js';

export interface RunningReceiver {
  gateway: Gateway;
  /** The port that the receiver listens on: not that of the configuration when that was 0. */
  port: number;
  /** Resolves when files can be stored; until then associations are rejected for now. */
  ready: Promise<void>;
  stop: () => Promise<void>;
}

/** Starts the DICOM receiver. Tests pass `clock` and `changes` of the limits. */
export async function startReceiver(
  config: Config,
  clock?: Clock,
  changes: Partial<ReceiverLimits> = {},
): Promise<RunningReceiver> {
  const { dicom } = config;
  if (!dicom) throw new ConfigError('The DICOM receiver is off: set DICOM_PORT.');
  const core = assembleCore(config, 'dicom', clock);
  const gateway: Gateway = { ...core, ...servicesOf(core) };
  const receiver = new Receiver(gateway, dicom, { ...receiverLimits, ...changes });
  const port = await receiver.listen();
  const stopOps = await startOps(core, () => receiver.stopping);
  let stopNoting = () => {};
  const ready = core.startUp
    .run(() => prepareCore(core))
    .then(() => {
      if (!receiver.stopping) stopNoting = noteReady(core);
    });
  // The caller may attach its own handlers later: avoid an unhandledRejection.
  ready.catch(() => undefined);
  return {
    gateway,
    port,
    ready,
    stop: async () => {
      core.startUp.stop();
      stopNoting();
      await receiver.stop();
      await stopOps();
      await gateway.anonymousFailures.stop().catch(() => undefined);
      await closeInspectors();
      await core.close();
    },
  };
}

const rejectionOf: Record<NodeRefusal, Rejection> = {
  UNKNOWN_NODE: 'unknownCalling',
  ADDRESS: 'unknownCalling',
  ACCOUNT: 'notAllowed',
};

/** A device that is refused is in the log once in this time, however often it calls. */
const REFUSAL_MS = 60_000;

class Receiver {
  stopping = false;
  private readonly server: Server;
  /** Connections, and their ends. */
  private readonly open = new Map<Socket, Promise<void>>();
  /** Connections on which a file arrives. */
  private readonly busy = new Set<Socket>();
  /** Associations by AE title. */
  private readonly associations = new Map<string, number>();
  private readonly refusals = new Map<string, number>();

  constructor(
    private readonly gateway: Gateway,
    private readonly dicom: DicomConfig,
    private readonly limits: ReceiverLimits,
  ) {
    gateway.metrics.countAssociations(() => this.count());
    const accept = (socket: Socket) => {
      this.open.set(
        socket,
        this.serve(socket).finally(() => this.open.delete(socket)),
      );
    };
    const { tls } = dicom;
    this.server = tls
      ? createTlsServer({ ...tlsOptions(tls), handshakeTimeout: limits.requestMs }, accept)
      : createServer(accept);
    this.server.maxConnections = limits.connections;
    this.server.on('drop', () => gateway.metrics.endedDicomConnection('dropped'));
    // A handshake that fails has no association yet.
    this.server.on('tlsClientError', () => gateway.metrics.endedDicomConnection('handshake'));
  }

  listen(): Promise<number> {
    const { host, port } = this.dicom;
    return new Promise((resolve, reject) => {
      this.server.once('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'EADDRINUSE' ? new ConfigError(portTakenMessage('DICOM_PORT', host, port)) : error),
      );
      this.server.listen({ host, port }, () => resolve((this.server.address() as AddressInfo).port));
    });
  }

  /** Takes no further association, and lets the file that arrives end. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.server.close();
    for (const socket of this.open.keys()) if (!this.busy.has(socket)) socket.destroy();
    const cut = setTimeout(() => this.cut(), this.limits.drainMs);
    await Promise.all(this.open.values());
    clearTimeout(cut);
  }

  private cut(): void {
    for (const socket of this.open.keys()) socket.destroy();
  }

  private count(): number {
    return [...this.associations.values()].reduce((sum, one) => sum + one, 0);
  }

  private async serve(socket: Socket): Promise<void> {
    const { limits } = this;
    const { metrics } = this.gateway;
    const address = socket.remoteAddress ?? '';
    const wire = new Wire(socket, limits);
    const timer = setTimeout(() => socket.destroy(), limits.associationMs);
    let title: string | null = null;
    socket.setNoDelay(true);
    try {
      const outcome = await serveAssociation(wire, limits, async (request) => {
        const admission = await this.admit(request, socket, address);
        if ('served' in admission) title = request.calling;
        return admission;
      });
      metrics.endedDicomConnection(outcome);
      socket.end();
    } catch (error) {
      metrics.endedDicomConnection(error instanceof ProtocolFault ? 'fault' : 'ended');
      if (!(error instanceof ProtocolFault || error instanceof ConnectionEnded)) {
        this.gateway.log.error({ err: error }, 'an association failed');
      }
      // The other side has this time to take what was sent, or the connection is cut.
      if (!socket.destroyed) socket.end(abort());
    } finally {
      clearTimeout(timer);
      if (title !== null) this.leave(title);
      await closed(socket);
    }
  }

  private async admit(request: AssociationRequest, socket: Socket, address: string): Promise<Admission> {
    const { gateway, limits } = this;
    const { calling, called } = request;
    if (this.stopping || !gateway.startUp.done) return { rejection: 'congestion' };
    if (called !== this.dicom.title) return { rejection: this.refuseStranger('unknownCalled', address) };
    if (this.count() >= limits.associations) return { rejection: 'tooMany' };
    if ((this.associations.get(calling) ?? 0) >= limits.associationsPerNode) return { rejection: 'tooMany' };
    // Before the first wait, so that associations that begin at once count each other.
    this.enter(calling);
    const rejection = await this.rejectionFor(calling, address).catch((error): Rejection => {
      gateway.warn(error, 'a device could not be looked up');
      return 'congestion';
    });
    if (rejection) {
      this.leave(calling);
      return { rejection };
    }
    return {
      served: {
        store: async (arriving) => {
          const begun = performance.now();
          this.busy.add(socket);
          const sender = { title: calling, address };
          const reply = await receiveInstance(gateway, sender, arriving).finally(() => this.busy.delete(socket));
          gateway.metrics.tookDicomFile(statusName(reply.status), performance.now() - begun);
          return reply;
        },
        isStopping: () => this.stopping,
      },
    };
  }

  /** Returns why a device is not served; null when it is. */
  private async rejectionFor(calling: string, address: string): Promise<Rejection | null> {
    const { gateway } = this;
    const admitted = await admitNode(gateway, calling, address);
    if ('refusal' in admitted) {
      const { refusal, node } = admitted;
      if (!node) return this.refuseStranger(rejectionOf[refusal], address);
      await this.recordRefusal(node._id, refusal, address);
      return rejectionOf[refusal];
    }
    noteCall(gateway, admitted.node._id).catch((error) => gateway.warn(error, 'the call of a device was not noted'));
    return null;
  }

  private enter(title: string): void {
    this.associations.set(title, (this.associations.get(title) ?? 0) + 1);
  }

  private leave(title: string): void {
    const left = (this.associations.get(title) ?? 1) - 1;
    if (left > 0) this.associations.set(title, left);
    else this.associations.delete(title);
  }

  /** Nobody knows who calls: counted by address, as other strangers are. */
  private refuseStranger(rejection: Rejection, address: string): Rejection {
    this.gateway.anonymousFailures.count(new AppError('AUTHENTICATION_FAILED'), address);
    return rejection;
  }

  private async recordRefusal(
    node: NonNullable<Parameters<typeof noteCall>[1]>,
    reason: NodeRefusal,
    ip: string,
  ): Promise<void> {
    const key = `${node} ${reason}`;
    const now = performance.now();
    if (now - (this.refusals.get(key) ?? Number.NEGATIVE_INFINITY) < REFUSAL_MS) return;
    this.refusals.set(key, now);
    const refused = { type: 'dicomNode.refused', status: 'denied', record: node, reason } as const;
    await this.gateway.events.record({ node, ip }, refused).catch((error) => {
      this.refusals.delete(key);
      throw error;
    });
  }
}

/** Time for the other side to close a connection that this side has ended. */
const CLOSE_MS = 2_000;

function closed(socket: Socket): Promise<void> {
  if (socket.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.destroy(), CLOSE_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    // Bytes that still arrive are dropped: unread, they would keep the connection open.
    socket.resume();
  });
}

function tlsOptions({ cert, key, ca }: NonNullable<DicomConfig['tls']>) {
  const read = (name: string, path: string): Buffer => {
    try {
      return readFileSync(path);
    } catch (error) {
      throw new ConfigError(`${name} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
    }
  };
  return {
    cert: read('DICOM_TLS_CERT', cert),
    key: read('DICOM_TLS_KEY', key),
    minVersion: 'TLSv1.2' as const,
    // The security profile of DICOM (BCP 195, PS3.15 §B.9): a sender without a certificate of this authority is refused.
    ...(ca ? { ca: read('DICOM_TLS_CA', ca), requestCert: true, rejectUnauthorized: true } : {}),
  };
}
