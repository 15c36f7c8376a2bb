import type { ImageRule } from '../images/policy.js';
import { type Role, roleMay } from '../permissions.js';
import type { EditableField, Findings } from './schemas.js';
import type { SentenceCode } from './sentences.js';

/** The rule by which a role reads an analysis: staff read runs and drafts, a patient reads signed texts. */
export const readingRule = (role: Role): Extract<ImageRule, 'analyse' | 'readSigned'> =>
  roleMay(role, 'analysis.run') ? 'analyse' : 'readSigned';

/** The person who signed withdraws, and every administrator. `signerId`: absent when nobody has signed. */
export const mayWithdraw = (viewer: { id: string; role: Role }, signerId: string | undefined): boolean =>
  viewer.role === 'admin' || viewer.id === signerId;

/** True when the signer wrote everything that a text says about the picture, so that nothing of it is the computer's. */
export const isSignersOwn = (
  { differentialDiagnosis }: Pick<Findings, 'differentialDiagnosis'>,
  edited: readonly EditableField[],
): boolean =>
  edited.includes('description') && (differentialDiagnosis.length === 0 || edited.includes('differentialDiagnosis'));

/** The product's warnings that speak of the computer's text, and not of the picture. A signer's own text has none of them. */
export const warningsOfComputer: readonly SentenceCode[] = ['NO_MODEL', 'NOT_A_DIAGNOSIS'];
