import type { Image } from '@lightbox/contract/images/schemas.js';
import type { Role } from '@lightbox/contract/permissions.js';
import { describe, expect, it } from 'vitest';
import { actionsOf } from './access';

const id = (n: number) => String(n).padStart(24, '0');
const me = id(1);
const other = { id: id(2), firstname: 'Omar', lastname: 'Siddiqui' };
const mine = { id: me, firstname: 'Sana', lastname: 'Mirza' };
const patient = { id: id(3), firstname: 'Hina', lastname: 'Farooq' };
const base: Image = {
  id: id(9),
  caption: 'Knee',
  contentType: 'image/png',
  createAt: '2026-11-19T10:00:00.000Z',
  isVerified: true,
  isShared: false,
  image_url: 'data:image/webp;base64,AA',
};
const later = '2099-01-01T00:00:00.000Z';
const images = {
  own: { ...base, owner: mine },
  ownForPatient: { ...base, owner: mine, patient },
  unverified: {
    ...base,
    isVerified: false,
    image_url: null,
    isShared: true,
    sharedBy: other,
    shareId: id(7),
    expiresAt: later,
  },
  verified: { ...base, isShared: true, owner: other, sharedBy: other, shareId: id(7), expiresAt: later },
  withoutDownload: { ...base, owner: other, sharedBy: other, shareId: id(7), expiresAt: later, download: false },
  copy: { ...base, owner: other, sharedBy: other, shareId: id(7), expiresAt: later, deidentified: true },
  unverifiedCopy: { ...base, isVerified: false, sharedBy: other, shareId: id(7), expiresAt: later, deidentified: true },
  ended: {
    ...base,
    isShared: true,
    owner: other,
    sharedBy: other,
    shareId: id(7),
    expiresAt: '2020-01-01T00:00:00.000Z',
  },
  signed: {
    ...base,
    owner: other,
    patient: mine,
    sharedBy: other,
    shareId: id(7),
    analysis: { status: 'completed', signed: true },
  },
  foreign: { ...base, owner: other, patient },
  emergency: { ...base, owner: other, patient, download: false, emergency: { id: id(8), until: later } },
  cared: { ...base, owner: other, patient, download: false, carer: { id: id(8), patient } },
  emergencyOver: {
    ...base,
    owner: other,
    patient,
    download: false,
    emergency: { id: id(8), until: '2020-01-01T00:00:00.000Z' },
  },
} satisfies Record<string, Image>;

type Row = [role: Role, image: keyof typeof images, buttons: string];
const table: Row[] = [
  ['patient', 'unverified', 'verify'],
  ['patient', 'verified', 'open elsewhere download'],
  ['patient', 'withoutDownload', 'open elsewhere'],
  ['patient', 'ended', ''],
  ['patient', 'signed', 'open elsewhere download opinion timeline'],
  ['healthProvider', 'own', 'open elsewhere download share ai sign remove timeline'],
  ['healthProvider', 'ownForPatient', 'open elsewhere download share ai sign remove removeNeedsReason timeline'],
  ['healthProvider', 'unverified', 'verify'],
  ['healthProvider', 'verified', 'open elsewhere download ai sign'],
  ['healthProvider', 'withoutDownload', 'open elsewhere ai sign'],
  ['healthProvider', 'copy', 'open download'],
  ['healthProvider', 'unverifiedCopy', 'verify'],
  ['healthProvider', 'ended', ''],
  ['healthProvider', 'emergency', 'open'],
  ['patient', 'cared', 'open'],
  ['healthProvider', 'cared', ''],
  ['healthProvider', 'emergencyOver', ''],
  ['admin', 'own', 'open elsewhere download share ai remove timeline'],
  ['admin', 'foreign', 'open download share ai remove timeline'],
  ['admin', 'verified', 'open elsewhere download share ai remove timeline'],
  ['admin', 'withoutDownload', 'open elsewhere download share ai remove timeline'],
];

describe('the buttons on an image card', () => {
  it.each(table)('The role %s sees for the image “%s” the buttons “%s”.', (role, name, buttons) => {
    const can = actionsOf({ id: me, role }, images[name]);
    const given = Object.entries(can).flatMap(([what, yes]) => (yes && what !== 'removeNeedsReason' ? [what] : []));
    const wanted = buttons.split(' ').filter((word) => word && word !== 'removeNeedsReason');
    expect(given.sort()).toEqual(wanted.sort());
    expect(can.remove && can.removeNeedsReason).toBe(buttons.includes('removeNeedsReason'));
  });
});
