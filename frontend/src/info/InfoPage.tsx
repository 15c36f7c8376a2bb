import '../ui/print.css';
import { Box, Button, Flex, Heading, Link, Text } from '@chakra-ui/react';
import { PrinterIcon } from '@phosphor-icons/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { usePublicLimits } from '../lib/publicLimits';
import { ClinicLine } from '../ui/ClinicLine';
import { Page } from '../ui/Page';

export interface Topic {
  key: string;
  title: string;
  /** Each line is a paragraph. */
  text: string;
}

/** A page of short texts with a list of its topics, for people with and without a session. */
export function InfoPage({ title, sub, topics }: { title: string; sub: string; topics: readonly Topic[] }) {
  const { t } = useTranslation();
  const clinic = usePublicLimits();
  const known = clinic['clinic.name'] || clinic['clinic.phone'] || clinic['clinic.url'];
  return (
    <Box maxW="760px">
      {' '}
      <Page
        title={title}
        sub={sub}
        act={
          <Button variant="outline" data-screen-only onClick={() => window.print()}>
            <PrinterIcon aria-hidden />
            {t('info.print')}
          </Button>
        }
      >
        <Flex direction="column" gap="5">
          <Box as="nav" aria-label={t('info.contents')} layerStyle="card" px="5" py="4" data-screen-only>
            <Flex as="ul" wrap="wrap" columnGap="5" rowGap="1.5" listStyleType="none">
              {[...topics, { key: 'contact', title: t('info.contact') }].map(({ key, title: name }) => (
                <li key={key}>
                  <Link href={`#${key}`} variant="underline">
                    {name}
                  </Link>
                </li>
              ))}
            </Flex>
          </Box>
          {topics.map(({ key, title: name, text }) => (
            <Section key={key} id={key} title={name}>
              {text.split('\n').map((line) => (
                <Text key={line} mt="2">
                  {line}
                </Text>
              ))}
            </Section>
          ))}
          <Section id="contact" title={t('info.contact')}>
            <Box mt="2">{known ? <ClinicLine of={clinic} fontSize="md" /> : <Text>{t('info.contactNone')}</Text>}</Box>
          </Section>
        </Flex>
      </Page>
    </Box>
  );
}

const Section = ({ id, title, children }: { id: string; title: string; children: ReactNode }) => (
  <Box as="section" id={id} layerStyle="card" px={{ base: '5', md: '7' }} py="5" scrollMarginTop="4">
    <Heading as="h2" textStyle="section">
      {title}
    </Heading>
    {children}
  </Box>
);
