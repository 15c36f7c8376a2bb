import { chakra, Flex } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { useMay } from '../auth/session';
import type { DialogParts } from '../images/useImageDialogs';
import { capitalized, fullName } from '../lib/format';
import { CarerImages, useHelped } from './CarerImages';

interface Props extends DialogParts {
  /** The viewer's own lists. */
  own: ReactNode;
  preloadViewer: () => void;
}

/** In the gallery of a carer: the choice between one's own images and those of each patient. The address has the choice. */
export function HelpedTabs({ own, ...parts }: Props) {
  const { t } = useTranslation();
  const helped = useHelped(useMay('carer.use'));
  const [params, setParams] = useSearchParams();
  const chosen = helped.find(({ id }) => id === params.get('of'));
  if (helped.length === 0) return own;
  const show = (id: string | undefined) => setParams(id ? { of: id } : {}, { replace: true, preventScrollReset: true });
  const tabs = [
    { id: undefined, text: t('carers.ownImages') },
    ...helped.map(({ id, person }) => ({ id, text: t('carers.imagesOf', { name: capitalized(fullName(person)) }) })),
  ];
  return (
    <>
      <Flex role="group" aria-label={t('carers.which')} gap="2" mb="4" wrap="wrap">
        {tabs.map(({ id, text }) => (
          <chakra.button
            key={id ?? 'own'}
            type="button"
            aria-pressed={chosen?.id === id}
            onClick={() => show(id)}
            minH="touch"
            px="3.5"
            borderRadius="full"
            borderWidth="1px"
            fontSize="sm"
            fontWeight="medium"
            cursor="pointer"
            borderColor="border.control"
            bg="bg.surface"
            focusVisibleRing="outside"
            _pressed={{ bg: 'fg', color: 'bg.surface', borderColor: 'fg' }}
          >
            {text}
          </chakra.button>
        ))}
      </Flex>
      {chosen ? (
        <CarerImages key={chosen.id} id={chosen.id} name={capitalized(fullName(chosen.person))} {...parts} />
      ) : (
        own
      )}
    </>
  );
}
