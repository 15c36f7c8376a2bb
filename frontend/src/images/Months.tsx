import type { Month } from '@lightbox/contract/images/months.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import type { ImageSearch } from '@lightbox/contract/images/search.js';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { startOfShare } from './access';
import type { ListName } from './cache';
import { MonthScroller } from './MonthScroller';
import { findPlace, monthsOf } from './months';
import type { ImageList } from './useImageList';

interface Props {
  name: ListName;
  list: ImageList;
  search: ImageSearch;
}

/** The time by which the list orders an image: that of the share with the viewer, or of the upload. */
const timeOf = (image: Image) => startOfShare(image) ?? Date.parse(image.createAt);

/** The months of a list of several pages. A jump shows the page on which the month begins. */
export function Months({ name, list: { paging, images, pagination }, search }: Props) {
  const { t } = useTranslation();
  const several = (pagination?.totalPages ?? 1) > 1;
  const { data } = useQuery({ ...monthsOf(name, search), enabled: several });
  const oldestFirst = paging.query.sort === 'createAt';
  const months = oldestFirst ? data?.toReversed() : data;
  const jump = useMutation({
    mutationFn: (at: string) => findPlace(name, search, at, paging.query.sort ?? '-createAt'),
    onSuccess: ({ page, cursor }) => paging.goTo(page, { by: cursor }),
  });
  if (!months || months.length < 2) return null;
  const [first] = images ?? [];
  const time = first ? timeOf(first) : Date.now();
  // The newest image of a month stands for it.
  const current = oldestFirst
    ? months.findIndex(({ at }) => Date.parse(at) >= time)
    : months.findLastIndex(({ at }) => Date.parse(at) >= time);
  return (
    <MonthScroller
      months={months}
      current={Math.max(0, current)}
      label={t('images.months.label', { list: t(`images.${name}`) })}
      onJump={(index) => jump.mutate(oldestFirst ? after(months[index - 1]) : (months[index]?.at ?? ''))}
    />
  );
}

/** The first moment after the images of a month: with the oldest first, the next month begins there. */
const after = (month: Month | undefined) => new Date(month ? Date.parse(month.at) + 1 : 0).toISOString();
