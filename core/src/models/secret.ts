import { schemaOf } from './fields.js';
import { type SealedValue, sealedValue } from './sealedValue.js';

/** A random key that this installation made for itself. It never changes; rotating keys wraps it again. */
export interface SecretDoc {
  /** Its purpose. */
  _id: string;
  key: SealedValue;
}

export const secret = schemaOf<SecretDoc>({ _id: String, key: { type: sealedValue, required: true } });
