import { Box, chakra, Flex, IconButton, Input, Text, VisuallyHidden } from '@chakra-ui/react';
import {
  CaretLeftIcon,
  CaretRightIcon,
  MagnifyingGlassMinusIcon,
  MagnifyingGlassPlusIcon,
  WarningIcon,
} from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { imageContent } from '../images/images';
import { ApiError } from '../lib/http';
import { useDebounced } from '../lib/useDebounced';
import { framesOfImage } from './engine/frameId';
import { isRefusal } from './frames';
import { Message } from './Message';
import { openDocument, textOf } from './pdfDocument';
import { pagesWith } from './pdfText';
import { RenderedPages } from './RenderedPages';

const bar = { size: 'sm', variant: 'plain', color: 'viewer.text', _hover: { bg: 'viewer.panel' } } as const;
const steps = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4] as const;

function useDocument(id: string) {
  const content = useQuery(imageContent(id));
  const [document, setDocument] = useState<PDFDocumentProxy>();
  const [broken, setBroken] = useState(false);
  const { data } = content;
  useEffect(() => {
    if (!data) return;
    let close = () => {};
    let here = true;
    void data.arrayBuffer().then((bytes) => {
      if (!here) return;
      const opened = openDocument(new Uint8Array(bytes));
      close = opened.close;
      opened.document.then(
        (made) => here && setDocument(made),
        () => here && setBroken(true),
      );
    });
    return () => {
      here = false;
      close();
      setDocument(undefined);
    };
  }, [data]);
  return { document, broken, onBroken: useCallback(() => setBroken(true), []), error: content.error };
}

/** Draws a page in the size of the pane, and calls `onBroken` when the page cannot be drawn. */
function usePage(document: PDFDocumentProxy | undefined, n: number, zoom: number, width: number, onBroken: () => void) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [drawn, setDrawn] = useState({ n: 0, zoom: 0, text: '' });
  useEffect(() => {
    if (!document || !canvas.current || width === 0) return;
    const target = canvas.current;
    let stop = () => {};
    let here = true;
    void (async () => {
      const page = await document.getPage(n);
      if (!here) return;
      const whole = page.getViewport({ scale: 1 });
      const ratio = Math.min(2, devicePixelRatio || 1);
      const scale = (Math.min(width - 32, 1_000) / whole.width) * zoom;
      const viewport = page.getViewport({ scale: scale * ratio });
      const buffer = window.document.createElement('canvas');
      buffer.width = Math.floor(viewport.width);
      buffer.height = Math.floor(viewport.height);
      const task = page.render({ canvas: buffer, viewport });
      stop = () => task.cancel();
      await task.promise;
      const text = await textOf(document, n);
      if (!here) return;
      target.width = buffer.width;
      target.height = buffer.height;
      target.style.width = `${buffer.width / ratio}px`;
      target.getContext('2d')?.drawImage(buffer, 0, 0);
      setDrawn({ n, zoom, text });
    })().catch(() => here && onBroken());
    return () => {
      here = false;
      stop();
    };
  }, [document, n, zoom, width, onBroken]);
  return { canvas, drawn };
}

function useFound(document: PDFDocumentProxy | undefined, wanted: string) {
  const [pages, setPages] = useState<number[]>();
  const texts = useRef<string[]>(undefined);
  useEffect(() => {
    setPages(undefined);
    if (!document || !wanted) return;
    let here = true;
    void (async () => {
      texts.current ??= await Promise.all(Array.from({ length: document.numPages }, (_, i) => textOf(document, i + 1)));
      if (here) setPages(pagesWith(texts.current, wanted));
    })().catch(() => here && setPages([]));
    return () => {
      here = false;
    };
  }, [document, wanted]);
  return pages;
}

interface Props {
  id: string;
  /** The number of pages that the server found. */
  pages: number;
  start: number;
  onRefused: () => void;
}

