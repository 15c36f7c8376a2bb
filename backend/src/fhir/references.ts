import { fhirSystems } from '@lightbox/contract/fhir/resources.js';
import type { ObjectId } from '@lightbox/core/db/ids.js';
import type { Models } from '@lightbox/core/models/models.js';
import type { UserDoc } from '@lightbox/core/models/user.js';

/** Reads many accounts in one query. Returns a lookup of references, with the names that every answer of the API shows. */
export async function referencesTo(models: Models, ids: (ObjectId | undefined)[]): Promise<(id: ObjectId) => object> {
  const among = { _id: { $in: ids.filter((id) => id !== undefined) } };
  const fields = { firstname: 1, lastname: 1, role: 1, deletedAt: 1 } as const;
  const users = await models.User.find(among, fields).lean<UserDoc[]>();
  const byId = new Map(users.map((user) => [String(user._id), user]));
  return (id) => {
    const user = byId.get(String(id));
    if (!user || user.deletedAt)
      return { identifier: { system: fhirSystems.user, value: String(id) }, display: 'Deleted user' };
    const display = `${user.firstname ?? ''} ${user.lastname ?? ''}`.trim();
    const type = user.role === 'patient' ? 'Patient' : 'Practitioner';
    return { reference: `${type}/${id}`, ...(display === '' ? {} : { display }) };
  };
}

/** For a record that names no patient. FHIR requires the field. */
export const unknownPatient = {
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
};
