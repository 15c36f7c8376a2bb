import { Flex, IconButton, Text } from '@chakra-ui/react';
import type { Pagination } from '@lightbox/contract/envelope.js';
import { CaretLeftIcon, CaretRightIcon } from '@phosphor-icons/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Paging } from '../lib/usePaging';

interface Props {
  hasPrev: boolean;
  hasNext: boolean;
  onPrev: () => void;
  onNext: () => void;
  /** Shown between the arrows. */
  children?: ReactNode;
  /** The name of the paged list for screen readers. */
  label?: string;
}

/**
 * The two buttons for the previous and the next page. At an end a button is disabled, not hidden: the layout is stable.
 */
export function Arrows({ hasPrev, hasNext, onPrev, onNext, children, label }: Props) {
  const { t } = useTranslation();
  const mirrored = document.dir === 'rtl';
  return (
    <Flex as="nav" aria-label={label ?? t('common.pages')} align="center" gap="1.5">
      <IconButton variant="outline" size="sm" aria-label={t('common.previous')} disabled={!hasPrev} onClick={onPrev}>
        <CaretLeftIcon mirrored={mirrored} />
      </IconButton>
      {children}
      <IconButton variant="outline" size="sm" aria-label={t('common.next')} disabled={!hasNext} onClick={onNext}>
        <CaretRightIcon mirrored={mirrored} />
      </IconButton>
    </Flex>
  );
}

interface PagerProps {
  paging: Pick<Paging, 'page' | 'prev' | 'next'>;
  /** The position of the page on screen. Until it is loaded, both arrows are disabled. */
  pagination: Pagination | undefined;
  label?: string;
}

/** The pager of a list: previous, ‘page / total’, next. */
export function Pager({ paging, pagination, ...names }: PagerProps) {
  const { t } = useTranslation();
  return (
    <Arrows
      {...names}
      hasPrev={pagination?.hasPrevPage ?? false}
      hasNext={pagination?.hasNextPage ?? false}
      onPrev={() => paging.prev(pagination)}
      onNext={() => paging.next(pagination)}
    >
      <Text
        minW="64px"
        textAlign="center"
        fontVariantNumeric="tabular-nums"
        fontSize="sm"
        fontWeight="medium"
        aria-live="polite"
      >
        {t('common.pageOf', { page: paging.page, total: Math.max(1, pagination?.totalPages ?? 1) })}
      </Text>
    </Arrows>
  );
}
