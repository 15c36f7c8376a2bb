import { Box, Button, Flex, IconButton, Text, VisuallyHidden } from '@chakra-ui/react';
import type { UserRef } from '@lightbox/contract/users/schemas.js';
import { PaperPlaneTiltIcon, PencilSimpleIcon, WifiSlashIcon, XIcon } from '@phosphor-icons/react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { viewerNow } from '../auth/session';
import { currentLanguage } from '../i18n';
import { fullName } from '../lib/format';
import { emit } from '../lib/socket';
import { toast } from '../lib/toaster';
import { uuid } from '../lib/uuid';
import { UserAvatar } from '../ui/UserAvatar';
import { colourOf } from './Pointers';
import type { Together } from './useTogether';

const button = {
  size: 'sm',
  variant: 'plain',
  color: 'viewer.text',
  borderWidth: '1px',
  borderColor: 'viewer.control',
  minH: { base: '44px', lg: '34px' },
  px: '2.5',
  _hover: { bg: 'viewer.border' },
} as const;
const on = { bg: 'viewer.active', color: 'viewer.activeText', borderColor: 'viewer.active' } as const;

/** The link of an invitation: this screen, and that one joins on it. It has ids alone. */
const invitation = ({ origin, pathname }: Pick<Location, 'origin' | 'pathname'>): string =>
  `${origin}${pathname}?together=true`;

/** Invites a person by a chat message with the link to this screen. */
function Invite({ person }: { person: UserRef }) {
  const { t } = useTranslation();
  const [state, setState] = useState<'ready' | 'sending' | 'sent'>('ready');
  const name = fullName(person);
  const send = () => {
    setState('sending');
    const sender = viewerNow().id;
    const content = `${t('viewer.together.invitation')} ${invitation(window.location)}`;
    emit('message:send', { recipientId: person.id, content, clientId: uuid() }).then(
      () => setState('sent'),
      () => {
        setState('ready');
        // The next person at this screen learns nothing of the invitation.
        if (viewerNow().id === sender) toast.error(t('viewer.together.notInvited', { name }));
      },
    );
  };
  return (
    <Button {...button} disabled={state !== 'ready'} onClick={send}>
      <PaperPlaneTiltIcon aria-hidden />
      {t(state === 'sent' ? 'viewer.together.invited' : 'viewer.together.invite', { name })}
    </Button>
  );
}

interface Props {
  together: Together;
  /** The people who may be invited. */
  people: readonly UserRef[];
  drawing: boolean;
  onDraw: () => void;
}

/** Shows the people who look together, the one who is followed, and the buttons to invite and to draw. */
export function TogetherBar({ together, people, drawing, onDraw }: Props) {
  const { t } = useTranslation();
  const { others, lost, following, follow, said, toggle } = together;
  const absent = people.filter(({ id }) => !others.some((one) => one.id === id)).slice(0, 3);
  // Without a connection nobody here knows who is still there.
  const here = lost ? [] : others;
  return (
    <Flex
      as="section"
      aria-label={t('viewer.together.title')}
      data-together=""
      dir={currentLanguage().dir}
      position="absolute"
      zIndex="3"
      top="8px"
      left="50%"
      transform="translateX(-50%)"
      w="max-content"
      maxW="calc(100% - 16px)"
      maxH="40%"
      overflowY="auto"
      wrap="wrap"
      align="center"
      gap="2"
      p="2"
      bg="viewer.panel"
      color="viewer.text"
      borderWidth="1px"
      borderColor="viewer.border"
      borderRadius="box"
      fontSize="14px"
    >
      {lost ? (
        <Flex role="status" align="center" gap="2" px="1" color="viewer.warn">
          <WifiSlashIcon size={18} aria-hidden />
          {t('viewer.together.lost')}
        </Flex>
      ) : (
        others.length === 0 && <Text px="1">{t('viewer.together.nobody')}</Text>
      )}
      {here.map((person) => {
        const name = fullName(person);
        const followed = following === person.id;
        return (
          <Flex key={person.id} data-here={person.id} align="center" gap="1.5">
            <Box borderRadius="full" boxShadow={`0 0 0 2px ${colourOf(person.id)}`}>
              <UserAvatar person={person} size="sm" />
            </Box>
            <Box as="bdi" hideBelow="lg">
              {name}
            </Box>
            <Button
              {...button}
              {...(followed && on)}
              aria-pressed={followed}
              onClick={() => follow(followed ? undefined : person.id)}
            >
              {t('viewer.together.follow', { name })}
            </Button>
          </Flex>
        );
      })}
      {absent.map((person) => (
        <Invite key={person.id} person={person} />
      ))}
      {here.length > 0 && (
        <IconButton
          {...button}
          {...(drawing && on)}
          minW={{ base: '44px', lg: '34px' }}
          px="0"
          aria-label={t('viewer.together.draw')}
          aria-pressed={drawing}
          onClick={onDraw}
        >
          <PencilSimpleIcon />
        </IconButton>
      )}
      <IconButton
        {...button}
        minW={{ base: '44px', lg: '34px' }}
        px="0"
        aria-label={t('viewer.together.leave')}
        onClick={toggle}
      >
        <XIcon />
      </IconButton>
      <VisuallyHidden role="status" aria-live="polite">
        {said}
      </VisuallyHidden>
    </Flex>
  );
}
