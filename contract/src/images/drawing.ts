import { z } from 'zod';

const triple = z.tuple([z.number(), z.number(), z.number()]);
const pair = z.tuple([z.number(), z.number()]);
/** Bytes in base64. */
const Base64 = z.base64();
const Text = z.string().max(1_024);

/** One window of the values after the modality LUT (PS3.3 §C.11.2.1.2). */
export const Window = z.object({ center: z.number(), width: z.number(), explanation: z.string().max(64).optional() });
export type Window = z.infer<typeof Window>;

export const voiFunctions = ['LINEAR', 'LINEAR_EXACT', 'SIGMOID'] as const;

/** `detector`: the spacing is that of the detector, and the patient may be smaller than measured. */
const SpacingAt = z.enum(['patient', 'detector']);

/** A look-up table: the entry of value `first` comes first. Entries are 16-bit numbers, little endian. */
export const LookupTable = z.object({ first: z.int(), bits: z.int().min(8).max(16), entries: Base64 });
export type LookupTable = z.infer<typeof LookupTable>;

/** A region of an ultrasound picture in pixels, with the millimetres of one pixel in it: 0 for times and speeds (PS3.3 §C.8.5.5). */
export const Region = z.object({
  x0: z.int(),
  y0: z.int(),
  x1: z.int(),
  y1: z.int(),
  deltaX: z.number(),
  deltaY: z.number(),
});
export type Region = z.infer<typeof Region>;

/** One bit for each pixel, row by row, the lowest bit first (PS3.3 §C.9.2). Origins begin at 1. */
export const Overlay = z.object({
  rows: z.int().positive(),
  columns: z.int().positive(),
  originRow: z.int(),
  originColumn: z.int(),
  /** The first frame that the overlay covers, and the number of frames. Absent: one overlay for every frame. */
  frameOrigin: z.int().optional(),
  frames: z.int().positive().optional(),
  bits: Base64,
});
export type Overlay = z.infer<typeof Overlay>;

/** The facts of one frame of an enhanced multi-frame file that differ between frames (PS3.3 §C.7.6.16). */
export const PerFrame = z.object({
  position: triple.optional(),
  orientation: z.array(z.number()).length(6).optional(),
  pixelSpacing: pair.optional(),
  spacingAt: SpacingAt.optional(),
  windows: z.array(Window).max(16).optional(),
  voiFunction: z.enum(voiFunctions).optional(),
  rescaleSlope: z.number().optional(),
  rescaleIntercept: z.number().optional(),
  rescaleType: z.string().max(16).optional(),
  sliceThickness: z.number().optional(),
});
export type PerFrame = z.infer<typeof PerFrame>;

/** One line of a report. Lines with a higher depth belong to the line before them with a lower depth. */
export const ReportLine = z.object({
  depth: z.int().min(0).max(32),
  label: Text.optional(),
  text: z.string().max(8_192),
});
export type ReportLine = z.infer<typeof ReportLine>;

/** One channel of a waveform: lowest and highest value of equal steps of time, in `unit`. */
export const Lead = z.object({
  name: z.string().max(64),
  unit: z.string().max(16).optional(),
  /** Seconds from the first to the last sample. */
  seconds: z.number(),
  low: z.array(z.number()).max(4_000),
  high: z.array(z.number()).max(4_000),
});
export type Lead = z.infer<typeof Lead>;

/** A file without pixels as a readable page. */
export const Report = z.object({
  title: Text.optional(),
  lines: z.array(ReportLine).max(5_000),
  /** True when the file has more lines. */
  cut: z.boolean().optional(),
  waveforms: z.array(Lead).max(128).optional(),
  /** True for an encapsulated PDF: its pages are the frames, drawn by the server. */
  pdf: z.boolean().optional(),
});
export type Report = z.infer<typeof Report>;

/** `report`: a DICOM file without pixels. `none`: the file is stored and cannot be drawn. */
export const drawingKinds = ['dicom', 'picture', 'pdf', 'report', 'none'] as const;

