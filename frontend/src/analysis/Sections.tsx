import { Box, Flex, Grid, Heading, Text } from '@chakra-ui/react';
import type { AnalysisResult } from '@lightbox/contract/analysis/schemas.js';
import {
  CalendarCheckIcon,
  FirstAidKitIcon,
  type Icon,
  ListMagnifyingGlassIcon,
  TextAlignLeftIcon,
  WarningIcon,
} from '@phosphor-icons/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatProbability } from '../lib/format';
import { Meter } from '../ui/Meter';
import { plain, plainEntries } from './analysis';
import { worded } from './worded';

function Section({
  Icon,
  title,
  children,
  red = false,
}: {
  Icon: Icon;
  title: string;
  children: ReactNode;
  red?: boolean;
}) {
  return (
    <Box
      as="section"
      px={{ base: '5', lg: '6' }}
      py={{ base: '5', lg: '22px' }}
      {...(red ? { bg: 'danger.subtle', color: 'danger.onSubtle' } : {})}
    >
      <Flex align="center" gap="2.5" mb="2.5">
        <Box color={red ? 'danger.fg' : 'accent.fg'} flex="none">
          <Icon size={21} weight={red ? 'fill' : 'regular'} aria-hidden />
        </Box>
        <Heading as="h2" textStyle="section">
          {title}
        </Heading>
      </Flex>
      {children}
    </Box>
  );
}

const Nothing = ({ children }: { children: ReactNode }) => <Text color="fg.muted">{children}</Text>;

function Entries({ of, none, red = false }: { of: readonly string[]; none: string; red?: boolean }) {
  if (of.length === 0) return red ? <Text>{none}</Text> : <Nothing>{none}</Nothing>;
  return (
    <Box as="ul" listStyleType="disc" css={{ '& ::marker, & li::marker': { color: red ? 'danger.fg' : 'accent.fg' } }}>
      {of.map((entry) => (
        // The marker is on the side where the entry begins, in either direction.
        <Box as="li" key={entry} dir="auto" ms="5" lineHeight="1.6" maxW="68ch" overflowWrap="anywhere">
          {entry}
        </Box>
      ))}
    </Box>
  );
}

function Differential({ result, none }: { result: AnalysisResult; none: string }) {
  const found = result.differentialDiagnosis
    .map(({ condition, confidence }) => ({ condition: plain(condition), confidence }))
    .filter(({ condition }) => condition);
  if (found.length === 0) return <Nothing>{none}</Nothing>;
  return (
    <Grid
      as="ul"
      listStyleType="none"
      templateColumns={{
        base: 'minmax(0, 1fr) minmax(56px, auto)',
        md: 'minmax(0, 1fr) minmax(120px, 210px) minmax(56px, auto)',
      }}
      columnGap="4"
    >
      {found.map(({ condition, confidence }) => (
        <Grid
          as="li"
          key={condition}
          gridColumn="1 / -1"
          templateColumns="subgrid"
          alignItems="center"
          rowGap="1.5"
          py="2"
        >
          <Text dir="auto">{condition}</Text>
          <Box gridColumn={{ base: '1 / -1', md: 'auto' }} order={{ base: 3, md: 0 }}>
            <Meter value={confidence} />
          </Box>
          <Text textAlign="end" fontWeight="semibold" fontVariantNumeric="tabular-nums">
            {formatProbability(confidence)}
          </Text>
        </Grid>
      ))}
    </Grid>
  );
}

/** Shows the text of the model, warnings first. Says so if no model has assessed the image. */
export function Sections({ result }: { result: AnalysisResult }) {
  const { t } = useTranslation();
  const none = (text: string) => (result.assessed ? text : t('analysis.notAssessed'));
  const words = worded(result);
  const warnings = plainEntries(words.warnings);
  const description = plain(words.description);
  return (
    <Box as="article" layerStyle="card" overflow="hidden" divideY="1px" divideColor="border">
      <Section Icon={WarningIcon} title={t('analysis.warnings')} red={warnings.length > 0}>
        <Entries of={warnings} none={t('analysis.noWarnings')} red={warnings.length > 0} />
      </Section>
      <Section Icon={TextAlignLeftIcon} title={t('analysis.description')}>
        {description ? (
          <Text dir="auto" whiteSpace="pre-line" maxW="68ch" lineHeight="1.6">
            {description}
          </Text>
        ) : (
          <Nothing>{t('analysis.noDescription')}</Nothing>
        )}
      </Section>
      <Section Icon={ListMagnifyingGlassIcon} title={t('analysis.differential')}>
        <Differential result={result} none={none(t('analysis.noDifferential'))} />
      </Section>
      <Grid
        templateColumns={{ base: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' }}
        divideX={{ md: '1px' }}
        divideY={{ base: '1px', md: '0' }}
        divideColor="border"
      >
        <Section Icon={FirstAidKitIcon} title={t('analysis.treatment')}>
          <Entries of={plainEntries(result.treatment)} none={none(t('analysis.noTreatment'))} />
        </Section>
        <Section Icon={CalendarCheckIcon} title={t('analysis.followUp')}>
          <Entries of={plainEntries(result.followUp)} none={none(t('analysis.noFollowUp'))} />
        </Section>
      </Grid>
      {words.measurements.length > 0 && (
        <Box as="details" px={{ base: '5', lg: '6' }} py={{ base: '3', lg: '3.5' }} data-measurements>
          <Box as="summary" fontWeight="semibold" cursor="pointer" w="fit-content" minH="touch" alignContent="center">
            {t('analysis.measurements')}
          </Box>
          <Entries of={words.measurements} none="" />
        </Box>
      )}
    </Box>
  );
}
