import type { QueryOf } from '@lightbox/contract/call.js';
import type { fhirCalls } from '@lightbox/contract/fhir/calls.js';
import { imageRules } from '@lightbox/contract/images/policy.js';
import { type Openable, openable, reachOf } from '@lightbox/core/access/openable.js';
import { notHeld } from '@lightbox/core/access/requests.js';
import type { ImageDoc } from '@lightbox/core/models/image.js';
import { byOf } from '../images/imageBytes.js';
import { recordLook } from '../images/looks.js';
import { all, byCode, byConstant, byId, byMoment, byPatient } from './filters.js';
import type { Finder, Shown } from './finder.js';
import { referencesTo } from './references.js';

type Wanted = QueryOf<typeof fhirCalls.searchFhirDocumentReferences>;

interface Row extends Shown<ImageDoc> {
  found: Openable<ImageDoc>;
}

/** Files that no imaging study shows: those without a study of DICOM, and those that lack a UID. Each file is in one of both. */
const outsideStudies = { $or: [{ series: { $exists: false } }, { instance: { $exists: false } }] };
export const isOutsideStudies = ({ series, instance }: ImageDoc): boolean => !series || !instance;

/** Files that are no part of a DICOM study: pictures, PDFs, and DICOM files that lack a UID. */
export const documents: Finder<ImageDoc, Row, Wanted> = {
  exact: false,
  async source({ gateway, viewer }, wanted) {
    const { models, clock } = gateway;
    const reach = await reachOf(models, viewer, clock.now());
    return {
      model: models.Image,
      filter: all(
        outsideStudies,
        notHeld,
        reach.images,
        ...byId(wanted._id),
        ...byPatient(gateway, wanted.patient, wanted.subject),
        ...byConstant(wanted.status, 'current'),
        ...byCode(wanted.contenttype, 'contentType'),
        ...byMoment(wanted.date, 'createAt'),
        ...byMoment(wanted._lastUpdated, 'createAt'),
      ),
      sort: ['_id'],
      direction: -1,
    };
  },
  async show({ gateway, viewer }, docs) {
    const { models, clock, config } = gateway;
    const may = await openable(models, viewer, docs, clock.now());
    const reference = await referencesTo(
      models,
      docs.flatMap(({ owner, patient }) => [owner, patient]),
    );
    return may.map((found) => {
      const { image: doc, facts } = found;
      const at = doc.createAt.toISOString();
      const url = `${config.publicUrl}/api/upload/image/${doc._id}/content`;
      return {
        doc,
        found,
        resource: {
          resourceType: 'DocumentReference',
          id: String(doc._id),
          meta: { lastUpdated: at },
          status: 'current',
          ...(doc.patient ? { subject: reference(doc.patient) } : {}),
          date: at,
          author: [reference(doc.owner)],
          content: [
            {
              attachment: {
                contentType: doc.contentType,
                // A share may be without the download.
                ...(imageRules.download(viewer, facts) ? { url } : {}),
                size: doc.size,
                ...(doc.caption.trim() === '' ? {} : { title: doc.caption }),
                creation: at,
              },
            },
          ],
        },
      };
    });
  },
  async record({ gateway, viewer, actor }, rows, how) {
    const [row] = rows;
    if (how === 'read' && row) {
      const { image, ...by } = row.found;
      return recordLook({ gateway, viewer, actor }, 'image.read', { _id: image._id, owner: image.owner, ...byOf(by) });
    }
    return gateway.events.record(actor, {
      type: 'image.list',
      records: rows.map(({ doc }) => doc._id),
      owners: rows.map(({ doc }) => doc.owner),
    });
  },
};
