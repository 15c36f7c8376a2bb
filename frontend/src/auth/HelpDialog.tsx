import { Link } from '@chakra-ui/react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '../lib/toaster';

const load = () => import('./HelpTopics');

/** The button that opens the help. The dialog is a chunk of its own, so that the first page does not load it. */
export function HelpDialog() {
  const { t } = useTranslation();
  const [part, setPart] = useState<Awaited<ReturnType<typeof load>>>();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const ask = () =>
    load().then(
      (loaded) => {
        setPart(loaded);
        setOpen(true);
      },
      () => toast.error(t('app.failed.unreachableText')),
    );
  return (
    <>
      <Link asChild variant="underline" color="accent.fg">
        <button type="button" ref={button} aria-haspopup="dialog" aria-expanded={open} onClick={ask}>
          {t('auth.help.act')}
        </button>
      </Link>
      {part && <part.HelpTopics open={open} onClose={() => setOpen(false)} opener={() => button.current} />}
    </>
  );
}
