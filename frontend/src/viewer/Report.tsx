import { Box, Heading, Text } from '@chakra-ui/react';
import type { Report as Content, FrameFacts, Lead } from '@lightbox/contract/images/drawing.js';
import { useTranslation } from 'react-i18next';
import { framesOfImage } from './engine/frameId';
import { RenderedPages } from './RenderedPages';

/** The outline of a waveform: a line from the lowest to the highest value at each step. */
function Waveform({ name, unit, seconds, low, high }: Lead) {
  const { t } = useTranslation();
  const [min, max] = [Math.min(...low), Math.max(...high)];
  const span = max - min || 1;
  const y = (value: number) => 78 - ((value - min) / span) * 76;
  const path = low.map((value, i) => `M${i} ${y(value).toFixed(1)}V${y(high[i] ?? value).toFixed(1)}`).join('');
  const line = `M${low.map((value, i) => `${i} ${y((value + (high[i] ?? value)) / 2).toFixed(1)}`).join('L')}`;
  return (
    <Box as="figure" mb="3" dir="ltr">
      <Text as="figcaption" fontFamily="mono" fontSize="13px" color="viewer.muted">
        {name} {unit && `(${unit})`}
      </Text>
      <Box
        as="svg"
        role="img"
        aria-label={t('viewer.waveform', { name, seconds: seconds.toFixed(1) })}
        w="full"
        h="80px"
        {...{ viewBox: `0 0 ${Math.max(1, low.length)} 80`, preserveAspectRatio: 'none' }}
      >
        <path
          d={path + line}
          stroke="var(--chakra-colors-viewer-active)"
          strokeWidth="1"
          vectorEffect="non-scaling-stroke"
          fill="none"
        />
      </Box>
    </Box>
  );
}

interface Props {
  id: string;
  facts: FrameFacts;
  report: Content;
  /** The page of its document that is shown first, from 0. */
  start: number;
}

/** A file without pixels as a page to read: title, lines with their depth, waveforms, or the pages of its document. */
export function Report({ id, facts, report, start }: Props) {
  const { t } = useTranslation();
  if (report.pdf && facts.frames > 0) {
    return <RenderedPages frames={framesOfImage(id, facts.frames)} start={start} onRefused={() => {}} />;
  }
  const title = report.title || t('viewer.report');
  return (
    <Box
      data-viewport=""
      data-state="drawn"
      data-image={id}
      data-frame={1}
      data-frames={1}
      overflowY="auto"
      minH="0"
      bg="viewer.bg"
      color="viewer.text"
      tabIndex={0}
      role="region"
      aria-label={title}
      _focusVisible={{ boxShadow: 'inset 0 0 0 3px var(--chakra-colors-accent-focus-ring)', outline: 'none' }}
    >
      <Box as="article" maxW="78ch" mx="auto" px="6" pt="8" pb="20">
        <Heading as="h2" fontSize="xl" mb="5" dir="auto">
          {title}
        </Heading>
        {report.waveforms?.map((lead) => (
          <Waveform key={lead.name} {...lead} />
        ))}
        {report.lines.map(({ depth, label, text }, i) => (
          <Text
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a report never change
            key={i}
            mb="1.5"
            lineHeight="1.6"
            dir="auto"
            overflowWrap="anywhere"
            style={{ paddingInlineStart: `${Math.min(depth, 8) * 20}px` }}
          >
            {label && (
              <Text as="span" color="viewer.muted">
                {label}:{' '}
              </Text>
            )}
            {text}
          </Text>
        ))}
        {report.cut && (
          <Text mt="4" color="viewer.warn">
            {t('viewer.cut')}
          </Text>
        )}
      </Box>
    </Box>
  );
}
