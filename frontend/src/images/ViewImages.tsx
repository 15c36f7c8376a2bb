import { Button, chakra, Flex } from '@chakra-ui/react';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { ChatsCircleIcon, ImagesIcon, ShareNetworkIcon, UploadSimpleIcon } from '@phosphor-icons/react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import { paths } from '../app/paths';
import { useMay } from '../auth/session';
import { useIsDesktop } from '../lib/useMedia';
import { ShareDialog } from '../sharing/ShareDialog';
import { VerifyDialog } from '../sharing/VerifyDialog';
import { EmptyState } from '../ui/EmptyState';
import { Page } from '../ui/Page';
import { DeleteImageDialog } from './DeleteImageDialog';
import type { Ask } from './ImageCard';
import { ImageDialog } from './ImageDialog';
import { ImageSection } from './ImageSection';
import type { ListName } from './images';
import { useImageList } from './useImageList';

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

/** On a phone one list at a time. */
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
          minH="44px"
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
  /** Opens once the dialog before it has left: two at once would fight for the focus. */
  next?: Ask;
}

/** What is asked about which image; the image stays while its dialog closes. */
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
    /** Back to the button; if it is gone, to what is left of the card; if that is gone, to the page. */
    finalFocus: (): HTMLElement | null => {
      if (opener.current instanceof HTMLElement && opener.current.isConnected) return opener.current;
      const card = document.querySelector<HTMLElement>(`[data-image="${CSS.escape(image?.id ?? '')}"] :is(button, a)`);
      return card ?? document.querySelector('main');
    },
  };
}

/** The gallery: what one uploaded, and what is shared. */
export function ViewImages() {
  const { t } = useTranslation();
  const desktop = useIsDesktop();
  const [mayUpload, all, own] = [useMay('image.upload'), useMay('image.listAll'), useMay('image.listOwn')];
  const mayOwn = all || own;
  const uploaded = useImageList('uploaded', mayOwn);
  const shared = useImageList('shared');
  const [shown, setShown] = useState<ListName>('shared');
  const { what, image, next, ask, askNext, close, exited, finalFocus } = useAsked();

  // A mailed link names its share: the dialog for it opens by itself.
  const [params, setParams] = useSearchParams();
  const linked = params.get('share') ?? undefined;
  const unlink = () =>
    setParams(
      (now) => {
        now.delete('share');
        return now;
      },
      { replace: true, preventScrollReset: true },
    );
  const shareId = linked ?? image?.shareId;
  const listed = shareId ? shared.images?.find((one) => one.shareId === shareId) : undefined;

  const both = desktop && mayOwn;
  const sections: ListName[] = both ? ['uploaded', 'shared'] : [mayOwn ? shown : 'shared'];
  return (
    <Page title={t('images.title')} act={mayUpload && desktop && <UploadLink />}>
      {mayOwn && !desktop && <ListTabs shown={shown} onShow={setShown} />}
      {sections.map((name) => (
        <ImageSection
          key={name}
          title={t(`images.${name}`)}
          list={name === 'uploaded' ? uploaded : shared}
          empty={name === 'uploaded' ? <NothingUploaded /> : <NothingShared />}
          quietTitle={!desktop && mayOwn}
          onAsk={ask}
        />
      ))}
      <ImageDialog
        open={what === 'open'}
        image={image}
        onClose={close}
        onExited={exited}
        onAsk={askNext}
        finalFocus={finalFocus}
      />
      <ShareDialog open={what === 'share'} image={image} onClose={close} finalFocus={finalFocus} />
      <DeleteImageDialog open={what === 'remove'} image={image} onClose={close} finalFocus={finalFocus} />
      <VerifyDialog
        open={what === 'verify' || Boolean(linked && what === undefined && next === undefined)}
        shareId={shareId ?? ''}
        image={listed ?? (linked ? undefined : image)}
        onClose={() => {
          if (linked) unlink();
          close();
        }}
        onOpen={(verified) => {
          if (linked) unlink();
          askNext('open', verified);
        }}
        onExited={exited}
        finalFocus={finalFocus}
      />
    </Page>
  );
}
