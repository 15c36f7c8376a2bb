import {
  factsOfFrame,
  measuredBy,
  type Point,
  pixelShape,
  rounded,
  valueUnit,
} from '@lightbox/contract/annotations/measuring.js';
import type { Mark } from '@lightbox/contract/annotations/schemas.js';
import type { FrameFacts, LookupTable, Window } from '@lightbox/contract/images/drawing.js';
import { type VoiFunction, voiFunctionOf } from '@lightbox/contract/images/voi.js';
import { AppError } from '@lightbox/core/errors.js';
import { commonOf, imageReference, type LayerFacts } from './layer.js';
import { axesInOrder, type DataSet, dateOf, decimal, graphicData, personName, timeOf } from './values.js';

/** Grayscale Softcopy Presentation State (PS3.3 §A.33.1). */
const SOP_CLASS = '1.2.840.10008.5.1.4.1.1.11.1';
const LAYER = 'MARKS';
/** The side of the head of an arrow, as a part of its length, and in pixels at most. */
const HEAD = 0.2;
const HEAD_PIXELS = 20;

/** Returns a layer as a presentation state: the marks on the picture as the file wants it shown. */
export function presentationOf(layer: LayerFacts): DataSet {
  const { updateAt, author, marks, header, facts } = layer;
  const interpretation = facts.photometricInterpretation ?? '';
  if (!interpretation.startsWith('MONOCHROME')) throw new AppError('NOT_GRAYSCALE');
  const frames = [...new Set(marks.map(({ frame }) => frame))].sort((a, b) => a - b);
  return {
    ...commonOf(layer, { sopClass: SOP_CLASS, modality: 'PR', description: 'Marks', seriesNumber: 902 }),
    Laterality: '',
    ContentLabel: LAYER,
    ContentDescription: 'Marks of one author',
    PresentationCreationDate: dateOf(updateAt),
    PresentationCreationTime: timeOf(updateAt),
    ContentCreatorName: personName(author),
    ReferencedSeriesSequence: [
      { SeriesInstanceUID: header.seriesUid, ReferencedImageSequence: [imageReference(layer)] },
    ],
    ...valuesOf(layer),
    PresentationLUTShape: interpretation === 'MONOCHROME1' ? 'INVERSE' : 'IDENTITY',
    DisplayedAreaSelectionSequence: [
      {
        DisplayedAreaTopLeftHandCorner: [1, 1],
        DisplayedAreaBottomRightHandCorner: [facts.columns ?? 1, facts.rows ?? 1],
        PresentationSizeMode: 'SCALE TO FIT',
        ...(facts.pixelSpacing
          ? { PresentationPixelSpacing: facts.pixelSpacing.map(decimal) }
          : { PresentationPixelAspectRatio: pixelShape(facts).map(String) }),
      },
    ],
    GraphicLayerSequence: [{ GraphicLayer: LAYER, GraphicLayerOrder: '1' }],
    GraphicAnnotationSequence: frames.map((frame) => annotationOf(layer, frame)),
  };
}

/**
 * The modality LUT and the window of the file, or its VOI LUT. Without them a viewer would show the stored values as they are.
 * A file with fractions has none: the rescale of its drawing is of the product's own steps, and the values of the file are others.
 */
function valuesOf({ facts: file }: LayerFacts): DataSet {
  if (file.inSteps) return {};
  const facts = factsOfFrame(file, 1);
  const { modalityLut, voiLuts } = facts;
  const [window] = facts.windows;
  const [table] = voiLuts ?? [];
  const shown = window ? windowItem(window, voiFunctionOf(facts)) : table && { VOILUTSequence: [tableItem(table)] };
  return {
    ...(modalityLut
      ? { ModalityLUTSequence: [{ ...tableItem(modalityLut), ModalityLUTType: 'US' }] }
      : rescaleOf(facts)),
    ...(shown ? { SoftcopyVOILUTSequence: [shown] } : {}),
  };
}

const rescaleOf = ({ rescaleSlope, rescaleIntercept, rescaleType }: FrameFacts): DataSet =>
  rescaleSlope === undefined
    ? {}
    : {
        RescaleIntercept: decimal(rescaleIntercept ?? 0),
        RescaleSlope: decimal(rescaleSlope),
        RescaleType: rescaleType || 'US',
      };

