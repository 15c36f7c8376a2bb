import { Box, Flex, IconButton, Text } from '@chakra-ui/react';
import { WarningCircleIcon, XIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '../lib/format';
import { usePublicSettings } from '../lib/publicSettings';
import { HOUR_MS } from '../lib/times';
import { Said } from '../ui/Said';
import { Thumb } from './AttachmentCard';
import { attachable } from './attachments';

interface Props {
  userId: string;
  name: string;
  images: readonly string[];
  onRemove: (imageId: string) => void;
}

/** The images that are chosen for the next message, and the consequence of sending them to this person. */
export function Chosen({ userId, name, images, onRemove }: Props) {
  const { t } = useTranslation();
  const { data = [] } = useQuery(attachable(userId, images));
  const hours = usePublicSettings()['sharing.expiryHours'];
  const known = new Map(data.map((one) => [one.imageId, one]));
  const refused = images.some((id) => known.get(id)?.outcome === 'refuse');
  const shared = images.filter((id) => known.get(id)?.outcome === 'share').length;
  return (
    <Box mb="2.5">
      <Flex as="ul" gap="2" wrap="wrap" listStyleType="none" aria-label={t('messages.attach.chosen')}>
        {images.map((id) => {
          const image = known.get(id);
          const caption = image?.caption || t('common.untitled');
          const bad = image?.outcome === 'refuse';
          return (
            <Flex
              as="li"
              key={id}
              data-chosen={id}
              align="center"
              gap="2"
              maxW="240px"
              p="1"
              bg="bg.surface"
              borderWidth="1px"
              borderColor={bad ? 'border.error' : 'border.control'}
              borderRadius="box"
            >
              {image?.access === 'open' && <Thumb id={id} contentType={image.contentType} size="40px" />}
              <Text fontSize="sm" minW="0" truncate dir="auto" ps={image?.access === 'open' ? '0' : '2'}>
                {image ? caption : t('common.loading')}
              </Text>
              <IconButton
                size="sm"
                variant="ghost"
                aria-label={t('messages.attach.remove', { caption })}
                onClick={() => onRemove(id)}
              >
                <XIcon />
              </IconButton>
            </Flex>
          );
        })}
      </Flex>
      <Text fontSize="xs" color={refused ? 'fg.error' : 'fg.muted'} mt="1.5" role="status" _empty={{ display: 'none' }}>
        {refused ? (
          <Flex as="span" gap="1.5" align="center">
            <WarningCircleIcon size={16} aria-hidden style={{ flex: 'none' }} />
            <span>
              <Said i18nKey="messages.attach.refused" values={{ name }} />
            </span>
          </Flex>
        ) : (
          shared > 0 && (
            <Said
              i18nKey={images.length === 1 ? 'messages.attach.willShare' : 'messages.attach.willShareSome'}
              values={{ name, number: String(shared), until: formatDateTime(Date.now() + hours * HOUR_MS) }}
            />
          )
        )}
      </Text>
    </Box>
  );
}
