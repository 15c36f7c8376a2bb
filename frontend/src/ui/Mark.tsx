import { HStack, Image, Text } from '@chakra-ui/react';
import { useTranslation } from 'react-i18next';

/** The logo without the name. It is never mirrored and never tinted. */
export const Mark = ({ size = 30 }: { size?: number }) => (
  <Image src="/mark.svg" alt="" boxSize={`${size}px`} flex="none" />
);

/** The logo with the name of the product; `wordless` leaves the name out. */
export function Logo({ size = 30, wordless = false }: { size?: number; wordless?: boolean }) {
  const { t } = useTranslation();
  return (
    <HStack as="span" display="inline-flex" gap="2.5" dir="ltr">
      <Mark size={size} />
      {!wordless && (
        <Text as="span" fontSize="1.3125rem" fontWeight="700" letterSpacing="-.03em" lineHeight="1" color="fg">
          {t('common.appName')}
        </Text>
      )}
    </HStack>
  );
}
