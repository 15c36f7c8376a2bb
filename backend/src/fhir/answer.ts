import { doors } from '@lightbox/contract/doors.js';
import { FHIR_JSON } from '@lightbox/contract/fhir/calls.js';
import { limits } from '@lightbox/contract/limits.js';
import { AppError } from '@lightbox/core/errors.js';
import { hmac } from '@lightbox/core/keys/keyring.js';
import type { Request } from 'express';
import type { Gateway } from '../context.js';
import { takesJson } from '../http/accept.js';
import { type Streaming, stream } from '../http/stream.js';
import { guarded } from '../images/imageBytes.js';
import type { Asking, FhirRead, FhirSearch, Finder, Resource, Shown } from './finder.js';
import { patientsNamed } from './people.js';

/** Returns the handler of a search: one page, with a link to the next one. */
export const searchFor =
  <Doc, Row extends Shown<Doc>, Wanted extends FhirSearch>(finder: Finder<Doc, Row, Wanted>) =>
  async (asking: Asking & { query: Wanted }): Promise<undefined> => {
    const { gateway, query, req } = asking;
    requireJson(req, query);
    const limit = query._count ?? limits.fhirPageDefault;
    const source = await finder.source(asking, query);
    const page = { page: 1, limit, cursor: query._cursor };
    const { rows, pagination } = await gateway.pages.list(source, page);
    const shown = await finder.show(asking, rows, query);
    const resources = shown.map(({ resource }) => versioned(gateway, resource));
    const included = query._include === undefined ? [] : await patientsNamed(asking, resources);
    const total = finder.exact && !pagination.totalItemsCapped ? { total: pagination.totalItems } : {};
    const self = addressOf(gateway, req);
    const next = pagination.nextCursor;
    const entries = [
      ...resources.map((resource) => entryOf(gateway, resource, 'match')),
      ...included.map((resource) => entryOf(gateway, versioned(gateway, resource), 'include')),
    ];
    const bundle = {
      resourceType: 'Bundle',
      type: 'searchset',
      timestamp: gateway.clock.now().toISOString(),
      ...total,
      link: [
        { relation: 'self', url: self.href },
        ...(next === undefined ? [] : [{ relation: 'next', url: withCursor(self, next) }]),
      ],
      // FHIR has no empty lists.
      ...(entries.length > 0 ? { entry: entries } : {}),
    };
    await send(asking, bundle, { record: () => finder.record(asking, shown, 'search') });
    return undefined;
  };

/** Returns the handler that reads one resource. It is found as by a search, with the same reads of the database. */
export const readOf =
  <Doc, Row extends Shown<Doc>, Wanted extends FhirSearch>(finder: Finder<Doc, Row, Wanted>) =>
  async (asking: Asking & { params: { id: string }; query: FhirRead }): Promise<undefined> => {
    const { gateway, params, query, req } = asking;
    requireJson(req, query);
    const wanted = { _id: [[params.id]] } as Wanted;
    const { model, filter, projection } = await finder.source(asking, wanted);
    const docs = await model.find(filter, projection).limit(1).lean<Doc[]>();
    const [found] = await finder.show(asking, docs, wanted);
    if (!found) throw new AppError('NOT_FOUND');
    const resource = versioned(gateway, found.resource);
    const { versionId, lastUpdated } = resource.meta;
    await send(asking, resource, {
      etag: `W/"${versionId}"`,
      headers: lastUpdated === undefined ? {} : { 'Last-Modified': new Date(lastUpdated).toUTCString() },
      record: () => finder.record(asking, [found], 'read'),
    });
    return undefined;
  };

/** Sends a resource. It goes out in one piece. */
async function send(
  asking: Streaming,
  resource: object,
  { etag, headers, record }: { etag?: string; headers?: Record<string, string>; record: () => Promise<unknown> },
): Promise<void> {
  await stream(asking, {
    headers: { ...headersOfJson(), ...headers },
    ...(etag === undefined ? {} : { etag }),
    chunks: Buffer.from(JSON.stringify(resource)),
    record: async () => {
      await record();
    },
  });
}

export const headersOfJson = (): Record<string, string> => guarded(`${FHIR_JSON}; charset=utf-8`);

const forms = ['json', 'application/json', FHIR_JSON];

/** Throws when the client takes no JSON. `_format` counts before the header (R4 §3.1.0.1.11). */
export function requireJson(req: Request, { _format }: FhirRead): void {
  // A plus that is not escaped is a space.
  const form = _format?.split(';')[0]?.trim().replaceAll(' ', '+');
  const takes = form === undefined ? takesJson(req, FHIR_JSON) : forms.includes(form);
  if (!takes) throw new AppError('NOT_ACCEPTABLE');
}

/**
 * Adds the version: a digest of the content. The same content has the same version, whoever changed what lies behind it.
 */
function versioned({ keys }: Gateway, resource: Resource) {
  const text = JSON.stringify(resource);
  const versionId = hmac(keys.names.current.key, 'fhir', text).toString('hex').slice(0, 24);
  const { resourceType, id, meta, ...rest } = resource;
  return { resourceType, id, meta: { versionId, ...meta }, ...rest };
}

const entryOf = ({ config }: Gateway, resource: Resource, mode: 'match' | 'include') => ({
  fullUrl: `${config.publicUrl}${doors.fhir}/${resource.resourceType}/${resource.id}`,
  resource,
  search: { mode },
});

const addressOf = ({ config }: Gateway, req: Request): URL =>
  new URL(`${config.publicUrl}${req.originalUrl.replace(/^\/api\//, '/')}`);

function withCursor(self: URL, cursor: string): string {
  const next = new URL(self);
  next.searchParams.set('_cursor', cursor);
  return next.href;
}
