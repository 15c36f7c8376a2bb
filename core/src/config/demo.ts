import { ensureSecrets } from './secrets.js';

export interface DemoPerson {
  role: 'admin' | 'healthProvider' | 'patient';
  email: string;
  password: string;
}

/** The people of a demonstration, with the random passwords that this data folder made for them. */
export function demoPeople(dataDir: string): DemoPerson[] {
  const { admin, provider, patient } = ensureSecrets(dataDir).demo;
  return [
    { role: 'admin', email: 'admin@demo.example', password: admin },
    { role: 'healthProvider', email: 'provider@demo.example', password: provider },
    { role: 'patient', email: 'patient@demo.example', password: patient },
  ];
}
