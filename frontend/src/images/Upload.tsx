import { UploadSimpleIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../ui/EmptyState';
import { Page } from '../ui/Page';

/** A slot: the screen arrives with its feature. */
export function Upload() {
  const { t } = useTranslation();
  const title = t('app.menu.upload');
  return (
    <Page title={title}>
      <EmptyState Icon={UploadSimpleIcon} title={title} />
    </Page>
  );
}
