import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { byPost, connect } from './chat.js';
import { type Person, signInPeople } from './people.js';
import { processorMs } from './processes.js';
import { plain, type Row, spread } from './report.js';
import type { GatewayProgram, Site } from './site.js';
import { median } from './stats.js';

const ROUNDS = 6;
const MESSAGES = 500;
const AT_ONCE = 8;

/** Takes every trace and keeps none. */
async function startCollector() {
  let bytes = 0;
  const server = createServer(async (req, res) => {
    for await (const part of req) bytes += (part as Buffer).length;
    res.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, received: () => bytes, stop: () => server.close() };
}

/** Sends messages by POST to a person with a socket at the same gateway. */
async function sendAll(gateway: GatewayProgram, from: Person, to: Person): Promise<void> {
  const socket = await connect(gateway, to);
  const send = byPost(gateway, from);
  let left = MESSAGES;
  const sender = async () => {
    while (left-- > 0) await send({ recipientId: to.id, content: 'A message', clientId: randomUUID() });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  socket.disconnect();
}

/**
 * Measures the processor time that traces cost a gateway: the same messages through a gateway with traces and through one
 * without, in turn. A turn of a gateway lasts until its next one, because spans are sent a few seconds later.
 */
export async function benchTraces(site: Site): Promise<Row[]> {
  const collector = await startCollector();
  const [from, to] = [await signInPeople(site, 'healthProvider', 1), await signInPeople(site, 'patient', 1)].flat();
  if (!from || !to) throw new Error('Two people are needed.');
  const sides = [
    { name: 'without traces', gateway: await site.startGateway(), costs: [] as number[] },
    {
      name: 'with traces, all recorded',
      gateway: await site.startGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }),
      costs: [] as number[],
    },
  ];
  const since = new Map<string, number>();
  // The first round warms both up, and the last one ends the turn before it.
  for (let round = 0; round <= ROUNDS + 1; round++) {
    for (const { name, gateway, costs } of sides) {
      const used = processorMs(gateway.pid);
      if (round > 1) costs.push((used - (since.get(name) ?? 0)) / MESSAGES);
      since.set(name, used);
      await sendAll(gateway, from, to);
    }
  }
  collector.stop();
  if (collector.received() === 0) throw new Error('No trace arrived.');
  const job = `traces, ${ROUNDS} rounds of ${MESSAGES} messages`;
  const [off, on] = sides.map(({ costs }) => median(costs)) as [number, number];
  return [
    ...sides.map(({ name, costs }) => plain(job, `${name}: processor ms of the gateway per message`, spread(costs))),
    plain(job, 'more processor time with traces, %', (100 * (on - off)) / off),
  ];
}
