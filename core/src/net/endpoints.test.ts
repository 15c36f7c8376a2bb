import { once } from 'node:events';
import { createServer } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ForbiddenEndpoint, isEndpoint, isPublicAddress, mayBeEndpoint, publicLookup } from './endpoints.js';

describe('addresses', () => {
  it.each([
    '127.0.0.1',
    '127.8.9.1',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.8',
    '198.18.0.1',
    '192.0.2.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::7f00:1',
    '::127.0.0.1',
    '1::1',
    '4000::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    'nonsense',
    '',
  ])('The address %s is not public.', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['8.8.8.8', '172.32.0.1', '193.99.144.80', '2a00:1450:4001::1', '2606:4700:4700::1111'])(
    'The address %s is public.',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );
});

describe('endpoints', () => {
  const own = 'http://127.0.0.1:8099';

  it.each([
    'http://push.example.org/x',
    'https://push.example.org:8443/x',
    'https://name:word@push.example.org/x',
    'https://127.0.0.1/x',
    'https://2130706433/x',
    'https://0x7f.1/x',
    'https://0177.0.0.1/x',
    'https://[::1]/x',
    'https://[::ffff:7f00:1]/x',
    'https://169.254.169.254/latest/meta-data',
    'https://192.168.0.10/x',
    'ftp://push.example.org/x',
    'file:///etc/passwd',
    'http://127.0.0.1:8098/x',
    'http://name@127.0.0.1:8099/x',
    'push.example.org',
  ])('The endpoint %s is refused by its text.', async (endpoint) => {
    expect(mayBeEndpoint(endpoint, [own])).toBe(false);
    expect(await isEndpoint(endpoint, [own])).toBe(false);
  });

  it.each(['https://localhost/x', 'https://no-such-name.invalid/x'])(
    'The endpoint %s is refused after its name was resolved.',
    async (endpoint) => {
      expect(mayBeEndpoint(endpoint, [])).toBe(true);
      expect(await isEndpoint(endpoint, [])).toBe(false);
    },
  );

  it('An endpoint is accepted when it is public, or at an origin that the operator named.', async () => {
    expect(await isEndpoint('https://8.8.8.8/x', [])).toBe(true);
    expect(await isEndpoint(`${own}/x`, [own])).toBe(true);
  });
});

it('A request to a name that resolves to this machine gets no connection.', async () => {
  let reached = 0;
  const server = createServer().on('connection', () => {
    reached += 1;
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const outgoing = request(`https://localhost:${port}/x`, { agent: new Agent({ lookup: publicLookup }) });
  outgoing.end();
  const [error] = await once(outgoing, 'error');
  expect(error).toBeInstanceOf(ForbiddenEndpoint);
  expect(reached).toBe(0);
  server.close();
});
