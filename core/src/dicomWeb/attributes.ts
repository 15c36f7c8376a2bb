/** The levels of DICOM's objects (PS3.18 §8.3.4). */
export type Level = 'study' | 'series' | 'instance';

export interface Attribute {
  /** Eight hexadecimal digits. */
  tag: string;
  keyword: string;
  vr: string;
  level: Level;
}

const row = (level: Level, tag: string, vr: string, keyword: string): Attribute => ({ level, tag, vr, keyword });

/** The attributes of a file that searches find and answer with (PS3.18 §10.6.3.3). They are sealed beside the file. */
export const attributes: readonly Attribute[] = [
  row('study', '00080020', 'DA', 'StudyDate'),
  row('study', '00080030', 'TM', 'StudyTime'),
  row('study', '00080050', 'SH', 'AccessionNumber'),
  row('study', '00080090', 'PN', 'ReferringPhysicianName'),
  row('study', '00080201', 'SH', 'TimezoneOffsetFromUTC'),
  row('study', '00081030', 'LO', 'StudyDescription'),
  row('study', '00100010', 'PN', 'PatientName'),
  row('study', '00100020', 'LO', 'PatientID'),
  row('study', '00100021', 'LO', 'IssuerOfPatientID'),
  row('study', '00100030', 'DA', 'PatientBirthDate'),
  row('study', '00100040', 'CS', 'PatientSex'),
  row('study', '00101010', 'AS', 'PatientAge'),
  row('study', '0020000D', 'UI', 'StudyInstanceUID'),
  row('study', '00200010', 'SH', 'StudyID'),
  row('series', '00080021', 'DA', 'SeriesDate'),
  row('series', '00080031', 'TM', 'SeriesTime'),
  row('series', '00080060', 'CS', 'Modality'),
  row('series', '0008103E', 'LO', 'SeriesDescription'),
  row('series', '00080070', 'LO', 'Manufacturer'),
  row('series', '00180015', 'CS', 'BodyPartExamined'),
  row('series', '0020000E', 'UI', 'SeriesInstanceUID'),
  row('series', '00200011', 'IS', 'SeriesNumber'),
  row('series', '00200060', 'CS', 'Laterality'),
  row('series', '00400244', 'DA', 'PerformedProcedureStepStartDate'),
  row('series', '00400245', 'TM', 'PerformedProcedureStepStartTime'),
  row('instance', '00080008', 'CS', 'ImageType'),
  row('instance', '00080016', 'UI', 'SOPClassUID'),
  row('instance', '00080018', 'UI', 'SOPInstanceUID'),
  row('instance', '00080023', 'DA', 'ContentDate'),
  row('instance', '00080033', 'TM', 'ContentTime'),
  row('instance', '00200013', 'IS', 'InstanceNumber'),
  row('instance', '00280008', 'IS', 'NumberOfFrames'),
  row('instance', '00280010', 'US', 'Rows'),
  row('instance', '00280011', 'US', 'Columns'),
  row('instance', '00280100', 'US', 'BitsAllocated'),
];

const byTag = new Map(attributes.map((attribute) => [attribute.tag, attribute]));
const byKeyword = new Map(attributes.map((attribute) => [attribute.keyword, attribute]));

/** Returns the attribute of a tag, or of a keyword. */
export const attributeOf = (name: string): Attribute | undefined =>
  byTag.get(name.toUpperCase()) ?? byKeyword.get(name);

const levels: readonly Level[] = ['study', 'series', 'instance'];

/** True when rows of a level have the attributes of `other`: an instance has those of its series and study. */
export const includes = (level: Level, other: Level): boolean => levels.indexOf(other) <= levels.indexOf(level);

/** Returns a tag as eight hexadecimal digits. */
export const tagText = (tag: number): string => tag.toString(16).toUpperCase().padStart(8, '0');
