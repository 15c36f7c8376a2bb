import { Button, chakra, Flex } from '@chakra-ui/react';
import { imageSorts } from '@lightbox/contract/images/calls.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import {
  ChatsCircleIcon,
  CheckSquareIcon,
  ImagesIcon,
  LinkIcon,
  ShareNetworkIcon,
  UploadSimpleIcon,
} from '@phosphor-icons/react';
import { type ComponentType, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import { useMay } from '../auth/session';
import { paths } from '../lib/paths';
import { sortIn } from '../lib/sortIn';
import { useIsDesktop } from '../lib/useMedia';
import { EmptyState } from '../ui/EmptyState';
import { Page } from '../ui/Page';
import { SortSelect } from '../ui/Sorting';
import type { ListName } from './cache';
import { DeleteImageDialog } from './DeleteImageDialog';
import type { AboutImage, Opening, Sharing, Verifying } from './dialogs';
import type { Ask } from './ImageCard';
import { ImageDialog } from './ImageDialog';
import { ImageSection } from './ImageSection';
import { SelectionBar } from './SelectionBar';
import { stackOf } from './subject';
import { useAddressedImage, useForget } from './useAddressedImage';
import { useImageList } from './useImageList';
import { useSelection } from './useSelection';

const Timeline = lazy(() => import('./Timeline').then(({ Timeline }) => ({ default: Timeline })));

const UploadLink = ({ variant = 'solid' }: { variant?: 'solid' | 'subtle' }) => {
  const { t } = useTranslation();
  return (
    <Button asChild variant={variant}>
      <Link to={paths.upload}>
        <UploadSimpleIcon />
        {t('images.upload')}
      </Link>
    </Button>
  );
};

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

function NothingShared() {
  const { t } = useTranslation();
  const staff = useMay('share.create');
  if (staff)
    return (
      <EmptyState
        Icon={ShareNetworkIcon}
        title={t('images.emptyShared.staffTitle')}
        text={t('images.emptyShared.staffText')}
      />
    );
  return (
    <EmptyState
      Icon={ImagesIcon}
      title={t('images.emptyShared.title')}
      text={t('images.emptyShared.text')}
      act={
        <Button asChild variant="subtle">
          <Link to={paths.messages}>
            <ChatsCircleIcon />
            {t('images.emptyShared.act')}
          </Link>
        </Button>
      }
    />
  );
}

function NothingUploaded() {
  const { t } = useTranslation();
  return (
    <EmptyState
      Icon={ImagesIcon}
      title={t('images.emptyUploaded.title')}
      text={t('images.emptyUploaded.text')}
      act={<UploadLink variant="subtle" />}
    />
  );
}

/** The tabs of the two lists. A phone shows one list at a time. */
function ListTabs({ shown, onShow }: { shown: ListName; onShow: (name: ListName) => void }) {
  const { t } = useTranslation();
  return (
    <Flex role="group" aria-label={t('images.which')} gap="2" mb="3" wrap="wrap">
      {(['shared', 'uploaded'] as const).map((name) => (
        <chakra.button
          key={name}
          type="button"
          aria-pressed={shown === name}
          onClick={() => onShow(name)}
          minH="touch"
          px="3.5"
          borderRadius="full"
          borderWidth="1px"
          fontSize="sm"
          fontWeight="medium"
          cursor="pointer"
          borderColor="border.control"
          bg="bg.surface"
          focusVisibleRing="outside"
          _pressed={{ bg: 'fg', color: 'bg.surface', borderColor: 'fg' }}
        >
          {t(`images.${name}`)}
        </chakra.button>
      ))}
    </Flex>
  );
}

interface Asked {
  what?: Ask;
  image?: Image;
  /** The dialog to open after the current one has closed: two open dialogs would both take the focus. */
  next?: Ask;
}

/** The open dialog and its image. The image stays while the dialog closes. */
function useAsked() {
  const [{ what, image, next }, setAsked] = useState<Asked>({});
  const opener = useRef<Element | null>(null);
  return {
    what,
    image,
    next,
    ask: (wanted: Ask, about: Image) => {
      opener.current = document.activeElement;
      setAsked({ what: wanted, image: about });
    },
    askNext: (wanted: Ask, about: Image) => setAsked({ image: about, next: wanted }),
    close: () => setAsked(image ? { image } : {}),
    exited: () => image && next && setAsked({ what: next, image }),
    /** Returns the focus to the button; if it is gone, to the card; if that is gone, to the page. */
    finalFocus: (): HTMLElement | null => {
      if (opener.current instanceof HTMLElement && opener.current.isConnected) return opener.current;
      const card = document.querySelector<HTMLElement>(`[data-image="${CSS.escape(image?.id ?? '')}"] :is(button, a)`);
      return card ?? document.querySelector('main');
    },
  };
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
        for (const page of ['uploaded', 'shared']) now.delete(page);
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

interface Props {
  AskForImage: ComponentType;
  Share: ComponentType<Sharing>;
  Verify: ComponentType<Verifying>;
  Study: ComponentType<Opening>;
  Rename: ComponentType<AboutImage>;
  /** Loads the code of the viewer in the background. */
  preloadViewer: () => void;
}

/** The gallery: the viewer's own images and studies, and the shared ones. */
export function ViewImages({ AskForImage, Share, Verify, Study, Rename, preloadViewer }: Props) {
  const { t } = useTranslation();
  const desktop = useIsDesktop();
  const [mayUpload, all, own] = [useMay('image.upload'), useMay('image.listAll'), useMay('image.listOwn')];
  const mayOwn = all || own;
  const uploaded = useImageList('uploaded', mayOwn);
  const shared = useImageList('shared');
  const [shown, setShown] = useState<ListName>('shared');
  useEffect(() => preloadViewer(), [preloadViewer]);
  const mayShare = useMay('share.create');
  const selection = useSelection();
  const [sharingMany, setSharingMany] = useState(false);
  const endSelection = () => {
    setSharingMany(false);
    selection.end();
  };
  const { what, image, next, ask, askNext, close, exited, finalFocus } = useAsked();

  // The link in a mail names its share: open the dialog for it.
  const [params] = useSearchParams();
  const linked = params.get('share') ?? undefined;
  const forget = useForget();
  const unlink = () => forget('share');
  const address = useAddressedImage({ shown: what === 'open' ? image : undefined, ask, close });
  const leave = () => {
    address.forget();
    close();
  };
  const askFor = (wanted: Ask, about: Image) => {
    ask(wanted, about);
    if (wanted === 'open') address.name(about);
  };
  const shareId = linked ?? image?.shareId;
  const listed = shareId ? shared.images?.find((one) => one.shareId === shareId) : undefined;

  const isStudy = Boolean(image && stackOf(image));
  const opening: Omit<Opening, 'open'> = {
    image,
    onClose: leave,
    onExited: exited,
    onAsk: (wanted, about) => {
      address.forget();
      askNext(wanted, about);
    },
    finalFocus,
  };

  const both = desktop && mayOwn;
  const sections: ListName[] = both ? ['uploaded', 'shared'] : [mayOwn ? shown : 'shared'];
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
      {mayOwn && !desktop && <ListTabs shown={shown} onShow={setShown} />}
      {sections.map((name) => (
        <ImageSection
          key={name}
          title={t(`images.${name}`)}
          list={name === 'uploaded' ? uploaded : shared}
          empty={name === 'uploaded' ? <NothingUploaded /> : <NothingShared />}
          quietTitle={!desktop && mayOwn}
          order={!desktop && <Order />}
          onAsk={askFor}
          onNear={preloadViewer}
          selection={selection}
        />
      ))}
      <SelectionBar selection={selection} onShare={() => setSharingMany(true)} />
      <Share
        open={sharingMany}
        image={undefined}
        images={selection.chosen}
        onClose={endSelection}
        finalFocus={() => document.querySelector('main')}
      />
      <ImageDialog {...opening} open={what === 'open' && !isStudy} />
      <Study {...opening} open={what === 'open' && isStudy} />
      <Share open={what === 'share'} image={image} onClose={leave} finalFocus={finalFocus} />
      {what === 'timeline' && (
        <Suspense fallback={null}>
          <Timeline open image={image} onClose={close} finalFocus={finalFocus} />
        </Suspense>
      )}
      <Rename open={what === 'rename'} image={image} onClose={close} finalFocus={finalFocus} />
      <DeleteImageDialog open={what === 'remove'} image={image} onClose={close} finalFocus={finalFocus} />
      <Verify
        open={what === 'verify' || Boolean(linked && what === undefined && next === undefined)}
        shareId={shareId ?? ''}
        image={listed ?? (linked ? undefined : image)}
        onClose={() => {
          if (linked) unlink();
          leave();
        }}
        onOpen={(verified) => {
          if (linked) unlink();
          askNext('open', verified);
        }}
        onExited={() => {
          exited();
          if (image && next === 'open') address.name(image);
        }}
        finalFocus={finalFocus}
      />
    </Page>
  );
}
