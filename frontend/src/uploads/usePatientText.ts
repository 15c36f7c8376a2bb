import { useCallback, useRef, useState } from 'react';

export interface PatientText {
  /** How often the form was sent while the box held a text for which no person was chosen. */
  asks: number;
  /** True from then on, until a person is chosen or the box is empty. */
  isFault: boolean;
  /** Called with this text, and with '' when a person was chosen or the box is empty. */
  onText: (text: string) => void;
}

/**
 * Keeps a form from being sent while the box for the patient holds a text and nobody was chosen for it: the file would be
 * stored for nobody, or for the patient before.
 */
export function usePatientText() {
  const text = useRef('');
  const [asks, setAsks] = useState(0);
  const [isFault, setFault] = useState(false);
  const onText = useCallback((now: string) => {
    text.current = now;
    if (!now) setFault(false);
  }, []);
  return {
    patientText: { asks, isFault, onText } satisfies PatientText,
    /** Returns true, and shows the fault, when there is such a text. */
    isOpen: (): boolean => {
      if (!text.current) return false;
      setFault(true);
      setAsks((times) => times + 1);
      return true;
    },
  };
}
