import { z } from 'zod';
import type { AuditAction } from './audit/actions.js';
import type { AnyScope } from './auth/personalTokens.js';
import type { ErrorCode } from './errors.js';
import type { Permission } from './permissions.js';
import type { ThrottleName } from './throttles.js';

/**
 * The identity that a call requires: none, a verification token, the refresh cookie, the token of a guest link, that
 * of a request for images, a provider’s token of SCIM, or a role with a permission.
 */
export type Who = 'anyone' | 'verification' | 'refreshCookie' | 'guest' | 'sender' | 'scim' | Permission;

/**
 * One call, declared once: its route, validation, client function, OpenAPI entry and authorization test follow from it.
 * `path` is below `/api`, in Express's notation.
 */
export interface CallShape {
  /** HEAD, PATCH and OPTIONS are for protocols beside the product's own (`tus`). HEAD of a `get` is there by itself. */
  method: 'get' | 'post' | 'put' | 'delete' | 'head' | 'patch' | 'options';
  path: string;
  who: Who;
  summary: string;
  /** The call also accepts the token of a guest link. The policy then decides about the record, as for everybody. */
  guests?: true;
  /** The call also accepts the token of a request for images. */
  senders?: true;
  /** The call also accepts a personal token that has one of these scopes. The person needs the permission as well. */
  scopes?: readonly AnyScope[];
  /** The action in the audit log: of a refusal of a signed-in person, and of a success if successes are recorded. */
  action?: AuditAction;
  /**
   * A session is not enough: the person must prove again that it is them. `recent`: within the last minutes, and a
   * sign-in counts; `always`: after the sign-in (`auth/stepUp.ts` of the gateway).
   */
  stepUp?: 'recent' | 'always';
  /** The fields of the body that hold such a proof. */
  proof?: readonly ('password' | 'code' | 'mailedCode')[];
  /** Events other than `action` from which a mail or a job follows (`core/events/reactions`). */
  causes?: readonly AuditAction[];
  /**
   * The throttles of the call. A call that sends mail, costs money, answers about an account, or lets somebody without an account
   * change something has one.
   */
  throttles?: readonly ThrottleName[];
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  /** The handler reads the body: multipart only, or multipart beside JSON. */
  multipart?: 'only' | 'also';
  /** The body is bytes of one of these types, which the handler reads. */
  takes?: readonly string[];
  /** The body is a form (`application/x-www-form-urlencoded`), as the protocol of the call wants it. */
  form?: true;
  data?: z.ZodType;
  status?: 200 | 201 | 204;
  /**
   * Another status of a success: 200 when the same thing exists already, 202 while the work is still under way or
   * when a part of it was refused, 204 when nothing was found, 206 for a range of the bytes.
   */
  alsoStatus?: 200 | 202 | 204 | 206;
  /** The errors of the handler itself, beyond those that follow from the rest of the shape (`failures.ts`). */
  fails?: readonly ErrorCode[];
  /** The answer carries `pagination`. */
  paged?: true;
  /** The answer is bytes of one of these types, not an envelope. */
  binary?: readonly string[];
  /** Speaks tus: the handler reads the headers of that protocol, and answers a success without a body. */
  tus?: true;
  /** Speaks FHIR: its failures are OperationOutcomes. */
  fhir?: true;
  /** Accepts `Idempotency-Key`: the same key gives the same answer and one effect. */
  creates?: true;
}

const noFields = z.strictObject({});

/**
 * Returns the schema of the body that is read before the handler. A writing call without a body has no fields, so that
 * one which was sent in vain is refused. SCIM wants unknown attributes ignored (RFC 7644, 3.3).
 */
export function bodyBefore({ method, who, body, multipart, takes, tus }: CallShape): z.ZodType | undefined {
  if (multipart === 'only' || takes || tus) return undefined;
  return body ?? (method === 'get' || who === 'scim' ? undefined : noFields);
}

export const call = <const C extends CallShape>(shape: C): C => shape;

/** The route of a call, without its schemas. `shape` exists for the types alone. */
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
/** The query values of a client, before they become text in the URL. */
export type QueryInput<C> = C extends { query: infer S extends z.ZodType }
  ? { [K in keyof z.input<S>]?: string | number | boolean | undefined }
  : undefined;
export type ParamsOf<C> = Of<C, 'params', 'output'>;
export type DataOf<C> = C extends { data: infer S extends z.ZodType } ? z.output<S> : unknown;
