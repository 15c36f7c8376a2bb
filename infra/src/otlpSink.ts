import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import protobuf from 'protobufjs';

/** The part of OTLP's messages that the tests read, by the numbers of their fields. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; }
  message KeyValue { string key = 1; Value value = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message Span { bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; repeated KeyValue attributes = 9; }
  message ScopeSpans { repeated Span spans = 2; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Request { repeated ResourceSpans resource_spans = 1; }
`);
const Request = root.lookupType('Request');

interface KeyValue {
  key: string;
  value: Record<string, unknown>;
}

export interface SunkSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentId: string;
  attributes: Record<string, unknown>;
}

const hex = (bytes?: Uint8Array): string => Buffer.from(bytes ?? []).toString('hex');
const valuesOf = (all: KeyValue[] = []): Record<string, unknown> =>
  Object.fromEntries(all.map(({ key, value }) => [key, Object.values(value)[0]]));

interface Sent {
  resourceSpans?: {
    resource?: { attributes?: KeyValue[] };
    scopeSpans?: {
      spans?: {
        traceId: Uint8Array;
        spanId: Uint8Array;
        parentSpanId?: Uint8Array;
        name: string;
        attributes?: KeyValue[];
      }[];
    }[];
  }[];
}

const spansOf = ({ resourceSpans = [] }: Sent): SunkSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans.flatMap(({ spans = [] }) =>
      spans.map(({ name, attributes, traceId, spanId, parentSpanId }) => ({
        service: String(valuesOf(resource?.attributes)['service.name']),
        name,
        traceId: hex(traceId),
        spanId: hex(spanId),
        parentId: hex(parentSpanId),
        attributes: valuesOf(attributes),
      })),
    ),
  );

/** A collector of OpenTelemetry that keeps every span it is sent (OTLP, http/protobuf). */
export async function startOtlpSink() {
  const spans: SunkSpan[] = [];
  const server = createServer(async (req, res) => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    const isOurs = req.url === '/v1/traces' && req.headers['content-type'] === 'application/x-protobuf';
    if (isOurs)
      spans.push(...spansOf(Request.toObject(Request.decode(Buffer.concat(parts)), { longs: Number }) as Sent));
    res.writeHead(isOurs ? 200 : 404, { 'content-type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    stop: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
