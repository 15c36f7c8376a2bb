import { Box, Button, Flex, Heading, IconButton, Text } from '@chakra-ui/react';
import { ArrowLeftIcon, CaretLeftIcon, CaretRightIcon, QuestionIcon, SparkleIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Mark } from '../ui/Mark';
import { actIcons, type ShownAct, views } from './Rail';
import type { Subject } from './subject';

const plain = {
  variant: 'plain',
  color: 'viewer.text',
  _hover: { bg: 'viewer.panel' },
  minH: { base: '44px', lg: '38px' },
} as const;

interface Props {
  subject: Pick<Subject, 'title' | 'sub' | 'badge' | 'countdown' | 'languages' | 'aiPath'>;
  onBack: (() => void) | undefined;
  onKeys: () => void;
  onAct: (act: ShownAct) => void;
  on: ReadonlySet<ShownAct>;
  without: ReadonlySet<ShownAct>;
  neighbours: { previous?: (() => void) | undefined; next?: (() => void) | undefined };
  desktop: boolean;
}

/** The bar above the picture: what is open, for how long, and what else can be shown. */
export function Header({ subject, onBack, onKeys, onAct, on, without, neighbours, desktop }: Props) {
  const { title, sub, badge, countdown, languages, aiPath } = subject;
  const { t } = useTranslation();
  return (
    <Flex
      as="header"
      align="center"
      gap={{ base: '1.5', lg: '3' }}
      px={{ base: '2', lg: '4' }}
      h={{ base: '56px', lg: '60px' }}
      bg="viewer.bar"
      borderBottomWidth="1px"
      borderColor="viewer.border"
      color="viewer.text"
      minW="0"
    >
      {onBack && (
        <IconButton
          {...plain}
          px="0"
          minW={{ base: '44px', lg: '38px' }}
          aria-label={t('viewer.back')}
          onClick={onBack}
        >
          <Box as={ArrowLeftIcon} _rtl={{ transform: 'scaleX(-1)' }} />
        </IconButton>
      )}
      {desktop && <Mark size={28} />}
      <Box minW="0" flex={{ base: '1', lg: '0 1 auto' }} lineHeight="1.25">
        <Heading as="h1" fontSize="16px" fontWeight="650" lineHeight="1.3" truncate dir="auto">
          {title}
        </Heading>
        <Text fontSize="13.5px" color="viewer.muted" truncate>
          {sub}
        </Text>
      </Box>
      {desktop && badge}
      {(neighbours.previous || neighbours.next) && (
        <Flex dir="ltr" flex="none">
          {(['previous', 'next'] as const).map((which) => (
            <IconButton
              key={which}
              {...plain}
              px="0"
              minW={{ base: '44px', lg: '36px' }}
              disabled={!neighbours[which]}
              _disabled={{ bg: 'transparent', color: 'viewer.control' }}
              aria-label={t(which === 'next' ? 'viewer.act.nextImage' : 'viewer.act.previousImage')}
              onClick={() => neighbours[which]?.()}
            >
              {which === 'next' ? <CaretRightIcon /> : <CaretLeftIcon />}
            </IconButton>
          ))}
        </Flex>
      )}
      {desktop && <Box flex="1" />}
      {desktop && countdown && (
        <Box w="170px" flex="none">
          {countdown}
        </Box>
      )}
      {desktop && (
        <Flex as="nav" aria-label={t('viewer.views')} gap="0.5" flex="none">
          {views
            .filter((name) => !without.has(name))
            .map((name) => {
              const Icon = actIcons[name];
              const pressed = on.has(name);
              return (
                <Button
                  key={name}
                  {...plain}
                  size="sm"
                  px="2.5"
                  aria-label={t(`viewer.act.${name}`)}
                  aria-pressed={pressed || undefined}
                  {...(pressed && { bg: 'viewer.border' })}
                  onClick={() => onAct(name)}
                >
                  <Icon />
                  <Box as="span" hideBelow="xl">
                    {t(`viewer.act.${name}`)}
                  </Box>
                </Button>
              );
            })}
          {aiPath && (
            <Button {...plain} asChild size="sm" px="2.5">
              <Link to={aiPath} aria-label={t('viewer.ai')}>
                <SparkleIcon />
                <Box as="span" hideBelow="xl">
                  {t('viewer.ai')}
                </Box>
              </Link>
            </Button>
          )}
        </Flex>
      )}
      {languages}
      <Button
        {...plain}
        size="sm"
        px={{ base: '2', lg: '3' }}
        flex="none"
        borderWidth={{ base: '0', lg: '1px' }}
        borderColor="viewer.control"
        aria-label={t('viewer.act.keys')}
        onClick={onKeys}
      >
        <QuestionIcon />
        <Box as="span" hideBelow="lg">
          {t('viewer.act.keys')}
        </Box>
      </Button>
    </Flex>
  );
}
