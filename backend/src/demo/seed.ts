import { createReadStream } from 'node:fs';
import { plain } from '@lightbox/contract/plain.js';
import { demoPeople } from '@lightbox/core/config/demo.js';
import { newId, type ObjectId } from '@lightbox/core/db/ids.js';
import { hashPassword } from '@lightbox/core/keys/password.js';
import type { Person } from '@lightbox/core/models/user.js';
import { sealPerson } from '@lightbox/core/users/profile.js';
import { searchFields } from '@lightbox/core/users/search.js';
import type { DemoPerson, Gateway } from '../context.js';
import { recordImage, storeFile } from '../images/storeImage.js';
import { addShare } from '../sharing/addShares.js';

const assets = new URL('../../assets/demo/', import.meta.url);

/** The invented people of a demonstration. */
const profiles = {
  admin: { firstname: 'Amina', lastname: 'Rahman', username: 'demo-admin' },
  healthProvider: {
    firstname: 'Sana',
    lastname: 'Mirza',
    username: 'demo-provider',
    specialization: 'Radiology',
    licensenumber: 'DEMO-1042',
    city: 'Karachi',
    country: 'Pakistan',
  },
  patient: {
    firstname: 'Hina',
    lastname: 'Farooq',
    username: 'demo-patient',
    dob: '1988-03-14',
    gender: 'female',
    bloodgroup: 'B+',
    primphysician: 'Dr Sana Mirza',
    city: 'Karachi',
    country: 'Pakistan',
  },
} as const;

const files = [
  { name: 'report.pdf', caption: 'Discharge summary', forPatient: false },
  { name: 'liver-ultrasound.png', caption: 'Upper abdomen, sector', forPatient: false },
  { name: 'hand-xray.jpg', caption: 'Left hand, after fall', forPatient: false },
  { name: 'chest-xray.jpg', caption: 'Chest PA, follow-up', forPatient: true },
  { name: 'chest-ct.dcm', caption: 'Chest CT, axial', forPatient: true },
];

const conversation: [from: 'patient' | 'healthProvider', content: string][] = [
  ['patient', 'Good morning, Dr Mirza. Are my pictures ready?'],
  [
    'healthProvider',
    'Good morning. Yes: the chest film and one slice of the CT. You have a mail with a code for each.',
  ],
  ['patient', 'Thank you, I will look at them this evening.'],
];

/** Creates an admin, a provider and a patient with images and a chat, once, on an empty database. */
export async function seedDemo(gateway: Gateway): Promise<DemoPerson[]> {
  const people = demoPeople(gateway.config.dataDir);
  if (!(await gateway.models.User.exists({}))) {
    const ids = Object.fromEntries(
      await Promise.all(people.map(async (person) => [person.role, await createPerson(gateway, person)] as const)),
    ) as Record<keyof typeof profiles, ObjectId>;
    await addImages(gateway, ids.healthProvider, ids.patient);
    await talk(gateway, ids.patient, ids.healthProvider);
  }
  return people.map((person) => {
    const { firstname, lastname } = profiles[person.role];
    return { ...person, name: `${firstname} ${lastname}` };
  });
}

async function createPerson(
  gateway: Gateway,
  { role, email, password }: { role: keyof typeof profiles; email: string; password: string },
): Promise<ObjectId> {
  const profile = profiles[role];
  const user = {
    ...profile,
    _id: newId(gateway.clock.now()),
    email,
    usernameKey: plain(profile.username),
    passwordHash: await hashPassword(password),
    role,
    status: 'active',
    active: true,
    ...searchFields({ ...profile, email }),
    createAt: gateway.clock.now(),
  } satisfies Person;
  await gateway.models.User.create([sealPerson(gateway.keys, user)]);
  return user._id;
}

async function addImages(gateway: Gateway, owner: ObjectId, patient: ObjectId): Promise<void> {
  const actor = { id: owner, ip: '' };
  for (const { name, caption, forPatient } of files) {
    const _id = newId(gateway.clock.now());
    const stream = createReadStream(new URL(name, assets));
    const stored = await storeFile(
      gateway,
      _id,
      { stream, declaredType: undefined, filename: name },
      await gateway.settings.get('upload.maxBytes'),
    );
    const image = { _id, owner, caption, patient: forPatient ? patient : undefined };
    await recordImage(gateway, actor, { ...image, study: undefined, mismatchReason: undefined }, stored);
    if (name === 'hand-xray.jpg') {
      await gateway.events.change(actor, async (tx) => {
        await addShare(gateway, tx, { image: _id, sharedBy: owner, recipient: patient, hours: 24 });
        return _id;
      });
    }
  }
}

async function talk(gateway: Gateway, patient: ObjectId, provider: ObjectId): Promise<void> {
  for (const [from, content] of conversation) {
    const [sender, recipient] = from === 'patient' ? [patient, provider] : [provider, patient];
    await gateway.writeMessage({ sender, recipient, content, clientId: undefined });
  }
}
