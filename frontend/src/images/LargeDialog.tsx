import { Box, Dialog, Flex, Grid, IconButton } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { XIcon } from '@phosphor-icons/react';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { fullName } from '../lib/format';
import { EndedWell } from '../ui/ImageWell';
import { Modal } from '../ui/Modal';
import { Said } from '../ui/Said';
import { hasEnded } from './access';
import type { Opening } from './dialogs';

/** Shown in place of the picture: the share has ended, or the image or study was deleted. */
export function GoneWell({ image, title }: { image: Image; title: string }) {
  const { t } = useTranslation();
  const giver = image.sharedBy ?? image.owner;
  return (
    <Box p="4">
      {hasEnded(image) ? (
        <EndedWell
          title={t('images.card.endedTitle')}
          help={giver && <Said i18nKey="images.card.endedText" values={{ name: fullName(giver) }} />}
        />
      ) : (
        <EndedWell title={title} help={t('images.view.goneText')} />
      )}
    </Box>
  );
}

interface Props extends Pick<Opening, 'open' | 'onClose' | 'onExited' | 'finalFocus'> {
  picture: ReactNode;
  /** The title, the facts and the buttons. They are beside the picture, on a phone below it. */
  children: ReactNode;
}

/** The frame of the dialogs that show an image or a study large. */
export function LargeDialog({ open, onClose, onExited, finalFocus, picture, children }: Props) {
  const { t } = useTranslation();
  const close = useRef<HTMLButtonElement>(null);
  return (
    <Modal
      open={open}
      onClose={onClose}
      closable={false}
      onExitComplete={onExited}
      finalFocusEl={finalFocus}
      // The first button is below the picture, on a phone out of sight: the focus would scroll the picture away.
      initialFocus={() => close.current}
      scrollBehavior="inside"
      maxW={{ base: '100vw', md: 'min(1120px, calc(100vw - 64px))' }}
    >
      <Grid templateColumns={{ base: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) 320px' }} overflowY="auto" flex="1" minH="0">
        {picture}
        <Flex direction="column" p={{ base: '5', lg: '6' }} gap="4" minW="0">
          {children}
        </Flex>
      </Grid>
      <Dialog.CloseTrigger asChild top="3" insetEnd="3">
        <IconButton
          ref={close}
          variant="ghost"
          size="sm"
          aria-label={t('common.close')}
          {...{ bg: { base: 'bg.panel', lg: 'transparent' } }}
        >
          <XIcon />
        </IconButton>
      </Dialog.CloseTrigger>
    </Modal>
  );
}
