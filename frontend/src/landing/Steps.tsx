import { Box, Flex, Heading, Text } from '@chakra-ui/react';
import { ChatsCircleIcon, KeyIcon, ShareNetworkIcon, UploadSimpleIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../lib/format';
import { usePublicLimits } from '../lib/publicLimits';
import { Section } from './Section';

/** The steps of a share. Each step is drawn brighter than the previous one. */
const steps = [
  {
    key: 'upload',
    Icon: UploadSimpleIcon,
    bg: 'linear-gradient(90deg, #081521, #0C2235)',
    text: '#C3D4E2',
    small: '#9DB6CA',
    icon: '#9FC4E2',
    well: 'rgb(255 255 255/.07)',
  },
  {
    key: 'share',
    Icon: ShareNetworkIcon,
    bg: 'linear-gradient(90deg, #0C2235, #123A59)',
    text: '#C3D4E2',
    small: '#9DB6CA',
    icon: '#9FC4E2',
    well: 'rgb(255 255 255/.07)',
  },
  {
    key: 'verify',
    Icon: KeyIcon,
    bg: 'linear-gradient(90deg, #123A59, #17507C 70%, #1B5987)',
    text: '#DCE9F4',
    small: '#DCE9F4',
    icon: '#FFD58F',
    well: 'rgb(255 213 143/.16)',
  },
  {
    key: 'talk',
    Icon: ChatsCircleIcon,
    bg: 'radial-gradient(120% 120% at 60% 20%, #fff, #FFF7E4 60%, #FFE7B8)',
    text: '#4B4431',
    small: '#4B4431',
    icon: '#fff',
    well: '#115C93',
  },
] as const;

export function Steps() {
  const { t } = useTranslation();
  const now = usePublicLimits();
  const values = {
    size: formatBytes(now['upload.maxBytes']),
    hours: t('time.hours', { count: now['sharing.expiryHours'] }),
  };
  return (
    <Section id="how" title={t('landing.steps.title')} text={t('landing.steps.text')}>
      <Box
        as="ol"
        listStyleType="none"
        display="grid"
        gridTemplateColumns={{ base: '1fr', sm: '1fr 1fr', lg: 'repeat(4, 1fr)' }}
        borderRadius="panel"
        overflow="hidden"
        bg="#0A1B2A"
        boxShadow={{
          _light: '0 0 70px -6px rgb(255 206 120/.55), 0 18px 40px -18px rgb(10 35 58/.5)',
          _dark: '0 0 70px -10px rgb(255 206 120/.22)',
        }}
      >
        {steps.map(({ key, Icon, bg, text, small, icon, well }, index) => (
          <Box as="li" key={key} px="7" pt="34px" pb="38px" backgroundImage={bg}>
            <Flex
              boxSize="48px"
              borderRadius="13px"
              align="center"
              justify="center"
              bg={well}
              color={icon}
              mb={{ base: '6', lg: '44px' }}
            >
              <Icon size={24} aria-hidden />
            </Flex>
            <Text fontSize="sm" color={small}>
              {t('landing.steps.step', { n: index + 1 })}
            </Text>
            <Heading as="h3" fontSize="lg" color={key === 'talk' ? '#0F1E2B' : '#E9F1F8'}>
              {t(`landing.steps.${key}`)}
            </Heading>
            <Text fontSize=".9375rem" color={text} mt="1.5">
              {t(`landing.steps.${key}Text`, values)}
            </Text>
          </Box>
        ))}
      </Box>
    </Section>
  );
}
