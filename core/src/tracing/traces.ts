import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

/**
 * The spans of the product are set by hand, at the few places where work comes in or goes over to another process. Names
 * and attributes are words of the product: no id, address, query or text of a person (docs/operations/traces.md).
 */

/** The trace that a piece of work belongs to, as text (`traceparent` of W3C Trace Context). It travels with the work. */
export type TraceText = string;

let on = false;
/** Called when the SDK was loaded. Without it nothing below makes a span. */
export const turnOn = (): void => {
  on = true;
};
export const isTracing = (): boolean => on;

const textOf = (from: Context): TraceText | undefined => {
  const carrier: { traceparent?: string } = {};
  propagation.inject(from, carrier);
  return carrier.traceparent;
};
const contextOf = (text: TraceText | undefined): Context =>
  text ? propagation.extract(ROOT_CONTEXT, { traceparent: text }) : ROOT_CONTEXT;

/** Returns the trace of the work that runs now. */
export const traceHere = (): TraceText | undefined => (on ? textOf(context.active()) : undefined);

/** Runs work under a trace, without a span of its own, so that its log lines have the id. */
export const underTrace = <T>(text: TraceText | undefined, work: () => T): T =>
  on && text ? context.with(contextOf(text), work) : work();

/** The fields of a log line. */
export function traceIds(): { trace_id?: string; span_id?: string } {
  const here = trace.getSpanContext(context.active());
  return here && isSpanContextValid(here) ? { trace_id: here.traceId, span_id: here.spanId } : {};
}

interface SpanOptions {
  kind?: keyof typeof SpanKind;
  /** The trace to continue. Without it the span begins a new one. */
  parent?: TraceText | undefined;
  attributes?: Attributes;
}

const start = (name: string, { kind = 'INTERNAL', parent, attributes = {} }: SpanOptions): [Span, Context] => {
  const from = contextOf(parent);
  const span = trace.getTracer('lightbox').startSpan(name, { kind: SpanKind[kind], attributes }, from);
  return [span, trace.setSpan(from, span)];
};

/** A span that other work continues. */
export interface OpenSpan {
  /** The trace for the work that follows. */
  trace: TraceText | undefined;
  run: <T>(work: () => T) => T;
  rename: (name: string, attributes: Attributes) => void;
  end: (failed?: boolean) => void;
}

/** Opens a span, which the caller ends. A process without traces passes the trace of its parent on. */
export function openSpan(name: string, options: SpanOptions): OpenSpan {
  if (!on) return { trace: options.parent, run: (work) => work(), rename: () => undefined, end: () => undefined };
  const [span, inside] = start(name, options);
  return {
    trace: textOf(inside),
    run: (work) => context.with(inside, work),
    rename: (words, attributes) => void span.updateName(words).setAttributes(attributes),
    end: (failed) => {
      // Without the message: that of a driver may hold values.
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Runs work in a span. */
export async function inSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  if (!on) return work();
  const span = openSpan(name, options);
  let failed = true;
  try {
    const done = await span.run(work);
    failed = false;
    return done;
  } finally {
    span.end(failed);
  }
}
