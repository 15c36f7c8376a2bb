import { Box } from '@chakra-ui/react';
import {
  BuildingsIcon,
  ClockCounterClockwiseIcon,
  DevicesIcon,
  FingerprintIcon,
  type Icon,
  KeyIcon,
  PlugsIcon,
  ShieldCheckIcon,
  WebhooksLogoIcon,
} from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Card } from '../ui/Card';
import { Webhooks } from '../webhooks/Webhooks';
import { Authenticator } from './Authenticator';
import { Devices } from './Devices';
import { Identities } from './Identities';
import { Passkeys } from './Passkeys';
import { Password } from './Password';
import { SignIns } from './SignIns';
import { Tokens } from './Tokens';

const Title = ({ Icon, children }: { Icon: Icon; children: string }) => (
  <>
    <Box as="span" color="accent.fg" display="inline-flex">
      <Icon size={22} aria-hidden />
    </Box>
    {children}
  </>
);

/** The security section of the profile: ways to sign in, signed-in devices, and recent sign-ins. */
export function Security() {
  const { t } = useTranslation();
  return (
    <>
      <Card title={<Title Icon={KeyIcon}>{t('security.password.title')}</Title>}>
        <Password />
      </Card>
      <Card title={<Title Icon={FingerprintIcon}>{t('security.passkeys.title')}</Title>}>
        <Passkeys />
      </Card>
      <Identities title={<Title Icon={BuildingsIcon}>{t('security.signOn.title')}</Title>} />
      <Card title={<Title Icon={ShieldCheckIcon}>{t('security.app.title')}</Title>}>
        <Authenticator />
      </Card>
      <Card title={<Title Icon={DevicesIcon}>{t('security.devices.title')}</Title>}>
        <Devices />
      </Card>
      <Card title={<Title Icon={PlugsIcon}>{t('security.tokens.title')}</Title>}>
        <Tokens />
      </Card>
      <Card title={<Title Icon={WebhooksLogoIcon}>{t('webhooks.title')}</Title>}>
        <Webhooks />
      </Card>
      <Card title={<Title Icon={ClockCounterClockwiseIcon}>{t('security.signIns.title')}</Title>}>
        <SignIns />
      </Card>
    </>
  );
}
