import '../i18n/further';
import { limits } from '@lightbox/contract/limits.js';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../lib/format';
import { InfoPage } from './InfoPage';

const facts = ['stored', 'where', 'howLong', 'who', 'logged', 'cookies', 'mails', 'ai', 'rights'] as const;

/** The data that the product stores, for how long, and who can see it. */
export function Privacy() {
  const { t } = useTranslation();
  const count = limits.sessionIdleMinutes;
  const idle = t('settings.amount.minutes', { count, number: formatNumber(count) });
  return (
    <InfoPage
      title={t('app.privacy')}
      sub={t('info.privacySub')}
      topics={facts.map((key) => ({
        key,
        title: t(`info.facts.${key}.title`),
        text: t(`info.facts.${key}.text`, { idle }),
      }))}
    />
  );
}
