import '../i18n/further';
import { Box, Button, chakra, Dialog, Flex, Grid, Text, Textarea } from '@chakra-ui/react';
import { type PatientField, patientFields } from '@lightbox/contract/images/names.js';
import { limits } from '@lightbox/contract/limits.js';
import { UserSwitchIcon } from '@phosphor-icons/react';
import { useAtomValue, useSetAtom } from 'jotai';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatBirthday, fullName } from '../lib/format';
import { Field } from '../ui/Field';
import { IconTile } from '../ui/IconTile';
import { Modal } from '../ui/Modal';
import { Said } from '../ui/Said';
import type { Person } from '../users/PersonSearch';
import { PatientPicker } from './PatientPicker';
import { plainName } from './plan';
import { cancelGroup, decide } from './queue';
import { isoDay } from './selection';
import { askedGroupAtom, type Group, trayAtom } from './tray';
import { usePatientText } from './usePatientText';

/** The values that this browser read in the file. The server sends none of them. */
function inFile({ named }: Group, field: PatientField): string | undefined {
  const born = isoDay(named?.birthDate);
  if (field === 'patientBirthDate') return born && formatBirthday(born);
  return field === 'patientName' ? named?.name && plainName(named.name) : named?.sex;
}

/** Asks what to do with files that name another patient than the chosen one. */
export function MismatchDialog({ groupId }: { groupId: string }) {
  const { t } = useTranslation();
  const close = useSetAtom(askedGroupAtom);
  const { groups, items } = useAtomValue(trayAtom);
  const group = groups.find(({ id }) => id === groupId);
  const [patient, setPatient] = useState<Person>();
  const { patientText, isOpen } = usePatientText();
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState(false);
  const end = () => close(undefined);
  if (!group?.mismatch) return null;
  const { mismatch } = group;
  const count = items.filter((item) => item.groupId === groupId).length;
  const tooShort = reason.trim().length < limits.mismatchReasonMin;

  return (
    <Modal role="alertdialog" open onClose={end} maxW="560px" scrollBehavior="inside">
      <Dialog.Header alignItems="flex-start" gap="4">
        <IconTile Icon={UserSwitchIcon} tone="accent" />
        <Dialog.Title pt="2.5">{t('uploads.mismatch.title')}</Dialog.Title>
      </Dialog.Header>
      <Dialog.Body display="flex" flexDirection="column" gap="5">
        <Dialog.Description as="div">
          <Said
            i18nKey={count === 1 ? 'uploads.mismatch.text_one' : 'uploads.mismatch.text_other'}
            values={{ name: group.patient ? fullName(group.patient) : '' }}
          />
          <Grid as="dl" templateColumns="auto minmax(0, 1fr)" columnGap="4" rowGap="1" mt="2">
            {patientFields
              .filter((field) => mismatch.includes(field))
              .map((field) => (
                <Box key={field} display="contents">
                  <chakra.dt fontWeight="semibold">{t(`uploads.mismatch.${field}`)}</chakra.dt>
                  <chakra.dd overflowWrap="anywhere">
                    {t('uploads.mismatch.inFile')} <bdi>{inFile(group, field) ?? t('uploads.mismatch.differs')}</bdi>
                  </chakra.dd>
                </Box>
              ))}
          </Grid>
          <Text fontSize="sm" color="fg.muted" mt="2">
            {t('uploads.mismatch.nothing')}
          </Text>
        </Dialog.Description>
        <Flex direction="column" gap="3">
          <PatientPicker chosen={patient} onChoose={setPatient} text={patientText} />
          <Button
            variant="outline"
            alignSelf="flex-start"
            onClick={() => {
              if (isOpen()) return;
              decide(groupId, { patient });
              end();
            }}
          >
            {t(patient ? 'uploads.mismatch.otherAct' : 'uploads.mismatch.nobody')}
          </Button>
        </Flex>
        <Field
          label={t('uploads.mismatch.reason')}
          help={t('uploads.mismatch.reasonHelp')}
          error={fault && tooShort ? t('uploads.mismatch.reasonShort', { count: limits.mismatchReasonMin }) : undefined}
        >
          <Textarea
            dir="auto"
            rows={2}
            maxLength={limits.mismatchReasonMax}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </Field>
      </Dialog.Body>
      <Dialog.Footer flexWrap="wrap">
        <Button
          variant="outline"
          onClick={() => {
            cancelGroup(groupId);
            end();
          }}
        >
          {t('uploads.mismatch.leave')}
        </Button>
        <Button
          onClick={() => {
            setFault(true);
            if (tooShort) return;
            decide(groupId, { reason: reason.trim() });
            end();
          }}
        >
          {t('uploads.mismatch.keep')}
        </Button>
      </Dialog.Footer>
    </Modal>
  );
}
