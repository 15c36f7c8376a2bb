import { Box, Image } from '@chakra-ui/react';
import { FileXIcon } from '@phosphor-icons/react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { frameOf, framesOfImage } from './engine/frameId';
import type { Entry } from './entries';
import { Message } from './Message';
import { RenderedPages } from './RenderedPages';
import { Report } from './Report';

const Pdf = lazy(async () => ({ default: (await import('./Pdf')).Pdf }));

interface Props {
  entry: Entry;
  /** True while the imaging library loads. */
  waiting: boolean;
  preview: string | undefined;
  start: number;
  /** Absent when the viewer may not have the original file. */
  onDownload?: (() => void) | undefined;
  onRefused: () => void;
}

function Waiting({ entry, preview }: { entry: Entry; preview: string | undefined }) {
  const { t } = useTranslation();
  return (
    <Box
      data-viewport=""
      data-state="loading"
      data-image={entry.key}
      data-frame={1}
      data-frames={entry.frameIds.length}
      position="relative"
      bg="viewer.bg"
      role="img"
      aria-label={t('viewer.opening')}
    >
      {preview && <Image src={preview} alt="" position="absolute" inset="0" boxSize="full" objectFit="contain" />}
    </Box>
  );
}

/** A pane without the imaging library: a document, a report, a file that cannot be drawn, or the server's own frames. */
export function Document({ entry, waiting, preview, start, onDownload, onRefused }: Props) {
  const { t } = useTranslation();
  if (waiting) return <Waiting entry={entry} preview={preview} />;
  if (entry.kind === 'stack' || (entry.kind === 'pdf' && !onDownload)) {
    // The slices of a stack are frames of several images.
    const frames =
      entry.kind === 'pdf' ? framesOfImage(entry.key, Math.max(1, entry.facts.frames)) : entry.frameIds.map(frameOf);
    return <RenderedPages frames={frames} start={start} onRefused={onRefused} />;
  }
  if (entry.kind === 'pdf') {
    return (
      <Suspense fallback={<Waiting entry={entry} preview={preview} />}>
        <Pdf id={entry.key} pages={entry.facts.frames} start={start} onRefused={onRefused} />
      </Suspense>
    );
  }
  const { report } = entry.facts;
  if (entry.kind === 'report' && report) {
    return <Report id={entry.key} facts={entry.facts} report={report} start={start} />;
  }
  return (
    <Box
      data-viewport=""
      data-state="failed"
      data-image={entry.key}
      data-frame={0}
      data-frames={0}
      display="grid"
      placeItems="center"
    >
      <Message
        Icon={FileXIcon}
        title={t('viewer.none')}
        text={t('viewer.noneText')}
        act={onDownload && { label: t('viewer.download'), onClick: onDownload }}
      />
    </Box>
  );
}
