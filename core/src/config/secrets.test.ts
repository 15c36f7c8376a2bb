import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { demoPeople } from './demo.js';
import { faultOfKeys } from './keys.js';
import { ensureSecrets } from './secrets.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lightbox-secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('Secrets are made once, and only their owner may read them.', () => {
  const secrets = ensureSecrets(join(folder, 'data'));
  expect(faultOfKeys(secrets.appKeys)).toBeNull();
  expect(secrets.appKeys).not.toBe(secrets.encryptionKeys);
  expect(ensureSecrets(join(folder, 'data'))).toEqual(secrets);
  expect(statSync(join(folder, 'data', 'secrets.json')).mode & 0o777).toBe(0o600);
});

it('A damaged file is never replaced, because that would lose every image.', () => {
  writeFileSync(join(folder, 'secrets.json'), '{"appKeys":');
  expect(() => ensureSecrets(folder)).toThrow(/damaged/);
  expect(readFileSync(join(folder, 'secrets.json'), 'utf8')).toBe('{"appKeys":');
});

it('Each demo person gets a password that satisfies the password rule.', () => {
  const passwords = demoPeople(folder).map(({ password }) => password);
  expect(new Set(passwords).size).toBe(3);
  for (const password of passwords) expect(password).toMatch(/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{12,}$/);
});
