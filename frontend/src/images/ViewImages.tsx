import { Button, Flex, Text } from '@chakra-ui/react';
import { imageSorts } from '@lightbox/contract/images/names.js';
import { CheckSquareIcon, LinkIcon } from '@phosphor-icons/react';
import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import { useMay } from '../auth/session';
import { paths } from '../lib/paths';
import { sortIn } from '../lib/sortIn';
import { useIsDesktop } from '../lib/useMedia';
import { Page } from '../ui/Page';
import { Pills } from '../ui/Pills';
import { SortSelect } from '../ui/Sorting';
import { type ListName, listNames } from './cache';
import { Filters } from './Filters';
import { ImageSection } from './ImageSection';
import { Months } from './Months';
import { NothingFound, NothingShared, NothingUploaded, UploadLink } from './Nothing';
import { SelectionBar } from './SelectionBar';
import { type DialogParts, useImageDialogs } from './useImageDialogs';
import { type ImageList, useImageList } from './useImageList';
import { type Search, useSearch } from './useSearch';
import { useSelection } from './useSelection';

/** The buttons of the page. On a phone "Upload" is in the bottom bar, so it is left out here. */
function Acts() {
  const { t } = useTranslation();
  const desktop = useIsDesktop();
  return (
    <Flex gap="2.5">
      <Button asChild variant={desktop ? 'outline' : 'ghost'} size={desktop ? 'md' : 'sm'}>
        <Link to={paths.shareImage}>
          <LinkIcon aria-hidden />
          {t('images.links')}
        </Link>
      </Button>
      {desktop && <UploadLink />}
    </Flex>
  );
}

/** The tabs of the two lists. A phone shows one list at a time. */
function ListTabs({ shown, onShow }: { shown: ListName; onShow: (name: ListName) => void }) {
  const { t } = useTranslation();
  const options = (['shared', 'uploaded'] as const).map((id) => ({ id, text: t(`images.${id}`) }));
  return <Pills label={t('images.which')} options={options} chosen={shown} onChoose={onShow} />;
}

/** The order of both lists, stored in the address. A new order returns both to page 1. */
function Order() {
  const { t } = useTranslation();
  const desktop = useIsDesktop();
  const [params, setParams] = useSearchParams();
  const sort = sortIn(params, imageSorts, '-createAt');
  const onSort = (value: string) =>
    setParams(
      (now) => {
        for (const page of listNames) now.delete(page);
        if (value === '-createAt') now.delete('sort');
        else now.set('sort', value);
        return now;
      },
      { replace: true, preventScrollReset: true },
    );
  return (
    <SortSelect
      quietLabel={!desktop}
      keys={[{ key: 'createAt', time: true, name: t('images.view.uploaded') }]}
      sorting={{ value: sort, onSort }}
    />
  );
}

interface Props extends DialogParts {
  AskForImage: ComponentType;
  /** Shows the viewer's own lists, or the images of a patient whom the viewer helps. */
  Helped: ComponentType<DialogParts & { own: ReactNode; preloadViewer: () => void }>;
  /** Loads the code of the viewer in the background. */
  preloadViewer: () => void;
}

/** Tells screen readers politely how many images a search has found. */
function Found({ search, lists }: { search: Search; lists: readonly ImageList[] }) {
  const { t } = useTranslation();
  const waiting = lists.some(({ query }) => query.isPending || query.isPlaceholderData);
  const count = lists.reduce((sum, { pagination }) => sum + (pagination?.totalItems ?? 0), 0);
  const said = waiting ? t('images.search.searching') : t('images.search.found', { count });
  return (
    <Text role="status" srOnly>
      {search.active && said}
    </Text>
  );
}

/** The gallery: the viewer's own images and studies, and the shared ones. */
export function ViewImages({ AskForImage, Helped, preloadViewer, ...parts }: Props) {
  const { t } = useTranslation();
  const desktop = useIsDesktop();
  const [mayUpload, all, own] = [useMay('image.upload'), useMay('image.listAll'), useMay('image.listOwn')];
  const mayOwn = all || own;
  const search = useSearch();
  const uploaded = useImageList('uploaded', search.search, mayOwn);
  const shared = useImageList('shared', search.search);
  const [shown, setShown] = useState<ListName>('shared');
  useEffect(() => preloadViewer(), [preloadViewer]);
  const mayShare = useMay('share.create');
  const selection = useSelection();
  const [sharingMany, setSharingMany] = useState(false);
  /** The button that shares the chosen images. It is gone when they are shared. */
  const shareChosen = useRef<HTMLButtonElement>(null);
  const { askFor, dialogs } = useImageDialogs(parts, shared.images);

  const both = desktop && mayOwn;
  const sections: ListName[] = both ? ['uploaded', 'shared'] : [mayOwn ? shown : 'shared'];
  const listOf = { uploaded, shared };
  const images = [uploaded, shared].flatMap((list) => list.images ?? []);
  const patient = images.find((image) => image.patient?.id === search.chosen.patientId)?.patient;
  const foundNothing = sections.every((name) => listOf[name].images?.length === 0);
  const emptyOf = (name: ListName) => {
    // Said at length once: in the first section of a search that finds nothing in any.
    if (search.active) return <NothingFound brief={!foundNothing || name !== sections[0]} onClear={search.clear} />;
    return name === 'uploaded' ? <NothingUploaded /> : <NothingShared />;
  };
  return (
    <Page
      title={t('images.title')}
      act={
        <Flex align="center" gap={{ base: '3', lg: '5' }} wrap="wrap">
          {desktop && <Order />}
          {mayShare && !selection.chosen && (
            <Button variant={desktop ? 'outline' : 'ghost'} size={desktop ? 'md' : 'sm'} onClick={selection.begin}>
              <CheckSquareIcon aria-hidden />
              {t('images.select.act')}
            </Button>
          )}
          {mayUpload && <AskForImage />}
          {mayUpload && <Acts />}
        </Flex>
      }
    >
      <Helped
        {...parts}
        preloadViewer={preloadViewer}
        own={
          <>
            <Filters search={search} patient={patient} order={<Order />} />
            <Found search={search} lists={sections.map((name) => listOf[name])} />
            {mayOwn && !desktop && <ListTabs shown={shown} onShow={setShown} />}
            {sections.map((name) => (
              <ImageSection
                key={name}
                title={t(`images.${name}`)}
                list={listOf[name]}
                empty={emptyOf(name)}
                quietTitle={!desktop && mayOwn}
                onAsk={askFor}
                onNear={preloadViewer}
                selection={selection}
                scroller={<Months name={name} list={listOf[name]} search={search.search} />}
              />
            ))}
          </>
        }
      />
      <SelectionBar ref={shareChosen} selection={selection} onShare={() => setSharingMany(true)} />
      <parts.Share
        open={sharingMany}
        image={undefined}
        images={selection.chosen}
        onClose={() => setSharingMany(false)}
        onShared={selection.end}
        finalFocus={() => shareChosen.current ?? document.querySelector('main')}
      />
      {dialogs}
    </Page>
  );
}
