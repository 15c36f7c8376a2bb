import { expect, it } from 'vitest';
import { redisAddress } from './redisUrl.js';

it('A URL of one server is read, with or without TLS.', () => {
  expect(redisAddress('redis://cache')).toEqual({ host: 'cache', port: 6379 });
  expect(redisAddress('rediss://app:p%40ss@cache:6380/3')).toEqual({
    host: 'cache',
    port: 6380,
    username: 'app',
    password: 'p@ss',
    db: 3,
    tls: {},
  });
});

it('A URL of sentinels is read with the name of their master.', () => {
  expect(redisAddress('redis+sentinel://:pw@h1,h2:26380/lightbox/2')).toEqual({
    sentinels: [
      { host: 'h1', port: 26379 },
      { host: 'h2', port: 26380 },
    ],
    name: 'lightbox',
    password: 'pw',
    db: 2,
  });
  const { sentinels, name, ...tls } = redisAddress('rediss+sentinel://h1/lightbox');
  expect(tls).toEqual({ tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true });
});
