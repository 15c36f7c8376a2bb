import { Box, Button, Flex, Grid, Text } from '@chakra-ui/react';
import { Caption } from '@lightbox/contract/images/schemas.js';
import { UploadSimpleIcon, WarningCircleIcon, WarningIcon } from '@phosphor-icons/react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../lib/format';
import { FileDrop } from '../ui/FileDrop';
import { Note } from '../ui/Note';
import type { Person } from '../users/PersonSearch';
import { LeftOut } from './LeftOut';
import { MoreWays } from './MoreWays';
import { PatientPicker } from './PatientPicker';
import type { Sorted, Study } from './plan';
import { addUploads } from './queue';
import { Reading } from './Reading';
import { SingleList } from './SingleList';
import { StudyCard } from './StudyCard';
import {
  type Choices,
  captionFaults,
  divide,
  filesOf,
  groupsOf,
  includedSingles,
  includedStudies,
  isIncluded,
  mayJoin,
  namesIn,
  studyTitle,
} from './selection';
import { droppedFiles } from './sources';
import { showTray } from './tray';
import { UnlockZip } from './UnlockZip';
import { usePatientText } from './usePatientText';
import { useReadings } from './useReadings';

interface Props {
  /** The files that the person chose, dropped or pasted. The list grows. */
  files: File[];
  maxBytes: number;
  onEnd: () => void;
}

const noChoices: Choices = { captions: {}, included: {}, together: false, title: '' };

interface SummaryProps {
  title: string;
  studies: Study[];
  /** The pictures and documents that become one study. */
  joined: Sorted[];
  separate: Sorted[];
}

/** Says what will be uploaded: each study, the pictures, and how much all of it is. */
function Summary({ title, studies, joined, separate }: SummaryProps) {
  const { t } = useTranslation();
  const chosen = [...studies.flatMap(filesOf), ...joined, ...separate];
  const bytes = chosen.reduce((sum, { source }) => sum + source.size, 0);
  const lines = studies.map((study) => ({
    key: study.key,
    text: [
      studyTitle(study),
      t('uploads.plan.series', { count: study.series.length }),
      t('uploads.plan.images', { count: filesOf(study).length }),
    ].join(', '),
  }));
  const pictures = [
    ...(joined.length ? [{ key: 'joined', text: t('uploads.plan.together', { count: joined.length }) }] : []),
    ...(separate.length ? [{ key: 'separate', text: t('uploads.plan.separate', { count: separate.length }) }] : []),
  ];
  return (
    <Box>
      <Text as="h2" textStyle="section" mb="2">
        {title}
      </Text>
      <Flex as="ul" direction="column" gap="1.5" listStyleType="none" fontSize=".9375rem">
        {[...lines, ...pictures].map(({ key, text }) => (
          <Text as="li" key={key} overflowWrap="anywhere">
            {text}
          </Text>
        ))}
      </Flex>
      {chosen.length > 0 && (
        <Text fontSize="sm" color="fg.muted" mt="1.5">
          {t('uploads.plan.files', { count: chosen.length })} · {formatBytes(bytes)}
        </Text>
      )}
    </Box>
  );
}

/** The files of a form, each read once although the list grows. */
function useAdded(files: File[], add: (files: File[]) => Promise<void>) {
  const taken = useRef(0);
  useEffect(
    () => () => {
      // React runs effects twice in development, and the readings begin again then.
      taken.current = 0;
    },
    [],
  );
  useEffect(() => {
    const news = files.slice(taken.current);
    taken.current = files.length;
    if (news.length) void add(news);
  }, [files, add]);
}

