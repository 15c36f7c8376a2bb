import { Box, chakra, Flex, Input, Text } from '@chakra-ui/react';
import { EmojiPicker, type EmojiPickerListComponents } from 'frimousse';
import { useTranslation } from 'react-i18next';
import { currentCode, currentLanguage } from '../../i18n';
import { emojiIn } from './data';

const Header = chakra('div');
const Cell = chakra('button');

const parts: EmojiPickerListComponents = {
  CategoryHeader: ({ category, ...props }) => (
    <Header {...props} bg="bg.panel" color="fg.muted" fontSize="xs" fontWeight="semibold" px="2" py="1.5">
      {category.label}
    </Header>
  ),
  Row: (props) => <div {...props} />,
  Emoji: ({ emoji, ...props }) => (
    <Cell
      {...props}
      boxSize="40px"
      display="grid"
      placeItems="center"
      fontSize="24px"
      lineHeight="1"
      borderRadius="8px"
      cursor="pointer"
      bg={emoji.isActive ? 'bg.muted' : 'transparent'}
    >
      {emoji.emoji}
    </Cell>
  ),
};

/** Search, list and skin tone. The arrow keys move through the list, Enter takes an emoji. */
export function EmojiPanel({ onSelect }: { onSelect: (emoji: string) => void }) {
  const { t } = useTranslation();
  const code = currentCode();
  return (
    <EmojiPicker.Root
      locale={code}
      dir={currentLanguage().dir}
      columns={8}
      resolveEmojiData={() => emojiIn(code, (group) => t(`messages.emoji.groups.${group}`))}
      onEmojiSelect={({ emoji }) => onSelect(emoji)}
      style={{ display: 'flex', flexDirection: 'column', height: 340 }}
    >
      <Box p="2">
        <Input asChild>
          <EmojiPicker.Search
            autoFocus
            aria-label={t('messages.emoji.search')}
            placeholder={t('messages.emoji.search')}
          />
        </Input>
      </Box>
      <EmojiPicker.Viewport style={{ flex: 1, position: 'relative', outline: 'none' }}>
        <EmojiPicker.Loading>
          <Text p="3" color="fg.muted">
            {t('messages.emoji.loading')}
          </Text>
        </EmojiPicker.Loading>
        <EmojiPicker.Empty>
          <Text p="3" color="fg.muted">
            {t('messages.emoji.none')}
          </Text>
        </EmojiPicker.Empty>
        <EmojiPicker.List components={parts} style={{ userSelect: 'none', paddingInline: 8 }} />
      </EmojiPicker.Viewport>
      <Flex align="center" gap="2" borderTopWidth="1px" borderColor="border" px="2" minH="48px">
        <EmojiPicker.ActiveEmoji>
          {({ emoji }) => (
            <Text flex="1" minW="0" truncate fontSize="sm" color="fg.muted" dir="auto">
              {emoji ? `${emoji.emoji} ${emoji.label}` : ''}
            </Text>
          )}
        </EmojiPicker.ActiveEmoji>
        <Cell asChild boxSize="40px" fontSize="22px" cursor="pointer">
          <EmojiPicker.SkinToneSelector aria-label={t('messages.emoji.tone')} />
        </Cell>
      </Flex>
    </EmojiPicker.Root>
  );
}
