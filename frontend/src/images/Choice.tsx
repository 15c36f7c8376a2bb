import { Checkbox } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { useTranslation } from 'react-i18next';
import type { Selection } from './useSelection';

interface Props {
  open: boolean;
  image: Image;
  caption: string;
  selection: Selection;
}

/** The box on a card that chooses its image. It covers the picture, so that a finger finds it. */
export function Choice({ open, image, caption, selection }: Props) {
  const { t } = useTranslation();
  if (!open) return null;
  const checked = selection.chosen?.some(({ id }) => id === image.id) ?? false;
  return (
    <Checkbox.Root
      checked={checked}
      disabled={!checked && selection.full}
      onCheckedChange={() => selection.toggle(image)}
      size="lg"
      position="absolute"
      inset="0"
      alignItems="flex-start"
      p="2.5"
      cursor="pointer"
      borderRadius="6px"
      boxShadow={checked ? 'inset 0 0 0 3px var(--chakra-colors-accent-solid)' : 'none'}
    >
      <Checkbox.HiddenInput aria-label={t('images.select.this', { caption })} />
      <Checkbox.Control bg={checked ? 'accent.solid' : 'bg.surface'} />
    </Checkbox.Root>
  );
}