/** A document with its pages, zoom, and a search in its text. The server draws the pages of a document that the browser cannot draw. */
export function Pdf({ id, pages, start, onRefused }: Props) {
  const { t } = useTranslation();
  const { document, broken, onBroken, error } = useDocument(id);
  // Without the right to download it, the server draws the pages.
  const withheld = error instanceof ApiError && error.code === 'NO_DOWNLOAD';
  const [n, setN] = useState(start + 1);
  const [zoom, setZoom] = useState<number>(1);
  const [search, setSearch] = useState('');
  const pane = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const count = document?.numPages ?? 0;
  const go = (to: number) => setN(Math.max(1, Math.min(count || 1, to)));
  const { canvas, drawn } = usePage(document, n, zoom, width, onBroken);
  const found = useFound(document, useDebounced(search.trim(), 300));
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    if (pane.current) watch.observe(pane.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (isRefusal(error) && !withheld) onRefused();
  }, [error, withheld, onRefused]);
  const [first] = found ?? [];
  useEffect(() => {
    if (first !== undefined) setN((now) => (found?.includes(now) ? now : first));
  }, [first, found]);
  if (broken || withheld)
    return <RenderedPages frames={framesOfImage(id, Math.max(1, pages))} start={n - 1} onRefused={onRefused} />;
  const step = (by: 1 | -1) => {
    const next = by > 0 ? steps.find((one) => one > zoom) : steps.findLast((one) => one < zoom);
    if (next) setZoom(next);
  };
  const state = error ? 'failed' : drawn.n === n && drawn.zoom === zoom ? 'drawn' : 'loading';
  return (
    <Flex direction="column" minH="0" minW="0" bg="viewer.bg" color="viewer.text">
      <Flex align="center" gap="1" px="3" py="1.5" wrap="wrap" bg="viewer.bar" dir="ltr">
        <IconButton {...bar} aria-label={t('viewer.pdf.previous')} disabled={n <= 1} onClick={() => go(n - 1)}>
          <CaretLeftIcon />
        </IconButton>
        <Text fontFamily="mono" fontSize="14px" minW="7ch" textAlign="center">
          {n} / {count || '…'}
        </Text>
        <IconButton {...bar} aria-label={t('viewer.pdf.next')} disabled={n >= count} onClick={() => go(n + 1)}>
          <CaretRightIcon />
        </IconButton>
        <IconButton {...bar} aria-label={t('viewer.pdf.zoomOut')} disabled={zoom <= steps[0]} onClick={() => step(-1)}>
          <MagnifyingGlassMinusIcon />
        </IconButton>
        <Text fontFamily="mono" fontSize="14px" minW="5ch" textAlign="center">
          {Math.round(zoom * 100)}%
        </Text>
        <IconButton {...bar} aria-label={t('viewer.pdf.zoomIn')} disabled={zoom >= 4} onClick={() => step(1)}>
          <MagnifyingGlassPlusIcon />
        </IconButton>
        <Input
          type="search"
          size="sm"
          flex="1"
          minW="140px"
          maxW="320px"
          ms="auto"
          value={search}
          placeholder={t('viewer.pdf.find')}
          aria-label={t('viewer.pdf.find')}
          dir="auto"
          onChange={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !found?.length) return;
            go(found.find((page) => page > n) ?? (found[0] as number));
          }}
        />
        <Text role="status" fontSize="13px" color="viewer.muted" minW="8ch">
          {found && (found.length ? t('viewer.pdf.found', { count: found.length }) : t('viewer.pdf.notFound'))}
        </Text>
      </Flex>
      <Box
        ref={pane}
        data-viewport=""
        data-state={state}
        data-image={id}
        data-frame={n}
        data-frames={count}
        data-zoom={zoom}
        data-rotation={0}
        data-flipped={false}
        data-inverted={false}
        flex="1"
        minH="0"
        overflow="auto"
        tabIndex={0}
        role="region"
        aria-label={t('viewer.pageOf', { frame: n, frames: count || 1 })}
        onKeyDown={(event) => {
          const by = { PageDown: 1, ArrowRight: 1, PageUp: -1, ArrowLeft: -1 }[event.key];
          if (!by) return;
          event.preventDefault();
          go(n + by);
        }}
        _focusVisible={{ boxShadow: 'inset 0 0 0 3px var(--chakra-colors-accent-focus-ring)', outline: 'none' }}
      >
        {error ? (
          <Box h="full" display="grid" placeItems="center">
            <Message Icon={WarningIcon} title={t('viewer.failed')} text={t('viewer.failedText')} />
          </Box>
        ) : (
          <Flex minW="min-content" justify="center" p="4" pb="16">
            <chakra.canvas ref={canvas} bg="white" h="auto" aria-hidden />
          </Flex>
        )}
        <VisuallyHidden>
          <section aria-label={t('viewer.pdf.text', { page: n })} dir="auto">
            {drawn.text}
          </section>
        </VisuallyHidden>
      </Box>
    </Flex>
  );
}
