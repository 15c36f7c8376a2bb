import { PartAway } from '@lightbox/core/process/partAway.js';
import { type Fault, type Place, startBrokenMailServer } from '@lightbox/testkit/brokenMailServer.js';
import { eventually } from '@lightbox/testkit/eventually.js';
import { createTransport } from 'nodemailer';
import { expect, it, onTestFinished } from 'vitest';
import { handOver, MailFailed } from './handOver.js';

/** Starts such a server for one test. */
async function startServer(place: Place, fault: Fault) {
  const server = await startBrokenMailServer(place, fault);
  onTestFinished(server.stop);
  return server;
}

const mail = { from: 'a@clinic.test', to: 'b@clinic.test', subject: 'News', text: 'There is something new.' };
const breaks: Fault = (socket) => void socket.destroy();
const isSilent: Fault = () => undefined;
const soon = 'socketTimeout=1500&greetingTimeout=1500';

it.each([
  ['breaks off after the text', breaks],
  ['is silent after the text', isSilent],
] as const)(
  'A mail server that %s may have the mail: that is a failure, and not an absent server.',
  async (_, fault) => {
    const { url, texts } = await startServer('text', fault);
    const mailer = createTransport(`${url}?${soon}`);
    for (let attempt = 0; attempt < 2; attempt++) await expect(handOver(mailer, mail)).rejects.toThrow(MailFailed);
    expect(texts).toHaveLength(2);
  },
);

it.each(['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA'] as const)(
  'A mail server that breaks off or is silent at %s does not have the mail, and counts as away.',
  async (place) => {
    for (const fault of [breaks, isSilent]) {
      const { url, texts } = await startServer(place, fault);
      await expect(handOver(createTransport(`${url}?${soon}`), mail)).rejects.toThrow(PartAway);
      expect(texts).toEqual([]);
    }
  },
);

it('A mail server that does not ask for the text in time counts as away, and one that thinks after the text does not.', async () => {
  const before = await startServer('RCPT', isSilent);
  await expect(handOver(createTransport(before.url), mail, 300)).rejects.toThrow(PartAway);
  const after = await startServer('text', (socket) => void setTimeout(() => socket.write('250 stored\r\n'), 2_600));
  await handOver(createTransport(after.url), mail, 2_000);
  expect(after.texts).toHaveLength(1);
});

it('A worker that stops waits for no mail server, also after the text.', async () => {
  const { url, texts } = await startServer('text', isSilent);
  const stopping = new AbortController();
  const sending = handOver(createTransport(url, { signal: stopping.signal }), mail);
  const ended = expect(sending).rejects.toThrow(PartAway);
  await eventually(async () => expect(texts).toHaveLength(1));
  stopping.abort();
  await ended;
});
