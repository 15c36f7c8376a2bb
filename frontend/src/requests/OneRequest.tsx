import { Box, Button, chakra, Flex, Grid, Text } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import type { HeldRequest } from '@lightbox/contract/requests/calls.js';
import { ShieldCheckIcon, TrayArrowDownIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router-dom';
import { errorText } from '../lib/errors';
import { formatBytes, formatDateTime } from '../lib/format';
import { paths } from '../lib/paths';
import { BackLink } from '../ui/BackLink';
import { EmptyState } from '../ui/EmptyState';
import { type Fact, Facts } from '../ui/Facts';
import { ImageWell } from '../ui/ImageWell';
import { LoadFailed } from '../ui/LoadFailed';
import { Note } from '../ui/Note';
import { Page } from '../ui/Page';
import { PersonSkeleton } from '../ui/Skeletons';
import { oneRequest } from './requests';
import { StateOf } from './StateOf';
import { TakeForm } from './TakeForm';

/** A held image, or the image that stands for a held study. It opens in the viewer. */
function HeldCard({ image }: { image: Image }) {
  const { t } = useTranslation();
  const { id, study } = image;
  const name = study?.title ?? image.caption;
  return (
    <Box as="li" layerStyle="card" overflow="hidden" position="relative">
      <ImageWell image={image} {...(study && { count: study.imageCount })} />
      <Box p="3">
        <chakra.span fontWeight="semibold" dir="auto" lineClamp="2" overflowWrap="anywhere">
          <Link
            to={study ? paths.studyViewer(study.id) : paths.viewer(id)}
            aria-label={t('requests.one.open', { caption: name })}
          >
            {/* The whole card reacts to the pointer. */}
            <Box as="span" position="absolute" inset="0" aria-hidden />
            {name}
          </Link>
        </chakra.span>
        <Text fontSize="xs" color="fg.muted">
          {study ? t('requests.one.study', { count: study.imageCount }) : formatBytes(image.size ?? 0)}
        </Text>
      </Box>
    </Box>
  );
}

function Received({ request }: { request: HeldRequest }) {
  const { t } = useTranslation();
  const { images, createAt, receivedAt, heldUntil, note, files, bytes } = request;
  const facts: Fact[] = [
    { label: t('requests.one.from'), value: formatDateTime(createAt) },
    ...(receivedAt ? [{ label: t('requests.one.arrived'), value: formatDateTime(receivedAt) }] : []),
    { label: t('requests.one.images'), value: `${t('requests.list.files', { count: files })}, ${formatBytes(bytes)}` },
    ...(heldUntil ? [{ label: t('requests.one.until'), value: formatDateTime(heldUntil) }] : []),
    ...(note ? [{ label: t('requests.one.note'), value: note }] : []),
  ];
  return (
    <Grid
      templateColumns={{ base: 'minmax(0, 1fr)', lg: 'minmax(0, 1.7fr) minmax(320px, 1fr)' }}
      gap={{ base: '5', lg: '6' }}
      alignItems="start"
    >
      <Box>
        <Grid
          as="ul"
          listStyleType="none"
          templateColumns={{ base: '1fr 1fr', md: 'repeat(auto-fill, minmax(200px, 1fr))' }}
          gap="3"
        >
          {images.map((image) => (
            <HeldCard key={image.id} image={image} />
          ))}
        </Grid>
        {images.length === limits.heldShown && (
          <Text fontSize="sm" color="fg.muted" mt="3">
            {t('requests.one.more', { count: limits.heldShown })}
          </Text>
        )}
      </Box>
      <Flex direction="column" gap="4">
        <Note Icon={ShieldCheckIcon} title={t('requests.one.text')} />
        <Box layerStyle="card" p={{ base: '4', lg: '5' }}>
          <Facts facts={facts} />
        </Box>
        <TakeForm request={request} />
      </Flex>
    </Grid>
  );
}

/** One request: what arrived for it, to be looked at and then taken or declined. */
export function OneRequest() {
  const { t } = useTranslation();
  const { requestId = '' } = useParams();
  const { data, error, isPending, refetch } = useQuery(oneRequest(requestId));
  const state = data?.state;
  return (
    <Page
      title={t('requests.one.title')}
      aside={state && <StateOf state={state} />}
      act={
        <BackLink to={paths.requests} size="sm">
          {t('requests.one.back')}
        </BackLink>
      }
    >
      {error && !data && (
        <LoadFailed text={errorText(error, t('requests.one.failed'))} onRetry={() => void refetch()} />
      )}
      {isPending && <PersonSkeleton />}
      {state === 'received' && <Received request={data as HeldRequest} />}
      {state && state !== 'received' && (
        <EmptyState
          Icon={TrayArrowDownIcon}
          title={t(`requests.state.${state}`)}
          text={t(`requests.one.over.${state}`)}
          {...(state === 'taken' && {
            act: (
              <Button asChild variant="subtle">
                <Link to={paths.viewImages}>{t('requests.one.gallery')}</Link>
              </Button>
            ),
          })}
        />
      )}
    </Page>
  );
}
