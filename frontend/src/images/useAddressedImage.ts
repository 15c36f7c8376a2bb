import type { Image } from '@lightbox/contract/images/schemas.js';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom';
import { useViewer } from '../auth/session';
import { ApiError } from '../lib/http';
import { toast } from '../lib/toaster';
import { actionsOf } from './access';
import type { Ask } from './ImageCard';
import { useImage } from './images';

/** Returns a function that removes parameters from the address after the screen has handled them. */
export function useForget() {
  const [, setParams] = useSearchParams();
  return (...names: string[]) =>
    setParams(
      (now) => {
        for (const name of names) now.delete(name);
        return now;
      },
      { replace: true, preventScrollReset: true },
    );
}

/** Marks a history entry that this screen added: one step back shows the list. */
const named = { namedHere: true };

interface Dialogs {
  /** The image whose dialog is open. */
  shown: Image | undefined;
  ask: (what: Ask, image: Image) => void;
  close: () => void;
}

/**
 * Keeps the open image in the address. A reload or a link opens its dialog, the dialog for the code, or an error message.
 * Back closes the dialog. With `show=share` a viewer who may share the image gets the sheet of its shares.
 */
export function useAddressedImage({ shown, ask, close }: Dialogs) {
  const { t } = useTranslation();
  const viewer = useViewer();
  const [params, setParams] = useSearchParams();
  const { state } = useLocation() as { state: unknown };
  const navigate = useNavigate();
  const forget = useForget();
  const id = params.get('image') ?? undefined;
  const sheet = params.get('show') === 'share';
  const { data, error } = useImage(id);
  const asked = useRef<string>(undefined);
  const before = useRef<string>(undefined);
  useEffect(() => {
    const left = before.current;
    before.current = id;
    if (!id && left) {
      asked.current = undefined;
      // The user pressed Back while the dialog was open.
      if (shown?.id === left) close();
    }
    if (!id || asked.current === id || (!data && !error)) return;
    asked.current = id;
    const can = data && actionsOf(viewer, data);
    if (data && sheet && can?.share) return ask('share', data);
    if (data && (can?.open || can?.verify)) return ask(can.open ? 'open' : 'verify', data);
    const unknown = error instanceof ApiError && error.status !== 404;
    // A toast renders synchronously, which React does not allow within an effect.
    queueMicrotask(() =>
      unknown
        ? toast.error(t('common.couldNotLoad'))
        : toast.error(t('images.view.gone'), { description: t('images.view.goneText') }),
    );
    forget('image', 'show');
  }, [id, sheet, data, error, viewer, ask, close, forget, shown, t]);
  return {
    /** Adds the image to the address after a click: Back closes the dialog, and a reload opens it again. */
    name: (image: Image) => {
      asked.current = image.id;
      if (id === image.id) return;
      const next = new URLSearchParams(params);
      next.set('image', image.id);
      setParams(next, { state: named, preventScrollReset: true });
    },
    forget: () => {
      if (!id) return;
      if ((state as typeof named | null)?.namedHere) void navigate(-1);
      else forget('image', 'show');
    },
  };
}
