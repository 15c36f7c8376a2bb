import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A proxy to a server, for tests: it can delay chunks, reset connections and hold traffic back. */
export interface Wire {
  port: number;
  /** Delays each chunk by `ms`, plus or minus up to `spread`, in both directions. */
  slow: (ms: number, spread: number) => void;
  /** Resets the connection at each `nth` chunk instead of delivering it. 0 turns it off. */
  tear: (nth: number) => void;
  /**
   * Holds everything back, even the end of a connection, without any error. As in TCP, the data arrives later, after
   * `pass`.
   */
  hold: () => void;
  pass: () => void;
  /** The number of connections that are open now, and of those that were reset. */
  open: () => number;
  torn: () => number;
  stop: () => Promise<void>;
}

export async function startWire(host: string, port: number): Promise<Wire> {
  const sockets = new Set<Socket>();
  const passing = new EventEmitter().setMaxListeners(0);
  let held = false;
  let delay = { ms: 0, spread: 0 };
  let tearEvery = 0;
  let chunks = 0;
  let torn = 0;

  const through = async (dueAt: number): Promise<void> => {
    const rest = dueAt - performance.now();
    if (rest > 0) await sleep(rest);
    if (held) await once(passing, 'pass');
  };
  const isTorn = () => tearEvery > 0 && ++chunks % tearEvery === 0;

  /** Delivers the chunks in order, whatever the delays. */
  const pump = (from: Socket, to: Socket): void => {
    let last = Promise.resolve();
    const later = (work: () => void) => {
      const dueAt = performance.now() + delay.ms + (Math.random() * 2 - 1) * delay.spread;
      last = last.then(() => through(dueAt)).then(work);
    };
    from.on('data', (chunk) =>
      later(() => {
        if (!isTorn()) return to.write(chunk);
        torn++;
        from.resetAndDestroy();
        to.resetAndDestroy();
      }),
    );
    from.on('end', () => later(() => to.end()));
    from.on('close', () => later(() => to.destroy()));
    from.on('error', () => undefined);
  };

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = connect({ host, port, allowHalfOpen: true, noDelay: true });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    pump(near, far);
    pump(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const pass = () => {
    held = false;
    passing.emit('pass');
  };
  return {
    port: (server.address() as AddressInfo).port,
    slow: (ms, spread) => {
      delay = { ms, spread };
    },
    tear: (nth) => {
      tearEvery = nth;
    },
    hold: () => {
      held = true;
    },
    pass,
    open: () => sockets.size / 2,
    torn: () => torn,
    stop: async () => {
      pass();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
