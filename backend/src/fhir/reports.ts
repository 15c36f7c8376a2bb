import { readingRule } from '@lightbox/contract/analysis/policy.js';
import type { QueryOf } from '@lightbox/contract/call.js';
import type { fhirCalls } from '@lightbox/contract/fhir/calls.js';
import { imageRules } from '@lightbox/contract/images/policy.js';
import { type Openable, openable, reachOf } from '@lightbox/core/access/openable.js';
import { notHeld } from '@lightbox/core/access/requests.js';
import type { AnalysisDoc } from '@lightbox/core/models/analysis.js';
import type { AnalysisVersionDoc } from '@lightbox/core/models/analysisVersion.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import { byOf } from '../images/imageBytes.js';
import { recordLook } from '../images/looks.js';
import { isOutsideStudies } from './documents.js';
import { all, byConstant, byId, byMoment, byPatient } from './filters.js';
import type { Finder, Shown } from './finder.js';
import { referencesTo } from './references.js';

type Wanted = QueryOf<typeof fhirCalls.searchFhirDiagnosticReports>;

interface Row extends Shown<AnalysisVersionDoc> {
  found: Openable<ImageDoc>;
}

/** Signed texts that hold now. A draft is in no answer, whoever asks. */
export const reports: Finder<AnalysisVersionDoc, Row, Wanted> = {
  exact: false,
  async source({ gateway, viewer }, wanted) {
    const { models, clock } = gateway;
    const reach = await reachOf(models, viewer, clock.now());
    const ofPatient = byPatient(gateway, wanted.patient, wanted.subject);
    const narrow = viewer.role !== 'admin' || ofPatient.length > 0;
    const images = narrow
      ? {
          image: {
            $in: await models.Image.distinct('_id', all({ hasSigned: true, ...notHeld }, reach.images, ...ofPatient)),
          },
        }
      : {};
    return {
      model: models.AnalysisVersion,
      filter: all(
        { kind: 'signature', withdrawn: { $exists: false } },
        images,
        ...byId(wanted._id),
        ...byConstant(wanted.status, 'final'),
        ...byMoment(wanted.date, 'run.at'),
        ...byMoment(wanted.issued, 'at'),
        ...byMoment(wanted._lastUpdated, 'at'),
      ),
      sort: ['_id'],
      direction: -1,
    };
  },
  async show({ gateway, viewer }, docs) {
    const { models, clock, config } = gateway;
    const ids = { $in: docs.map(({ image }) => image) };
    const [images, analyses] = await Promise.all([
      models.Image.find({ _id: ids, ...notHeld }).lean<ImageDoc[]>(),
      models.Analysis.find({ _id: ids }, { signed: 1 }).lean<AnalysisDoc[]>(),
    ]);
    const may = await openable(models, viewer, images, clock.now());
    const rule = imageRules[readingRule(viewer.role)];
    const reference = await referencesTo(models, [
      ...docs.map(({ by }) => by),
      ...images.map(({ patient }) => patient),
    ]);
    return docs.flatMap((doc) => {
      const found = may.find(({ image }) => image._id.equals(doc.image));
      const signed = analyses.find(({ _id }) => _id.equals(doc.image))?.signed;
      if (!found || signed?.version !== doc.version || !rule(viewer, found.facts)) return [];
      const { image } = found;
      const at = doc.at.toISOString();
      return [
        {
          doc,
          found,
          resource: {
            resourceType: 'DiagnosticReport',
            id: String(doc._id),
            meta: { lastUpdated: at },
            status: 'final',
            category: [{ coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0074', code: 'RAD' }] }],
            code: {
              coding: [{ system: 'http://loinc.org', code: '18748-4', display: 'Diagnostic imaging study' }],
              text: 'Signed analysis of an image',
            },
            ...(image.patient ? { subject: reference(image.patient) } : {}),
            effectiveDateTime: doc.run.at.toISOString(),
            issued: at,
            resultsInterpreter: [reference(doc.by)],
            ...(image.study && !isOutsideStudies(image)
              ? { imagingStudy: [{ reference: `ImagingStudy/${image.study}` }] }
              : {}),
            conclusion: conclusionOf(doc),
            presentedForm: [
              {
                contentType: 'application/pdf',
                url: `${config.publicUrl}/api/analyze/${image._id}/report`,
                creation: at,
              },
            ],
          },
        },
      ];
    });
  },
  /** A search shows the whole texts, so each of them is a look. */
  async record({ gateway, viewer, actor }, rows, how) {
    const images = rows.map(({ found }) => found.image);
    const listed = { records: images.map(({ _id }) => _id), owners: images.map(({ owner }) => owner) };
    if (how === 'search') await gateway.events.record(actor, { type: 'image.list', ...listed });
    await Promise.all(
      rows.map(({ found: { image, ...by } }) =>
        recordLook({ gateway, viewer, actor }, 'analysis.read', { _id: image._id, owner: image.owner, ...byOf(by) }),
      ),
    );
  },
};

/**
 * Returns the text with all its parts. Possible diagnoses stay in it as such, with their probabilities: as coded
 * conclusions they would look certain.
 */
function conclusionOf({ findings, signature }: AnalysisVersionDoc): string {
  const { description, differentialDiagnosis, treatment, followUp, warnings } = findings;
  const list = (title: string, lines: readonly string[]) => (lines.length > 0 ? [`${title}: ${lines.join('; ')}`] : []);
  const possible = differentialDiagnosis.map(({ condition, confidence }) => `${condition} (${confidence})`);
  const parts = [
    description,
    ...list('Possible diagnoses, with their probability', possible),
    ...list('Treatment', treatment),
    ...list('Follow-up', followUp),
    ...list('Warnings', warnings),
    ...list('Comment', signature?.comment ? [signature.comment] : []),
  ];
  return parts.filter((part) => part.trim() !== '').join('\n') || 'No findings.';
}
