import { Box, Switch } from '@chakra-ui/react';
import type { HeatMap } from '@lightbox/contract/analysis/schemas.js';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';

const LONGEST = 512;

/** Draws the grid over a picture of this shape, in one warm colour: the stronger, the less one sees through it. */
export function HeatLayer({ map, width, height }: { map: HeatMap; width: number; height: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scale = LONGEST / Math.max(width, height);
  const [w, h] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context) return;
    const grid = document.createElement('canvas');
    grid.width = map.width;
    grid.height = map.height;
    const small = grid.getContext('2d');
    if (!small) return;
    const pixels = small.createImageData(map.width, map.height);
    const values = atob(map.values);
    for (let at = 0; at < map.width * map.height; at++) {
      pixels.data.set([255, 120, 0, Math.round(values.charCodeAt(at) * 0.6)], at * 4);
    }
    small.putImageData(pixels, 0, 0);
    context.clearRect(0, 0, w, h);
    context.drawImage(grid, 0, 0, w, h);
  }, [map, w, h]);
  return (
    <Box asChild position="absolute" inset="0" boxSize="full" objectFit="contain" pointerEvents="none">
      <canvas ref={canvas} width={w} height={h} aria-hidden data-heat-map />
    </Box>
  );
}

/** Shows and hides the heat map. */
export function HeatSwitch({ label, on, onChange }: { label: string; on: boolean; onChange: (on: boolean) => void }) {
  const { t } = useTranslation();
  return (
    <Box px="1.5" pt="3">
      <Switch.Root checked={on} onCheckedChange={({ checked }) => onChange(checked)} minH="touch">
        <Switch.HiddenInput />
        <Switch.Control>
          <Switch.Thumb />
        </Switch.Control>
        <Switch.Label fontSize="sm">
          {t('analysis.heat.show')} <bdi>{label}</bdi>
        </Switch.Label>
      </Switch.Root>
      <Box fontSize="xs" color="fg.muted">
        {t('analysis.heat.text')}
      </Box>
    </Box>
  );
}
