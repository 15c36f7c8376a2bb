import { Box, Flex, Grid, Heading, Switch, Text, VisuallyHidden } from '@chakra-ui/react';
import {
  isAlwaysOn,
  type NoticeChannel,
  type NoticeGroup,
  type NoticeSettings,
  noticeChannels,
  noticeGroups,
} from '@lightbox/contract/notifications/choices.js';
import { LockSimpleIcon } from '@phosphor-icons/react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../auth/session';
import { HeldSwitchInput } from '../ui/HeldInput';

interface Props {
  settings: NoticeSettings;
  onChange: (settings: NoticeSettings) => void;
}

const columns = { base: '1fr', md: 'minmax(0, 1fr) repeat(3, 104px)' };

/** One switch, or the reason why there is none. On a phone its channel is written beside it. */
function Cell({ group, channel, settings, onChange }: Props & { group: NoticeGroup; channel: NoticeChannel }) {
  const { t } = useTranslation();
  const name = t(`noticeSettings.channel.${channel}`);
  const row = { display: 'flex', justifyContent: { base: 'space-between', md: 'center' }, minH: '44px' } as const;
  const shown = (
    <>
      <VisuallyHidden>{t(`noticeSettings.group.${group}.name`)}:</VisuallyHidden> {name}
    </>
  );
  if (isAlwaysOn(group, channel))
    return (
      <Flex {...row} align="center" gap="1.5" fontSize="sm" color="fg.muted">
        <Text as="span" srOnly={{ base: false, md: true }} fontSize="md" color="fg">
          {shown}
        </Text>
        <Flex as="span" align="center" gap="1">
          <LockSimpleIcon size={15} aria-hidden />
          {t('noticeSettings.always')}
        </Flex>
      </Flex>
    );
  const { choices } = settings;
  const on = choices[group][channel];
  const turn = (checked: boolean) =>
    onChange({ ...settings, choices: { ...choices, [group]: { ...choices[group], [channel]: checked } } });
  return (
    <Switch.Root
      {...row}
      alignItems="center"
      gap="3"
      flexDirection={{ base: 'row-reverse', md: 'row' }}
      checked={on}
      onCheckedChange={({ checked }) => turn(checked)}
    >
      <HeldSwitchInput />
      <Switch.Control flex="none" />
      <Switch.Label fontSize="md" fontWeight="normal" srOnly={{ base: false, md: true }}>
        {shown}
      </Switch.Label>
    </Switch.Root>
  );
}

function Row({ group, ...props }: Props & { group: NoticeGroup }) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <Grid
      role="group"
      aria-labelledby={id}
      templateColumns={columns}
      alignItems="center"
      columnGap="2"
      py={{ base: '4', md: '2.5' }}
      borderTopWidth="1px"
      borderColor="border"
    >
      <Box mb={{ base: '2', md: '0' }}>
        <Heading as="h3" id={id} fontSize="md" fontWeight="650">
          {t(`noticeSettings.group.${group}.name`)}
        </Heading>
        <Text fontSize="sm" color="fg.muted">
          {t(`noticeSettings.group.${group}.text`)}
        </Text>
      </Box>
      {noticeChannels.map((channel) => (
        <Cell key={channel} group={group} channel={channel} {...props} />
      ))}
    </Grid>
  );
}

/** The switches: groups by channels. On a phone each group is a block of its own. */
export function NoticeTable(props: Props) {
  const { t } = useTranslation();
  const administers = useMay('user.approve');
  return (
    <Box>
      <Grid
        aria-hidden
        display={{ base: 'none', md: 'grid' }}
        templateColumns={columns}
        columnGap="2"
        pb="2"
        fontSize="sm"
        fontWeight="semibold"
        color="fg.muted"
      >
        <span />
        {noticeChannels.map((channel) => (
          <Text as="span" key={channel} textAlign="center">
            {t(`noticeSettings.channel.${channel}`)}
          </Text>
        ))}
      </Grid>
      {noticeGroups
        .filter((group) => group !== 'administration' || administers)
        .map((group) => (
          <Row key={group} group={group} {...props} />
        ))}
    </Box>
  );
}
