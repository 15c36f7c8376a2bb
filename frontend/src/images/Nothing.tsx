import { Button, Text } from '@chakra-ui/react';
import {
  ChatsCircleIcon,
  ImagesIcon,
  MagnifyingGlassIcon,
  ShareNetworkIcon,
  UploadSimpleIcon,
} from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useMay } from '../auth/session';
import { paths } from '../lib/paths';
import { EmptyState } from '../ui/EmptyState';

export const UploadLink = ({ variant = 'solid' }: { variant?: 'solid' | 'subtle' }) => {
  const { t } = useTranslation();
  return (
    <Button asChild variant={variant}>
      <Link to={paths.upload}>
        <UploadSimpleIcon />
        {t('images.upload')}
      </Link>
    </Button>
  );
};

export function NothingShared() {
  const { t } = useTranslation();
  const staff = useMay('share.create');
  if (staff)
    return (
      <EmptyState
        Icon={ShareNetworkIcon}
        title={t('images.emptyShared.staffTitle')}
        text={t('images.emptyShared.staffText')}
      />
    );
  return (
    <EmptyState
      Icon={ImagesIcon}
      title={t('images.emptyShared.title')}
      text={t('images.emptyShared.text')}
      act={
        <Button asChild variant="subtle">
          <Link to={paths.messages}>
            <ChatsCircleIcon />
            {t('images.emptyShared.act')}
          </Link>
        </Button>
      }
    />
  );
}

export function NothingUploaded() {
  const { t } = useTranslation();
  return (
    <EmptyState
      Icon={ImagesIcon}
      title={t('images.emptyUploaded.title')}
      text={t('images.emptyUploaded.text')}
      act={<UploadLink variant="subtle" />}
    />
  );
}

/** Shown where a search finds no image; briefly beside a list where it finds some. */
export function NothingFound({ brief, onClear }: { brief: boolean; onClear: () => void }) {
  const { t } = useTranslation();
  if (brief) {
    return (
      <Text px="5" py="4" color="fg.muted">
        {t('images.search.nothing')}
      </Text>
    );
  }
  return (
    <EmptyState
      Icon={MagnifyingGlassIcon}
      title={t('images.search.nothing')}
      text={t('images.search.nothingText')}
      act={
        <Button variant="subtle" onClick={onClear}>
          {t('images.search.clear')}
        </Button>
      }
    />
  );
}
