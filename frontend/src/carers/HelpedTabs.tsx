import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { useMay } from '../auth/session';
import type { DialogParts } from '../images/useImageDialogs';
import { capitalized, fullName } from '../lib/format';
import { Pills } from '../ui/Pills';
import { CarerImages, useHelped } from './CarerImages';

interface Props extends DialogParts {
  /** The viewer's own lists. */
  own: ReactNode;
  preloadViewer: () => void;
}

/** Stands for the viewer's own images among the ids of patients. */
const OWN = 'own';

/** In the gallery of a carer: the choice between one's own images and those of each patient. The address has the choice. */
export function HelpedTabs({ own, ...parts }: Props) {
  const { t } = useTranslation();
  const helped = useHelped(useMay('carer.use'));
  const [params, setParams] = useSearchParams();
  const chosen = helped.find(({ id }) => id === params.get('of'));
  if (helped.length === 0) return own;
  const show = (id: string) => setParams(id === OWN ? {} : { of: id }, { replace: true, preventScrollReset: true });
  const tabs = [
    { id: OWN, text: t('carers.ownImages') },
    ...helped.map(({ id, person }) => ({ id, text: t('carers.imagesOf', { name: capitalized(fullName(person)) }) })),
  ];
  return (
    <>
      <Pills label={t('carers.which')} options={tabs} chosen={chosen?.id ?? OWN} onChoose={show} />
      {chosen ? (
        <CarerImages key={chosen.id} id={chosen.id} name={capitalized(fullName(chosen.person))} {...parts} />
      ) : (
        own
      )}
    </>
  );
}
