import { Box, Button, Flex, LinkBox, LinkOverlay, Text } from '@chakra-ui/react';
import type { Emergency } from '@lightbox/contract/emergencies/calls.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { FirstAidIcon, ImagesIcon } from '@phosphor-icons/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { CardWell } from '../images/ImageCard';
import { Gallery } from '../images/ImageSection';
import { titleOf } from '../images/subject';
import { viewerPath } from '../images/ViewerLink';
import { errorText } from '../lib/errors';
import { formatDate, formatSpan } from '../lib/format';
import { useNow } from '../lib/useNow';
import { usePaging } from '../lib/usePaging';
import { Card } from '../ui/Card';
import { EmptyState } from '../ui/EmptyState';
import { LoadFailed } from '../ui/LoadFailed';
import { Note } from '../ui/Note';
import { Pager } from '../ui/Pager';
import { ImageCardSkeleton } from '../ui/Skeletons';
import { emergencyImages, patientEmergency, useEndEmergency } from './emergencies';
import { OpenEmergency } from './OpenEmergency';

/** On the profile of a patient: the offer of an emergency access, and while it lasts the patient's images. */
export function PatientEmergency({ patientId }: { patientId: string }) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState(false);
  const { data } = useQuery(patientEmergency(patientId));
  const emergency = data?.emergency;
  const left = useLeft(emergency ?? undefined);
  if (!data?.offered) return null;
  return (
    <Card title={t('emergencies.title')}>
      {emergency && left > 0 ? (
        <Access emergency={emergency} left={left} />
      ) : (
        <>
          <Text color="fg.muted">{t('emergencies.offer')}</Text>
          <Button variant="surface" colorPalette="danger" mt="4" onClick={() => setAsking(true)}>
            <FirstAidIcon aria-hidden />
            {t('emergencies.open')}
          </Button>
        </>
      )}
      <OpenEmergency patientId={patientId} open={asking} onClose={() => setAsking(false)} />
    </Card>
  );
}

/** Returns the milliseconds that are left, and counts down. */
function useLeft(emergency: Emergency | undefined): number {
  const end = emergency && !emergency.endedAt ? Date.parse(emergency.until) : 0;
  return end - useNow(1_000, end > Date.now());
}

function Access({ emergency, left }: { emergency: Emergency; left: number }) {
  const { t } = useTranslation();
  const end = useEndEmergency(t('emergencies.endFailed'));
  return (
    <>
      <Note Icon={FirstAidIcon} tone="danger" title={t('emergencies.endsIn', { span: formatSpan(left) })}>
        <Flex align="center" justify="space-between" gap="3" wrap="wrap">
          <Text as="span">{t('emergencies.recorded')}</Text>
          <Button size="sm" variant="outline" loading={end.isPending} onClick={() => end.mutate(emergency.id)}>
            {t('emergencies.endNow')}
          </Button>
        </Flex>
      </Note>
      <Images patientId={emergency.patient.id} />
    </>
  );
}

function Images({ patientId }: { patientId: string }) {
  const { t } = useTranslation();
  const paging = usePaging([12]);
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery(emergencyImages(patientId, paging.query));
  if (error && !data) return <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />;
  const several = (data?.pagination?.totalPages ?? 1) > 1;
  return (
    <Box mt="5">
      {several && (
        <Flex justify="flex-end" mb="3">
          <Pager label={t('emergencies.pages')} paging={paging} pagination={data?.pagination} />
        </Flex>
      )}
      {data?.data.length === 0 ? (
        <EmptyState as="h3" Icon={ImagesIcon} title={t('emergencies.noImages')} />
      ) : (
        <Gallery busy={isPlaceholderData}>
          {isPending && (
            <li>
              <ImageCardSkeleton />
            </li>
          )}
          {data?.data.map((image) => (
            <Tile key={image.id} image={image} />
          ))}
        </Gallery>
      )}
    </Box>
  );
}

function Tile({ image }: { image: Image }) {
  const { t } = useTranslation();
  const caption = titleOf(image, t('common.untitled'));
  return (
    <LinkBox as="li" layerStyle="card" p="9px" pb="3.5" data-image={image.id}>
      <CardWell image={image} />
      <Box px="1.5" pt="3">
        <LinkOverlay asChild>
          <Link to={viewerPath(image)}>
            <Text as="span" fontWeight="semibold" dir="auto" lineClamp={2} overflowWrap="anywhere">
              {caption}
            </Text>
          </Link>
        </LinkOverlay>
        <Text fontSize="xs" color="fg.muted">
          {formatDate(image.createAt)}
        </Text>
      </Box>
    </LinkBox>
  );
}
