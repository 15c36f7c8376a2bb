import type { DialogParts } from '../images/useImageDialogs';
import { capitalized, fullName } from '../lib/format';
import { CarerImages, useHelped } from './CarerImages';

interface Props extends DialogParts {
  patientId: string;
  preloadViewer: () => void;
}

/** On the profile of a patient: their images, for their carer. */
export function HelpedImages({ patientId, ...parts }: Props) {
  const care = useHelped(true).find(({ person }) => person.id === patientId);
  return care ? <CarerImages id={care.id} name={capitalized(fullName(care.person))} {...parts} /> : null;
}
