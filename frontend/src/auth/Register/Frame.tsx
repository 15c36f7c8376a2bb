import { Box, Button, Flex, Heading, Link, Text } from '@chakra-ui/react';
import { ArrowLeftIcon, ArrowRightIcon, CheckCircleIcon } from '@phosphor-icons/react';
import type { RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { Link as RouterLink } from 'react-router-dom';
import { paths } from '../../lib/paths';
import { stepNames } from './form';
import { StepLamps } from './Steps';

const last = stepNames.length - 1;

interface HeadProps {
  at: number;
  step: (typeof stepNames)[number];
  headingRef: RefObject<HTMLHeadingElement | null>;
  desktop: boolean;
}

/** Shows the number and the title of the step, and a link to sign in instead. */
export function StepHead({ at, step, headingRef, desktop }: HeadProps) {
  const { t } = useTranslation();
  return (
    <Flex align="flex-end" gap="3" mb="22px" wrap="wrap">
      <Box flex="1 1 auto">
        <Text fontSize="sm" fontWeight="semibold" color="fg.muted" mb="3px">
          {t('auth.register.stepOf', { step: at + 1, total: stepNames.length })}
        </Text>
        <Heading as="h1" ref={headingRef} tabIndex={-1} textStyle="page" outline="0">
          {t(`auth.register.${step}.title`)}
        </Heading>
      </Box>
      <Text color="fg.muted">
        {t('auth.haveAccount')}{' '}
        <Link asChild variant="underline" fontWeight="semibold">
          <RouterLink to={paths.login}>{t('auth.login.title')}</RouterLink>
        </Link>
      </Text>
      {!desktop && (
        <Box w="full">
          <StepLamps at={at} />
        </Box>
      )}
    </Flex>
  );
}

interface FootProps {
  at: number;
  desktop: boolean;
  ready: boolean;
  busy: boolean;
  /** True after a successful registration, until the next screen opens. */
  opening: boolean;
  onBack: () => void;
}

export function StepFoot({ at, desktop, ready, busy, opening, onBack }: FootProps) {
  const { t } = useTranslation();
  const mirrored = document.dir === 'rtl';
  return (
    <Flex align="center" gap="3" px={{ base: '5', md: '14' }} py="block" borderTopWidth="1px" wrap="wrap">
      {at > 0 && (
        <Button variant="outline" size="lg" onClick={onBack}>
          <ArrowLeftIcon mirrored={mirrored} aria-hidden />
          {t('common.back')}
        </Button>
      )}
      {at > 0 && desktop && (
        <Flex align="center" gap="1.5" fontSize="sm" color="fg.muted" ms="2.5">
          <CheckCircleIcon size={18} aria-hidden />
          {t('auth.register.kept')}
        </Flex>
      )}
      <Button
        type="submit"
        size="lg"
        ms="auto"
        disabled={!ready}
        loading={busy || opening}
        loadingText={t(opening ? 'auth.register.opening' : 'auth.register.submitting')}
      >
        {t(at === last ? 'auth.register.submit' : 'common.next')}
        {at < last && <ArrowRightIcon mirrored={mirrored} aria-hidden />}
      </Button>
    </Flex>
  );
}
