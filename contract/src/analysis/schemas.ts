import { z } from 'zod';

/** 0 to 1. */
const confidence = z.number().min(0).max(1);

export const differentialDiagnosisSchema = z.object({ condition: z.string().min(1), confidence });

export const analysisResultSchema = z.object({
  imageId: z.string(),
  description: z.string().min(1),
  differentialDiagnosis: z.array(differentialDiagnosisSchema),
  treatment: z.array(z.string()),
  followUp: z.array(z.string()),
  warnings: z.array(z.string()),
  /** Null when nobody judged. */
  confidence: confidence.nullable(),
  /** Whether a diagnostic model looked at the picture at all: empty lists mean something only then. */
  assessed: z.boolean(),
  timestamp: z.iso.datetime(),
  provider: z.string(),
  model: z.string(),
});

/** What a provider finds; which image it was and when is added by whoever asked. */
export const findingsSchema = analysisResultSchema.omit({ imageId: true, timestamp: true });

export type AnalysisResult = z.infer<typeof analysisResultSchema>;
export type Findings = z.infer<typeof findingsSchema>;
