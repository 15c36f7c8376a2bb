import { IconButton, Menu, Portal } from '@chakra-ui/react';
import { CheckIcon, DesktopIcon, type Icon, MoonIcon, SunIcon } from '@phosphor-icons/react';
import { useTheme } from 'next-themes';
import { useTranslation } from 'react-i18next';

const themes: { value: 'light' | 'dark' | 'system'; Icon: Icon }[] = [
  { value: 'light', Icon: SunIcon },
  { value: 'dark', Icon: MoonIcon },
  { value: 'system', Icon: DesktopIcon },
];

const named = (value: string | undefined) => themes.find((theme) => theme.value === value) ?? themes[2];

/** The menu of themes (light, dark, system) behind an icon in the bar. */
export function ThemeMenu() {
  const { t } = useTranslation();
  const { theme, setTheme, resolvedTheme } = useTheme();
  const Shown = resolvedTheme === 'dark' ? MoonIcon : SunIcon;
  return (
    <Menu.Root positioning={{ placement: 'bottom-end' }} onSelect={({ value }) => setTheme(value)}>
      <Menu.Trigger asChild>
        <IconButton variant="ghost" aria-label={t('app.theme.label')}>
          <Shown />
        </IconButton>
      </Menu.Trigger>
      <Portal>
        <Menu.Positioner>
          <Menu.Content>
            {themes.map(({ value, Icon }) => (
              <Menu.Item key={value} value={value}>
                <Icon size={20} aria-hidden />
                <Menu.ItemText>{t(`app.theme.${value}`)}</Menu.ItemText>
                {value === theme && <CheckIcon size={16} weight="bold" aria-hidden />}
              </Menu.Item>
            ))}
          </Menu.Content>
        </Menu.Positioner>
      </Portal>
    </Menu.Root>
  );
}

/** Returns the current theme with its icon, and a function that switches to the next theme, for the drawer. */
export function useThemeCycle() {
  const { theme, setTheme } = useTheme();
  const now = named(theme) ?? { value: 'system' as const, Icon: DesktopIcon };
  const next = themes[(themes.indexOf(now) + 1) % themes.length] ?? now;
  return { ...now, turn: () => setTheme(next.value) };
}
