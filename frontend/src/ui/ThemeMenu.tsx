import { IconButton } from '@chakra-ui/react';
import { DesktopIcon, MoonIcon, SunIcon } from '@phosphor-icons/react';
import { useTheme } from 'next-themes';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { onOpening } from './onOpening';
import { themes } from './themes';

const named = (value: string | undefined) => themes.find((theme) => theme.value === value) ?? themes[2];

const ThemeOptions = onOpening(async () => (await import('./ThemeOptions')).ThemeOptions);

/** The menu of themes (light, dark, system) behind an icon in the bar. */
export function ThemeMenu() {
  const { t } = useTranslation();
  const { resolvedTheme } = useTheme();
  const trigger = useId();
  const [open, setOpen] = useState(false);
  const Shown = resolvedTheme === 'dark' ? MoonIcon : SunIcon;
  return (
    <>
      <IconButton
        id={trigger}
        variant="ghost"
        aria-label={t('app.theme.label')}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        <Shown />
      </IconButton>
      <ThemeOptions open={open} trigger={trigger} onClose={() => setOpen(false)} />
    </>
  );
}

/** Returns the current theme with its icon, and a function that switches to the next theme, for the drawer. */
export function useThemeCycle() {
  const { theme, setTheme } = useTheme();
  const now = named(theme) ?? { value: 'system' as const, Icon: DesktopIcon };
  const next = themes[(themes.indexOf(now) + 1) % themes.length] ?? now;
  return { ...now, turn: () => setTheme(next.value) };
}
