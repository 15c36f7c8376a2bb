import { IconButton } from '@chakra-ui/react';
import { ImageSquareIcon } from '@phosphor-icons/react';
import { type RefObject, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { store } from '../lib/store';
import { onOpening } from '../ui/onOpening';
import { Tooltip } from '../ui/Tooltip';
import { attachedAtom, keepAttached } from './outbox';

const PickImages = onOpening(async () => (await import('./PickImages')).PickImages);

interface Props {
  userId: string;
  images: readonly string[];
  /** The message field, which has the focus once images are chosen. */
  field: RefObject<HTMLTextAreaElement | null>;
}

/** Chooses the images that the next message attaches. */
export function AttachButton({ userId, images, field }: Props) {
  const { t } = useTranslation();
  const [picking, setPicking] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  return (
    <>
      <Tooltip content={t('messages.attach.button')}>
        <IconButton
          ref={opener}
          type="button"
          variant="ghost"
          aria-label={t('messages.attach.button')}
          boxSize="46px"
          minW="46px"
          borderRadius="full"
          flex="none"
          onClick={() => setPicking(true)}
        >
          <ImageSquareIcon />
        </IconButton>
      </Tooltip>
      <PickImages
        open={picking}
        chosen={images}
        onClose={() => setPicking(false)}
        onChosen={(ids) => {
          keepAttached(userId, ids);
          setPicking(false);
        }}
        finalFocus={() => (store.get(attachedAtom)[userId] ? field.current : opener.current)}
      />
    </>
  );
}
