import { Box, Flex, IconButton, List, VisuallyHidden } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { CheckCircleIcon, CircleIcon, EyeIcon, EyeSlashIcon, LockSimpleIcon } from '@phosphor-icons/react';
import { type ComponentProps, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TextField } from './Field';

const rules = [
  { key: 'length', met: (value: string) => value.length >= limits.passwordMin },
  { key: 'upper', met: (value: string) => /\p{Lu}/u.test(value) },
  { key: 'lower', met: (value: string) => /\p{Ll}/u.test(value) },
  { key: 'number', met: (value: string) => /\d/.test(value) },
] as const;

/** The rules, ticked as they are met. */
export function PasswordRules({ value }: { value: string }) {
  const { t } = useTranslation();
  return (
    <List.Root
      variant="plain"
      aria-label={t('app.password.rules')}
      display="grid"
      gridTemplateColumns={{ base: '1fr', sm: '1fr 1fr' }}
      gap="1.5"
      fontSize="xs"
      color="fg.muted"
    >
      {rules.map(({ key, met }) => {
        const done = met(value);
        const Mark = done ? CheckCircleIcon : CircleIcon;
        return (
          <List.Item key={key}>
            <Flex align="center" gap="1.5" color={done ? 'success.fg' : 'fg.muted'} transition="colors">
              <Box flex="none">
                <Mark size={17} weight={done ? 'fill' : 'regular'} aria-hidden />
              </Box>
              {t(`app.password.${key}`, { count: limits.passwordMin })}
              <VisuallyHidden>, {t(done ? 'app.password.met' : 'app.password.notMet')}</VisuallyHidden>
            </Flex>
          </List.Item>
        );
      })}
    </List.Root>
  );
}

/** A password, with an eye to look at it. */
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
