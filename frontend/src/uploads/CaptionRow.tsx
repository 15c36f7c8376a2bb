import { Box, Flex, Input, Text } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { WarningCircleIcon } from '@phosphor-icons/react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { said } from '../i18n';

interface Props {
  name: string;
  aside: string;
  /** A control before the name. */
  start?: ReactNode;
  value: string;
  error?: string | undefined;
  disabled?: boolean;
  onChange: (caption: string) => void;
}

/** One row of the plan: a series or a file with its caption. */
export function CaptionRow({ name, aside, start, value, error, disabled = false, onChange }: Props) {
  const { t } = useTranslation();
  const fault = useId();
  return (
    <Flex
      as="li"
      gap={{ base: '1.5', md: '4' }}
      direction={{ base: 'column', md: 'row' }}
      align={{ base: 'stretch', md: 'center' }}
    >
      <Flex gap="3" align="center" minW="0" flex={{ md: '1' }}>
        {start}
        <Box minW="0">
          <Text fontSize=".9375rem" fontWeight="medium" truncate>
            <bdi>{name}</bdi>
          </Text>
          <Text fontSize="xs" color="fg.muted" fontVariantNumeric="tabular-nums">
            {aside}
          </Text>
        </Box>
      </Flex>
      <Box flex={{ md: '1.2' }} minW="0">
        <Input
          size="md"
          h="11"
          borderRadius="control"
          dir="auto"
          aria-label={t('uploads.plan.captionOf', { name })}
          maxLength={limits.captionLength}
          value={value}
          disabled={disabled}
          aria-invalid={Boolean(error)}
          {...(error && { 'aria-describedby': fault, borderColor: 'border.error' })}
          onChange={(event) => onChange(event.target.value)}
        />
        {error && (
          <Flex id={fault} gap="1.5" mt="1" color="fg.error" fontSize="sm" role="alert">
            <WarningCircleIcon size={17} aria-hidden style={{ flex: 'none', marginTop: 1 }} />
            {said(error)}
          </Flex>
        )}
      </Box>
    </Flex>
  );
}
