import { isDeepStrictEqual } from 'node:util';
import type { CallShape } from '@lightbox/contract/call.js';
import { calls } from '@lightbox/contract/calls.js';
import { Failure, Pagination } from '@lightbox/contract/envelope.js';
import { type ErrorCode, errors } from '@lightbox/contract/errors.js';
import { failuresByStatus } from '@lightbox/contract/failures.js';
import { FHIR_JSON } from '@lightbox/contract/fhir/calls.js';
import { SCIM_JSON } from '@lightbox/contract/scim/calls.js';
import type { RequestHandler, Router } from 'express';
import swaggerUi from 'swagger-ui-express';
import { z } from 'zod';

type Json = Record<string, unknown>;

/** Writes a tuple of equal parts as a list of that length: it says the same, and more readers understand it. */
function asList(schema: Json): void {
  const { prefixItems, items } = schema as { prefixItems?: Json[]; items?: unknown };
  const [first, ...others] = prefixItems ?? [];
  if (!first || items !== false || others.some((other) => !isDeepStrictEqual(other, first))) return;
  delete schema.prefixItems;
  schema.items = first;
}

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
    override: ({ jsonSchema }) => asList(jsonSchema as Json),
  }) as Json;
  return json;
};

/** Builds the OpenAPI 3.1 document from the schemas that also validate the requests. */
function openApi(publicUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const [name, shape] of Object.entries(calls) as [string, CallShape][]) {
    const path = shape.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [shape.method]: operation(name, shape) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Lightbox', version: '0.1.0', description: 'Secure medical image sharing, in real time.' },
    servers: [{ url: `${publicUrl}/api` }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { Failure: schemaOf(Failure, 'output'), Pagination: schemaOf(Pagination, 'output') },
    },
  };
}

function operation(name: string, shape: CallShape): Json {
  return {
    operationId: name,
    summary: shape.summary,
    ...(shape.scopes ? { description: `Also takes a personal token with the scope: ${shape.scopes.join(', ')}.` } : {}),
    tags: [shape.path.split('/')[1]],
    ...(shape.who === 'anyone' || shape.who === 'refreshCookie' ? { security: [] } : { security: [{ bearer: [] }] }),
    parameters: [
      ...parameters(shape.params, 'path'),
      ...parameters(shape.query, 'query'),
      ...(shape.tus ? tusHeaders[shape.method] : []).map(header),
      ...(shape.creates
        ? [{ name: 'Idempotency-Key', in: 'header', required: false, schema: { type: 'string', format: 'uuid' } }]
        : []),
      ...(shape.alsoStatus === 206
        ? [{ name: 'Range', in: 'header', required: false, schema: { type: 'string', examples: ['bytes=0-1023'] } }]
        : []),
    ],
    ...(shape.body ? { requestBody: requestBody(shape) } : {}),
    ...(shape.takes ? { requestBody: bytesOf(shape.takes) } : {}),
    ...(shape.tus && shape.method === 'patch' ? { requestBody: uploadBytes } : {}),
    responses: { ...successes(shape), ...failures(shape) },
  };
}

/** The headers that tus requires of each method. */
const tusHeaders: Record<CallShape['method'], string[]> = {
  get: [],
  put: [],
  options: [],
  post: ['Tus-Resumable', 'Upload-Length', 'Upload-Metadata'],
  head: ['Tus-Resumable'],
  patch: ['Tus-Resumable', 'Upload-Offset'],
  delete: ['Tus-Resumable'],
};
const header = (name: string): Json => ({ name, in: 'header', required: true, schema: { type: 'string' } });
const bytesOf = (types: readonly string[]): Json => ({
  required: true,
  content: Object.fromEntries(types.map((type) => [type, {}])),
});
const uploadBytes = bytesOf(['application/offset+octet-stream']);

function parameters(schema: z.ZodType | undefined, where: 'path' | 'query'): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...onceOrSeveral(property),
  }));
}

/** A parameter that may be repeated is documented by one of its values: an empty list of them is no parameter at all. */
function onceOrSeveral(property: Json): Json {
  const [one, several] = (property.anyOf ?? []) as Json[];
  return one && several?.type === 'array' ? { description: 'May be repeated.', schema: one } : { schema: property };
}

