interface Envelope {
  message?: string;
  error?: string;
  requestId?: string;
}
interface Outcome {
  resourceType?: string;
  issue: [{ details: { coding: [{ code: string }]; text: string }; diagnostics: string }];
}

/** Returns a failure as the envelope of the API. That of a FHIR call is an OperationOutcome with the same facts. */
export function envelopeOf(body: Envelope | Outcome): Envelope {
  if (!('issue' in body)) return body;
  const { details, diagnostics } = body.issue[0];
  return { message: details.text, error: details.coding[0].code, requestId: diagnostics.replace('Request ', '') };
}
