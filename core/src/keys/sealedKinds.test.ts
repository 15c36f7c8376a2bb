import { createConnection, type Schema } from 'mongoose';
import { expect, it } from 'vitest';
import { createModels } from '../models/models.js';
import { kindOf, sealedKindNames } from './sealedKinds.js';

/** Sealed fields that no key of ENCRYPTION_KEYS has to be kept for. */
const others: Record<string, string> = {
  'GuestLink.email': 'under APP_KEYS: the link ends with the key',
  'GuestLink.note': 'under APP_KEYS: the link ends with the key',
  'ImageRequest.email': 'under APP_KEYS: the request ends with the key',
  'ImageRequest.note': 'under APP_KEYS: the request ends with the key',
  'Photo.received': 'until it is drawn, a moment later',
};

/** Returns the paths of the values that a schema seals. */
function sealedIn(schema: Schema): string[] {
  return Object.entries(schema.paths).flatMap(([path, { schema: inner }]) => {
    if (!inner) return [];
    const isSealed = 'keyId' in inner.paths && 'sealed' in inner.paths;
    return isSealed ? [path] : sealedIn(inner).map((rest) => `${path}.${rest}`);
  });
}

it('Every sealed field of a model is in the table of what has to be sealed again, or says why not.', async () => {
  const db = createConnection();
  const found = Object.entries(createModels(db)).flatMap(([name, { schema }]) =>
    sealedIn(schema).map((path) => [name, path] as const),
  );
  await db.close();
  const kinds = sealedKindNames.map(kindOf);
  const fields = kinds.flatMap(({ model, field, with: more = [] }) => [field, ...more].map((one) => `${model}.${one}`));
  const lacking = found.filter(
    ([name, path]) => !fields.includes(`${name}.${path.split('.')[0]}`) && !(`${name}.${path}` in others),
  );
  expect(lacking).toEqual([]);
  const seen = found.map(([name, path]) => `${name}.${path.split('.')[0]}`);
  // The secrets of apps are texts.
  expect([...fields, ...Object.keys(others)].filter((field) => !seen.includes(field))).toEqual(['Totp.secret']);
});
