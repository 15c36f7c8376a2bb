// Reads the signals of all gateways as a gateway does, and tells on request how many there were and what they cost.
import { connectRedis } from '@lightbox/core/db/redis.js';
import { Signals } from '@lightbox/core/events/signals.js';
import { createLogger } from '@lightbox/core/process/log.js';

const url = process.env.REDIS_URL ?? '';
const signals = new Signals(
  connectRedis(url, 'failFast'),
  createLogger({ production: true, logLevel: 'silent' }, 'bench'),
);
let read = 0;
let missed = 0;
const lags: number[] = [];
signals.listen(connectRedis(url, 'patient'), {
  deliver: (signal) => {
    read++;
    if ('push' in signal) lags.push(Date.now() - Number(signal.push.refs.at));
  },
  missed: () => missed++,
});
let used = process.cpuUsage();
process.on('message', () => {
  const { user, system } = process.cpuUsage(used);
  process.send?.({ read, missed, lags, cpuMs: (user + system) / 1000 });
});
process.once('disconnect', () => process.exit(0));
// The position of a reader is that of its first look at the stream.
setTimeout(() => {
  used = process.cpuUsage();
  process.send?.('ready');
}, 1_500);
