import type { QueryOf } from '@lightbox/contract/call.js';
import type { fhirCalls } from '@lightbox/contract/fhir/calls.js';
import type { ConsentDoc } from '@lightbox/core/models/consent.js';
import { all, byId, byMoment, byPatient } from './filters.js';
import type { Finder, Shown } from './finder.js';

type Wanted = QueryOf<typeof fhirCalls.searchFhirConsents>;

/** The answers of a patient to the question about analyses. Each is kept; the last one holds. */
export const consents: Finder<ConsentDoc, Shown<ConsentDoc>, Wanted> = {
  exact: true,
  async source({ gateway, viewer }, { _id, _lastUpdated, date, patient, status = [] }) {
    const { Consent } = gateway.models;
    const last = await Consent.findOne({ user: viewer._id }, { _id: 1 }).sort({ at: -1, _id: -1 }).lean<ConsentDoc>();
    const active = { _id: last?._id ?? null, analysis: { $ne: 'unset' as const } };
    const named = byPatient(gateway, patient).map(({ patient: user }) => ({ user }));
    return {
      model: Consent,
      filter: all(
        { user: viewer._id },
        ...byId(_id),
        ...named,
        ...byMoment(date, 'at'),
        ...byMoment(_lastUpdated, 'at'),
        ...status.map((codes) => ({
          $or: [
            { _id: { $in: [] } },
            ...(codes.includes('active') ? [active] : []),
            ...(codes.includes('inactive') ? [{ $nor: [active] }] : []),
          ],
        })),
      ),
      sort: ['at', '_id'],
      direction: -1,
    };
  },
  async show({ gateway, viewer }, docs) {
    const [last] = await gateway.models.Consent.find({ user: viewer._id })
      .sort({ at: -1, _id: -1 })
      .limit(1)
      .lean<ConsentDoc[]>();
    return docs.map((doc) => {
      const { _id, user, analysis, at } = doc;
      const holds = last?._id.equals(_id) === true && analysis !== 'unset';
      return {
        doc,
        resource: {
          resourceType: 'Consent',
          id: String(_id),
          meta: { lastUpdated: at.toISOString() },
          status: holds ? 'active' : 'inactive',
          scope: {
            coding: [{ system: 'http://terminology.hl7.org/CodeSystem/consentscope', code: 'patient-privacy' }],
          },
          category: [{ coding: [{ system: 'http://loinc.org', code: '59284-0', display: 'Consent Document' }] }],
          patient: { reference: `Patient/${user}` },
          dateTime: at.toISOString(),
          policyRule: { text: 'A computer may analyse images that name the patient.' },
          ...(analysis === 'unset' ? {} : { provision: { type: analysis === 'granted' ? 'permit' : 'deny' } }),
        },
      };
    });
  },
  record: ({ gateway, viewer, actor }) => gateway.events.record(actor, { type: 'consent.read', record: viewer._id }),
};
