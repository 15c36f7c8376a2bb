import { Box, Button, chakra, Flex, Grid, Heading, Link, Text } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import {
  ClockCountdownIcon,
  CloudWarningIcon,
  CopyIcon,
  EnvelopeSimpleIcon,
  FacebookLogoIcon,
  ImagesIcon,
  UploadSimpleIcon,
  XLogoIcon,
} from '@phosphor-icons/react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link as RouterLink, useSearchParams } from 'react-router-dom';
import { useMay } from '../auth/session';
import { CardWell } from '../images/ImageCard';
import { Gallery } from '../images/ImageSection';
import { ownImages } from '../images/images';
import { stackOf, titleOf } from '../images/subject';
import { useImagePaging } from '../images/useImagePaging';
import { ViewerLink } from '../images/ViewerLink';
import { copyText } from '../lib/copy';
import { errorText } from '../lib/errors';
import { formatDate } from '../lib/format';
import { paths } from '../lib/paths';
import { toast } from '../lib/toaster';
import { Chip } from '../ui/Chip';
import { EmptyState } from '../ui/EmptyState';
import { Film } from '../ui/ImageWell';
import { Page } from '../ui/Page';
import { Pager } from '../ui/Pager';
import { ImageCardSkeleton } from '../ui/Skeletons';
import { addressOfSample, pictureOf, type Sample, samples } from './samples';

/** Returns the path of an image or a study in the product. It opens only for people who may see it. */
const pathOf = (image: Image) => {
  const stack = stackOf(image);
  return stack ? paths.study(stack.id) : paths.image(image.id);
};

function useCopy() {
  const { t } = useTranslation();
  return async (link: string) => {
    if (await copyText(link)) toast.success(t('shareImage.copied'));
    else toast.error(t('shareImage.copyFailed', { link }));
  };
}

interface LinkActs {
  link: string;
  /** Names the image for a screen reader. */
  caption: string;
}

function CopyAndMail({ link, caption }: LinkActs) {
  const { t } = useTranslation();
  const copy = useCopy();
  // The mail must not contain the caption or a name.
  const mail = `mailto:?subject=${encodeURIComponent(t('shareImage.subject'))}&body=${encodeURIComponent(link)}`;
  return (
    <>
      <Button
        size="sm"
        variant="subtle"
        aria-label={t('shareImage.copyOf', { caption })}
        onClick={() => void copy(link)}
      >
        <CopyIcon aria-hidden />
        {t('shareImage.copy')}
      </Button>
      <Button asChild size="sm" variant="outline">
        <a href={mail} aria-label={t('shareImage.emailOf', { caption })}>
          <EnvelopeSimpleIcon aria-hidden />
          {t('shareImage.email')}
        </a>
      </Button>
    </>
  );
}

function OwnImage({ image }: { image: Image }) {
  const { t } = useTranslation();
  const caption = titleOf(image, t('common.untitled'));
  return (
    <Flex as="article" direction="column" layerStyle="card" p="9px" pb="3.5" h="full">
      <CardWell image={image} />
      <Flex direction="column" flex="1" px="1.5" pt="3">
        <Heading as="h3" fontSize="md" lineHeight="1.35" fontWeight="semibold" letterSpacing="normal" dir="auto">
          <Link asChild color="fg" textDecoration="none" _hover={{ textDecoration: 'underline' }}>
            <RouterLink to={pathOf(image)}>{caption}</RouterLink>
          </Link>
        </Heading>
        <Text fontSize="xs" color="fg.muted" mt="0.5">
          {t('images.card.uploadedOn', { date: formatDate(image.createAt) })}
        </Text>
        <Flex gap="2" mt="auto" pt="3.5" wrap="wrap">
          <CopyAndMail link={`${location.origin}${pathOf(image)}`} caption={caption} />
          <ViewerLink image={image} />
        </Flex>
      </Flex>
    </Flex>
  );
}

function OwnImages() {
  const { t } = useTranslation();
  const heading = useId();
  const paging = useImagePaging('uploaded');
  const query = useQuery({ ...ownImages(paging.query), placeholderData: keepPreviousData });
  const { data, isPending, error, isPlaceholderData } = query;
  const pagination = data?.pagination;
  return (
    <Box as="section" aria-labelledby={heading} mb="8">
      <Flex align="center" gap="2.5" mb="3.5" minH="36px">
        <Heading as="h2" id={heading} textStyle="section">
          {t('shareImage.yours')}
        </Heading>
        {pagination && pagination.totalPages > 1 && (
          <Box ms="auto">
            <Pager label={t('shareImage.pages')} paging={paging} pagination={pagination} />
          </Box>
        )}
      </Flex>
      {isPending && (
        <Gallery>
          {['a', 'b', 'c', 'd'].map((key) => (
            <li key={key}>
              <ImageCardSkeleton />
            </li>
          ))}
        </Gallery>
      )}
      {error && !data && (
        <Box layerStyle="card">
          <EmptyState
            Icon={CloudWarningIcon}
            as="h3"
            title={t('common.couldNotLoad')}
            text={errorText(error)}
            act={
              <Button variant="subtle" onClick={() => void query.refetch()}>
                {t('common.retry')}
              </Button>
            }
          />
        </Box>
      )}
      {data?.data.length === 0 && (
        <Box layerStyle="card">
          <EmptyState
            Icon={ImagesIcon}
            as="h3"
            title={t('shareImage.yoursNone')}
            text={t('shareImage.yoursNoneText')}
            act={
              <Button asChild variant="subtle">
                <RouterLink to={paths.upload}>
                  <UploadSimpleIcon aria-hidden />
                  {t('images.upload')}
                </RouterLink>
              </Button>
            }
          />
        </Box>
      )}
      {data && data.data.length > 0 && (
        <Gallery labelledBy={heading} busy={isPlaceholderData}>
          {data.data.map((image) => (
            <li key={image.id}>
              <OwnImage image={image} />
            </li>
          ))}
        </Gallery>
      )}
    </Box>
  );
}

