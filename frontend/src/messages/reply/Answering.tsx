import { Box, Flex, IconButton, Text } from '@chakra-ui/react';
import { ArrowBendUpLeftIcon, XIcon } from '@phosphor-icons/react';
import { useAtomValue } from 'jotai';
import { type RefObject, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { me } from '../keys';
import { answeredAtom, keepAnswered } from '../outbox';
import { wordsOfQuote } from './words';

interface Props {
  userId: string;
  name: string;
  field: RefObject<HTMLTextAreaElement | null>;
}

/** Above the message field: the message that the next one answers. Escape in the field takes it back. */
export function Answering({ userId, name, field }: Props) {
  const { t } = useTranslation();
  const quote = useAtomValue(answeredAtom)[userId];
  useEffect(() => {
    const { current } = field;
    if (!quote || !current) return;
    const stop = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.isComposing) keepAnswered(userId);
    };
    current.addEventListener('keydown', stop);
    return () => current.removeEventListener('keydown', stop);
  }, [quote, userId, field]);
  if (!quote) return null;
  const sender = quote.senderId === me() ? t('messages.you') : name;
  return (
    <Flex align="center" gap="2" mb="2" ps="3" borderInlineStartWidth="3px" borderColor="accent.solid" data-answering>
      <ArrowBendUpLeftIcon size={20} aria-hidden mirrored={document.dir === 'rtl'} />
      <Box flex="1" minW="0" fontSize="sm" lineHeight="1.35">
        <Text fontWeight="semibold" truncate>
          {t('messages.reply.answering', { name: sender })}
        </Text>
        <Text truncate dir="auto" textAlign="start" color="fg.muted">
          {wordsOfQuote(t, quote)}
        </Text>
      </Box>
      <IconButton
        type="button"
        variant="ghost"
        boxSize="touch"
        aria-label={t('messages.reply.cancel')}
        onClick={() => {
          keepAnswered(userId);
          field.current?.focus();
        }}
      >
        <XIcon />
      </IconButton>
    </Flex>
  );
}
