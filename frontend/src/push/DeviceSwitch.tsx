import { Switch, Text } from '@chakra-ui/react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { HeldSwitchInput } from '../ui/HeldInput';
import { Waiting } from '../ui/Skeletons';
import { device } from './device';
import { useSwitchDevice } from './useDevice';

/** The switch for notifications in this browser. If they are not possible, a text with the reason replaces it. */
export function DeviceSwitch() {
  const { t } = useTranslation();
  const { data: state } = useQuery(device);
  const turn = useSwitchDevice();
  if (!state) return <Waiting h="24px" w="70%" />;
  const able = state === 'on' || state === 'off';
  return (
    <>
      {able && (
        <Switch.Root
          checked={state === 'on'}
          disabled={turn.isPending}
          onCheckedChange={({ checked }) => turn.mutate(checked)}
          alignItems="start"
          gap="3"
          mb="3"
        >
          <HeldSwitchInput />
          <Switch.Control mt="0.5" flex="none" />
          <Switch.Label fontSize="md" fontWeight="medium">
            {t('push.label')}
          </Switch.Label>
        </Switch.Root>
      )}
      <Text fontSize="sm" color="fg.muted" role="status">
        {t(`push.state.${state}`)} {able && t('push.content')}
      </Text>
    </>
  );
}
