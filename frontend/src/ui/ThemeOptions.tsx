import { Menu, Portal } from '@chakra-ui/react';
import { CheckIcon } from '@phosphor-icons/react';
import { useTheme } from 'next-themes';
import { useTranslation } from 'react-i18next';
import { themes } from './themes';

interface Props {
  open: boolean;
  /** The id of the button that opens the menu: the menu is placed beside it and returns the focus to it. */
  trigger: string;
  onClose: () => void;
}

/** The choices of the menu of themes. */
export function ThemeOptions({ open, trigger, onClose }: Props) {
  const { t } = useTranslation();
  const { theme, setTheme } = useTheme();
  return (
    <Menu.Root
      open={open}
      onOpenChange={(change) => !change.open && onClose()}
      ids={{ trigger }}
      positioning={{ placement: 'bottom-end' }}
      onSelect={({ value }) => setTheme(value)}
    >
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