const windowItem = ({ center, width }: Window, voiFunction: VoiFunction): DataSet => ({
  WindowCenter: decimal(center),
  WindowWidth: decimal(width),
  ...(voiFunction === 'LINEAR' ? {} : { VOILUTFunction: voiFunction }),
});

/** Returns a table as an item of a sequence (PS3.3 §C.11.1.1). Its first value may be below 0, and entries of 8 bits are packed. */
function tableItem({ first, bits, entries }: LookupTable): DataSet {
  const words = Buffer.from(entries, 'base64');
  const count = words.length / 2;
  const packed = bits === 8 ? Buffer.alloc(count + (count % 2)) : words;
  if (bits === 8) for (let i = 0; i < count; i++) packed[i] = words.readUInt16LE(i * 2);
  return {
    // 0 stands for 65,536 entries.
    LUTDescriptor: [count % 65_536, first, bits],
    LUTData: Uint8Array.from(packed).buffer,
    _vrMap: { LUTDescriptor: first < 0 ? 'SS' : 'US', LUTData: 'OW' },
  };
}

function annotationOf(layer: LayerFacts, frame: number): DataSet {
  const marks = layer.marks.filter((mark) => mark.frame === frame);
  const texts = marks.flatMap((mark) => textOf(layer, mark));
  return {
    ReferencedImageSequence: [imageReference(layer, frame)],
    GraphicLayer: LAYER,
    ...(texts.length > 0 ? { TextObjectSequence: texts } : {}),
    GraphicObjectSequence: marks.flatMap((mark) => graphicsOf(layer, mark)),
  };
}

function textOf(layer: LayerFacts, mark: Mark): DataSet[] {
  const found = measuredBy(layer.facts, mark);
  const where = found?.atDetector ? ' at the detector' : '';
  const measured = found && `${rounded(found.value)} ${found.unit.replace('²', '2').replace('°', 'deg')}${where}`;
  const words = [measured, pixelsOf(layer, mark), mark.text].filter(Boolean).join('\r\n');
  const anchor = mark.points.at(-1);
  if (!words || !anchor) return [];
  return [
    {
      AnchorPointAnnotationUnits: 'PIXEL',
      UnformattedTextValue: words,
      AnchorPoint: graphicData([anchor], layer.facts),
      AnchorPointVisibility: 'N',
    },
  ];
}

/** Returns the values of the pixels under a mark. A presentation state has no numbers of its own: it says them in words. */
function pixelsOf({ facts }: LayerFacts, { frame, pixels }: Mark): string {
  if (!pixels) return '';
  const said = (value: number) => `${rounded(value)} ${valueUnit(factsOfFrame(facts, frame))}`.trim();
  if (pixels.deviation === undefined) return said(pixels.mean);
  return `Mean ${said(pixels.mean)}, SD ${said(pixels.deviation)}`;
}

function graphicsOf(layer: LayerFacts, { kind, points }: Mark): DataSet[] {
  const [a, b, c, d] = points as Point[] as [Point, Point, Point, Point];
  const graphic = (type: 'POINT' | 'POLYLINE' | 'ELLIPSE', drawn: readonly Point[]): DataSet => ({
    GraphicAnnotationUnits: 'PIXEL',
    GraphicDimensions: 2,
    NumberOfGraphicPoints: drawn.length,
    GraphicData: graphicData(drawn, layer.facts),
    GraphicType: type,
    ...(type === 'ELLIPSE' ? { GraphicFilled: 'N' } : {}),
  });
  if (kind === 'probe') return [graphic('POINT', points)];
  if (kind === 'ellipse') return [graphic('ELLIPSE', axesInOrder([a, b, c, d]))];
  if (kind === 'arrow') return [graphic('POLYLINE', points), graphic('POLYLINE', headOf([a, b]))];
  return [graphic('POLYLINE', points)];
}

/** Returns the two lines at the tip of an arrow. */
function headOf([tip, end]: readonly [Point, Point]): Point[] {
  const [dx, dy] = [end[0] - tip[0], end[1] - tip[1]];
  const length = Math.hypot(dx, dy);
  const side = length === 0 ? 0 : Math.min(HEAD * length, HEAD_PIXELS) / length;
  const turned = (angle: number): Point => [
    tip[0] + side * (dx * Math.cos(angle) - dy * Math.sin(angle)),
    tip[1] + side * (dx * Math.sin(angle) + dy * Math.cos(angle)),
  ];
  return [turned(Math.PI / 6), tip, turned(-Math.PI / 6)];
}
