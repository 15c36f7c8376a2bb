import { repeating, rows } from './profile.js';

/** The fate of an element: `within` keeps a sequence and de-identifies its items. */
export type Fate = 'keep' | 'remove' | 'empty' | 'dummy' | 'uid' | 'date' | 'within';

interface Row {
  action: string;
  vr: string;
  keyword: string;
}

const lines = (text: string): string[] => text.split('\n').filter(Boolean);

/**
 * UIDs of instances, frames of reference and events, and addresses of files, that the table does not list: each leads from
 * the copy to the original as well as those that it lists.
 */
const unlisted = `
00081167 U UI MultiFrameSourceSOPInstanceUID
00081190 D UR RetrieveURL
00083012 U UI RadiopharmaceuticalAdministrationEventUID
0018991e U UI TargetFrameOfReferenceUID
00200242 U UI SOPInstanceUIDOfConcatenationSource
00209312 U UI VolumeFrameOfReferenceUID
00209313 U UI TableFrameOfReferenceUID
00280304 U UI ReferencedColorPaletteInstanceUID
00287fe0 D UR PixelDataProviderURL
0040e001 D ST HL7InstanceIdentifier
0040e010 D UR RetrieveURI
0040e011 U UI RetrieveLocationUID
0040e030 U UI RepositoryUniqueID
0040e031 U UI HomeCommunityID
00440102 U UI AssertionUID
00440108 U UI ReferencedAssertionUID
0070031b U UI ReferencedFiducialUID
00701209 U UI VolumetricPresentationInputSetUID
300a0675 U UI EquipmentFrameOfReferenceUID
`;

const known = new Map<number, Row>(
  [...lines(unlisted), ...lines(rows)].map((line) => {
    const [tag = '', action = '', vr = '', keyword = ''] = line.split(' ');
    return [Number.parseInt(tag, 16), { action, vr, keyword }];
  }),
);
const masked = lines(repeating).map((line) => {
  const [tag = '', mask = '', action = '', vr = '', keyword = ''] = line.split(' ');
  return { tag: Number.parseInt(tag, 16), mask: Number.parseInt(mask, 16), row: { action, vr, keyword } };
});

export const rowOf = (tag: number): Row | undefined =>
  known.get(tag) ?? masked.find((one) => (tag & one.mask) >>> 0 === one.tag)?.row;

/** The birth of a person is no event of a treatment: moving it would tell the age. */
const BIRTH = new Set([0x00100030, 0x00100032]);

/**
 * Further rows. The table replaces the content of a report as a whole (0040,A730). Here its items stay, and their texts
 * are replaced: Text Value (0040,A160) is not in the table by itself.
 */
const further = new Map<number, Fate>([[0x0040a160, 'dummy']]);

/** Sequences that stay with de-identified items: files are not valid without them. */
const kept = new Set([0x00081111, 0x00081140, 0x00082112, 0x00340001, 0x0040a073, 0x0040a730, 0x0040b020, 0x00700001]);

/** Sequences of type 3 (PS3.3 C.7.2.1 and C.7.5.1) that must have an item where they are present: they go as a whole. */
const neverEmpty = new Set([0x00080082, 0x00081110]);

const isPrivate = (tag: number): boolean => ((tag >>> 16) & 1) === 1;
const isOverlay = (tag: number): boolean => tag >>> 24 === 0x60;
const isGroupLength = (tag: number): boolean => (tag & 0xffff) === 0;

/** Returns the fate of an element. `vr` is empty where the file names none. */
export function fateOf(tag: number, vr: string, isSequence: boolean): Fate {
  if (isPrivate(tag) || isGroupLength(tag) || isOverlay(tag)) return 'remove';
  const own = further.get(tag);
  if (own) return own;
  const row = rowOf(tag);
  if (!row) return fateOfOther(vr, isSequence);
  const { action } = row;
  const kind = vr === '' || vr === 'UN' ? row.vr : vr;
  if (isSequence || kind === 'SQ') return fateOfSequence(tag, action);
  if (action === 'U') return 'uid';
  if (!BIRTH.has(tag)) {
    // Option "Retain Longitudinal Temporal Information with Modified Dates".
    if (kind === 'DA' || kind === 'DT') return 'date';
    if (kind === 'TM') return 'keep';
  }
  if (action === 'X') return 'remove';
  if (action === 'Z' || action === 'X/Z') return 'empty';
  return 'dummy';
}

function fateOfSequence(tag: number, action: string): Fate {
  if (kept.has(tag)) return 'within';
  return neverEmpty.has(tag) || action === 'X' || action === 'X/D' ? 'remove' : 'empty';
}

/** True where the table lets an attribute go: X, alone or among other actions. */
export const mayGo = (tag: number): boolean => rowOf(tag)?.action.startsWith('X') ?? false;

/** The table lists no such attribute. Names and dates are covered even so. */
function fateOfOther(vr: string, isSequence: boolean): Fate {
  if (isSequence) return 'within';
  if (vr === 'PN') return 'empty';
  return vr === 'DA' || vr === 'DT' ? 'date' : 'keep';
}
