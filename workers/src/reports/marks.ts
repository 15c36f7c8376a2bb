import { factsOfFrame, measuredBy, rounded, valueUnit } from '@lightbox/contract/annotations/measuring.js';
import type { Mark, MarkKind } from '@lightbox/contract/annotations/schemas.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { findLayers } from '@lightbox/core/annotations/layers.js';
import { openMarks } from '@lightbox/core/annotations/marks.js';
import type { Core } from '@lightbox/core/core.js';
import { bufferOf } from '@lightbox/core/db/bytes.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import { NEWEST } from '@lightbox/core/db/newest.js';
import { Drawing, drawingContext } from '@lightbox/core/imaging/drawing.js';
import { open } from '@lightbox/core/keys/seal.js';
import type { DrawingDoc } from '@lightbox/core/models/drawing.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';

/** A mark of the signer, as the report lists it. */
export interface ReportMark {
  kind: MarkKind;
  /** The frame, for files with more than one. */
  frame?: number;
  value?: string;
  /** The value of the pixel at a probe, or the mean and the standard deviation in an ellipse. */
  pixels?: { mean: string; deviation?: string };
  text?: string;
  /** Its points on the preview, as parts of width and height; absent when the preview shows another frame. */
  onPreview?: [number, number][];
}

/** Returns the marks that the signer shares. */
export async function marksOf(core: Core, key: Buffer, image: ImageDoc, signer: ObjectId): Promise<ReportMark[]> {
  const [[layer], stored] = await Promise.all([
    findLayers(core.models, { image: image._id, author: signer, shared: true }),
    core.models.Drawing.findById(image._id).readConcern(NEWEST).lean<DrawingDoc>(),
  ]);
  if (!layer) return [];
  const facts = stored && factsOf(key, image, stored);
  const { rows, columns } = facts ?? {};
  return openMarks(core, image, layer).map((mark) => {
    // Without the facts of the file nobody knows the size of its pixels.
    const found = facts && measuredBy(facts, mark);
    return {
      kind: mark.kind,
      ...((facts?.frames ?? 1) > 1 ? { frame: mark.frame } : {}),
      ...(found ? { value: `${rounded(found.value)} ${found.unit}` } : {}),
      ...(mark.text ? { text: mark.text } : {}),
      ...(facts ? pixelsOf(facts, mark) : {}),
      ...(rows && columns && mark.frame === facts?.previewFrame
        ? { onPreview: mark.points.map(([x, y]): [number, number] => [(x + 0.5) / columns, (y + 0.5) / rows]) }
        : {}),
    };
  });
}

/** The values of the pixels with their unit, as the viewer of their author showed them. */
function pixelsOf(facts: FrameFacts, { frame, pixels }: Mark): Pick<ReportMark, 'pixels'> {
  if (!pixels) return {};
  const unit = valueUnit(factsOfFrame(facts, frame));
  const said = (value: number) => `${rounded(value)} ${unit}`.trim();
  const { mean, deviation } = pixels;
  return { pixels: { mean: said(mean), ...(deviation === undefined ? {} : { deviation: said(deviation) }) } };
}

function factsOf(key: Buffer, { _id }: ImageDoc, { drawing }: DrawingDoc): FrameFacts {
  const sealed = open(key, drawingContext(String(_id)), bufferOf(drawing));
  return Drawing.parse(JSON.parse(sealed.toString())).facts;
}
