import { doors } from '@lightbox/contract/doors.js';
import { type fhirCalls, inclusions } from '@lightbox/contract/fhir/calls.js';
import { fhirTypes, shapeOf } from '@lightbox/contract/fhir/resources.js';
import type { Context } from '../context.js';
import { headersOfJson, requireJson } from './answer.js';

/** The day on which the statement changed last. */
const DATE = '2026-11-23';

/** Says what the door can do. It is made of the table by which requests are read, and tells nothing about records. */
const capabilityStatement = (publicUrl: string) => ({
  resourceType: 'CapabilityStatement',
  status: 'active',
  date: DATE,
  kind: 'instance',
  software: { name: 'Lightbox' },
  implementation: { description: 'Lightbox: secure medical image sharing', url: `${publicUrl}${doors.fhir}` },
  fhirVersion: '4.0.1',
  format: ['json'],
  rest: [
    {
      mode: 'server',
      documentation: 'Read-only. A search parameter that is not listed is refused, so that no search finds too much.',
      security: {
        description:
          'A session, or a personal token with the scope fhir, as Authorization: Bearer. Everybody reads what they may see in Lightbox.',
      },
      resource: fhirTypes.map((type) => {
        const { says, params } = shapeOf(type);
        const searchInclude = inclusions(type);
        return {
          type,
          documentation: says,
          interaction: [{ code: 'read' }, { code: 'search-type' }],
          versioning: 'versioned',
          readHistory: false,
          conditionalRead: 'not-match',
          ...(searchInclude.length > 0 ? { searchInclude } : {}),
          searchParam: Object.entries(params).map(([name, param]) => ({
            name,
            type: param.type,
            documentation: param.says,
          })),
        };
      }),
    },
  ],
});

export async function capabilities({
  gateway,
  query,
  req,
  res,
}: Context<typeof fhirCalls.fhirCapabilities>): Promise<undefined> {
  requireJson(req, query);
  for (const [name, value] of Object.entries(headersOfJson())) res.setHeader(name, value);
  res.json(capabilityStatement(gateway.config.publicUrl));
  return undefined;
}
