import type { Image } from '@lightbox/contract/images/schemas.js';
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom';
import { useViewer } from '../auth/session';
import { ApiError } from '../lib/http';
import { toast } from '../lib/toaster';
import { actionsOf } from './access';
import type { Ask } from './ImageCard';
import { useImage } from './images';
import { useStudy } from './studies';
import { stackOf, standIn } from './subject';

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
  /** The image, or the one that stands for a study, whose dialog is open. */
  shown: Image | undefined;
  ask: (what: Ask, image: Image) => void;
  close: () => void;
}

const keys = ['image', 'study'] as const;

/** Returns the parameter of the address that names what a dialog shows. */
const inAddress = (image: Image): [(typeof keys)[number], string] => {
  const stack = stackOf(image);
  return stack ? ['study', stack.id] : ['image', image.id];
};

/** Reads the image or the study that the address names. */
function useNamed(params: URLSearchParams) {
  const key = keys.find((one) => params.has(one));
  const id = (key && params.get(key)) ?? undefined;
  const image = useImage(key === 'image' ? id : undefined);
  const study = useStudy(key === 'study' ? id : undefined);
  const standing = useMemo(() => study.data && standIn(study.data), [study.data]);
  if (key === 'study') return { id, data: standing, error: study.error };
  return { id, data: id ? image.data : undefined, error: image.error };
}

/**
 * Keeps the open image or study in the address. A reload or a link opens its dialog, the dialog for the code, or an error message.
 * Back closes the dialog. With `show=share` a viewer who may share the image gets the sheet of its shares.
 */
export function useAddressedImage({ shown, ask, close }: Dialogs) {
  const { t } = useTranslation();
  const viewer = useViewer();
  const [params, setParams] = useSearchParams();
  const { state } = useLocation() as { state: unknown };
  const navigate = useNavigate();
  const forget = useForget();
  const { id, data, error } = useNamed(params);
  const sheet = params.get('show') === 'share';
  const asked = useRef<string>(undefined);
  const before = useRef<string>(undefined);
  useEffect(() => {
    const left = before.current;
    before.current = id;
    if (!id && left) {
      asked.current = undefined;
      // The user pressed Back while the dialog was open.
      if ([shown?.id, shown?.study?.id].includes(left)) close();
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
    forget(...keys, 'show');
  }, [id, sheet, data, error, viewer, ask, close, forget, shown, t]);
  return {
    /** Adds the image to the address after a click: Back closes the dialog, and a reload opens it again. */
    name: (image: Image) => {
      const [key, value] = inAddress(image);
      asked.current = value;
      if (id === value) return;
      const next = new URLSearchParams(params);
      for (const one of keys) next.delete(one);
      next.set(key, value);
      setParams(next, { state: named, preventScrollReset: true });
    },
    forget: () => {
      if (!id) return;
      if ((state as typeof named | null)?.namedHere) void navigate(-1);
      else forget(...keys, 'show');
    },
  };
}
