import { type DataSet, parseDicom } from 'dicom-parser';

/** The facts of a DICOM header by which files are grouped. They never leave this browser. */
export interface DicomHead {
  studyUid: string;
  seriesUid: string;
  seriesNumber?: number | undefined;
  seriesDescription?: string | undefined;
  studyDescription?: string | undefined;
  /** YYYYMMDD. */
  studyDate?: string | undefined;
  modality?: string | undefined;
  patientName?: string | undefined;
  /** YYYYMMDD. */
  patientBirthDate?: string | undefined;
  patientSex?: string | undefined;
  /** True for the DICOMDIR of a disc: it lists the other files. */
  directory: boolean;
}

/** The names that the Encoding standard gives to the character sets of DICOM (PS3.3 C.12.1.1.2). */
const encodings: Record<string, string> = {
  'ISO_IR 13': 'shift_jis',
  'ISO_IR 100': 'iso-8859-1',
  'ISO_IR 101': 'iso-8859-2',
  'ISO_IR 109': 'iso-8859-3',
  'ISO_IR 110': 'iso-8859-4',
  'ISO_IR 126': 'iso-8859-7',
  'ISO_IR 127': 'iso-8859-6',
  'ISO_IR 138': 'iso-8859-8',
  'ISO_IR 144': 'iso-8859-5',
  'ISO_IR 148': 'iso-8859-9',
  'ISO_IR 166': 'windows-874',
  'ISO_IR 192': 'utf-8',
  'ISO 2022 IR 87': 'iso-2022-jp',
  'ISO 2022 IR 149': 'euc-kr',
  GB18030: 'gb18030',
  GBK: 'gbk',
};

const mediaDirectory = '1.2.840.10008.1.3.10';
const implicit = '1.2.840.10008.1.2';
const explicit = '1.2.840.10008.1.2.1';

/** True for the first bytes of a DICOM file, with the preamble or without it. */
export const looksLikeDicom = (head: Uint8Array): boolean =>
  [0x44, 0x49, 0x43, 0x4d].every((byte, at) => head[128 + at] === byte) || startsWithGroup(head);

/** True when the first element is of group 0002 or 0008, as in files without a preamble. */
const startsWithGroup = (head: Uint8Array): boolean =>
  (head[0] === 2 || head[0] === 8) && head[1] === 0 && head[3] === 0 && head.length >= 132 && (hasVr(head) || !head[7]);

const isCapital = (byte = 0) => byte >= 0x41 && byte <= 0x5a;
const hasVr = (head: Uint8Array) => isCapital(head[4]) && isCapital(head[5]);

/** Reads the data set as far as the bytes reach: the rest of the file is cut off. */
function dataSetOf(bytes: Uint8Array): DataSet | undefined {
  const named = bytes[128] === 0x44 && bytes[129] === 0x49;
  const syntax = hasVr(bytes) ? explicit : implicit;
  try {
    // The first tag of the description of the pixels. All tags that are read come before it.
    return parseDicom(bytes, { untilTag: 'x00280002', ...(!named && { TransferSyntaxUID: syntax }) });
  } catch (error) {
    return (error as { dataSet?: DataSet }).dataSet;
  }
}

function decoderOf(set: DataSet): TextDecoder {
  const names = (set.string('x00080005') ?? '').split('\\').filter(Boolean);
  return new TextDecoder(encodings[names.at(-1) ?? ''] ?? 'iso-8859-1');
}

/** Returns the header of a DICOM file, read from its first bytes; undefined if they contain no study. */
export function readDicomHead(bytes: Uint8Array): DicomHead | undefined {
  const set = dataSetOf(bytes);
  if (!set) return undefined;
  const decoder = decoderOf(set);
  const text = (tag: string) => {
    const element = set.elements[tag];
    if (!element) return undefined;
    const { dataOffset, length } = element;
    // DICOM pads values with spaces and NUL.
    return (
      decoder
        .decode(bytes.subarray(dataOffset, dataOffset + length))
        .replace(/[\0\s]+$/, '')
        .trim() || undefined
    );
  };
  const studyUid = text('x0020000d') ?? '';
  const directory = text('x00020002') === mediaDirectory;
  if (!studyUid && !directory) return undefined;
  const number = Number.parseInt(text('x00200011') ?? '', 10);
  return {
    studyUid,
    seriesUid: text('x0020000e') ?? '',
    seriesNumber: Number.isNaN(number) ? undefined : number,
    seriesDescription: text('x0008103e'),
    studyDescription: text('x00081030'),
    studyDate: text('x00080020'),
    modality: text('x00080060'),
    patientName: text('x00100010'),
    patientBirthDate: text('x00100030'),
    patientSex: text('x00100040'),
    directory,
  };
}
