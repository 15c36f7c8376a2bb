import { Box, chakra, Flex, Text, VisuallyHidden } from '@chakra-ui/react';
import type { Message } from '@lightbox/contract/messages/calls.js';
import { CheckIcon, ChecksIcon, ClockIcon, WarningCircleIcon } from '@phosphor-icons/react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { daysAgo, formatDateTime, formatTime, formatWhen } from '../lib/format';
import { ApiError } from '../lib/http';
import { discard, type Outgoing, retry } from './outbox';

/** Shows the time for today; for earlier days "Yesterday" or the date, then the time. */
function Stamp({ at }: { at: string }) {
  const today = daysAgo(at) === 0;
  return (
    <chakra.time dateTime={at} title={formatDateTime(at)} fontVariantNumeric="tabular-nums">
      <span>{formatWhen(at)}</span>
      {!today && (
        <>
          {', '}
          <span>{formatTime(at)}</span>
        </>
      )}
    </chakra.time>
  );
}

export type SentState = 'sending' | 'sent' | 'delivered' | 'read';
export const stateOf = ({ readAt, deliveredAt }: Message): SentState =>
  readAt ? 'read' : deliveredAt ? 'delivered' : 'sent';

const stateIcons = { sending: ClockIcon, sent: CheckIcon, delivered: ChecksIcon, read: ChecksIcon };

function State({ state }: { state: SentState }) {
  const { t } = useTranslation();
  const Icon = stateIcons[state];
  return (
    <Flex
      as="span"
      align="center"
      gap="5px"
      data-state={state}
      {...(state === 'read' && { color: 'accent.fg', fontWeight: 'semibold' })}
    >
      <Icon size={16} weight={state === 'read' ? 'bold' : 'regular'} aria-hidden />
      {t(`messages.state.${state}`)}
    </Flex>
  );
}

const act = {
  color: 'inherit',
  fontWeight: 'semibold',
  textDecoration: 'underline',
  textUnderlineOffset: '3px',
  cursor: 'pointer',
  borderRadius: '4px',
  position: 'relative',
  // Enlarges the touch target without increasing the line height.
  _after: { content: '""', position: 'absolute', inset: '-10px -6px' },
} as const;

/** Says why a message was refused. A viewer cannot write to a person whom they may no longer see. */
function Refusal({ code, message }: { code: string; message: string }) {
  const { t } = useTranslation();
  const closed = code === 'FORBIDDEN' || code === 'NOT_FOUND';
  return (
    <Text fontSize="xs" color="fg.muted" mx="1" mb="7px">
      {closed ? t('messages.closed') : errorText(new ApiError(400, code, message))}
    </Text>
  );
}

function NotSent({ item }: { item: Outgoing }) {
  const { t } = useTranslation();
  return (
    <Flex
      as="span"
      align="center"
      justify="flex-end"
      wrap="wrap"
      columnGap="5px"
      color="danger.fg"
      fontWeight="semibold"
      data-state="failed"
    >
      <WarningCircleIcon size={16} weight="fill" aria-hidden />
      {t('messages.state.failed')}
      <span aria-hidden>·</span>
      <chakra.button type="button" {...act} onClick={() => retry(item.clientId)}>
        {t('messages.retry')}
      </chakra.button>
      {item.refused && (
        <>
          <span aria-hidden>·</span>
          <chakra.button type="button" {...act} onClick={() => discard(item.clientId)}>
            {t('messages.discard')}
          </chakra.button>
        </>
      )}
    </Flex>
  );
}

interface Props {
  own: boolean;
  /** The name of the other person, for a screen reader. */
  name: string;
  content: string;
  at: string;
  message?: Message;
  outgoing?: Outgoing;
  /** Changes at midnight, so that "14:05" becomes "Yesterday". */
  today: string;
}

export const Bubble = memo(function Bubble({ own, name, content, at, message, outgoing }: Props) {
  const { t } = useTranslation();
  const unread = message && !own && !message.readAt;
  return (
    <Flex
      direction="column"
      align={own ? 'flex-end' : 'flex-start'}
      alignSelf={own ? 'flex-end' : 'flex-start'}
      maxW={{ base: '84%', lg: '76%' }}
      minW="0"
      data-own={own || undefined}
      {...(message && { 'data-message': message.id })}
      {...(unread && { 'data-unread': message.id })}
    >
      <VisuallyHidden>{own ? t('messages.youSaid') : t('messages.theySaid', { name })}</VisuallyHidden>
      <Box
        px="3.5"
        py="9px"
        maxW="68ch"
        borderRadius="bubble"
        {...(own ? { borderEndEndRadius: '5px' } : { borderEndStartRadius: '5px' })}
        bg={own ? 'chat.own' : 'chat.other'}
        color={own ? 'chat.ownText' : 'chat.otherText'}
        fontSize={{ base: 'md', lg: '.96875rem' }}
        lineHeight="1.42"
        whiteSpace="pre-wrap"
        overflowWrap="anywhere"
      >
        {/* The corners of the bubble follow the page, its text follows its own language. */}
        <Box dir="auto">{content}</Box>
      </Box>
      <Flex align="center" gap="5px" mx="1" mt="3px" mb="7px" fontSize="xs" color="fg.muted" minW="0">
        {outgoing?.state !== 'failed' && <Stamp at={at} />}
        {own && outgoing?.state !== 'failed' && (
          <>
            <Text as="span" aria-hidden>
              ·
            </Text>
            <State state={message ? stateOf(message) : 'sending'} />
          </>
        )}
        {outgoing?.state === 'failed' && <NotSent item={outgoing} />}
      </Flex>
      {outgoing?.refused && <Refusal {...outgoing.refused} />}
    </Flex>
  );
});