/** Shows the uploads that will be made of many files, and sends them to the tray. */
export function Batch({ files, maxBytes, onEnd }: Props) {
  const { t } = useTranslation();
  const readings = useReadings(maxBytes);
  const { plan, busy, done, total, add } = readings;
  const [choices, setChoices] = useState(noChoices);
  const [patient, setPatient] = useState<Person>();
  const { patientText, isOpen } = usePatientText();
  const [tried, setTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  useAdded(files, add);
  const studies = includedStudies(plan, choices);
  const singles = includedSingles(plan, choices);
  const chosen = [...studies.flatMap(filesOf), ...singles];
  const together = choices.together && mayJoin(plan);
  const settled = { ...choices, together };
  const faults = useMemo(() => (tried ? captionFaults(plan, choices) : {}), [tried, plan, choices]);
  const { joined, separate } = divide(singles, together);
  const titleMissing = joined.length > 0 && !Caption.safeParse(choices.title).success;
  const nothing = total > 0 && !busy && !readings.locked.length && !plan.studies.length && !plan.single.length;
  const several = new Set(namesIn({ ...plan, studies })).size > 1;

  const change = (part: Partial<Choices>) => setChoices((now) => ({ ...now, ...part }));
  const caption = (key: string, text: string) => change({ captions: { ...choices.captions, [key]: text } });
  const include = (key: string, on: boolean) => change({ included: { ...choices.included, [key]: on } });

  const submit = () => {
    setTried(true);
    if (!chosen.length) return;
    if (isOpen() || titleMissing || Object.keys(captionFaults(plan, choices)).length) {
      // The faults are drawn first.
      setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
      return;
    }
    for (const group of groupsOf(plan, settled, patient)) addUploads(group);
    showTray();
    onEnd();
  };

  return (
    <Grid
      as="form"
      ref={form as never}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      {...{ noValidate: true }}
      templateColumns={{ base: 'minmax(0, 1fr)', lg: 'minmax(0, 1.7fr) minmax(0, 1fr)' }}
      gap={{ base: '5', lg: '6' }}
      alignItems="start"
    >
      <Flex direction="column" gap="4">
        {busy && (
          <Box layerStyle="card" p={{ base: '4', lg: '5' }}>
            <Reading done={done} total={total} text={t('uploads.reading', { done, total })} />
          </Box>
        )}
        <Box srOnly role="status">
          {!busy && total > 0 && t('uploads.readDone', { count: total })}
        </Box>
        {readings.locked.map((one) => (
          <UnlockZip
            key={one.name}
            locked={one}
            onUnlock={(password) => readings.unlock(one, password)}
            onSkip={() => readings.skip(one)}
          />
        ))}
        {several && <Note Icon={WarningIcon} tone="warning" title={t('uploads.plan.several')} />}
        {plan.studies.map((study) => (
          <StudyCard
            key={study.key}
            study={study}
            included={isIncluded(study.key, true, choices)}
            onInclude={(on) => include(study.key, on)}
            captions={choices.captions}
            faults={faults}
            onCaption={caption}
          />
        ))}
        {plan.single.length > 0 && (
          <SingleList
            plan={plan}
            choices={settled}
            faults={faults}
            titleFault={tried && titleMissing ? t('uploads.plan.titleRequired') : undefined}
            onCaption={caption}
            onInclude={include}
            onChange={change}
          />
        )}
        <LeftOut omitted={readings.omitted} refused={readings.refused} maxBytes={maxBytes} open={nothing} />
        <FileDrop
          compact
          onFiles={(more) => void add(more)}
          onDropped={(transfer) => void droppedFiles(transfer).then(add)}
        >
          <MoreWays onFiles={(more) => void add(more)} />
        </FileDrop>
      </Flex>
      <Flex
        direction="column"
        gap="block"
        layerStyle="card"
        p={{ base: '4', lg: '5' }}
        position={{ lg: 'sticky' }}
        top={{ lg: '84px' }}
      >
        <Summary
          title={t(nothing ? 'uploads.plan.nothing' : 'uploads.plan.summary')}
          {...{ studies, joined, separate }}
        />
        {!nothing && (
          <>
            <Text fontSize="sm" color="fg.muted">
              {t('uploads.plan.captionHelp')}
            </Text>
            <PatientPicker chosen={patient} onChoose={setPatient} text={patientText} />
          </>
        )}
        {tried && !busy && !chosen.length && (
          <Note Icon={WarningCircleIcon} tone="danger" title={t('uploads.plan.nothingChosen')} role="alert" />
        )}
        <Flex gap="3" direction="column">
          {!nothing && (
            <Button type="submit" size="lg" disabled={busy}>
              <UploadSimpleIcon />
              {t('uploads.plan.start', { count: chosen.length })}
            </Button>
          )}
          <Button variant="outline" onClick={onEnd}>
            {t('uploads.plan.over')}
          </Button>
        </Flex>
      </Flex>
    </Grid>
  );
}
