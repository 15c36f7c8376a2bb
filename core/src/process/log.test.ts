import mongoose from 'mongoose';
import { expect, it } from 'vitest';
import { plainError } from './log.js';

const { MongoServerError } = mongoose.mongo;

it('A logged error has its message and code, and no value or document that it carries.', () => {
  const duplicate = new MongoServerError({
    message: 'E11000 index: name_1 dup key: { name: "hina}hina@example.org" }',
    code: 11000,
  });
  Object.assign(duplicate, { insertedDocs: [{ content: 'My chest hurts' }] });
  const said = JSON.stringify(plainError(duplicate));
  expect(said).toContain('E11000 index: name_1 dup key');
  expect(said).toContain('11000');
  expect(said).not.toMatch(/hina|chest/);
});
