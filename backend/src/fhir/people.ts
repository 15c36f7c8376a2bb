import type { QueryOf } from '@lightbox/contract/call.js';
import type { fhirCalls } from '@lightbox/contract/fhir/calls.js';
import { fhirSystems } from '@lightbox/contract/fhir/resources.js';
import type { Role } from '@lightbox/contract/permissions.js';
import { usableAccount } from '@lightbox/core/access/accounts.js';
import { inCareWith } from '@lightbox/core/access/carers.js';
import { visibleUsers } from '@lightbox/core/access/users.js';
import type { UserDoc } from '@lightbox/core/models/user.js';
import { openPersonIfWhole } from '@lightbox/core/users/profile.js';
import { searchFilter } from '@lightbox/core/users/search.js';
import { countPeopleRead } from '../users/bulkReads.js';
import { tiesOf } from '../users/listUsers.js';
import { presentUserRow } from '../users/present.js';
import { all, byCode, byId } from './filters.js';
import type { Asking, Finder, Resource, Shown } from './finder.js';

type Wanted = QueryOf<typeof fhirCalls.searchFhirPatients>;
type Row = ReturnType<typeof presentUserRow>;

const people = (roles: Role[], present: (user: Row) => Resource): Finder<UserDoc, Shown<UserDoc>, Wanted> => ({
  exact: true,
  async source({ gateway, viewer }, { _id, identifier, name = [], active }) {
    const visible = await visibleUsers(gateway, viewer);
    // As in the API, one of a carer and their patient is in no list, and the other one asks by the id.
    const helped = _id && viewer.role === 'patient' ? await inCareWith(gateway.models, viewer._id) : [];
    const may = [
      visible,
      { _id: viewer._id },
      ...(helped.length > 0 ? [{ _id: { $in: helped }, ...usableAccount }] : []),
    ];
    return {
      model: gateway.models.User,
      filter: all(
        { role: { $in: roles }, deletedAt: { $exists: false } },
        { $or: may },
        ...byId(_id),
        ...byId(identifier),
        ...byCode(active, 'active', (code) => (code === 'true' ? [true] : code === 'false' ? [false] : [])),
        ...name.map(byName),
      ),
      sort: ['_id'],
      direction: 1,
    };
  },
  async show({ gateway, viewer }, docs) {
    const tied = await tiesOf(gateway, viewer, docs);
    return docs.map((doc) => {
      const user = presentUserRow(viewer, openPersonIfWhole(gateway, doc), tied.has(String(doc._id)));
      return { doc, resource: present(user) };
    });
  },
  async record({ gateway, actor, viewer }, rows, how) {
    const records = rows.map(({ doc }) => doc._id);
    const [first] = records;
    await Promise.all([
      gateway.events.record(
        actor,
        how === 'read' && first ? { type: 'user.read', record: first } : { type: 'user.list', records },
      ),
      countPeopleRead(gateway, actor, viewer, records),
    ]);
  },
});

/** Without a word that can be searched nobody is found: the filter would be empty, and match everybody. */
const byName = (texts: string[]) => {
  const found = texts.map(searchFilter).filter((filter) => filter.$and);
  return found.length > 0 ? { $or: found } : { _id: { $in: [] } };
};

const unless = <T>(missing: boolean, value: T): T | undefined => (missing ? undefined : value);

/** The fields that a patient and a practitioner have in common. JSON leaves out what is undefined. */
function common(user: Row, identifiers: object[] = []) {
  const { id, firstname, lastname, email, phone, address, city, state, zipcode, country } = user;
  const text = `${firstname} ${lastname}`.trim();
  const home = {
    line: unless(!address, [address]),
    city: city || undefined,
    state: state || undefined,
    postalCode: zipcode || undefined,
    country: country || undefined,
  };
  return {
    id,
    identifier: [{ system: fhirSystems.user, value: id }, ...identifiers],
    active: user.active,
    name: unless(text === '', [{ text, family: lastname || undefined, given: unless(!firstname, [firstname]) }]),
    telecom: [{ system: 'email', value: email }, ...(phone ? [{ system: 'phone', value: phone }] : [])],
    gender: user.gender || undefined,
    birthDate: user.dob || undefined,
    address: unless(!Object.values(home).some(Boolean), [home]),
  };
}

const patient = (user: Row): Resource => ({
  resourceType: 'Patient',
  ...common(user),
  ...(user.primphysician ? { generalPractitioner: [{ display: user.primphysician }] } : {}),
});

const licence = { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'MD' }] };

const practitioner = (user: Row): Resource => ({
  resourceType: 'Practitioner',
  ...common(user, user.licensenumber ? [{ type: licence, value: user.licensenumber }] : []),
  ...(user.specialization ? { qualification: [{ code: { text: user.specialization } }] } : {}),
});

export const patients = people(['patient'], patient);
export const practitioners = people(['healthProvider', 'admin'], practitioner);

/** Returns the patients of resources, for `_include`: those whom the viewer may see. */
export async function patientsNamed(asking: Asking, resources: Resource[]): Promise<Resource[]> {
  const named = resources.flatMap(({ subject }) => {
    const [, id] = /^Patient\/(.+)$/.exec((subject as { reference?: string } | undefined)?.reference ?? '') ?? [];
    return id ?? [];
  });
  if (named.length === 0) return [];
  const { model, filter } = await patients.source(asking, { _id: [named] });
  const rows = await patients.show(asking, await model.find(filter).lean<UserDoc[]>(), {});
  await patients.record(asking, rows, 'search');
  return rows.map(({ resource }) => resource);
}
