import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rate } from '../downloads.js';
import { processorMs } from '../processes.js';
import { plain, type Row, spread } from '../report.js';
import type { Site } from '../site.js';
import { inTurn, median } from '../stats.js';
import type { Recipe } from './program.js';

const COUNT = 1_000;
const ROUNDS = 5;
const MOST_BYTES = 64 * 1024;
const ASSETS = fileURLToPath(new URL('../../../../frontend/dist/assets/', import.meta.url));

export const nginx: Recipe = {
  name: 'nginx',
  program: 'nginx',
  configure: (folder, port) => {
    const file = join(folder, 'nginx.conf');
    // One process that answers, as at the product. It may read the temporary folder of this user only.
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${join(folder, name)};`,
    );
    writeFileSync(
      file,
      `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${join(folder, 'nginx.pid')};
error_log ${join(folder, 'error.log')};
events { worker_connections 1024; }
http {
  ${temporary.join(' ')}
  access_log ${join(folder, 'access.log')};
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  types { text/javascript js; }
  server {
    listen 127.0.0.1:${port};
    location /assets/ {
      alias ${ASSETS};
      add_header Cache-Control "public, max-age=31536000, immutable";
    }
  }
}
`,
    );
    return { args: ['-p', folder, '-c', file, '-e', join(folder, 'error.log')] };
  },
};

/** Returns the process that answers: the first process of nginx only starts it. */
const workerOf = (pid: number): number => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());

/** The largest script of ordinary size, uncompressed, over eight kept connections. */
export async function benchNginx(site: Site): Promise<Row[]> {
  const peer = await site.startPeer(nginx);
  const sizeOf = (name: string) => statSync(join(ASSETS, name)).size;
  const scripts = readdirSync(ASSETS).filter((name) => name.endsWith('.js') && sizeOf(name) <= MOST_BYTES);
  const [name = ''] = scripts.sort((a, b) => sizeOf(b) - sizeOf(a));
  const job = 'immutable asset, 8 at a time';
  const costs = { product: [] as number[], theirs: [] as number[] };
  const measured = (side: keyof typeof costs, origin: string, pid: number) => {
    const read = rate(`${origin}/assets/${name}`, undefined, { count: COUNT });
    return async () => {
      const before = processorMs(pid);
      const perSecond = await read();
      costs[side].push(((processorMs(pid) - before) * 1_000) / COUNT);
      return perSecond;
    };
  };
  const { origin, pid } = site.gateways[0];
  const figures = await inTurn(ROUNDS, {
    product: measured('product', origin, pid),
    theirs: measured('theirs', `http://127.0.0.1:${peer.port}`, workerOf(peer.pid)),
  });
  await peer.stop();
  return [
    plain(job, 'size, KiB', sizeOf(name) / 1024),
    plain(job, 'product, req/s', spread(figures.product)),
    plain(job, 'nginx, req/s', spread(figures.theirs)),
    plain(job, 'ratio', median(figures.product) / median(figures.theirs)),
    plain(job, 'product, processor ms for 1,000', spread(costs.product)),
    plain(job, 'nginx, processor ms for 1,000', spread(costs.theirs)),
  ];
}
