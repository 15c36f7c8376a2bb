import '../i18n/further';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../lib/format';
import { usePublicLimits } from '../lib/publicLimits';
import { InfoPage } from './InfoPage';

const topics = [
  'code',
  'password',
  'review',
  'imageCode',
  'locked',
  'ended',
  'upload',
  'viewer',
  'chat',
  'notifications',
  'phone',
] as const;

/** Answers to frequent questions, and the contact of the clinic. */
export function Help() {
  const { t } = useTranslation();
  const max = formatBytes(usePublicLimits()['upload.maxBytes']);
  return (
    <InfoPage
      title={t('app.help')}
      sub={t('info.helpSub')}
      topics={topics.map((key) => ({
        key,
        title: t(`info.topics.${key}.title`),
        text: t(`info.topics.${key}.text`, { max }),
      }))}
    />
  );
}
