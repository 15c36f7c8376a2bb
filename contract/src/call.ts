import type { z } from 'zod';
import type { AuditAction } from './audit/actions.js';
import type { ErrorCode } from './errors.js';
import type { Permission } from './permissions.js';
import type { ThrottleName } from './throttles.js';

/** Who may call: anybody, the holder of a verification token, the holder of the refresh cookie, or the roles of a permission. */
export type Who = 'anyone' | 'verification' | 'refreshCookie' | Permission;

/**
 * One call, declared once: its route, validation, client function, OpenAPI entry and authorization test come out of it.
 * `path` is below `/api`, in Express's notation.
 */
export interface CallShape {
  method: 'get' | 'post' | 'put' | 'delete';
  path: string;
  who: Who;
  summary: string;
  /** How it stands in the audit log when a signed-in person is refused; and what its success is called there, if that is recorded. */
  action?: AuditAction;
  /**
   * That the session is there does not do: the person proves themself again. `recent`: in the last minutes, and a sign-in counts;
   * `always`: after the sign-in (`auth/stepUp.ts` of the gateway).
   */
  stepUp?: 'recent' | 'always';
  /** Fields of the body that are such a proof. */
  proof?: readonly ('password' | 'code' | 'mailedCode')[];
  /** Events beyond `action` from which a mail or a job follows (`core/events/reactions`). */
  causes?: readonly AuditAction[];
  /** The limits that it takes. A call that sends mail, costs money or answers about an account has one. */
  throttles?: readonly ThrottleName[];
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  /** The body is read by the handler: multipart only, or multipart beside JSON. */
  multipart?: 'only' | 'also';
  data?: z.ZodType;
  status?: 200 | 201;
  /** Other statuses of a success: the same thing again, or one that is still under way. */
  alsoStatus?: 200 | 202;
  /** What the handler itself may refuse with, beyond what the rest of the shape lets expect (`failures.ts`). */
  fails?: readonly ErrorCode[];
  /** The answer carries `pagination`. */
  paged?: true;
  /** The answer is bytes of one of these types, not an envelope. */
  binary?: readonly string[];
  /** Takes `Idempotency-Key`: the same key gives the same answer and one effect. */
  creates?: true;
}

export const call = <const C extends CallShape>(shape: C): C => shape;

/** Where a call is, without its schemas; `shape` is there for the types alone. */
export type Route<C extends CallShape> = Pick<C, 'method' | 'path'> & { readonly shape?: C };
export type Routes<Calls extends Record<string, CallShape>> = { readonly [K in keyof Calls]: Route<Calls[K]> };

type Of<C, K extends string, F extends 'input' | 'output'> = C extends { [P in K]: infer S extends z.ZodType }
  ? F extends 'input'
    ? z.input<S>
    : z.output<S>
  : undefined;

export type BodyOf<C> = Of<C, 'body', 'output'>;
export type BodyInput<C> = Of<C, 'body', 'input'>;
export type QueryOf<C> = Of<C, 'query', 'output'>;
/** What a client passes before it becomes text in the address. */
export type QueryInput<C> = C extends { query: infer S extends z.ZodType }
  ? { [K in keyof z.input<S>]?: string | number | boolean | undefined }
  : undefined;
export type ParamsOf<C> = Of<C, 'params', 'output'>;
export type DataOf<C> = C extends { data: infer S extends z.ZodType } ? z.output<S> : unknown;
