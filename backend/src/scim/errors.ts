import { scimStatus } from '@lightbox/contract/failures.js';
import { SCIM_JSON } from '@lightbox/contract/scim/calls.js';
import type { AppError } from '@lightbox/core/errors.js';
import { type ErrorForm, failure } from '../http/errors.js';

const statusOf = ({ status }: AppError): number => scimStatus(status);
const scimTypes: Record<number, string> = { 409: 'uniqueness', 422: 'invalidValue' };

/** The form of errors below `/scim` (RFC 7644, 3.12). */
export const scimError: ErrorForm = {
  type: SCIM_JSON,
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