/** Used for the samples only: the product offers no social network for a real image. */
function SocialLinks({ link }: { link: string }) {
  const { t } = useTranslation();
  const url = encodeURIComponent(link);
  const networks = [
    {
      label: t('shareImage.facebook'),
      Icon: FacebookLogoIcon,
      to: `https://www.facebook.com/sharer/sharer.php?u=${url}`,
    },
    {
      label: t('shareImage.x'),
      Icon: XLogoIcon,
      to: `https://twitter.com/intent/tweet?url=${url}&text=${encodeURIComponent(t('shareImage.subject'))}`,
    },
  ];
  return networks.map(({ label, Icon, to }) => (
    <Button key={label} asChild size="sm" variant="outline">
      <a href={to} target="_blank" rel="noopener noreferrer">
        <Icon aria-hidden />
        {label}
      </a>
    </Button>
  ));
}

function ChosenSample({ sample }: { sample: Sample }) {
  const { t } = useTranslation();
  const name = t(`shareImage.sample.${sample.id}.name`);
  const link = addressOfSample(sample);
  return (
    <Grid
      templateColumns={{ base: 'minmax(0, 1fr)', lg: 'minmax(0, 1.5fr) minmax(0, 1fr)' }}
      layerStyle="card"
      overflow="hidden"
      aria-live="polite"
    >
      <Box p="9px">
        <Film src={pictureOf(sample)} alt={t('shareImage.pictureOf', { name })} />
      </Box>
      <Flex direction="column" gap="3" p={{ base: '5', lg: '6' }} align="flex-start">
        <Heading as="h3" fontSize="xl" lineHeight="1.3">
          {name}
        </Heading>
        <Text color="fg.muted">{t(`shareImage.sample.${sample.id}.text`)}</Text>
        <Flex as="ul" listStyleType="none" aria-label={t('shareImage.tags')} gap="1.5" wrap="wrap">
          {t(`shareImage.sample.${sample.id}.tags`, { returnObjects: true }).map((tag) => (
            <Chip as="li" key={tag}>
              {tag}
            </Chip>
          ))}
        </Flex>
        <Flex gap="2" align="center" fontSize="sm" color="fg.muted">
          <ClockCountdownIcon size={18} aria-hidden />
          {t('shareImage.expires', { span: t('sharing.share.hours', { count: sample.hours }) })}
        </Flex>
        <Flex gap="2" wrap="wrap" mt="auto" pt="3">
          <CopyAndMail link={link} caption={name} />
          <SocialLinks link={link} />
        </Flex>
      </Flex>
    </Grid>
  );
}

function Samples() {
  const { t } = useTranslation();
  const heading = useId();
  const [params, setParams] = useSearchParams();
  const chosen = samples.find(({ id }) => id === params.get('sample')) ?? samples[0];
  const choose = (id: string) =>
    setParams(
      (now) => {
        now.set('sample', id);
        return now;
      },
      { replace: true, preventScrollReset: true },
    );
  return (
    <Box as="section" aria-labelledby={heading}>
      <Heading as="h2" id={heading} textStyle="section">
        {t('shareImage.samples')}
      </Heading>
      <Text fontSize="sm" color="fg.muted" mt="0.5" mb="3.5">
        {t('shareImage.samplesSub')}
      </Text>
      <Grid
        role="group"
        aria-label={t('shareImage.choose')}
        templateColumns={{ base: 'repeat(2, minmax(0, 1fr))', md: 'repeat(4, minmax(0, 1fr))' }}
        gap={{ base: '3', md: '4' }}
        mb="4"
      >
        {samples.map((sample) => (
          <chakra.button
            key={sample.id}
            type="button"
            aria-pressed={sample === chosen}
            onClick={() => choose(sample.id)}
            layerStyle="card"
            p="7px"
            pb="2.5"
            textAlign="start"
            cursor="pointer"
            focusVisibleRing="outside"
            _pressed={{ borderColor: 'accent.solid', boxShadow: 'inset 0 0 0 1px var(--chakra-colors-accent-solid)' }}
          >
            <Film src={pictureOf(sample)} alt="" />
            <Text as="span" display="block" fontSize="sm" fontWeight="semibold" px="1" pt="2">
              {t(`shareImage.sample.${sample.id}.name`)}
            </Text>
          </chakra.button>
        ))}
      </Grid>
      <ChosenSample sample={chosen} />
    </Box>
  );
}

/** Offers links to copy: first to the viewer's own images, then to the public samples. */
export function ShareImage() {
  const { t } = useTranslation();
  const owns = useMay('image.listOwn');
  return (
    <Page title={t('shareImage.title')} sub={t('shareImage.sub')}>
      {owns && <OwnImages />}
      <Samples />
    </Page>
  );
}
