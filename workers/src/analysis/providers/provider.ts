import { type ReasonCode, reasonText } from '@lightbox/contract/analysis/reasons.js';
import type { Findings } from '@lightbox/contract/analysis/schemas.js';
import type { ContentType } from '@lightbox/contract/images/names.js';
import type { FileFacts } from '@lightbox/core/models/image.js';
import type { Pictures } from '../../previews/preview.js';

export interface AnalysisInput {
  imageId: string;
  contentType: ContentType;
  bytes: Buffer;
  facts: Pick<FileFacts, 'width' | 'height' | 'dicom' | 'dicomDetail'>;
}

export interface AnalysisRun {
  signal: AbortSignal;
  /** Per cent. */
  onProgress(progress: number): void;
  /** Decodes the file in a separate process. */
  pictures: Pick<Pictures, 'measure' | 'forModel' | 'pixels'>;
  /**
   * Must run before each sending of the picture. Counts the call, and throws when the picture may not be sent: the day's
   * calls are used up, the patient has refused, or the run is over.
   */
  takeCall(): Promise<void>;
}

/**
 * A provider writes its name, its model and the model's version into its findings. The version of the analysis adds the
 * rest of the provenance: the hash of the file, the time and the person (`analyseImage.ts`).
 */
export interface AnalysisProvider {
  readonly name: string;
  readonly model: string;
  /** The labels to which it gives probabilities, if they are always the same. */
  readonly labels?: readonly string[];
  /** Throws NotAnalysable, AnalysisFailed, RenderCrashed, or the signal's reason. */
  analyse(input: AnalysisInput, run: AnalysisRun): Promise<Findings>;
}

/** The file has nothing to analyse, so a retry is useless. The message may be shown. */
export class NotAnalysable extends Error {
  override readonly name = 'NotAnalysable';

  constructor(readonly code: ReasonCode) {
    super(reasonText(code));
  }
}

/** The analysis failed. The message may be shown as the reason. */
export class AnalysisFailed extends Error {
  override readonly name = 'AnalysisFailed';
  readonly retryable: boolean;

  constructor(
    readonly code: ReasonCode,
    retryable: boolean,
    { cause, status }: { cause?: unknown; status?: number } = {},
  ) {
    super(reasonText(code, status), { cause });
    this.retryable = retryable;
  }
}

export function requirePicture({ contentType, facts }: AnalysisInput): void {
  if (contentType === 'application/pdf') throw new NotAnalysable('PDF');
  if (facts.dicomDetail?.hasPixels === false) throw new NotAnalysable('NO_PICTURE');
}

export const undrawable = () => new NotAnalysable('UNDRAWABLE');
