import { useCallback, useRef, useState } from 'react';

export interface PatientText {
  /** How often the form was sent while the box held a text for which no person was chosen; 0 after a choice. */
  asked: number;
  /** Called with this text, and with '' when a person was chosen or the box is empty. */
  onText: (text: string) => void;
}

/**
 * Keeps a form from being sent while the box for the patient holds a text and nobody was chosen for it: the file would be
 * stored for nobody, or for the patient before.
 */
export function usePatientText() {
  const text = useRef('');
  const [asked, setAsked] = useState(0);
  const onText = useCallback((now: string) => {
    text.current = now;
    if (!now) setAsked(0);
  }, []);
  return {
    patientText: { asked, onText } satisfies PatientText,
    /** Returns true, and shows the fault, when there is such a text. */
    isOpen: (): boolean => {
      if (!text.current) return false;
      setAsked((times) => times + 1);
      return true;
    },
  };
}
