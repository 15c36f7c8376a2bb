import { Button, Checkbox, Flex, Text } from '@chakra-ui/react';
import type { FrameFacts } from '@lightbox/contract/images/drawing.js';
import type { Image } from '@lightbox/contract/images/schemas.js';
import { studyCalls } from '@lightbox/contract/studies/calls.js';
import { CopyIcon } from '@phosphor-icons/react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyChangesOf } from '../images/insight';
import { useStudy } from '../images/studies';
import { imagesOf } from '../images/subject';
import { errorText } from '../lib/errors';
import { send } from '../lib/http';
import { LoadFailed } from '../ui/LoadFailed';
import { Brush } from './Brush';
import { NoTextLeft } from './NoTextLeft';
import { type Act, type Drawing, drawn, nothing, onAll, type Size } from './rectangles';
import { Steps } from './Steps';
import { useCopyStudy } from './useCopyStudy';

type Facts = Record<string, FrameFacts>;

const factsOf = (id: string, images: readonly string[]) =>
  queryOptions({
    queryKey: ['blackOut', 'study', id, images.length],
    queryFn: async ({ signal }): Promise<Facts> =>
      (await send(studyCalls.getStudyFrames, { params: { id } }, { signal })).data,
    enabled: images.length > 0,
    gcTime: 0,
    // A worker draws the images that are missing.
    refetchInterval: ({ state: { data } }) => (data && images.some((one) => !data[one]) ? 2_000 : false),
  });

/** The pixels of an image that can be drawn on; undefined for a file without a picture. */
function sizeOf({ kind, rows, columns }: FrameFacts): Size | undefined {
  return (kind === 'dicom' || kind === 'picture') && rows && columns ? { rows, columns } : undefined;
}

const hasCopy = (facts: FrameFacts): boolean =>
  sizeOf(facts) !== undefined || (facts.kind === 'report' && !facts.report?.pdf);

interface Props {
  studyId: string;
  /** The study of copies, by the image that stands for it. */
  onMade: (study: Image) => void;
  onCancel: () => void;
}

/** Draws black rectangles on the images of a study, and makes a new study of their copies. The original stays as it is. */
export function BlackOutStudy({ studyId, onMade, onCancel }: Props) {
  const { t } = useTranslation();
  const study = useStudy(studyId);
  const current = imagesOf(study.data);
  // The images at the beginning: an image of the study that comes or goes ends neither the drawing nor a copy under way.
  const [begun, setBegun] = useState<{ all: readonly string[]; facts: Facts }>();
  const facts = useQuery({ ...factsOf(studyId, current), ...(begun && { enabled: false }) });
  if (begun) {
    const later = current.filter((id) => !begun.all.includes(id)).length;
    return <Images {...begun} later={later} onMade={onMade} onCancel={onCancel} />;
  }
  const error = study.error ?? facts.error;
  if (error && !facts.data) {
    const retry = () => void (study.error ? study.refetch() : facts.refetch());
    return <LoadFailed text={errorText(error)} onRetry={retry} />;
  }
  const known = facts.data;
  if (known && current.every((id) => known[id])) setBegun({ all: current, facts: known });
  return (
    <Text py="2" fontSize="sm" color="fg.muted" role="status">
      {t('sharing.identity.checking')}
    </Text>
  );
}

interface ImagesProps extends Omit<Props, 'studyId'> {
  all: readonly string[];
  facts: Facts;
  /** The number of images that came after the beginning. */
  later: number;
}

