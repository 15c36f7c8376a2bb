import { z } from 'zod';

/** The names of OpenTelemetry for OTEL_TRACES_SAMPLER. */
const traceSamplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type TraceSampler = (typeof traceSamplers)[number];

const isHttp = (value: string): boolean => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

export interface TracingConfig {
  sampler: TraceSampler;
  /** The share of traces that a sampler by ratio records, 0 to 1. */
  share: number;
}

/** The settings of traces, by their standard names. The exporter reads the last three and its further ones itself. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .refine(isHttp, 'must be an address such as https://collector.example.org:4318')
    .optional(),
  OTEL_TRACES_SAMPLER: z.enum(traceSamplers, `must be one of ${traceSamplers.join(', ')}`).optional(),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .refine((value) => value !== '' && Number(value) >= 0 && Number(value) <= 1, 'must be a number from 0 to 1')
    .optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: z.string().optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
};

export const tracingConfigOf = (env: z.output<z.ZodObject<typeof tracingSettings>>): TracingConfig | null =>
  env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? null
    : {
        sampler: env.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on',
        share: Number(env.OTEL_TRACES_SAMPLER_ARG ?? 1),
      };
