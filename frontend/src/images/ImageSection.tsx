import { Box, Button, Flex, Grid, Heading, Text } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { CloudWarningIcon } from '@phosphor-icons/react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { useIsDesktop } from '../lib/useMedia';
import { EmptyState } from '../ui/EmptyState';
import { Pager } from '../ui/Pager';
import { ImageCardSkeleton } from '../ui/Skeletons';
import { cardKeys } from './cardKeys';
import { type Ask, ImageCard } from './ImageCard';
import type { ImageList } from './useImageList';
import type { Selection } from './useSelection';

export const Gallery = ({
  children,
  busy = false,
  labelledBy,
}: {
  children: ReactNode;
  busy?: boolean;
  labelledBy?: string;
}) => (
  <Grid
    as="ul"
    onKeyDown={cardKeys}
    listStyleType="none"
    templateColumns={{ base: 'minmax(0, 1fr)', sm: 'repeat(auto-fill, minmax(258px, 1fr))' }}
    gap="5"
    aria-busy={busy}
    {...(labelledBy && { 'aria-labelledby': labelledBy })}
    opacity={busy ? 0.6 : 1}
    transition="opacity"
    transitionDuration="fade"
  >
    {children}
  </Grid>
);

interface Props {
  title: string;
  list: ImageList;
  empty: ReactNode;
  /** Hides the title visually: on a phone the tab above shows it. */
  quietTitle?: boolean;
  onAsk: (what: Ask, image: Image) => void;
  onNear: () => void;
  selection?: Selection;
  /** Shown at the side of a list of several pages. */
  scroller?: ReactNode;
}

/** The list "Uploaded Images" or "Shared Images": its cards and its pages. */
export function ImageSection({ title, list, empty, quietTitle = false, onAsk, onNear, selection, scroller }: Props) {
  const { t } = useTranslation();
  const heading = useId();
  const desktop = useIsDesktop();
  const { query, paging, images, pagination } = list;
  const total = pagination?.totalItems ?? 0;
  const count = t(pagination?.totalItemsCapped ? 'images.totalCapped' : 'images.total', { count: total });
  const several = (pagination?.totalPages ?? 1) > 1 || paging.page > 1;
  // On a phone, a pager of one page would only take room from the pictures.
  const pager = images && (several || (desktop && images.length > 0)) && (
    <Pager label={t('images.pagesOf', { list: title })} paging={paging} pagination={pagination} />
  );
  return (
    <Box as="section" aria-labelledby={heading} mb={{ base: '6', lg: '8' }}>
      <Flex align="center" gap="2.5" mb="3.5" minH="36px">
        <Heading as="h2" id={heading} textStyle="section" {...(quietTitle && { srOnly: true })}>
          {title}
        </Heading>
        {total > 0 && (
          <Text as="span" color="fg.muted" fontSize="sm" fontVariantNumeric="tabular-nums" pt="2px">
            {count}
          </Text>
        )}
        <Flex ms="auto" align="center" justify="flex-end" gap="2.5" wrap="wrap">
          {pager}
        </Flex>
      </Flex>
      {query.isPending && (
        <Gallery>
          {Array.from({ length: 4 }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are all the same
            <li key={index}>
              <ImageCardSkeleton />
            </li>
          ))}
        </Gallery>
      )}
      {query.isError && !images && (
        <Box layerStyle="card">
          <EmptyState
            Icon={CloudWarningIcon}
            title={t('common.couldNotLoad')}
            text={errorText(query.error)}
            act={
              <Button variant="subtle" onClick={() => void query.refetch()}>
                {t('common.retry')}
              </Button>
            }
          />
        </Box>
      )}
      {images?.length === 0 && <Box layerStyle="card">{empty}</Box>}
      {images && images.length > 0 && (
        <Flex gap={{ base: '1', lg: '3' }}>
          <Box flex="1" minW="0">
            <Gallery labelledBy={heading} busy={query.isPlaceholderData}>
              {images.map((image) => (
                <li key={image.id}>
                  <ImageCard image={image} onAsk={onAsk} onNear={onNear} {...(selection && { selection })} />
                </li>
              ))}
            </Gallery>
          </Box>
          {several && scroller}
        </Flex>
      )}
    </Box>
  );
}