/** Facts of a file that its drawing needs: DICOM keywords, never a name, an identifier or a UID of the file. */
export const FrameFacts = z.object({
  kind: z.enum(drawingKinds),
  /** Frames of a DICOM file, pages of a PDF; 0 when nothing can be drawn. */
  frames: z.int().nonnegative(),
  /** The pixel module of the frames as they are served. */
  rows: z.int().positive().optional(),
  columns: z.int().positive().optional(),
  samplesPerPixel: z.int().positive().optional(),
  bitsAllocated: z.int().positive().optional(),
  bitsStored: z.int().positive().optional(),
  highBit: z.int().nonnegative().optional(),
  pixelRepresentation: z.literal([0, 1]).optional(),
  photometricInterpretation: z.string().max(16).optional(),
  planarConfiguration: z.literal([0, 1]).optional(),
  transferSyntax: z.string().max(64).optional(),
  /** `OT` when the file names none. */
  modality: z.string().max(16),
  bodyPart: z.string().max(16).optional(),
  view: z.string().max(16).optional(),
  laterality: z.string().max(16).optional(),
  /** Milliseconds for which a frame of a film is shown. */
  frameTime: z.number().positive().optional(),
  /** Millimetres between rows, between columns: true for measuring. */
  pixelSpacing: pair.optional(),
  spacingAt: SpacingAt.optional(),
  /** Height and width of a pixel of a file without a spacing. A shape, never a size (PS3.3 §C.7.6.3.1.7). */
  pixelAspectRatio: pair.optional(),
  regions: z.array(Region).max(64).optional(),
  position: triple.optional(),
  orientation: z.array(z.number()).length(6).optional(),
  sliceThickness: z.number().optional(),
  spacingBetweenSlices: z.number().optional(),
  /** The same for files whose positions have one origin. Opaque. */
  frameOfReference: z.string().max(64).optional(),
  instanceNumber: z.int().optional(),
  rescaleSlope: z.number().optional(),
  rescaleIntercept: z.number().optional(),
  rescaleType: z.string().max(16).optional(),
  /** True when the file has fractions: frames then hold steps of 16 bits, and the rescale is of these, not of the file. */
  inSteps: z.boolean().optional(),
  windows: z.array(Window).max(16),
  voiFunction: z.enum(voiFunctions).optional(),
  modalityLut: LookupTable.optional(),
  voiLuts: z.array(LookupTable).max(16).optional(),
  pixelPaddingValue: z.number().optional(),
  pixelPaddingRangeLimit: z.number().optional(),
  smallestPixelValue: z.number().optional(),
  largestPixelValue: z.number().optional(),
  overlays: z.array(Overlay).max(16).optional(),
  /** One entry for each frame. */
  perFrame: z.array(PerFrame).max(100_000).optional(),
  /** The frame that the preview shows, from 1. */
  previewFrame: z.int().positive(),
  report: Report.optional(),
});
export type FrameFacts = z.infer<typeof FrameFacts>;

/** One element of a file, as the header table shows it. */
export const TagRow = z.object({
  /** Group and element in hexadecimal digits, such as `00100010`. */
  tag: z.string().regex(/^[0-9a-f]{8}$/),
  keyword: z.string().max(80).optional(),
  vr: z.string().max(2),
  value: z.string().max(256),
  private: z.boolean(),
  /** The number of sequences that contain the element. */
  depth: z.int().positive().max(64).optional(),
});
export type TagRow = z.infer<typeof TagRow>;

/** One difference between a file and its copy without identity. Pictures have names of segments in place of tags. */
export const TagChange = z.object({
  tag: z.string().max(16),
  /** Empty for elements that the table of the standard does not list. */
  keyword: z.string().max(80),
  action: z.enum(['removed', 'emptied', 'replaced', 'shifted']),
  before: z.string().max(256),
  after: z.string().max(256).optional(),
});
export type TagChange = z.infer<typeof TagChange>;

/** A guess: is a name written into the picture itself? */
export const burnedInGuesses = ['yes', 'likely', 'unknown', 'no'] as const;
export type BurnedIn = (typeof burnedInGuesses)[number];

/** A rectangle of a frame, in pixels from its upper left corner. The lower right corner lies outside. */
export const TextPlace = z.object({
  x0: z.int().nonnegative(),
  y0: z.int().nonnegative(),
  x1: z.int().positive(),
  y1: z.int().positive(),
});
export type TextPlace = z.infer<typeof TextPlace>;
