import { z } from 'zod';
import { Id, Time, text } from '../ids.js';
import { limits } from '../limits.js';
import { UserRef } from '../users/schemas.js';
import { analysisReasons, type ReasonCode } from './reasons.js';
import { type Sentence, sentenceCodes } from './sentences.js';
import { reviewStates, underWayStates } from './states.js';

const line = z.string().min(1).max(2000);
const fraction = z.number().min(0).max(1);

const SentenceShape: z.ZodType<Sentence> = z.object({
  code: z.enum(sentenceCodes),
  values: z.record(z.string(), z.union([z.string(), z.number()])),
});
const Reason = z.enum(Object.keys(analysisReasons) as [ReasonCode, ...ReasonCode[]]);

export const DifferentialDiagnosis = z.object({ condition: line, confidence: fraction });

/** The part of the picture that moved a classifier most: a coarse grid over the whole picture. */
export const HeatMap = z.object({
  /** The label for which it stands. */
  label: line,
  width: z.int().min(1).max(64),
  height: z.int().min(1).max(64),
  /** One byte for each field of the grid, row by row, in base64. 255 is the strongest. */
  values: z.base64().max(8192),
});
export type HeatMap = z.infer<typeof HeatMap>;

/** The result of an analysis provider for one image: the seed's result without image id and time. */
export const Findings = z.object({
  description: z.string().max(8000),
  differentialDiagnosis: z.array(DifferentialDiagnosis).max(50),
  treatment: z.array(line).max(50),
  followUp: z.array(line).max(50),
  warnings: z.array(line).max(50),
  /** Numbers of the picture, for readers who look for them. */
  measurements: z.array(line).max(50).optional(),
  /** 0..1, or null when nothing was diagnosed. */
  confidence: fraction.nullable(),
  /** True when a diagnostic model assessed the image. */
  assessed: z.boolean(),
  provider: z.string(),
  model: z.string(),
  /** The version of the model, where the provider knows it. */
  modelVersion: z.string().max(200).optional(),
  /**
   * The product's own sentences by code, so that the reader's language can word them: the whole description, the first
   * warnings, and all measurements. Sentences that a model wrote have no codes. `null` stands for a warning among the
   * first ones that the signer wrote.
   */
  said: z
    .object({
      description: z.array(SentenceShape).max(50),
      warnings: z.array(SentenceShape.nullable()).max(50),
      measurements: z.array(SentenceShape).max(50).optional(),
    })
    .optional(),
  /** Only for staff. */
  heatMap: HeatMap.optional(),
});
export type Findings = z.infer<typeof Findings>;

/** The fields of a draft that the signer may change. */
const editable = {
  description: true,
  differentialDiagnosis: true,
  treatment: true,
  followUp: true,
  warnings: true,
} as const;
export const editableFields = Object.keys(editable) as EditableField[];
export type EditableField = keyof typeof editable;

const written = text(2000).min(1);
/** The signer's own words. A field that is absent keeps the text of the draft. */
export const AnalysisEdits = z
  .strictObject({
    description: text(8000),
    differentialDiagnosis: z.array(z.strictObject({ condition: written, confidence: fraction })).max(50),
    treatment: z.array(written).max(50),
    followUp: z.array(written).max(50),
    warnings: z.array(written).max(50),
  } satisfies Record<EditableField, z.ZodType>)
  .partial();
export type AnalysisEdits = z.infer<typeof AnalysisEdits>;

/** The state of the review. `by`, `at` and `comment` are those of the last move. */
export const Review = z.object({
  state: z.enum(reviewStates),
  by: UserRef.optional(),
  at: Time.optional(),
  /** The comment of the signer, or the reason of a withdrawal. */
  comment: z.string().optional(),
});
export type Review = z.infer<typeof Review>;

/** The fields of a signed text. */
export const Signature = z.object({
  signedBy: UserRef,
  signedAt: Time,
  comment: z.string().optional(),
  /** The fields that the signer changed. */
  edited: z.array(z.enum(editableFields as [EditableField, ...EditableField[]])),
  /** False when the signer wrote everything that the text says about the picture. */
  notADiagnosis: z.boolean(),
});
export type Signature = z.infer<typeof Signature>;

/**
 * A result as a viewer reads it: the draft of the last run, or the signed text. Results from before the review existed
 * have no version.
 */
export const AnalysisResult = Findings.extend({
  imageId: Id,
  timestamp: Time,
  review: Review,
  /** True when something is newer: a run, the configured model, or an image of the same study or patient. */
  stale: z.boolean(),
  version: z.int().optional(),
  ...Signature.partial().shape,
});
export type AnalysisResult = z.infer<typeof AnalysisResult>;

/** A run or a signature. Versions of one image are numbered from 1 in the order in which they were made. */
export const AnalysisVersion = z.object({
  version: z.int(),
  kind: z.enum(['run', 'signature']),
  at: Time,
  /** The person who asked for the run, or who signed. */
  by: UserRef,
  /** The text; absent when the patient refuses analyses and nobody signed it. */
  findings: Findings.optional(),
  provenance: z.object({
    provider: z.string(),
    model: z.string(),
    modelVersion: z.string().nullable(),
    /** SHA-256 of the file that was analysed, hexadecimal. */
    inputSha256: z.string(),
    at: Time,
    by: UserRef,
  }),
  /** Of a signature: the version of the draft, and the signer's words. */
  of: z.int().optional(),
  comment: z.string().optional(),
  edited: Signature.shape.edited.optional(),
  withdrawn: z.object({ by: UserRef, at: Time, reason: z.string() }).optional(),
  /** True for the signed text that the patient reads now. */
  current: z.boolean(),
});
export type AnalysisVersion = z.infer<typeof AnalysisVersion>;

/** The analysis with which a viewer may compare: of an earlier image of the patient, or an earlier run of this image. */
export const PreviousAnalysis = z.object({
  imageId: Id,
  caption: z.string(),
  at: Time,
  findings: Findings,
});
export type PreviousAnalysis = z.infer<typeof PreviousAnalysis>;

export const SignAnalysis = z.strictObject({
  comment: text(limits.signatureComment).optional(),
  edits: AnalysisEdits.optional(),
  /** The version that the signer has seen. */
  version: z.int(),
});
export const WithdrawAnalysis = z.strictObject({
  reason: text(limits.withdrawalReason).min(3, 'Please give a reason.'),
});

/** The provider of analyses, and the place to which it sends pictures. */
export const AnalysisTarget = z.object({
  provider: z.string(),
  model: z.string().nullable(),
  /** The host that gets the picture; null when it stays on the clinic's own machines. */
  sentTo: z.string().nullable(),
});
export type AnalysisTarget = z.infer<typeof AnalysisTarget>;

/** The reason in English, and its code, by which the client words it. */
export const Failure = z.object({ reason: z.string(), reasonCode: Reason.optional() });

export const AnalysisAnswer = z.discriminatedUnion('status', [
  AnalysisResult.extend({ status: z.literal('completed') }),
  z.object({ status: z.enum(underWayStates), progress: z.number().min(0).max(100) }),
  z.object({ status: z.literal('failed'), ...Failure.shape }),
]);
export type AnalysisAnswer = z.infer<typeof AnalysisAnswer>;
