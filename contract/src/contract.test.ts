import { describe, expect, it } from 'vitest';
import { auditActions } from './audit/actions.js';
import { Registration } from './auth/calls.js';
import { calls } from './calls.js';
import { line } from './ids.js';
import { imageRules } from './images/policy.js';
import { type Permission, permissions, roles } from './permissions.js';
import { userRules } from './users/policy.js';

describe('calls', () => {
  it('Each call has a route of its own.', () => {
    const routes = Object.values(calls).map((c) => `${c.method} ${c.path}`);
    expect(new Set(routes).size).toBe(routes.length);
  });

  it('The calls use every permission.', () => {
    const used = new Set(Object.values(calls).map((c) => c.who));
    const unused = (Object.keys(permissions) as Permission[]).filter((p) => !used.has(p));
    expect(unused).toEqual([]);
  });
});

describe('actions', () => {
  it('An action has the same name on the socket and in the notification centre.', () => {
    const both = Object.values(auditActions).flatMap((row) =>
      'socket' in row && 'notice' in row ? [[row.socket.replace(':', '.'), row.notice]] : [],
    );
    expect(both.length).toBeGreaterThan(0);
    for (const [socket, notice] of both) expect(notice).toBe(socket);
  });

  it('An action has the same name in the log and on the socket, except older ones that clients know by two names.', () => {
    const differing = Object.entries(auditActions).flatMap(([action, row]) =>
      'socket' in row && row.socket.replace(':', '.') !== action ? [action] : [],
    );
    expect(differing).toEqual([
      'image.upload',
      // For clients a copy is a new image as any other.
      'image.blackOut',
      'image.transfer',
      'image.delete',
      'share.create',
      'share.verify',
      'share.lock',
      'share.resend',
      'share.revoke',
      'share.expire',
      // Two actions, and for clients one event: the marks are to be read again.
      'annotation.saved',
      'annotation.removed',
      'analysis.complete',
      'analysis.fail',
      'setting.add',
      'setting.edit',
      'setting.delete',
    ]);
  });
});

describe('registration', () => {
  const valid = {
    email: 'A.B@Example.org',
    username: 'ayesha',
    password: 'Long-Enough-Pass-9',
    role: 'patient',
    firstname: 'Ayesha',
    lastname: 'Khan',
    gender: 'Female',
    dob: '1990-02-28',
    active: true,
  };
  it('Registration stores the address and the gender in lower case.', () => {
    expect(Registration.parse(valid)).toMatchObject({ email: 'a.b@example.org', gender: 'female' });
  });
  it.each([
    ['role', 'admin'],
    ['role', ['patient']],
    ['role', 'Patient'],
    ['dob', '2999-01-01'],
    ['dob', '1800-01-01'],
    ['dob', '2023-02-30'],
    ['dob', ''],
    ['dob', 5],
    ['gender', 'x'],
    ['username', 'a b'],
    ['username', '<img onerror>'],
    ['username', 'x'.repeat(1000)],
    ['password', 'alllowercase1'],
    ['password', 'Short1'],
    ['email', { $gt: '' }],
    ['isVerified', true],
  ])('Registration refuses %s %j.', (field, value) => {
    const answer = Registration.safeParse({ ...valid, [field]: value });
    expect(answer.success).toBe(false);
  });
});

describe('names', () => {
  const shown = (typed: string) => line(80).safeParse(typed).data;

  it.each([
    ['turn the direction of the text', 'Ada\u202Enimda\u202C', 'Adanimda'],
    ['isolate text', '\u2067Ada\u2069', 'Ada'],
    ['take no space', 'A\u200Bd\u2060a\uFEFF', 'Ada'],
    ['look like nothing', 'Ada\u3164\u115F', 'Ada'],
    ['are control codes', 'A\u0007da\u009B', 'Ada'],
    ['break the line', 'Ada\r\nLovelace', 'Ada Lovelace'],
    ['join no letters', '\u200DAda\u200C \u200C\u200D', 'Ada'],
  ])('A name is stored without characters that %s.', (_, typed, stored) => {
    expect(shown(typed)).toBe(stored);
  });

  it.each(['عائشہ', 'می\u200Cخواهم', 'क्\u200Dष', 'علی\u200Cرضا', 'Zoë D’Arcy-Ó Briain', '王小明'])(
    'The name %s is stored unchanged.',
    (name) => {
      expect(shown(name)).toBe(name);
    },
  );

  it('A name without visible characters is refused.', () => {
    expect(Registration.safeParse({ firstname: '\u200B\u202E' }).error?.issues.map(({ path }) => path[0])).toContain(
      'firstname',
    );
  });
});

describe('policies', () => {
  it.each(roles)('With a share without download a %s opens an image, and only an admin downloads it.', (role) => {
    const viewer = { id: 'v', role };
    const image = { ownerId: 'o', patientId: 'v', share: { verified: true, download: false } };
    expect(imageRules.open(viewer, image)).toBe(true);
    expect(imageRules.download(viewer, image)).toBe(role === 'admin');
    expect(imageRules.download({ ...viewer, id: 'o' }, image)).toBe(true);
  });

  it.each(roles)('With only an unverified share a %s sees an image, and nobody but an admin opens it.', (role) => {
    const viewer = { id: 'v', role };
    const image = { ownerId: 'o', patientId: 'v', share: { verified: false, download: true } };
    expect(imageRules.see(viewer, image)).toBe(true);
    expect(imageRules.open(viewer, image)).toBe(role === 'admin');
  });

  it('Two patients may not write to each other.', () => {
    const patient = (id: string) => ({ id, role: 'patient' as const, status: 'active' as const, active: true });
    expect(userRules.message(patient('a'), patient('b'), true)).toBe(false);
    expect(userRules.message(patient('a'), { ...patient('b'), role: 'healthProvider' }, true)).toBe(true);
  });
});
