import { Box, Flex, Text, VisuallyHidden } from '@chakra-ui/react';
import { CheckIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { type StepName, stepNames, type Values } from './form';

function useShort() {
  const { t } = useTranslation();
  return (step: StepName, role: string, done: boolean): string => {
    if (step === 'role' && done && role) return t(`auth.register.role.${role as 'patient'}`);
    if (step === 'medical') {
      return t(
        role === 'healthProvider' ? 'auth.register.medical.shortProvider' : 'auth.register.medical.shortPatient',
      );
    }
    return t(`auth.register.${step}.short`);
  };
}

/** The list of the four steps beside the form: finished steps are green, the current one is highlighted. */
export function StepRail({ at, role }: { at: number; role: Values['role'] }) {
  const { t } = useTranslation();
  const short = useShort();
  return (
    <Flex as="ol" direction="column" listStyleType="none" mt="16" aria-label={t('auth.register.progress')}>
      {stepNames.map((step, index) => {
        const [done, now] = [index < at, index === at];
        return (
          <Flex
            as="li"
            key={step}
            gap="4"
            pb="30px"
            position="relative"
            color="fg.muted"
            aria-current={now ? 'step' : undefined}
          >
            {index < stepNames.length - 1 && (
              <Box
                aria-hidden
                position="absolute"
                insetStart="17px"
                top="40px"
                bottom="1"
                w="2px"
                borderRadius="2px"
                bg={done ? 'success.solid' : 'border.control'}
                opacity={done ? 1 : 0.45}
              />
            )}
            <Flex
              aria-hidden
              boxSize="36px"
              flex="none"
              align="center"
              justify="center"
              borderRadius="full"
              borderWidth={now ? '2px' : '1.5px'}
              fontWeight="650"
              fontVariantNumeric="tabular-nums"
              bg={done ? 'success.solid' : now ? 'bg.surface' : 'bg'}
              borderColor={done ? 'success.solid' : now ? 'lamp' : 'border.control'}
              color={done ? 'success.contrast' : now ? 'fg' : 'fg.muted'}
              boxShadow={
                now
                  ? {
                      _light: '0 0 0 4px #FFF1D6, 0 0 26px 6px #FFD98F',
                      _dark: '0 0 0 4px #33270F, 0 0 26px 4px rgb(255 198 102/.35)',
                    }
                  : 'none'
              }
              transition="background-color, box-shadow, border-color"
              transitionDuration="light"
            >
              {done ? <CheckIcon size={18} weight="bold" /> : index + 1}
            </Flex>
            <Box pt="5px">
              <Text fontWeight="semibold" lineHeight="1.5" color={done || now ? 'fg' : 'fg.muted'}>
                {t(`auth.register.${step}.title`)}
                <VisuallyHidden>
                  {done ? `, ${t('auth.register.done')}` : now ? `, ${t('auth.register.current')}` : ''}
                </VisuallyHidden>
              </Text>
              <Text fontSize="sm">{short(step, role, done)}</Text>
            </Box>
          </Flex>
        );
      })}
    </Flex>
  );
}

/** The same on a phone: four short bars, amber up to the current step. */
export const StepLamps = ({ at }: { at: number }) => (
  <Flex aria-hidden gap="1.5" mt="3">
    {stepNames.map((step, index) => (
      <Box
        key={step}
        flex="1"
        h="4px"
        borderRadius="4px"
        bg={index < at ? 'success.solid' : index === at ? 'lamp' : 'border'}
        transition="background-color"
        transitionDuration="light"
      />
    ))}
  </Flex>
);
