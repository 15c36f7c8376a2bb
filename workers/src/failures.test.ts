import { IntegrityError } from '@lightbox/core/errors.js';
import { mongo } from 'mongoose';
import { expect, it } from 'vitest';
import { withoutForeignText } from './failures.js';

const planted = 'zora.planted@example.org';
const duplicate = new mongo.MongoServerError({
  message: `E11000 duplicate key error dup key: { email: "${planted}" }`,
  code: 11000,
});

it.each([
  ['a database', duplicate, 'MongoServerError 11000'],
  ['a mail server', Object.assign(new Error(`550 <${planted}>`), { code: 'EENVELOPE' }), 'Error EENVELOPE'],
  ['several lines', new Error(`No:\n    at <${planted}:1:1>\n    at ${planted}`), 'Error'],
  ['a name', Object.assign(new Error('No'), { name: planted, code: planted }), 'unknown fault'],
  ['a text', planted, 'unknown fault'],
  ['nothing', undefined, 'unknown fault'],
])('An error that %s reports is reduced to its kind, its code and its place in the code.', (_, error, message) => {
  const safe = withoutForeignText(error);
  expect(safe.message).toBe(message);
  expect(`${safe.stack} ${JSON.stringify({ ...safe })}`).not.toContain('zora');
});

it('The product’s own errors keep their message, and every error keeps the place where it was thrown.', () => {
  const own = new IntegrityError('The profile of 66f0c0ffee66f0c0ffee66f0 is damaged.');
  expect(withoutForeignText(own)).toBe(own);
  expect(withoutForeignText(duplicate).stack).toContain('failures.test.ts');
});
