import { useTranslation } from 'react-i18next';
import { SecretOnce } from '../ui/SecretOnce';

/** Shows the secret of a webhook, which was made just now. */
export function WebhookSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  const { t } = useTranslation();
  const texts = {
    title: t('webhooks.saveTitle'),
    text: t('webhooks.saveText'),
    label: t('webhooks.secret'),
    act: t('webhooks.copy'),
    done: t('webhooks.saved'),
  };
  return <SecretOnce texts={texts} secret={secret} onDone={onDone} />;
}
