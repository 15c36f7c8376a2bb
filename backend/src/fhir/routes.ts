import { fhirCalls } from '@lightbox/contract/fhir/calls.js';
import type { Router } from 'express';
import type { Gateway } from '../context.js';
import { bindAll } from '../http/handle.js';
import { readOf, searchFor } from './answer.js';
import { auditEvents } from './auditEvents.js';
import { capabilities } from './capability.js';
import { consents } from './consents.js';
import { documents } from './documents.js';
import { imagingStudies } from './imagingStudies.js';
import { patients, practitioners } from './people.js';
import { reports } from './reports.js';

export function fhirRoutes(router: Router, gateway: Gateway): void {
  bindAll(router, gateway, fhirCalls, {
    fhirCapabilities: capabilities,
    searchFhirPatients: searchFor(patients),
    readFhirPatient: readOf(patients),
    searchFhirPractitioners: searchFor(practitioners),
    readFhirPractitioner: readOf(practitioners),
    searchFhirImagingStudies: searchFor(imagingStudies),
    readFhirImagingStudy: readOf(imagingStudies),
    searchFhirDiagnosticReports: searchFor(reports),
    readFhirDiagnosticReport: readOf(reports),
    searchFhirDocumentReferences: searchFor(documents),
    readFhirDocumentReference: readOf(documents),
    searchFhirConsents: searchFor(consents),
    readFhirConsent: readOf(consents),
    searchFhirAuditEvents: searchFor(auditEvents),
    readFhirAuditEvent: readOf(auditEvents),
  });
}
