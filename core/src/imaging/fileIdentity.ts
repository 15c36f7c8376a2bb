/**
 * Values of a DICOM header that say which person, study and series a file belongs to. They serve while the file is
 * stored: they are never stored in clear, never logged and never in an answer.
 */
export interface FileIdentity {
  studyUid?: string;
  seriesUid?: string;
  sopUid?: string;
  seriesNumber?: number;
  seriesDescription?: string;
  studyDescription?: string;
  /** YYYY-MM-DD. */
  studyDate?: string;
  instanceNumber?: number;
  /** The attributes for searches by DICOMweb, as text of DICOM's JSON (PS3.18 §F). */
  attributes?: string;
  modality?: string;
  /** Image Position (0020,0032), in millimetres. */
  position?: [number, number, number];
  /** Image Orientation (0020,0037): direction cosines of a row and of a column. */
  orientation?: [number, number, number, number, number, number];
  /** Person name (VR PN) as the file has it, decoded: groups behind `=`, components behind `^`. */
  patientName?: string;
  /** YYYY-MM-DD. */
  patientBirthDate?: string;
  /** Patient's Sex (0010,0040), PS3.3 §C.7.1.1. */
  patientSex?: 'M' | 'F' | 'O';
}
