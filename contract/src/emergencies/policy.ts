import { type Role, roleMay } from '../permissions.js';

interface Viewer {
  id: string;
  role: Role;
}

/** The two people of an emergency access. */
export interface EmergencyParties {
  providerId: string;
  patientId: string;
}

/** The rules of the record of an emergency access. The access to images is decided by the rules of images. */
export const emergencyRules = {
  see: (viewer: Viewer, { providerId, patientId }: EmergencyParties): boolean =>
    viewer.role === 'admin' || viewer.id === providerId || viewer.id === patientId,
  /** The question, the answer and the decision are not for the patient. */
  seeReview: (viewer: Viewer, { providerId }: EmergencyParties): boolean =>
    viewer.role === 'admin' || viewer.id === providerId,
  end: (viewer: Viewer, { providerId }: EmergencyParties): boolean =>
    roleMay(viewer.role, 'emergency.end') && (viewer.role === 'admin' || viewer.id === providerId),
  /** An administrator reviews no access of their own, which they may have from an earlier role. */
  review: (viewer: Viewer, { providerId }: EmergencyParties): boolean =>
    roleMay(viewer.role, 'emergency.review') && viewer.id !== providerId,
  answer: (viewer: Viewer, { providerId }: EmergencyParties): boolean =>
    roleMay(viewer.role, 'emergency.open') && viewer.id === providerId,
};
export type EmergencyRule = keyof typeof emergencyRules;
