import { Box, Button, Flex, Heading, Text } from '@chakra-ui/react';
import type { DataOf } from '@lightbox/contract/call.js';
import type { Emergency, EmergencyLook, emergencyCalls } from '@lightbox/contract/emergencies/calls.js';
import { emergencyRules } from '@lightbox/contract/emergencies/policy.js';
import { canMove } from '@lightbox/contract/emergencies/states.js';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useViewer } from '../auth/session';
import { errorText } from '../lib/errors';
import { formatDateTime, formatTime, fullName } from '../lib/format';
import { paths } from '../lib/paths';
import { useAtNow } from '../lib/useNow';
import { Facts } from '../ui/Facts';
import { LoadFailed } from '../ui/LoadFailed';
import { Row, Rows } from '../ui/Rows';
import { SidePanel } from '../ui/SidePanel';
import { PersonSkeleton } from '../ui/Skeletons';
import { EmergencyBadges } from './EmergencyBadges';
import { oneEmergency, type ReviewAct, useEndEmergency } from './emergencies';
import { ReviewDialog } from './ReviewDialog';

/** One emergency access in full: the people, the reason, the looks and the review. */
export function EmergencyPanel({ id, onClose }: { id: string | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({ ...oneEmergency(id ?? ''), enabled: id !== undefined });
  return (
    <SidePanel open={id !== undefined} onClose={onClose} title={t('emergencies.title')}>
      <Box px="5" pb="6" overflowY="auto">
        {data ? (
          <Content emergency={data} />
        ) : error ? (
          <LoadFailed text={errorText(error)} onRetry={() => void refetch()} />
        ) : (
          <Box role="status" aria-label={t('common.loading')}>
            <PersonSkeleton />
            <PersonSkeleton />
          </Box>
        )}
      </Box>
    </SidePanel>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <Box as="section" mt="6">
    <Heading as="h3" fontSize="md" mb="2">
      {title}
    </Heading>
    {children}
  </Box>
);

const Said = ({ text }: { text: string }) => (
  <Text dir="auto" whiteSpace="pre-line" overflowWrap="anywhere">
    {text}
  </Text>
);

function Content({ emergency }: { emergency: DataOf<typeof emergencyCalls.getEmergency> }) {
  const { t } = useTranslation();
  const { provider, patient, reason, from, until, endedAt, looks, review } = emergency;
  return (
    <>
      <EmergencyBadges emergency={emergency} />
      <Box mt="4">
        <Facts
          facts={[
            { label: t('emergencies.provider'), value: fullName(provider) },
            { label: t('emergencies.patient'), value: fullName(patient) },
            { label: t('emergencies.from'), value: formatDateTime(from) },
            {
              label: t(endedAt ? 'emergencies.endedAt' : 'emergencies.endsAt'),
              value: formatDateTime(endedAt ?? until),
            },
          ]}
        />
      </Box>
      <Part title={t('emergencies.reason')}>
        <Said text={reason} />
      </Part>
      <Part title={t('emergencies.looks')}>
        {looks.length > 0 ? (
          <Rows>
            {looks.map((look) => (
              <Look key={look.id} look={look} />
            ))}
          </Rows>
        ) : (
          <Text color="fg.muted">{t('emergencies.noLooks')}</Text>
        )}
      </Part>
      {(['question', 'answer', 'approval'] as const).map((name) => {
        const said = review?.[name];
        return (
          said && (
            <Part key={name} title={t(`emergencies.said.${name}`)}>
              {said.text && <Said text={said.text} />}
              <Text fontSize="sm" color="fg.muted">
                {said.by && <bdi>{fullName(said.by)}</bdi>} · {formatDateTime(said.at)}
              </Text>
            </Part>
          )
        );
      })}
      <Acts emergency={emergency} />
    </>
  );
}

function Look({ look: { id, kind, name, firstAt, times } }: { look: EmergencyLook }) {
  const { t } = useTranslation();
  const title = name ?? t(`emergencies.kind.${kind}`);
  return (
    <Row>
      <Box flex="1" minW="0" overflowWrap="anywhere" fontWeight="medium" dir="auto">
        {name ? <Link to={kind === 'study' ? paths.study(id) : paths.image(id)}>{title}</Link> : title}
      </Box>
      <Text fontSize="sm" color="fg.muted" fontVariantNumeric="tabular-nums">
        {times > 1 ? t('images.timeline.plain.times', { time: formatTime(firstAt), times }) : formatTime(firstAt)}
      </Text>
    </Row>
  );
}

/** The buttons that this viewer may use: end the access, approve, question, answer. */
function Acts({ emergency }: { emergency: Emergency }) {
  const { t } = useTranslation();
  const viewer = useViewer();
  const [act, setAct] = useState<ReviewAct>();
  const end = useEndEmergency(t('emergencies.endFailed'));
  const { id, provider, patient, until, endedAt, review } = emergency;
  const parties = { providerId: provider.id, patientId: patient.id };
  const lasts = useAtNow((now) => endedAt === undefined && Date.parse(until) > now);
  const reviews = emergencyRules.review(viewer, parties);
  const acts = (['approve', 'question', 'answer'] as const).filter(
    (one) =>
      review && canMove(one, review.state) && (one === 'answer' ? emergencyRules.answer(viewer, parties) : reviews),
  );
  return (
    <Flex gap="2.5" wrap="wrap" mt="6">
      {acts.map((one) => (
        <Button key={one} variant={one === 'question' ? 'outline' : 'solid'} onClick={() => setAct(one)}>
          {t(`emergencies.act.${one}`)}
        </Button>
      ))}
      {lasts && emergencyRules.end(viewer, parties) && (
        <Button variant="surface" colorPalette="danger" loading={end.isPending} onClick={() => end.mutate(id)}>
          {t('emergencies.endNow')}
        </Button>
      )}
      {act && <ReviewDialog id={id} act={act} onClose={() => setAct(undefined)} />}
    </Flex>
  );
}
