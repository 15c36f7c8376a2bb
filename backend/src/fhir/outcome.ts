import { FHIR_JSON } from '@lightbox/contract/fhir/calls.js';
import type { AppError } from '@lightbox/core/errors.js';

/** FHIR's kinds of faults (issue-type), by HTTP status. */
const kinds: Record<number, string> = {
  400: 'structure',
  401: 'login',
  403: 'forbidden',
  404: 'not-found',
  405: 'not-supported',
  406: 'not-supported',
  408: 'timeout',
  422: 'invalid',
  429: 'throttled',
  503: 'transient',
  507: 'no-store',
};
const kindOf = (status: number): string => kinds[status] ?? (status < 500 ? 'processing' : 'exception');

interface Fault {
  status: number;
  code: string;
  message: string;
  details: { errors?: readonly { field: string; message: string }[] | undefined };
}

/** Returns an OperationOutcome: one issue for the error, and one for each parameter that is at fault. */
const operationOutcome = ({ status, code, message, details }: Fault, requestId: string) => ({
  resourceType: 'OperationOutcome',
  issue: [
    {
      severity: 'error',
      code: kindOf(status),
      details: { coding: [{ system: 'urn:lightbox:error', code }], text: message },
      diagnostics: `Request ${requestId}`,
    },
    ...(details.errors ?? []).map(({ field, message: text }) => ({
      severity: 'error',
      code: kindOf(status),
      details: { text: `${field}: ${text}` },
      expression: [`http.${field}`],
    })),
  ],
});

/** The form of errors below `/fhir`. */
export const outcome = {
  type: FHIR_JSON,
  body: (error: AppError, requestId: string): Record<string, unknown> => operationOutcome(error, requestId),
};
