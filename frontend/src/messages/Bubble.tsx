import { Box, chakra, Flex, Text, VisuallyHidden } from '@chakra-ui/react';
import type { Attachment, Message } from '@lightbox/contract/messages/calls.js';
import { CheckIcon, ChecksIcon, ClockIcon, WarningCircleIcon } from '@phosphor-icons/react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { daysAgo, formatDateTime, formatTime, formatWhen } from '../lib/format';
import { ApiError } from '../lib/http';
import { AttachmentCard } from './AttachmentCard';
import { MessageText } from './MessageText';
import { discard, type Outgoing, retry } from './outbox';
import { PinnedCard } from './Pinned';
import { MessageMenu } from './reply/MessageMenu';
import { QuoteLine } from './reply/QuoteLine';
import { VoiceMessage } from './voice/VoiceMessage';

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
  /** True when the next message continues the group and shows the time and the state of both. Its own time is for screen readers. */
  joined?: boolean;
  /** The searched words, folded. */
  words?: readonly string[] | undefined;
  /** True for the message to which a search or a quote has led. */
  found?: boolean;
  /** True for the newest message. */
  last?: boolean;
  onVerify: (card: Attachment) => void;
  /** Changes at midnight, so that "14:05" becomes "Yesterday". */
  today: string;
}

/** A text of this length leaves room for its time on the same line. */
const shortText = 16;

interface CardsProps {
  message: Message | undefined;
  outgoing: Outgoing | undefined;
  onVerify: (card: Attachment) => void;
}

/** The images of a message. While it is sent, its sender sees them as they will be: opened. */
function Cards({ message, outgoing, onVerify }: CardsProps) {
  const cards =
    message?.attachments ?? outgoing?.images?.map((imageId): Attachment => ({ imageId, access: 'open' })) ?? [];
  if (cards.length === 0) return null;
  return (
    <Flex direction="column" gap="1" w="320px" maxW="full" mb="1">
      {cards.map((card) => (
        <AttachmentCard key={card.imageId} card={card} onVerify={onVerify} />
      ))}
    </Flex>
  );
}

export const Bubble = memo(function Bubble(props: Props) {
  const {
    own,
    name,
    content,
    at,
    message,
    outgoing,
    joined = false,
    words,
    found = false,
    last = false,
    onVerify,
  } = props;
  const { t } = useTranslation();
  const unread = message && !own && !message.readAt;
  const failed = outgoing?.state === 'failed';
  const { replyTo, view, voice } = message ?? outgoing ?? {};
  const pictured = Boolean(message?.attachments ?? outgoing?.images ?? view);
  const short = content.length <= shortText && !content.includes('\n') && !pictured && !failed && !replyTo && !voice;
  return (
    <Flex
      {...(short
        ? { direction: own ? 'row-reverse' : 'row', align: 'center', wrap: 'wrap', columnGap: '1.5' }
        : { direction: 'column', align: own ? 'flex-end' : 'flex-start' })}
      alignSelf={own ? 'flex-end' : 'flex-start'}
      maxW={{ base: '84%', lg: '76%' }}
      minW="0"
      mb={joined ? '0' : '1.5'}
      position="relative"
      className="group"
      data-own={own || undefined}
      {...(message && { 'data-message': message.id })}
      {...(unread && { 'data-unread': message.id })}
      {...(found && { 'data-found': true })}
    >
      <VisuallyHidden>{own ? t('messages.youSaid') : t('messages.theySaid', { name })}</VisuallyHidden>
      <Cards message={message} outgoing={outgoing} onVerify={onVerify} />
      {view && <PinnedCard view={view} />}
      {(content !== '' || replyTo || voice) && (
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
          {...(found && { outline: '3px solid', outlineColor: 'accent.focusRing', outlineOffset: '2px' })}
        >
          {replyTo && <QuoteLine quote={replyTo} name={name} />}
          {voice && <VoiceMessage voice={voice} />}
          {/* The corners of the bubble follow the page, its text follows its own language. */}
          <Box dir="auto">
            <MessageText content={content} words={words} />
          </Box>
        </Box>
      )}
      {joined && !failed && (
        <VisuallyHidden>
          <Stamp at={at} />
        </VisuallyHidden>
      )}
      {(!joined || failed) && (
        <Flex align="center" gap="5px" mx="1" mt={short ? '0' : '3px'} fontSize="xs" color="fg.muted" minW="0">
          {!failed && <Stamp at={at} />}
          {own && !failed && (
            <>
              <Text as="span" aria-hidden>
                ·
              </Text>
              <State state={message ? stateOf(message) : 'sending'} />
            </>
          )}
          {failed && outgoing && <NotSent item={outgoing} />}
        </Flex>
      )}
      {message && <MessageMenu message={message} own={own} name={name} tabbable={last} />}
      {outgoing?.refused && <Refusal {...outgoing.refused} />}
    </Flex>
  );
});
