import type { AppError } from '@lightbox/core/errors.js';
import { type ErrorForm, failure } from '../http/errors.js';

const statusOf = ({ status }: AppError): number => (status === 422 ? 400 : status);
const scimTypes: Record<number, string> = { 409: 'uniqueness', 422: 'invalidValue' };

/** The form of errors below `/scim` (RFC 7644, 3.12). It knows no 422. */
export const scimError: ErrorForm = {
  type: 'application/scim+json',
  status: statusOf,
  body: (error, requestId) => {
    const scimType = scimTypes[error.status];
    return {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(statusOf(error)),
      detail: error.message,
      ...failure(error, requestId),
      ...(scimType ? { scimType } : {}),
    };
  },
};
