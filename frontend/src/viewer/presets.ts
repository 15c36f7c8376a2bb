import { valueUnit } from '@lightbox/contract/annotations/measuring.js';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import { type ValueRange, type VoiFunction, windowOf } from '@lightbox/contract/images/voi.js';
import type { Shown } from './shown';
import { extentOfWindow, isWhole, type Window } from './window';

export type PresetName =
  | 'asSent'
  | 'full'
  | 'softTissue'
  | 'lung'
  | 'liver'
  | 'bone'
  | 'brain'
  | 'bright'
  | 'dark'
  | 'soft'
  | 'hard';

export interface Preset {
  name: PresetName;
  /** The digit that chooses it. */
  key: string;
  center: number;
  width: number;
}

/** The usual windows of a CT in HU, with the keys that radiologists know from OHIF. */
const ct: readonly Preset[] = [
  { name: 'softTissue', key: '1', center: 40, width: 400 },
  { name: 'lung', key: '2', center: -600, width: 1500 },
  { name: 'liver', key: '3', center: 90, width: 150 },
  { name: 'bone', key: '4', center: 480, width: 2500 },
  { name: 'brain', key: '5', center: 40, width: 80 },
];

/** Values without a unit have no usual windows: the presets change the window of the picture itself. */
const relative = [
  { name: 'soft', key: '1', shift: 0, scale: 1.5 },
  { name: 'hard', key: '2', shift: 0, scale: 0.6 },
  { name: 'bright', key: '3', shift: -0.2, scale: 1 },
  { name: 'dark', key: '4', shift: 0.2, scale: 1 },
] as const;

/** Changes the window of a picture by shares of its extent, which a window of whole numbers keeps in whole numbers. */
function relativeTo(sent: Window, by: VoiFunction): Preset[] {
  const extent = extentOfWindow(sent, by);
  const tidy = (value: number) => (isWhole(extent) ? Math.round(value) : value);
  return relative.map(({ name, key, shift, scale }) => {
    const { width } = windowOf({ lower: 0, upper: tidy(extent * scale) }, by);
    return { name, key, center: sent.center + tidy(extent * shift), width };
  });
}

/** Returns the presets of a picture: those of Hounsfield units if its values have that unit, the window of the file, and the whole range of values. */
export function presetsOf(inHU: boolean, sent: Window, range: ValueRange | undefined, by: VoiFunction): Preset[] {
  const usual = inHU ? ct : relativeTo(sent, by);
  const full: Preset[] = range && range.upper > range.lower ? [{ name: 'full', key: '9', ...windowOf(range, by) }] : [];
  return [...usual, { name: 'asSent', key: '0', ...sent }, ...full];
}

/** Tells whether the presets of a CT fit: a map of the flow of blood is a CT too, and has other values. */
export const hasHU = (facts: FrameFacts | undefined): boolean => facts !== undefined && valueUnit(facts) === 'HU';

/** Returns the presets of what a pane shows. There are none before the first frame. */
export const presetsIn = ({ sent, range, voiFunction }: Shown, inHU: boolean): Preset[] =>
  sent ? presetsOf(inHU, sent, range, voiFunction) : [];

/** Returns the preset whose window the pane has. */
export function chosenIn(shown: Shown, inHU: boolean): Preset | undefined {
  const far = Math.min(0.51, extentOfWindow(shown, shown.voiFunction) / 100);
  const isNear = (a: number, b: number) => Math.abs(a - b) < far;
  return presetsIn(shown, inHU).find((one) => isNear(one.center, shown.center) && isNear(one.width, shown.width));
}
