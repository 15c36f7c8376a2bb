import { bodyBefore, type CallShape } from './call.js';
import { type ErrorCode, errors } from './errors.js';
import { permissions } from './permissions.js';
import { throttles } from './throttles.js';

/** Errors that any request can get. */
const anywhere: ErrorCode[] = [
  'BAD_REQUEST',
  'REQUEST_TIMEOUT',
  'MISDIRECTED',
  'HEADERS_TOO_LARGE',
  'INTERNAL',
  'UNAVAILABLE',
];

/** Returns every error of a call: those that follow from its shape, and those that its handler adds. */
export function failuresOf(shape: CallShape): ErrorCode[] {
  const found = [
    ...anywhere,
    ...ofIdentity(shape),
    ...ofInput(shape),
    ...ofProof(shape),
    ...ofThrottles(shape),
    ...(shape.fails ?? []),
  ];
  if (shape.method !== 'get') found.push('UNCONFIRMED', 'STORAGE_FULL');
  return [...new Set(found)];
}

/** Returns the status that SCIM has for one of the API: it knows no 422. */
export const scimStatus = (status: number): number => (status === 422 ? 400 : status);

/** Returns the errors of a call by their HTTP status. */
export function failuresByStatus(shape: CallShape): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of failuresOf(shape)) {
    const status = shape.who === 'scim' ? scimStatus(errors[code][0]) : errors[code][0];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

function ofIdentity({ who }: CallShape): ErrorCode[] {
  if (who === 'anyone') return [];
  const token: ErrorCode[] = ['UNAUTHENTICATED', 'AUTHENTICATION_FAILED'];
  if (who === 'refreshCookie') return token;
  return [
    ...token,
    'JWT_EXPIRED',
    ...(Object.hasOwn(permissions, who) ? (['FORBIDDEN', 'TOTP_REQUIRED'] as const) : []),
  ];
}

function ofProof({ stepUp, proof }: CallShape): ErrorCode[] {
  const wrong = ['NOT_FOUND', 'WRONG_CODE', 'CODE_LOCKED', 'EXPIRED'] as const;
  return [...(stepUp ? (['STEP_UP_REQUIRED'] as const) : []), ...(proof ? wrong : [])];
}
const ofThrottles = ({ throttles: named = [] }: CallShape): ErrorCode[] =>
  named.some((name) => throttles[name].beyond === 'refused') ? ['TOO_MANY_REQUESTS'] : [];

function ofInput(shape: CallShape): ErrorCode[] {
  const { params, query, multipart, creates } = shape;
  const read = bodyBefore(shape);
  const body = read ?? shape.body;
  const found: ErrorCode[] = [];
  if (params) found.push('NOT_FOUND');
  if (query || body || creates) found.push('VALIDATION_FAILED');
  if (body) found.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (read) found.push('MALFORMED_JSON', 'OBJECT_EXPECTED');
  if (multipart) found.push('MALFORMED_UPLOAD');
  return found;
}
