import { factsOfFrame, pixelShape } from '@lightbox/contract/annotations/measuring.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { voiFunctionOf } from '@lightbox/contract/images/voi.js';
import { voiLutOf } from './pixels';

/** True when a table changes the values before they are drawn. The library then applies no slope and intercept. */
export const usesTable = (facts: FrameFacts) => facts.modalityLut !== undefined || voiLutOf(facts) !== undefined;

/** The interpretation of pixels that a browser or the server has drawn in colour. */
const drawn = {
  samplesPerPixel: 3,
  bitsAllocated: 8,
  bitsStored: 8,
  highBit: 7,
  pixelRepresentation: 0,
  planarConfiguration: 0,
  photometricInterpretation: 'RGB',
};

const along = (six: readonly number[] | undefined, from: number) => six?.slice(from, from + 3);

/**
 * Returns one metadata module of a frame, in the form that the imaging library reads. `inColour` is true for a frame
 * that was drawn by the browser or the server, so its pixels are RGB. A file without a modality gets `OT`: without one,
 * the library waits for ever.
 */
export function moduleOf(name: string, file: FrameFacts, n: number, id: string, inColour: boolean): object | undefined {
  const facts = factsOfFrame(file, n);
  const { rows = 1, columns = 1 } = facts;
  const [rowPixelSpacing, columnPixelSpacing] = pixelShape(facts);
  switch (name) {
    case 'imagePixelModule':
      return {
        rows,
        columns,
        samplesPerPixel: facts.samplesPerPixel ?? 1,
        bitsAllocated: facts.bitsAllocated ?? 8,
        bitsStored: facts.bitsStored ?? facts.bitsAllocated ?? 8,
        highBit: facts.highBit ?? (facts.bitsStored ?? 8) - 1,
        pixelRepresentation: facts.pixelRepresentation ?? 0,
        planarConfiguration: facts.planarConfiguration ?? 0,
        photometricInterpretation: facts.photometricInterpretation ?? 'MONOCHROME2',
        ...(inColour && drawn),
      };
    case 'imagePlaneModule':
      return {
        rows,
        columns,
        rowPixelSpacing,
        columnPixelSpacing,
        pixelSpacing: [rowPixelSpacing, columnPixelSpacing],
        rowCosines: along(facts.orientation, 0) ?? [1, 0, 0],
        columnCosines: along(facts.orientation, 3) ?? [0, 1, 0],
        imageOrientationPatient: facts.orientation ?? [1, 0, 0, 0, 1, 0],
        imagePositionPatient: facts.position ?? [0, 0, 0],
        sliceThickness: facts.sliceThickness,
        frameOfReferenceUID: facts.frameOfReference ?? id,
        usingDefaultValues: !facts.pixelSpacing,
      };
    case 'voiLutModule': {
      if (inColour) return {};
      const { windows } = facts;
      return {
        ...(windows.length && {
          windowCenter: windows.map(({ center }) => center),
          windowWidth: windows.map(({ width }) => width),
        }),
        // Each pane draws by the function of its frame itself (`voi.ts`). The library needs a range with an extent before.
        voiLUTFunction: voiFunctionOf(facts) === 'LINEAR' ? 'LINEAR' : 'LINEAR_EXACT',
      };
    }
    case 'modalityLutModule':
      if (inColour || usesTable(facts)) return {};
      return { rescaleSlope: facts.rescaleSlope ?? 1, rescaleIntercept: facts.rescaleIntercept ?? 0 };
    case 'generalSeriesModule':
      return { modality: facts.modality || 'OT', seriesInstanceUID: id };
    case 'sopCommonModule':
      return { sopClassUID: '', sopInstanceUID: `${id}.${n}` };
    case 'generalImageModule':
      return { sopInstanceUID: `${id}.${n}`, instanceNumber: facts.instanceNumber ?? n };
    case 'multiframeModule':
      return { NumberOfFrames: 1 };
    case 'calibrationModule':
      return {};
    default:
      return undefined;
  }
}
