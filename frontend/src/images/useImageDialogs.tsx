import type { Image } from '@lightbox/contract/images/schemas.js';
import { type ComponentType, useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { onOpening } from '../ui/onOpening';
import type { AboutImage, Opening, Sharing, Verifying } from './dialogs';
import type { Ask } from './ImageCard';
import { stackOf } from './subject';
import { useAddressedImage, useForget } from './useAddressedImage';

const ImageDialog = onOpening(async () => (await import('./ImageDialog')).ImageDialog);
const DeleteImageDialog = onOpening(async () => (await import('./DeleteImageDialog')).DeleteImageDialog);
const Timeline = onOpening(async () => (await import('./Timeline')).Timeline);

/** The dialogs of features that build on images. The app composes them. */
export interface DialogParts {
  Share: ComponentType<Sharing>;
  Verify: ComponentType<Verifying>;
  Study: ComponentType<Opening>;
  Rename: ComponentType<AboutImage>;
}

interface Asked {
  what?: Ask;
  image?: Image;
  /** The dialog to open after the current one has closed: two open dialogs would both take the focus. */
  next?: Ask;
}

const nameOf = (element: Element): string | null => element.getAttribute('aria-label') ?? element.textContent;

/** Returns the button on the card of an image that has the name of another one, else the first. */
function onCard(image: Image, button: Element | null): HTMLElement | null {
  const found = [...document.querySelectorAll<HTMLElement>(`[data-image="${CSS.escape(image.id)}"] :is(button, a)`)];
  return found.find((one) => button && nameOf(one) === nameOf(button)) ?? found[0] ?? null;
}

const page = () => document.querySelector('main');

/** The open dialog and its image. The image stays while the dialog closes. */
function useAsked() {
  const [{ what, image, next }, setAsked] = useState<Asked>({});
  const opener = useRef<Element | null>(null);
  /** The button that has the focus since a dialog was closed. */
  const returned = useRef<Element | null>(null);

  // A shared image moves to another list: its card is another element there, and the focus follows it.
  useEffect(() => {
    const { current: button } = returned;
    if (!image || !button || button.isConnected) return;
    const hasMovedOn = document.activeElement !== document.body && document.activeElement !== page();
    const now = hasMovedOn ? null : onCard(image, button);
    now?.focus();
    if (now || hasMovedOn) returned.current = now;
  });

  return {
    what,
    image,
    next,
    ask: (wanted: Ask, about: Image) => {
      opener.current = document.activeElement;
      returned.current = null;
      setAsked({ what: wanted, image: about });
    },
    askNext: (wanted: Ask, about: Image) => setAsked({ image: about, next: wanted }),
    close: () => setAsked(image ? { image } : {}),
    exited: () => image && next && setAsked({ what: next, image }),
    /** Returns the focus to the button; if it is gone, to the card; if that is gone, to the page. */
    finalFocus: (): HTMLElement | null => {
      returned.current = opener.current;
      if (opener.current instanceof HTMLElement && opener.current.isConnected) return opener.current;
      return (image ? onCard(image, opener.current) : null) ?? page();
    },
  };
}

/**
 * The dialogs that the cards of a screen open. `images`: the shared images on the screen, among which is the one that the
 * link in a mail names.
 */
export function useImageDialogs({ Share, Verify, Study, Rename }: DialogParts, images: readonly Image[] | undefined) {
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
  const listed = shareId ? images?.find((one) => one.shareId === shareId) : undefined;

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
  const dialogs = (
    <>
      <ImageDialog {...opening} open={what === 'open' && !isStudy} />
      <Study {...opening} open={what === 'open' && isStudy} />
      <Share open={what === 'share'} image={image} onClose={leave} finalFocus={finalFocus} />
      <Timeline open={what === 'timeline'} image={image} onClose={close} finalFocus={finalFocus} />
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
    </>
  );
  return { askFor, dialogs };
}
