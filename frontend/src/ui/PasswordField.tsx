import { IconButton } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { EyeIcon, EyeSlashIcon, LockSimpleIcon } from '@phosphor-icons/react';
import { type ComponentProps, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TextField } from './Field';

/** A password field with a button that shows the password. */
export function PasswordField(props: Omit<ComponentProps<typeof TextField>, 'type' | 'end' | 'Icon'>) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(false);
  const Eye = shown ? EyeSlashIcon : EyeIcon;
  return (
    <TextField
      {...props}
      Icon={LockSimpleIcon}
      type={shown ? 'text' : 'password'}
      maxLength={limits.passwordMax}
      autoCapitalize="none"
      spellCheck={false}
      end={
        <IconButton
          variant="ghost"
          size="sm"
          aria-label={t(shown ? 'common.hidePassword' : 'common.showPassword')}
          aria-pressed={shown}
          onClick={() => setShown((now) => !now)}
        >
          <Eye />
        </IconButton>
      }
    />
  );
}
