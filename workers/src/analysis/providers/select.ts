import type { AiConfig, AiProvider } from '@lightbox/core/config/ai.js';
import { localProvider } from './local.js';
import { onnxProvider } from './onnx.js';
import { openAiProvider } from './openai.js';
import type { AnalysisProvider } from './provider.js';

/** One row for each provider of `core/src/config/ai.ts`: a missing row does not compile. */
const providers: Record<AiProvider, (config: AiConfig) => AnalysisProvider> = {
  local: () => localProvider(),
  openai: openAiProvider,
  onnx: onnxProvider,
};

/** Returns the provider that the configuration names. Throws a ConfigError when it lacks something that it needs. */
export const selectProvider = (config: AiConfig): AnalysisProvider => providers[config.provider](config);
