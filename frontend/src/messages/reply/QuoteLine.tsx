import { Box, chakra, VisuallyHidden } from '@chakra-ui/react';
import type { Quote } from '@lightbox/contract/messages/quote.js';
import { useTranslation } from 'react-i18next';
import { me } from '../keys';
import { showQuoted } from './quoted';
import { wordsOfQuote } from './words';

interface Props {
  quote: Quote;
  /** The name of the other person. */
  name: string;
}

/** The message that another one answers: its sender and one line. A click leads to it. */
export function QuoteLine({ quote, name }: Props) {
  const { t } = useTranslation();
  const sender = quote.senderId === me() ? t('messages.you') : name;
  const words = wordsOfQuote(t, quote);
  return (
    <chakra.button
      type="button"
      data-quote={quote.id}
      onClick={() => showQuoted(quote.id)}
      display="block"
      w="full"
      maxW="full"
      mt="2px"
      mb="1.5"
      px="2.5"
      py="1.5"
      minH="touch"
      textAlign="start"
      fontSize="sm"
      lineHeight="1.35"
      cursor="pointer"
      color="inherit"
      borderRadius="6px"
      borderInlineStartWidth="3px"
      borderColor="currentColor"
      bg="blackAlpha.50"
      _dark={{ bg: 'whiteAlpha.100' }}
      focusVisibleRing="outside"
    >
      <VisuallyHidden>{t('messages.reply.to')}</VisuallyHidden>
      <Box as="span" display="block" fontWeight="semibold" truncate>
        <bdi>{sender}</bdi>
      </Box>
      <Box as="span" display="block" truncate dir="auto" textAlign="start">
        {words}
      </Box>
      <VisuallyHidden>{t('messages.reply.show')}</VisuallyHidden>
    </chakra.button>
  );
}
