import { Box, Button, Flex } from '@chakra-ui/react';
import { BellRingingIcon, BellSlashIcon } from '@phosphor-icons/react';
import { useAtom } from 'jotai';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Note } from '../ui/Note';
import { offerAtom, putOff } from './offer';
import { useSwitchDevice } from './useDevice';

/**
 * Offers notifications below the top bar. Only a yes opens the browser's own question. If the person says no to that
 * one, a text explains how to change it.
 */
export function Offer() {
  const { t } = useTranslation();
  const [open, setOpen] = useAtom(offerAtom);
  const [refused, setRefused] = useState(false);
  const turn = useSwitchDevice();
  if (!open && !refused) return null;
  const accept = () =>
    turn.mutate(true, {
      onSuccess: (state) => {
        setRefused(state === 'blocked');
        // The person closed the browser's question without an answer: do not ask again soon.
        if (state === 'off') putOff();
        else setOpen(false);
      },
    });
  const buttons = refused ? (
    <Button size="sm" variant="outline" onClick={() => setRefused(false)}>
      {t('push.offer.close')}
    </Button>
  ) : (
    <>
      <Button size="sm" onClick={accept} loading={turn.isPending} loadingText={t('push.offer.act')}>
        {t('push.offer.act')}
      </Button>
      <Button size="sm" variant="outline" onClick={putOff}>
        {t('push.offer.later')}
      </Button>
    </>
  );
  return (
    <Box
      as="section"
      aria-label={t('push.title')}
      pt={{ base: '2.5', lg: '0' }}
      pb="2.5"
      px={{ base: '4', lg: '0' }}
      // With large text on a phone it leaves the screen below it some room.
      maxH={{ base: '40dvh', lg: 'none' }}
      overflowY="auto"
      flex="none"
    >
      <Note
        Icon={refused ? BellSlashIcon : BellRingingIcon}
        tone={refused ? 'warning' : 'accent'}
        role="status"
        title={refused ? t('push.title') : t('push.offer.title')}
      >
        {refused ? t('push.state.blocked') : t('push.content')}
        <Flex gap="2.5" mt="3" wrap="wrap">
          {buttons}
        </Flex>
      </Note>
    </Box>
  );
}
