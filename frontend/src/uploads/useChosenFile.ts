import { inMegabytes } from '@lightbox/contract/texts.js';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../lib/format';
import { usePublicSettings } from '../lib/publicSettings';
import { type FileFault, faultOf } from './checkFile';

interface Chosen {
  file: File;
  fault?: FileFault;
  /** The server's message about the file. */
  refusal?: string;
}

/** Calls `onFiles` with the files that the user pastes anywhere on the page. */
export function usePastedFiles(onFiles: (files: File[]) => void, enabled: boolean) {
  const latest = useRef({ onFiles, enabled });
  latest.current = { onFiles, enabled };
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (!files.length || !latest.current.enabled) return;
      event.preventDefault();
      latest.current.onFiles(files);
    };
    window.addEventListener('paste', onPaste);
    return () => window.removeEventListener('paste', onPaste);
  }, []);
}

/** The one file of the form, and the words about its fault. */
export function useChosenFile() {
  const { t } = useTranslation();
  const maxBytes = usePublicSettings()['upload.maxBytes'];
  const [chosen, setChosen] = useState<Chosen>();
  const [missing, setMissing] = useState(false);
  const judge = useCallback(
    async (file: File) => {
      const fault = await faultOf(file, maxBytes);
      setChosen({ file, ...(fault && { fault }) });
    },
    [maxBytes],
  );
  // The limit may change while the user writes the caption: check the chosen file again.
  const file = chosen?.file;
  const judged = useRef(maxBytes);
  useEffect(() => {
    if (judged.current !== maxBytes && file) void judge(file);
    judged.current = maxBytes;
  }, [maxBytes, file, judge]);
  const words: Record<FileFault, () => { fault: string; help: string }> = {
    size: () => ({
      fault: t('images.form.fileSize', { mb: inMegabytes(maxBytes) }),
      help: t('images.form.sizeHelp', { size: formatBytes(chosen?.file.size ?? 0) }),
    }),
    empty: () => ({ fault: t('images.form.fileEmpty'), help: t('images.form.typeHelp') }),
    type: () => ({ fault: t('images.form.fileType'), help: t('images.form.typeHelp') }),
  };
  const said = chosen?.fault ? words[chosen.fault]() : { fault: chosen?.refusal, help: undefined };
  return {
    chosen: chosen && { file: chosen.file, ...said },
    maxBytes,
    missing,
    choose: (chosenFile: File) => {
      setMissing(false);
      void judge(chosenFile);
    },
    drop: () => setChosen(undefined),
    miss: () => setMissing(true),
    refuse: (refusal: string) => setChosen((now) => now && { file: now.file, refusal }),
  };
}
