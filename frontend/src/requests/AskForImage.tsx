import { Button, Flex } from '@chakra-ui/react';
import { TrayArrowDownIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../lib/paths';
import { useIsDesktop } from '../lib/useMedia';
import { Count } from '../ui/Count';
import { onOpening } from '../ui/onOpening';
import { requestList } from './requests';

const AskDialog = onOpening(async () => (await import('./AskDialog')).AskDialog);

/** The button that opens the dialog. */
export function AskButton({ quiet = false }: { quiet?: boolean }) {
  const { t } = useTranslation();
  const desktop = useIsDesktop();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button
        variant={!quiet ? 'solid' : desktop ? 'outline' : 'ghost'}
        size={quiet && !desktop ? 'sm' : 'md'}
        onClick={() => setAsking(true)}
      >
        <TrayArrowDownIcon aria-hidden />
        {t('requests.ask')}
      </Button>
      <AskDialog open={asking} onClose={() => setAsking(false)} />
    </>
  );
}

/** The buttons in the head of the gallery: a new request, and the answers that wait for a decision. */
export function AskForImage() {
  const { t } = useTranslation();
  const desktop = useIsDesktop();
  const { data } = useQuery(requestList(1));
  const received = data?.data.filter(({ state }) => state === 'received').length ?? 0;
  return (
    <Flex gap="2.5">
      <AskButton quiet />
      {received > 0 && (
        <Button asChild variant={desktop ? 'outline' : 'ghost'} size={desktop ? 'md' : 'sm'}>
          <Link to={paths.requests}>
            {t('requests.asked')}
            <Count value={received} lamp label={t('requests.received', { count: received })} />
          </Link>
        </Button>
      )}
    </Flex>
  );
}
