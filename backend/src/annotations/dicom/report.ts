import {
  factsOfFrame,
  type Measured,
  measuredBy,
  type Point,
  type Unit,
  valueUnit,
} from '@lightbox/contract/annotations/measuring.js';
import type { Mark, MarkKind } from '@lightbox/contract/annotations/schemas.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { commonOf, imageReference, type LayerFacts } from './layer.js';
import { axesInOrder, type DataSet, dateOf, decimal, graphicData, personName, timeOf, uidOfUuid } from './values.js';

/** Comprehensive SR (PS3.3 §A.35.3). */
const SOP_CLASS = '1.2.840.10008.5.1.4.1.1.88.33';

type Code = readonly [value: string, scheme: 'DCM' | 'SCT' | 'UCUM' | 'RFC5646' | '99LIGHTBOX', meaning: string];
const coded = ([value, scheme, meaning]: Code): DataSet => ({
  CodeValue: value,
  CodingSchemeDesignator: scheme,
  CodeMeaning: meaning,
});

/** The concepts of TID 1500 and TID 1501 (PS3.16) that a layer uses. */
const concept = {
  report: ['126000', 'DCM', 'Imaging Measurement Report'],
  language: ['121049', 'DCM', 'Language of Content Item and Descendants'],
  english: ['en', 'RFC5646', 'English'],
  observerType: ['121005', 'DCM', 'Observer Type'],
  person: ['121006', 'DCM', 'Person'],
  observerName: ['121008', 'DCM', 'Person Observer Name'],
  procedure: ['121058', 'DCM', 'Procedure reported'],
  imaging: ['363679005', 'SCT', 'Imaging procedure'],
  library: ['111028', 'DCM', 'Image Library'],
  libraryGroup: ['126200', 'DCM', 'Image Library Group'],
  measurements: ['126010', 'DCM', 'Imaging Measurements'],
  group: ['125007', 'DCM', 'Measurement Group'],
  trackingId: ['112039', 'DCM', 'Tracking Identifier'],
  trackingUid: ['112040', 'DCM', 'Tracking Unique Identifier'],
  comment: ['121106', 'DCM', 'Comment'],
  derivation: ['121401', 'DCM', 'Derivation'],
  mean: ['373098007', 'SCT', 'Mean'],
  deviation: ['386136009', 'SCT', 'Standard Deviation'],
} as const satisfies Record<string, Code>;

const quantity: Partial<Record<MarkKind, Code>> = {
  length: ['410668003', 'SCT', 'Length'],
  angle: ['1483009', 'SCT', 'Angle'],
  ellipse: ['42798000', 'SCT', 'Area'],
};
const units: Record<Measured['unit'] | Unit, Code> = {
  mm: ['mm', 'UCUM', 'millimeter'],
  'mm²': ['mm2', 'UCUM', 'square millimeter'],
  px: ['{pixels}', 'UCUM', 'pixels'],
  'px²': ['{pixels}', 'UCUM', 'pixels'],
  '°': ['deg', 'UCUM', 'degree'],
  HU: ["[hnsf'U]", 'UCUM', 'Hounsfield unit'],
  '': ['1', 'UCUM', 'no units'],
};
/** Returns the concept of the values of pixels. The standard has none for values of which the file states no unit. */
function intensityOf(facts: FrameFacts): Code {
  if (valueUnit(facts) === 'HU') return ['112031', 'DCM', 'Attenuation Coefficient'];
  if (facts.modality === 'MR') return ['110852', 'DCM', 'MR signal intensity'];
  return ['PIXELS', '99LIGHTBOX', 'Value of pixels'];
}
const named: Record<MarkKind, string> = {
  length: 'Length',
  angle: 'Angle',
  ellipse: 'Ellipse',
  probe: 'Point',
  arrow: 'Arrow',
};

type Relation = 'CONTAINS' | 'HAS OBS CONTEXT' | 'HAS CONCEPT MOD' | 'INFERRED FROM' | 'SELECTED FROM';

const item = (
  relation: Relation,
  type: string,
  name: Code | null,
  value: DataSet,
  content: DataSet[] = [],
): DataSet => ({
  RelationshipType: relation,
  ValueType: type,
  ...(name ? { ConceptNameCodeSequence: [coded(name)] } : {}),
  ...value,
  ...(content.length > 0 ? { ContentSequence: content } : {}),
});
const code = (relation: Relation, name: Code, value: Code) =>
  item(relation, 'CODE', name, { ConceptCodeSequence: [coded(value)] });
const text = (relation: Relation, name: Code, value: string, content: DataSet[] = []) =>
  item(relation, 'TEXT', name, { TextValue: value }, content);
const template = (id: string) => ({
  ContentTemplateSequence: [{ MappingResource: 'DCMR', TemplateIdentifier: id }],
});
const container = (name: Code, content: DataSet[], more: DataSet = {}) =>
  item('CONTAINS', 'CONTAINER', name, { ContinuityOfContent: 'SEPARATE', ...more }, content);

