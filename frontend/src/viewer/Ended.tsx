import { Button } from '@chakra-ui/react';
import { ProhibitIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../lib/paths';
import { Message } from './Message';

/** Says why there is no picture: the access has ended, or the code was never entered. */
export function Ended({ notVerified }: { notVerified: boolean }) {
  const { t } = useTranslation();
  return (
    <Message
      Icon={ProhibitIcon}
      title={t(notVerified ? 'viewer.notVerified' : 'viewer.lost')}
      text={t(notVerified ? 'viewer.notVerifiedText' : 'viewer.lostText')}
      more={
        <Button asChild size="sm">
          <Link to={paths.viewImages}>{t('viewer.toImages')}</Link>
        </Button>
      }
    />
  );
}
