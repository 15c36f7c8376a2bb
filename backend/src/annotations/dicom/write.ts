import { createRequire } from 'node:module';
import { implementation } from '@lightbox/core/imaging/implementation.js';
import type { DataSet } from './values.js';

/** The parts of dcmjs that are used. It is a CommonJS bundle without types. */
interface Dcmjs {
  data: {
    DicomMetaDictionary: { denaturalizeDataset: (dataSet: DataSet) => object };
    DicomDict: new (meta: object) => { dict: object; write: () => ArrayBuffer };
  };
}
const require = createRequire(import.meta.url);

const EXPLICIT_LITTLE_ENDIAN = '1.2.840.10008.1.2.1';

/** Writes a data set as a file (PS3.10). The library is loaded with the first one. */
export function dicomFile(dataSet: DataSet): Buffer {
  const { DicomMetaDictionary, DicomDict } = (require('dcmjs') as Dcmjs).data;
  const { denaturalizeDataset } = DicomMetaDictionary;
  const file = new DicomDict(
    denaturalizeDataset({
      FileMetaInformationVersion: new Uint8Array([0, 1]).buffer,
      MediaStorageSOPClassUID: dataSet.SOPClassUID,
      MediaStorageSOPInstanceUID: dataSet.SOPInstanceUID,
      TransferSyntaxUID: EXPLICIT_LITTLE_ENDIAN,
      ImplementationClassUID: implementation.classUid,
      ImplementationVersionName: implementation.versionName,
    }),
  );
  file.dict = denaturalizeDataset(dataSet);
  return Buffer.from(file.write());
}
