import { Box, Flex, IconButton, Input, InputGroup, Text } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { CaretDownIcon, CaretUpIcon, MagnifyingGlassIcon, XIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import type { ChatSearching } from './useChatSearch';

interface Props {
  search: ChatSearching;
  onClose: () => void;
}

/** The field that finds messages in the open chat, with the steps from hit to hit. Escape closes it. */
export function ChatSearch({ search: { text, setText, failed, pending, found, step }, onClose }: Props) {
  const { t } = useTranslation();
  const none = !found || found.count === 0;
  const state = !text.trim()
    ? ''
    : failed
      ? t('common.couldNotLoad')
      : pending
        ? t('common.loading')
        : none
          ? t('messages.search.none')
          : t('messages.search.at', { at: found.at + 1, total: `${found.count}${found.more ? '+' : ''}` });
  return (
    <Flex
      role="search"
      align="center"
      gap="1"
      px={{ base: '2', lg: '4' }}
      py="2"
      wrap="wrap"
      borderBottomWidth="1px"
      borderColor="border"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <Box flex="1 1 180px" minW="0">
        <InputGroup
          startElement={<MagnifyingGlassIcon size={20} aria-hidden />}
          startElementProps={{ color: 'fg.muted' }}
        >
          <Input
            autoFocus
            type="search"
            dir="auto"
            aria-label={t('messages.search.label')}
            placeholder={t('messages.search.label')}
            maxLength={limits.chatSearchLength}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
              event.preventDefault();
              void step(event.shiftKey ? -1 : 1);
            }}
            h="control"
            borderRadius="control"
          />
        </InputGroup>
      </Box>
      <Text
        role="status"
        fontSize="sm"
        color="fg.muted"
        px="1.5"
        fontVariantNumeric="tabular-nums"
        _empty={{ px: '0' }}
      >
        {state}
      </Text>
      <IconButton
        variant="ghost"
        aria-label={t('messages.search.older')}
        disabled={none || (found.at + 1 >= found.count && !found.more)}
        onClick={() => void step(1)}
      >
        <CaretUpIcon />
      </IconButton>
      <IconButton
        variant="ghost"
        aria-label={t('messages.search.newer')}
        disabled={none || found.at === 0}
        onClick={() => void step(-1)}
      >
        <CaretDownIcon />
      </IconButton>
      <IconButton variant="ghost" aria-label={t('messages.search.close')} onClick={onClose}>
        <XIcon />
      </IconButton>
    </Flex>
  );
}
