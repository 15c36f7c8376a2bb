import { Box, chakra, Flex, Grid, Text } from '@chakra-ui/react';
import { CheckCircleIcon, CircleIcon, type Icon, StethoscopeIcon, UserIcon } from '@phosphor-icons/react';
import { useFormContext } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { Values } from './form';

const offered: { role: 'patient' | 'healthProvider'; Icon: Icon }[] = [
  { role: 'patient', Icon: UserIcon },
  { role: 'healthProvider', Icon: StethoscopeIcon },
];

/** The radio button covers its card; the text is above it, so that it can be selected and read by touch. */
const above = { position: 'relative', zIndex: 1, w: 'fit-content' } as const;

export function RoleStep() {
  const { t } = useTranslation();
  const { register, watch } = useFormContext<Values>();
  const chosen = watch('role');
  return (
    <Box as="fieldset" border="0" p="0" m="0" minW="0">
      <Text as="legend" fontWeight="semibold" mb="3">
        {t('auth.register.role.question')}
      </Text>
      <Grid templateColumns={{ base: '1fr', md: '1fr 1fr' }} gap="4" maxW="820px">
        {offered.map(({ role, Icon }) => {
          const Mark = chosen === role ? CheckCircleIcon : CircleIcon;
          return (
            <chakra.label
              key={role}
              position="relative"
              display="flex"
              flexDirection="column"
              gap="2"
              p="5"
              cursor="pointer"
              borderWidth="1.5px"
              borderRadius="card"
              borderColor={chosen === role ? 'accent.fg' : 'border.control'}
              bg={chosen === role ? 'accent.subtle' : 'bg.surface'}
              transition="background-color, border-color"
              transitionDuration="fade"
              _hover={chosen === role ? {} : { bg: 'bg.muted' }}
              css={{
                '&:has(:focus-visible)': {
                  outline: '3px solid',
                  outlineColor: 'accent.focusRing',
                  outlineOffset: '2px',
                },
              }}
            >
              <chakra.input
                type="radio"
                value={role}
                position="absolute"
                inset="0"
                opacity="0"
                cursor="pointer"
                aria-describedby={`${role}-text`}
                {...register('role')}
              />
              <Flex justify="space-between" align="flex-start" color={chosen === role ? 'accent.onSubtle' : 'fg.muted'}>
                <Icon size={36} weight="duotone" aria-hidden />
                <Mark size={24} weight={chosen === role ? 'fill' : 'regular'} aria-hidden />
              </Flex>
              <Text {...above} fontWeight="650" fontSize="lg" mt="3">
                {t(`auth.register.role.${role}`)}
              </Text>
              <Text {...above} id={`${role}-text`} color={chosen === role ? 'accent.onSubtle' : 'fg.muted'}>
                {t(`auth.register.role.${role}Text`)}
              </Text>
            </chakra.label>
          );
        })}
      </Grid>
    </Box>
  );
}
