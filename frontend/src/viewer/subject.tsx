import { Box, Flex, Text } from '@chakra-ui/react';
import type { ByEmergency } from '@lightbox/contract/emergencies/schemas.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import type { Study } from '@lightbox/contract/studies/schemas.js';
import type { UserRef } from '@lightbox/contract/users/schemas.js';
import type { ReactNode } from 'react';
import { i18n } from '../i18n';
import { actionsOf, startOfShare } from '../images/access';
import { formatDate, formatFilmDate, fullName } from '../lib/format';
import { paths } from '../lib/paths';
import { Countdown } from '../ui/Countdown';
import { StateBadge } from '../ui/StateBadge';
import { UserAvatar } from '../ui/UserAvatar';
import { PanelTitle } from './Panel';
import type { SharesOf } from './useAskable';

/** The opened image or study in the words of the bar, the panel and the corners of the picture. */
export interface Subject {
  title: string;
  sub: ReactNode;
  badge: ReactNode;
  /** The time that a share still gives access. */
  countdown: ReactNode;
  /** The button for another language, where no other screen has one: for people without a session. */
  languages?: ReactNode;
  aiPath?: string | undefined;
  /** Sections at the end of the panel. */
  about: ReactNode;
  /** The people whom the viewer may ask about the image, and invite to look. */
  people: readonly UserRef[];
  /** Present when more people have access than `people` names. */
  sharesOf?: SharesOf | undefined;
  /** The lines of the upper left corner of the picture. */
  marks: readonly (string | undefined)[];
  /** The text of the upper right corner besides modality and body part. */
  seen?: string | undefined;
}

function SharedBy({ person, note }: { person: UserRef; note: string | undefined }) {
  return (
    <Box as="section">
      <PanelTitle>{i18n.t('viewer.sharedBy')}</PanelTitle>
      <Flex align="center" gap="3">
        <UserAvatar person={person} />
        <Text as="bdi" fontWeight="600">
          {fullName(person)}
        </Text>
      </Flex>
      {note && (
        <Text mt="3" fontSize="sm" dir="auto" whiteSpace="pre-wrap" overflowWrap="anywhere">
          {note}
        </Text>
      )}
    </Box>
  );
}

const unknown = (open: boolean): Subject => ({
  title: i18n.t(open ? 'viewer.opening' : 'viewer.lost'),
  sub: '',
  badge: null,
  countdown: null,
  about: null,
  people: [],
  marks: [],
});

const inOneLine = (parts: readonly (string | false | undefined)[]) =>
  parts
    .filter((part) => part !== undefined && part !== false)
    .map((part, i) => (
      <span key={part}>
        {i > 0 && ' · '}
        <bdi>{part}</bdi>
      </span>
    ));

function badgeOf(open: boolean, { shareId, emergency, carer }: Pick<Image | Study, 'shareId' | 'emergency' | 'carer'>) {
  if (!open || !(emergency || carer || shareId)) return null;
  return <StateBadge state={emergency ? 'emergency' : carer ? 'carer' : 'verified'} />;
}

const hourMs = limits.emergencyMinutes * 60_000;
const countdownOf = (open: boolean, emergency: ByEmergency | undefined) =>
  open && emergency ? <Countdown expiresAt={emergency.until} startedAt={Date.parse(emergency.until) - hourMs} /> : null;

/** Returns the people besides the viewer whom the image or study concerns, as far as the viewer knows them. */
function peopleOf(
  { sharedBy, owner, patient, recipients }: Pick<Image, 'sharedBy' | 'owner' | 'patient' | 'recipients'>,
  me: string,
): readonly UserRef[] {
  const all = [sharedBy, owner, patient, recipients?.one?.person].filter((person) => person !== undefined);
  return [...new Map(all.filter(({ id }) => id !== me).map((person) => [person.id, person])).values()];
}

/** Returns what the bar and the panel say about a study. */
export function subjectOfStudy(study: Study | undefined, me: string, open: boolean): Subject {
  if (!study) return unknown(open);
  const { title, patient, modalities, studyDate, createAt, sharedBy, note, expiresAt, emergency } = study;
  return {
    title,
    sub: inOneLine([
      patient && fullName(patient),
      modalities.join(', ') || undefined,
      formatDate(studyDate ?? createAt),
    ]),
    badge: badgeOf(open, study),
    countdown:
      countdownOf(open, emergency) ??
      (open && expiresAt ? <Countdown expiresAt={expiresAt} startedAt={startOfShare(study)} /> : null),
    about: open && sharedBy ? <SharedBy person={sharedBy} note={note} /> : null,
    people: open ? peopleOf(study, me) : [],
    ...(open && study.isShared && study.owner?.id === me ? { sharesOf: { studyId: study.id } } : {}),
    marks: open ? [patient && fullName(patient)] : [],
    seen: studyDate && formatFilmDate(studyDate),
  };
}

/** Returns what the bar and the panel say about an image. */
export function subjectOf(image: Image | undefined, viewer: Parameters<typeof actionsOf>[0], open: boolean): Subject {
  if (!image) return unknown(open);
  const { caption, patient, dicom, createAt, sharedBy, note, expiresAt, emergency } = image;
  const at = dicom?.studyDate ?? createAt;
  const can = actionsOf(viewer, image);
  return {
    title: caption || i18n.t('common.untitled'),
    sub: inOneLine([patient && fullName(patient), dicom?.modality, formatDate(at)]),
    badge: badgeOf(open, image),
    countdown:
      countdownOf(open, emergency) ??
      (open && expiresAt ? <Countdown expiresAt={expiresAt} startedAt={startOfShare(image)} /> : null),
    aiPath: open && can.ai ? paths.aiAnalysis(image.id) : undefined,
    about: open && sharedBy ? <SharedBy person={sharedBy} note={note} /> : null,
    people: open ? peopleOf(image, viewer.id) : [],
    ...(open && (image.recipients?.total ?? 0) > 1 ? { sharesOf: { imageId: image.id } } : {}),
    marks: open ? [patient && fullName(patient)] : [],
    seen: dicom?.studyDate && formatFilmDate(dicom.studyDate),
  };
}