function requestBody(shape: CallShape): Json {
  const schema = schemaOf(shape.body as z.ZodType, 'input');
  const withFile = {
    ...schema,
    properties: {
      ...(schema.properties as Json),
      file: { type: 'string', contentMediaType: 'application/octet-stream' },
    },
  };
  return {
    // A call without a body is read as if it had sent an empty object.
    required: !(shape.body as z.ZodType).safeParse({}).success || shape.multipart === 'only',
    content: {
      ...(shape.multipart === 'only'
        ? {}
        : { [shape.form ? 'application/x-www-form-urlencoded' : 'application/json']: { schema } }),
      ...(shape.multipart ? { 'multipart/form-data': { schema: shape.multipart === 'only' ? withFile : schema } } : {}),
    },
  };
}

function successes(shape: CallShape): Json {
  const statuses = [shape.status ?? 200, ...(shape.alsoStatus ? [shape.alsoStatus] : [])];
  // 204 has no body, and so no type of one.
  const content = (status: number) => (shape.tus || status === 204 ? {} : { content: success(shape) });
  return Object.fromEntries(statuses.map((status) => [status, { description: 'Success', ...content(status) }]));
}

function success(shape: CallShape): Json {
  if (shape.fhir) return { [FHIR_JSON]: resource({ type: 'string' }) };
  if (shape.binary) return Object.fromEntries(shape.binary.map((type) => [type, {}]));
  return {
    'application/json': {
      schema: {
        type: 'object',
        required: ['data', ...(shape.paged ? ['pagination'] : [])],
        properties: {
          data: shape.data ? schemaOf(shape.data, 'output') : {},
          message: { type: 'string' },
          ...(shape.paged ? { pagination: { $ref: '#/components/schemas/Pagination' } } : {}),
        },
        additionalProperties: false,
      },
    },
  };
}

/** Lists each status that can occur, with its error codes. There is no `default`: any other status is a defect. */
function failures(shape: CallShape): Json {
  const form = shape.fhir ? fhirFailure : shape.who === 'scim' ? scimFailure : envelope;
  return Object.fromEntries(
    [...failuresByStatus(shape)].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `${code}: ${errors[code][1]}`).join(' · '),
        ...(status === 429 || status === 503 ? { headers: retryAfter } : {}),
        content: {
          ...form,
          ...(codes.some(isBare) ? envelope : {}),
          // STOW-RS answers with its data set when it stored nothing.
          ...(shape.takes && status === 409 ? success(shape) : {}),
        },
      },
    ]),
  );
}

/** Errors that are also answered before a request comes to its call, in the envelope of the API. */
const bare: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'REQUEST_TIMEOUT',
  'MISDIRECTED',
  'HEADERS_TOO_LARGE',
  'UNAVAILABLE',
];
const isBare = (code: ErrorCode): boolean => bare.includes(code);

const envelope = { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } };
/** RFC 7644, 3.12. */
const scimFailure = {
  [SCIM_JSON]: {
    schema: {
      type: 'object',
      required: ['schemas', 'status', 'detail'],
      properties: { status: { type: 'string' }, detail: { type: 'string' } },
    },
  },
};
/** The schema of FHIR itself is no part of this document. */
const resource = (type: Json): Json => ({
  schema: { type: 'object', required: ['resourceType'], properties: { resourceType: type } },
});
const fhirFailure = { [FHIR_JSON]: resource({ const: 'OperationOutcome' }) };

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait.', required: true, schema: { type: 'integer', minimum: 1 } },
};

/** The document is built when it is first asked for, because that takes longer than all else of a start. */
export function docsRoutes(router: Router, publicUrl: string): void {
  let built: Json | undefined;
  const document = () => {
    built ??= openApi(publicUrl);
    return built;
  };
  router.get('/openapi.json', (_req, res) => {
    res.json(document());
  });
  router.use('/docs', swaggerUi.serve, ((req, res, next) =>
    swaggerUi.setup(document(), { customSiteTitle: 'Lightbox API' })(req, res, next)) as RequestHandler);
}
