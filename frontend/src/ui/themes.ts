import { DesktopIcon, type Icon, MoonIcon, SunIcon } from '@phosphor-icons/react';

/** The themes to choose from. */
export const themes: { value: 'light' | 'dark' | 'system'; Icon: Icon }[] = [
  { value: 'light', Icon: SunIcon },
  { value: 'dark', Icon: MoonIcon },
  { value: 'system', Icon: DesktopIcon },
];
