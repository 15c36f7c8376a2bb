import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

export interface Ports {
  mongodb: number;
  redis: number;
  smtp: number;
}

/** True when a server could listen there now. A port of an address family that the machine does not have counts as free. */
export function isPortFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRNOTAVAIL'));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** Returns a port on which no process listens at this moment. */
export function freePort(host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** Returns the ports of the servers of a data folder: the same at every start, unless another process uses one now. */
export async function choosePorts(dataDir: string): Promise<Ports> {
  const file = join(dataDir, 'ports.json');
  const before = read(file);
  const ports = {
    mongodb: await keepOrChoose(before.mongodb),
    redis: await keepOrChoose(before.redis),
    smtp: await keepOrChoose(before.smtp),
  };
  writeFileSync(file, `${JSON.stringify(ports, null, 2)}\n`);
  return ports;
}

const keepOrChoose = async (port: number | undefined): Promise<number> =>
  port !== undefined && (await isPortFree('127.0.0.1', port)) ? port : freePort();

function read(file: string): Partial<Ports> {
  try {
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  } catch {
    return {};
  }
}
