import type { Findings } from '@lightbox/contract/analysis/schemas.js';
import type { ContentType, FileFacts } from '@lightbox/core/files/inspect.js';

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
}

export interface AnalysisProvider {
  readonly name: string;
  readonly model: string;
  /** Throws NotAnalysable, AnalysisFailed, RenderCrashed, or the signal's reason. */
  analyse(input: AnalysisInput, run: AnalysisRun): Promise<Findings>;
}

/** There is nothing in this file that could be analysed, now or later; the message may be shown. */
export class NotAnalysable extends Error {
  override readonly name = 'NotAnalysable';
}

/** The analysis did not come about; the message may be shown as the reason. */
export class AnalysisFailed extends Error {
  override readonly name = 'AnalysisFailed';
  readonly retryable: boolean;

  constructor(reason: string, retryable: boolean, cause?: unknown) {
    super(reason, { cause });
    this.retryable = retryable;
  }
}

export function requirePicture({ contentType, facts }: AnalysisInput): void {
  if (contentType === 'application/pdf') throw new NotAnalysable('A PDF document cannot be analysed as an image.');
  if (facts.dicomDetail?.hasPixels === false) throw new NotAnalysable('The DICOM file holds no picture.');
}

export const undrawable = () =>
  new NotAnalysable('The picture in this file cannot be drawn, so it cannot be analysed.');
