import { Box, Flex, Text } from '@chakra-ui/react';
import type { Month } from '@lightbox/contract/images/months.js';
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMonth, formatYear } from '../lib/format';

interface Props {
  /** In the order of the list, from top to bottom. */
  months: readonly Month[];
  /** The month of the first image on the page. */
  current: number;
  label: string;
  onJump: (index: number) => void;
}

const yearOf = ({ at }: Month) => new Date(at).getFullYear();
/** Time after the last key, before the list moves. */
const REST_MS = 350;

/** Returns the month to which a key moves; undefined for another key. A page is a year. */
function keyed(key: string, from: number, months: readonly Month[]): number | undefined {
  const isOther = (month: Month) => yearOf(month) !== yearOf(months[from] ?? month);
  switch (key) {
    case 'ArrowUp':
      return from - 1;
    case 'ArrowDown':
      return from + 1;
    case 'PageUp':
      return months.findLastIndex((month, i) => i < from && isOther(month));
    case 'PageDown': {
      const next = months.findIndex((month, i) => i > from && isOther(month));
      return next === -1 ? months.length - 1 : next;
    }
    case 'Home':
      return 0;
    case 'End':
      return months.length - 1;
    default:
      return undefined;
  }
}

/** A slim slider at the side of a long list. A person drags it, or uses the keys, to jump to a month. */
export function MonthScroller({ months, current, label, onJump }: Props) {
  const { t } = useTranslation();
  const rail = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<number>();
  const [held, setHeld] = useState(false);
  const last = months.length - 1;
  const shown = Math.min(last, Math.max(0, chosen ?? current));
  const month = months[shown];

  const jump = useRef(onJump);
  useEffect(() => {
    jump.current = onJump;
  }, [onJump]);
  useEffect(() => {
    if (chosen === undefined || held) return;
    const timer = setTimeout(() => {
      jump.current(chosen);
      setChosen(undefined);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [chosen, held]);

  const at = (event: PointerEvent) => {
    const box = rail.current?.getBoundingClientRect();
    if (!box) return;
    const share = (event.clientY - box.top) / box.height;
    setChosen(Math.min(last, Math.max(0, Math.floor(share * months.length))));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = keyed(event.key, shown, months);
    if (to === undefined) return;
    event.preventDefault();
    setChosen(Math.min(last, Math.max(0, to)));
  };
  if (!month) return null;
  return (
    <Box position="relative" w={{ base: '26px', lg: '40px' }} flex="none">
      <Flex
        ref={rail}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-orientation="vertical"
        aria-valuemin={1}
        aria-valuemax={months.length}
        aria-valuenow={shown + 1}
        aria-valuetext={formatMonth(month.at)}
        title={t('images.months.help')}
        direction="column"
        position="sticky"
        top="72px"
        h="min(70vh, 100%)"
        cursor="ns-resize"
        borderRadius="box"
        focusVisibleRing="outside"
        touchAction="none"
        userSelect="none"
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setHeld(true);
          at(event);
        }}
        onPointerMove={(event) => held && at(event)}
        onPointerUp={() => setHeld(false)}
        onPointerCancel={() => {
          setHeld(false);
          setChosen(undefined);
        }}
      >
        {months.map((one, i) => {
          const before = months[i - 1];
          const begins = !before || yearOf(before) !== yearOf(one);
          return (
            <Flex
              key={one.at}
              flex="1 1 0"
              minH="0"
              align="flex-start"
              justify="flex-end"
              position="relative"
              aria-hidden
            >
              {begins && (
                <Text
                  position="absolute"
                  insetEnd="10px"
                  top="-2px"
                  fontSize="2xs"
                  color="fg.muted"
                  fontVariantNumeric="tabular-nums"
                  display={{ base: 'none', lg: 'block' }}
                >
                  {formatYear(one.at)}
                </Text>
              )}
              <Box
                h="2px"
                borderRadius="full"
                w={i === shown ? '100%' : begins ? '8px' : '5px'}
                bg={i === shown ? 'accent.solid' : 'border.control'}
              />
            </Flex>
          );
        })}
        {chosen !== undefined && (
          <Box
            position="absolute"
            insetEnd="calc(100% + 6px)"
            top={`${((shown + 0.5) / months.length) * 100}%`}
            transform="translateY(-50%)"
            px="3"
            py="1.5"
            bg="fg"
            color="bg.surface"
            borderRadius="box"
            fontSize="sm"
            fontWeight="medium"
            whiteSpace="nowrap"
            zIndex="docked"
            aria-hidden
          >
            {formatMonth(month.at)}
          </Box>
        )}
      </Flex>
    </Box>
  );
}
