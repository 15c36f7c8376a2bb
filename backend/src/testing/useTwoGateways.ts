import { afterAll, afterEach, beforeAll } from 'vitest';
import { connectSocket, type TestSocket } from './client.js';
import { buildGateway, joinGateway, type TestGateway } from './gateway.js';

/**
 * Starts two gateways on the same servers for a test file: an act at one is seen at the other. Their fields are empty until
 * its first test. `open` has the sockets of `connect`, which are closed after each test.
 */
export function useTwoGateways() {
  const [one, two] = [{} as TestGateway, {} as TestGateway];
  const open: TestSocket[] = [];
  beforeAll(async () => {
    Object.assign(one, await buildGateway());
    Object.assign(two, await joinGateway(one.config, one.clock));
  });
  afterAll(() => Promise.all([one.stop(), two.stop()]));
  afterEach(() => {
    for (const { socket } of open.splice(0)) socket.close();
  });
  const connect = async (gateway: TestGateway, person: { token: string }): Promise<TestSocket> => {
    const socket = await connectSocket(gateway.url, { token: person.token });
    open.push(socket);
    return socket;
  };
  return { one, two, open, connect };
}
