/** The terms of a second opinion, for the screen and for the report. `terms.ur.ts` has them in Urdu. */
export const terms = {
  secondOpinion: 'Second opinion',
  description: 'Description',
  differentialDiagnosis: 'Differential Diagnosis',
  treatment: 'Treatment',
  followUp: 'Follow-Up',
  warnings: 'Warnings',
  confidence: 'Confidence Score',
  draft: 'Draft',
  withdrawn: 'Withdrawn',
  notADiagnosis: 'This is not a diagnosis.',
  provenance: 'Where it comes from',
  provider: 'Provider',
  model: 'Model',
  modelVersion: 'Version of the model',
  input: 'SHA-256 of the file',
  generatedAt: 'Analysis generated at',
  requestedBy: 'Requested by',
};
export type Terms = typeof terms;
