import type { Mark } from '@lightbox/contract/annotations/schemas.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { type DataSet, dateOf, type Header, timeOf, uidFor } from './values.js';

/** A layer with everything that its report or presentation state says. */
export interface LayerFacts {
  id: string;
  version: number;
  updateAt: Date;
  author: { firstname: string; lastname: string };
  marks: readonly Mark[];
  /** The facts of the file, as the viewer draws it. */
  facts: FrameFacts;
  header: Header;
}

/** Returns the elements that a report and a presentation state both have: patient, study, series, equipment, instance. */
export function commonOf(
  { id, version, updateAt, header }: LayerFacts,
  kind: { sopClass: string; modality: string; description: string; seriesNumber: number },
): DataSet {
  return {
    SpecificCharacterSet: 'ISO_IR 192',
    ...header.shared,
    SOPClassUID: kind.sopClass,
    SOPInstanceUID: uidFor(kind.sopClass, id, String(version)),
    SeriesInstanceUID: uidFor(kind.sopClass, id),
    Modality: kind.modality,
    SeriesNumber: String(kind.seriesNumber),
    SeriesDescription: kind.description,
    InstanceNumber: '1',
    InstanceCreationDate: dateOf(updateAt),
    InstanceCreationTime: timeOf(updateAt),
    TimezoneOffsetFromUTC: '+0000',
    Manufacturer: 'Lightbox',
    ManufacturerModelName: 'Lightbox',
    DeviceSerialNumber: '1',
    SoftwareVersions: '1',
  };
}

/** Returns the reference to the image. `frame`: from 1; a file with one frame needs no number. */
export const imageReference = ({ header, facts }: LayerFacts, frame?: number): DataSet => ({
  ReferencedSOPClassUID: header.sopClass,
  ReferencedSOPInstanceUID: header.sopInstance,
  ...(frame !== undefined && facts.frames > 1 ? { ReferencedFrameNumber: String(frame) } : {}),
});