/** Returns a layer as a structured report: TID 1500, with one measurement group (TID 1501) for each mark. */
export function reportOf(layer: LayerFacts): DataSet {
  const { updateAt, author, marks, header } = layer;
  const counted = new Map<MarkKind, number>();
  const groups = marks.map((mark) => {
    const n = (counted.get(mark.kind) ?? 0) + 1;
    counted.set(mark.kind, n);
    return groupOf(layer, mark, `${named[mark.kind]} ${n}`);
  });
  return {
    ...commonOf(layer, { sopClass: SOP_CLASS, modality: 'SR', description: 'Measurements', seriesNumber: 901 }),
    ReferencedPerformedProcedureStepSequence: [],
    ContentDate: dateOf(updateAt),
    ContentTime: timeOf(updateAt),
    CompletionFlag: 'PARTIAL',
    VerificationFlag: 'UNVERIFIED',
    PerformedProcedureCodeSequence: [],
    CurrentRequestedProcedureEvidenceSequence: [
      {
        StudyInstanceUID: header.studyUid,
        ReferencedSeriesSequence: [
          { SeriesInstanceUID: header.seriesUid, ReferencedSOPSequence: [imageReference(layer)] },
        ],
      },
    ],
    ValueType: 'CONTAINER',
    ConceptNameCodeSequence: [coded(concept.report)],
    ContinuityOfContent: 'SEPARATE',
    ...template('1500'),
    ContentSequence: [
      code('HAS CONCEPT MOD', concept.language, concept.english),
      code('HAS OBS CONTEXT', concept.observerType, concept.person),
      item('HAS OBS CONTEXT', 'PNAME', concept.observerName, { PersonName: personName(author) }),
      code('HAS CONCEPT MOD', concept.procedure, concept.imaging),
      container(concept.library, [
        container(concept.libraryGroup, [
          item('CONTAINS', 'IMAGE', null, { ReferencedSOPSequence: [imageReference(layer)] }),
        ]),
      ]),
      container(concept.measurements, groups),
    ],
  };
}

function groupOf(layer: LayerFacts, mark: Mark, name: string): DataSet {
  return container(
    concept.group,
    [
      text('HAS OBS CONTEXT', concept.trackingId, name),
      item('HAS OBS CONTEXT', 'UIDREF', concept.trackingUid, { UID: uidOfUuid(mark.id) }),
      ...contentsOf(layer, mark),
    ],
    template('1501'),
  );
}

/** TID 1501 has no concept for a size that is larger than that in the patient, so the group says it in words. */
const AT_DETECTOR = 'Measured at the detector. The size in the patient may be smaller.';

/** Returns the numbers of a measurement, or the words at an arrow, each with its place. */
function contentsOf(layer: LayerFacts, mark: Mark): DataSet[] {
  const place = placeOf(layer, mark);
  const found = measuredBy(layer.facts, mark);
  const about = quantity[mark.kind];
  const numbers = [
    ...(found && about ? [number(about, found.value, units[found.unit], [place])] : []),
    ...valuesOf(layer, mark, place),
    ...(found?.atDetector ? [text('CONTAINS', concept.comment, AT_DETECTOR, [place])] : []),
  ];
  return numbers.length > 0 ? numbers : [text('CONTAINS', concept.comment, mark.text || named[mark.kind], [place])];
}

const number = (about: Code, value: number, unit: Code, content: DataSet[]) =>
  item(
    'CONTAINS',
    'NUM',
    about,
    { MeasuredValueSequence: [{ NumericValue: decimal(value), MeasurementUnitsCodeSequence: [coded(unit)] }] },
    content,
  );

/** Returns the values of the pixels at a probe, or their mean and deviation in an ellipse. */
function valuesOf({ facts: file }: LayerFacts, { kind, frame, pixels }: Mark, place: DataSet): DataSet[] {
  if (!pixels) return [];
  const facts = factsOfFrame(file, frame);
  const [about, unit] = [intensityOf(facts), units[valueUnit(facts)]];
  if (kind === 'probe') return [number(about, pixels.mean, unit, [place])];
  const derived = (how: Code, value: number) =>
    number(about, value, unit, [code('HAS CONCEPT MOD', concept.derivation, how), place]);
  return [derived(concept.mean, pixels.mean), derived(concept.deviation, pixels.deviation ?? 0)];
}

const graphicTypes: Record<MarkKind, string> = {
  length: 'POLYLINE',
  angle: 'POLYLINE',
  ellipse: 'ELLIPSE',
  probe: 'POINT',
  arrow: 'POINT',
};

/** Returns the place of a mark. An arrow stands for the point at its tip. */
function placeOf(layer: LayerFacts, { kind, frame, points }: Mark): DataSet {
  const drawn: readonly Point[] =
    kind === 'ellipse'
      ? axesInOrder(points as Point[] as [Point, Point, Point, Point])
      : points.slice(0, kind === 'arrow' ? 1 : 4);
  return item(
    'INFERRED FROM',
    'SCOORD',
    null,
    { GraphicData: graphicData(drawn, layer.facts), GraphicType: graphicTypes[kind] },
    [item('SELECTED FROM', 'IMAGE', null, { ReferencedSOPSequence: [imageReference(layer, frame)] })],
  );
}
