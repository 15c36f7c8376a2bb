import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { socketPath } from '@lightbox/contract/socketPath.js';
import type { Config } from '@lightbox/core/config/config.js';
import { ConfigError } from '@lightbox/core/config/env.js';
import { assembleCore, prepareCore } from '@lightbox/core/core.js';
import type { Clock } from '@lightbox/core/db/clock.js';
import { connectRedis } from '@lightbox/core/db/redis.js';
import { startOps } from '@lightbox/core/process/ops.js';
import { portTakenMessage } from '@lightbox/core/process/portTaken.js';
import { createApp } from './app.js';
import { followAccounts } from './auth/follow.js';
import { bootstrap } from './bootstrap.js';
import type { Gateway } from './context.js';
import { closeInspectors } from './files/inspectionPool.js';
import { onClientError } from './http/errors.js';
import { refuseForeignHosts } from './http/hosts.js';
import { answerOtherUpgrades } from './http/otherUpgrades.js';
import { hearMessage } from './messages/messageWriter.js';
import { createSockets } from './realtime/sockets.js';
import { servicesOf } from './services.js';

export interface RunningGateway {
  gateway: Gateway;
  server: Server;
  /** The port that the server listens on: not `config.port` when that was 0. */
  port: number;
  /** Resolves when the gateway serves; until then it answers 503. Rejects when the start has failed. */
  ready: Promise<void>;
  stop: () => Promise<void>;
}

/** Longest time that a request under way may still take while the process stops. */
const DRAIN_MS = 8_000;

/** listen() backlog. After a restart all clients reconnect at once, and refused connections are retried slowly. */
const BACKLOG = 4_096;

/** Timeouts for the arrival of a request (all of it, and its headers), and the interval at which Node checks them. */
const arrivalTimeouts = { requestTimeout: 120_000, headersTimeout: 20_000, connectionsCheckingInterval: 5_000 };

/**
 * Listens at once, and serves when MongoDB is reachable and prepared. Tests pass `clock` and `timeouts`; everything
 * that expires is judged by the clock.
 */
export async function startGateway(config: Config, clock?: Clock, timeouts = arrivalTimeouts): Promise<RunningGateway> {
  const core = assembleCore(config, 'gateway', clock);
  const gateway: Gateway = { ...core, ...servicesOf(core) };
  let stopping = false;
  let unfollow = () => {};

  const server = createServer(
    { ...timeouts, keepAliveTimeout: 65_000 },
    createApp(gateway, () => stopping),
  );
  server.on('clientError', onClientError);
  const sockets = createSockets(server, gateway);
  refuseForeignHosts(server, config.allowedOrigins);
  answerOtherUpgrades(server, `${socketPath}/`);
  const reader = connectRedis(config.redisUrl, 'patient');
  core.events.onChange = (types) => gateway.recent.hearOwn(types);
  core.signals.listen(reader, {
    deliver: (signal) => {
      gateway.recent.hear(signal);
      if ('push' in signal) hearMessage(gateway.knownChats, signal.push);
      sockets.deliver(signal);
    },
    missed: () => {
      gateway.recent.forget();
      gateway.knownChats.clear();
      sockets.missed();
    },
  });
  await listen(server, config);
  const stopOps = await startOps(core, () => stopping);
  const ready = core.startUp.run(async () => {
    await prepareCore(core);
    gateway.demoPeople = await bootstrap(gateway);
  });
  // The caller may attach its own handlers later: avoid an unhandledRejection.
  ready.then(
    () => {
      if (!stopping) unfollow = followAccounts(core, gateway.recent);
    },
    () => undefined,
  );

  return {
    gateway,
    server,
    port: (server.address() as AddressInfo).port,
    ready,
    stop: async () => {
      stopping = true;
      unfollow();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Keep-alive connections become idle one by one, as their last answers go out.
      const idle = setInterval(() => server.closeIdleConnections(), 50);
      const socketsClosed = sockets.close();
      const timeout = new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref());
      await Promise.race([Promise.all([closed, socketsClosed]), timeout]);
      clearInterval(idle);
      server.closeAllConnections();
      await stopOps();
      await gateway.anonymousFailures.stop().catch(() => undefined);
      core.signals.stop().catch(() => undefined);
      reader.disconnect();
      await closeInspectors();
      await core.close();
    },
  };
}

function listen(server: Server, config: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new ConfigError(portTakenMessage('PORT', config.host, config.port)) : error),
    );
    server.listen({ port: config.port, host: config.host, backlog: BACKLOG }, resolve);
  });
}
