/**
 * The addresses beside `/api` and the sockets that the gateway answers, and the web app does not. The development server
 * passes them on.
 */
export const doors = {
  /** DICOMweb. The same calls are below `/api` too. */
  dicomWeb: '/dicom-web',
  /** FHIR R4. The same calls are below `/api` too. */
  fhir: '/fhir',
  /** SCIM 2.0, for the providers of single sign-on. The same calls are below `/api` too. */
  scim: '/scim/v2',
  /** The pages of the queues, for administrators. */
  queues: '/admin/queues',
} as const;

/** The screen with the button that opens the pages of the queues. */
export const adminDashboard = '/admin-dashboard';

/** The doors whose calls are below `/api` too. */
export const behindApi: readonly string[] = [doors.dicomWeb, doors.fhir, doors.scim];
