import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { redisAddress } from '@lightbox/core/config/redisUrl.js';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { expect, it } from 'vitest';
import { testConfig } from './config.js';
import { type Mailbox, startMailbox } from './mailbox.js';

it('Each test file gets a database with transactions and an empty Redis.', async () => {
  const [one, other] = [await testConfig(), await testConfig()];
  expect(one.mongodbUri).not.toBe(other.mongodbUri);
  const connection = await mongoose.createConnection(one.mongodbUri).asPromise();
  await connection.transaction((session) => connection.collection('things').insertOne({ a: 1 }, { session }));
  expect(await connection.collection('things').countDocuments()).toBe(1);
  await connection.close();
  const redis = new Redis(redisAddress(one.redisUrl));
  expect(await redis.dbsize()).toBe(0);
  expect(await redis.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
  redis.disconnect();
});

/** Sends a mail, and returns its connection after the last answer. Without content it stops after the line DATA. */
async function send({ url }: Mailbox, to: string, ...content: string[]): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'data');
  for (const line of ['EHLO x', 'MAIL FROM:<a@b.org>', `RCPT TO:<${to}>`, 'DATA', ...content]) {
    socket.write(`${line}\r\n`);
    await once(socket, 'data');
  }
  return socket;
}

it('The mailbox goes on when a client dies in the middle of a mail.', async () => {
  const mailbox = await startMailbox();
  const dying = await send(mailbox, 'ann@hospital.org');
  dying.resetAndDestroy();
  const socket = await send(mailbox, 'bob@hospital.org', 'Subject: Whole\r\n\r\nHello\r\n.');
  await mailbox.waitFor('bob@hospital.org', 'Whole');
  expect(mailbox.mails('ann@hospital.org')).toEqual([]);
  socket.destroy();
  await mailbox.stop();
});

it('The mailbox finds mails by recipient and subject.', async () => {
  const mailbox = await startMailbox();
  const socket = await send(mailbox, 'Ann@Hospital.org', 'Subject: Hi\r\n\r\nCode: 123456\r\n.');
  const [mail] = await mailbox.waitFor('ann@hospital.org', 'Hi');
  expect(mail?.text).toContain('Code: 123456');
  expect(mailbox.mails('bob@hospital.org')).toEqual([]);
  await expect(mailbox.waitFor('bob@hospital.org', 'Hi', 1, 20)).rejects.toThrow('0 of 1 mails "Hi"');
  socket.destroy();
  await mailbox.stop();
});
