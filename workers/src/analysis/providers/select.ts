import type { Config } from '@lightbox/core/config/config.js';
import { localProvider } from './local.js';
import { openAiProvider } from './openai.js';
import type { AnalysisProvider } from './provider.js';

/** Returns the provider that the configuration names. A missing model already stops the start (`env.ts`). */
export function selectProvider({ provider, baseUrl, apiKey, model }: Config['ai']): AnalysisProvider {
  if (provider === 'local') return localProvider();
  if (!model) throw new Error('AI_MODEL is required when AI_PROVIDER is openai.');
  return openAiProvider({ model, baseUrl, apiKey });
}
