import { Box, Flex, Text } from '@chakra-ui/react';
import type { Icon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Count } from './Count';

/** The content of a tab in the bottom bar of a phone: icon, label and count. */
export function TabFace({
  Icon,
  label,
  active = false,
  count = 0,
  lamp = false,
}: {
  Icon: Icon;
  label: string;
  active?: boolean;
  count?: number;
  lamp?: boolean;
}) {
  const { t } = useTranslation();
  return (
    <Flex
      direction="column"
      align="center"
      justify="center"
      gap="3px"
      minH="48px"
      position="relative"
      fontSize="12px"
      lineHeight="1.3"
      fontWeight={active ? '650' : 'medium'}
      color={active ? 'accent.fg' : 'fg.muted'}
    >
      <Icon size={24} weight={active ? 'fill' : 'regular'} aria-hidden />
      <Text as="span">{label}</Text>
      {count > 0 && (
        <Box position="absolute" top="0" insetStart="54%" display="inline-flex">
          <Count value={count} lamp={lamp} label={t('app.menu.count', { count })} />
        </Box>
      )}
    </Flex>
  );
}
