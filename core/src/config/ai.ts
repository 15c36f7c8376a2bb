import type { AnalysisTarget } from '@lightbox/contract/analysis/schemas.js';
import { z } from 'zod';

interface Provider {
  /** The settings that it needs, each with the reason. */
  needs: Readonly<Record<string, string>>;
  /** True when it sends pictures to the server of `AI_BASE_URL`. */
  sends: boolean;
}

/** The providers of analyses. `workers/src/analysis/providers/select.ts` has their code. */
const aiProviders = {
  local: { needs: {}, sends: false },
  openai: {
    needs: { AI_BASE_URL: 'pictures go to this server', AI_MODEL: 'the server may have several' },
    sends: true,
  },
  onnx: {
    needs: { AI_ONNX_MODEL: 'the file of the classifier', AI_ONNX_LABELS: 'the file that describes the classifier' },
    sends: false,
  },
} as const satisfies Record<string, Provider>;
export type AiProvider = keyof typeof aiProviders;
const names = Object.keys(aiProviders) as [AiProvider, ...AiProvider[]];

export interface AiConfig {
  provider: AiProvider;
  baseUrl: string | null;
  apiKey: string | null;
  model: string | null;
  /** Calls of the model server per day (UTC), of all workers together. */
  maxCallsPerDay: number;
  maxOutputTokens: number;
  /** True when pictures that may contain a name may go to the model server. */
  sendBurnedIn: boolean;
  onnxModel: string | null;
  onnxLabels: string | null;
}

const oneOf = (...values: [string, ...string[]]) =>
  z.enum(values, { error: ({ input }) => `must be ${values.join(' or ')}, not "${String(input)}"` });
const count = (most: number) =>
  z
    .string()
    .refine((value) => /^[1-9]\d{0,6}$/.test(value) && Number(value) <= most, {
      error: `must be a whole number from 1 to ${most}`,
    })
    .transform(Number);

/** The settings of analyses in the environment. */
export const aiSettings = {
  AI_PROVIDER: oneOf(...names).default('local'),
  AI_BASE_URL: z
    .string()
    .refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), {
      error: 'must be an address that starts with http:// or https://',
    })
    .optional(),
  AI_API_KEY: z.string().optional(),
  AI_MODEL: z.string().optional(),
  AI_MAX_CALLS_PER_DAY: count(1_000_000).default(500),
  AI_MAX_OUTPUT_TOKENS: count(100_000).default(2_000),
  AI_SEND_BURNED_IN: oneOf('0', '1').default('0'),
  AI_ONNX_MODEL: z.string().optional(),
  AI_ONNX_LABELS: z.string().optional(),
};
type AiEnv = z.output<z.ZodObject<typeof aiSettings>>;

type Env = Readonly<Record<string, string | undefined>>;

/** The rules for combinations of these settings: each provider has the settings that it needs. */
export const aiRules = Object.entries(aiProviders).flatMap(([provider, { needs }]) =>
  Object.entries(needs).map(([variable, why]) => ({
    variable,
    breaks: (env: Env) => env.AI_PROVIDER === provider && !env[variable],
    says: `is needed with AI_PROVIDER=${provider}: ${why}`,
  })),
);

export const aiConfigOf = (env: AiEnv): AiConfig => ({
  provider: env.AI_PROVIDER as AiProvider,
  baseUrl: env.AI_BASE_URL ?? null,
  apiKey: env.AI_API_KEY ?? null,
  model: env.AI_PROVIDER === 'openai' ? (env.AI_MODEL ?? null) : null,
  maxCallsPerDay: env.AI_MAX_CALLS_PER_DAY,
  maxOutputTokens: env.AI_MAX_OUTPUT_TOKENS,
  sendBurnedIn: env.AI_SEND_BURNED_IN === '1',
  onnxModel: env.AI_ONNX_MODEL ?? null,
  onnxLabels: env.AI_ONNX_LABELS ?? null,
});

/** Returns the provider, and the host to which it sends pictures, if it sends them anywhere. */
export const analysisTarget = ({ provider, model, baseUrl }: AiConfig): AnalysisTarget => ({
  provider,
  model,
  sentTo: aiProviders[provider].sends && baseUrl ? new URL(baseUrl).host : null,
});