function Images({ all, facts, later, onMade, onCancel }: ImagesProps) {
  const { t } = useTranslation();
  const images = all.filter((id) => facts[id] && hasCopy(facts[id]));
  const [at, setAt] = useState(0);
  const [drawings, setDrawings] = useState<Readonly<Record<string, Drawing>>>({});
  const [leftOut, setLeftOut] = useState<readonly string[]>([]);
  const [noTextLeft, setNoTextLeft] = useState(false);
  const { copy, isPending, error, done } = useCopyStudy(onMade);
  const id = images[at];
  const shown = id === undefined ? undefined : facts[id];
  const size = shown && sizeOf(shown);
  const { data: changes } = useQuery({ ...copyChangesOf(id ?? ''), enabled: size !== undefined });
  const drawing = drawings[id ?? ''] ?? nothing;
  const act = (step: Act) => {
    if (id) setDrawings((now) => ({ ...now, [id]: drawn(now[id] ?? nothing, step) }));
  };
  const wanted = images.flatMap((one, i) =>
    leftOut.includes(one) ? [] : [{ id: one, n: i + 1, rectangles: drawings[one]?.now ?? [] }],
  );
  const alike = size ? images.filter((one) => isAlike(facts[one], size)) : [];
  const isOut = id !== undefined && leftOut.includes(id);
  const count = wanted.length;

  return (
    <Flex direction="column" gap="3" data-black-out>
      <Text fontSize="sm" color="fg.muted">
        {t('sharing.blackOut.studyHelp')} {t('sharing.blackOut.help')}
      </Text>
      {images.length < all.length && (
        <Text fontSize="sm" role="status">
          {t('sharing.blackOut.noCopy', { count: all.length - images.length })}
        </Text>
      )}
      {later > 0 && (
        <Text fontSize="sm" role="status">
          {t('sharing.blackOut.later', { count: later })}
        </Text>
      )}
      <Steps
        previous={t('sharing.blackOut.previousImage')}
        next={t('sharing.blackOut.nextImage')}
        text={t('sharing.blackOut.image', { n: images.length === 0 ? 0 : at + 1, count: images.length })}
        isFirst={at === 0}
        isLast={at >= images.length - 1}
        onStep={(by) => setAt(at + by)}
      >
        {id && (
          <Checkbox.Root
            minH="touch"
            ms="auto"
            checked={isOut}
            onCheckedChange={({ checked }) =>
              setLeftOut(checked === true ? [...leftOut, id] : leftOut.filter((one) => one !== id))
            }
          >
            <Checkbox.HiddenInput />
            <Checkbox.Control />
            <Checkbox.Label>{t('sharing.blackOut.leaveOut')}</Checkbox.Label>
          </Checkbox.Root>
        )}
      </Steps>
      {id && size && !isOut && (
        <Brush
          key={id}
          imageId={id}
          frames={shown?.frames ?? 1}
          size={size}
          found={changes?.text ?? []}
          drawing={drawing}
          act={act}
        />
      )}
      {id && !size && !isOut && <Text fontSize="sm">{t('sharing.blackOut.report')}</Text>}
      {alike.length > 1 && !isOut && (
        <Button
          size="sm"
          variant="outline"
          alignSelf="flex-start"
          disabled={drawing.now.length === 0}
          onClick={() => setDrawings((now) => onAll(now, drawing.now, alike))}
        >
          <CopyIcon />
          {t('sharing.blackOut.onAll', { count: alike.length })}
        </Button>
      )}
      <NoTextLeft
        label={t('sharing.blackOut.noTextInAny')}
        checked={noTextLeft}
        onChange={setNoTextLeft}
        error={error?.message}
      />
      <Flex gap="2" justify="flex-end">
        <Button size="sm" variant="outline" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button
          size="sm"
          disabled={count === 0 || wanted.every(({ rectangles }) => rectangles.length === 0)}
          loading={isPending}
          loadingText={t('sharing.blackOut.copying', { n: Math.min(done + 1, count), count })}
          onClick={() => copy({ images: wanted, noTextLeft })}
        >
          {t('sharing.blackOut.makeStudy', { count })}
        </Button>
      </Flex>
    </Flex>
  );
}

/** True for a picture of the same size: the places of one fit on the other. */
function isAlike(facts: FrameFacts | undefined, { rows, columns }: Size): boolean {
  const size = facts && sizeOf(facts);
  return size?.rows === rows && size.columns === columns;
}
