import { z } from 'zod';
import { Id, Time } from '../ids.js';
import { ReasonCode } from './reasons.js';
import { Sentence } from './sentences.js';
import { underWayStates } from './states.js';

const line = z.string().min(1).max(2000);
const fraction = z.number().min(0).max(1);

export const DifferentialDiagnosis = z.object({ condition: line, confidence: fraction });

/** The result of an analysis provider for one image: the seed's result without image id and time. */
export const Findings = z.object({
  description: z.string().max(8000),
  differentialDiagnosis: z.array(DifferentialDiagnosis).max(50),
  treatment: z.array(line).max(50),
  followUp: z.array(line).max(50),
  warnings: z.array(line).max(50),
  /** 0..1, or null when nothing was diagnosed. */
  confidence: fraction.nullable(),
  /** True when a diagnostic model assessed the image. */
  assessed: z.boolean(),
  provider: z.string(),
  model: z.string(),
  /**
   * The product's own sentences by code, so that the client can translate them: the whole description, and the first
   * warnings. Sentences that a model wrote have no codes.
   */
  said: z.object({ description: z.array(Sentence).max(50), warnings: z.array(Sentence).max(50) }).optional(),
});
export type Findings = z.infer<typeof Findings>;

export const AnalysisResult = Findings.extend({ imageId: Id, timestamp: Time });
export type AnalysisResult = z.infer<typeof AnalysisResult>;

/** The reason in English, and its code, by which the client words it. */
export const Failure = z.object({ reason: z.string(), reasonCode: ReasonCode.optional() });

export const AnalysisAnswer = z.discriminatedUnion('status', [
  AnalysisResult.extend({ status: z.literal('completed') }),
  z.object({ status: z.enum(underWayStates), progress: z.number().min(0).max(100) }),
  z.object({ status: z.literal('failed'), ...Failure.shape }),
]);
export type AnalysisAnswer = z.infer<typeof AnalysisAnswer>;
