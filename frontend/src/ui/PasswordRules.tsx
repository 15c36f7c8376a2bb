import { Box, Flex, List, VisuallyHidden } from '@chakra-ui/react';
import { passwordRules } from '@lightbox/contract/auth/rules.js';
import { limits } from '@lightbox/contract/limits.js';
import { CheckCircleIcon, CircleIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';

const rules = Object.keys(passwordRules) as (keyof typeof passwordRules)[];

/** The list of password rules, with a tick at each rule that the value meets. */
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
      {rules.map((key) => {
        const done = passwordRules[key](value);
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
