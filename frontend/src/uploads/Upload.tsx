import { useAtomValue } from 'jotai';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { store } from '../lib/store';
import { Page } from '../ui/Page';
import { isUnderWay, trayAtom } from './tray';
import { UploadForm } from './UploadForm';
import { useChosenFile, usePastedFiles } from './useChosenFile';

const Batch = lazy(async () => ({ default: (await import('./Batch')).Batch }));

const isZip = ({ name, type }: File) => type.includes('zip') || name.toLowerCase().endsWith('.zip');

/** The screen "Upload Medical Image": a form for one file, and a plan for many files or a zip. */
export function Upload() {
  const { t } = useTranslation();
  const file = useChosenFile();
  const [many, setMany] = useState<File[]>();

  const take = (files: File[]) => {
    const [first] = files;
    if (!first) return;
    if (many) setMany([...many, ...files]);
    else if (files.length > 1 || isZip(first)) setMany(files);
    else file.choose(first);
  };
  // A pasted file does not replace the one that the form is sending.
  const { groups, items } = useAtomValue(trayAtom, { store });
  const sending = items.some(
    (item) => isUnderWay(item) && groups.some(({ id, attended }) => attended && id === item.groupId),
  );
  usePastedFiles(take, !sending);

  return (
    <Page title={t('images.form.title')} sub={t('images.form.sub')}>
      {many ? (
        <Suspense fallback={null}>
          <Batch
            files={many}
            maxBytes={file.maxBytes}
            onEnd={() => {
              setMany(undefined);
              file.drop();
            }}
          />
        </Suspense>
      ) : (
        <UploadForm file={file} onFiles={take} />
      )}
    </Page>
  );
}
