import { Box, Button, Dialog, Flex, IconButton, Input, Text, Textarea } from '@chakra-ui/react';
import { perCent } from '@lightbox/contract/analysis/probability.js';
import type { AnalysisEdits } from '@lightbox/contract/analysis/schemas.js';
import { limits } from '@lightbox/contract/limits.js';
import { PlusIcon, SignatureIcon, XIcon } from '@phosphor-icons/react';
import { useId } from 'react';
import { useFieldArray, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { errorText } from '../lib/errors';
import { Field } from '../ui/Field';
import { Modal } from '../ui/Modal';
import { type Completed, listFields, useReview } from './review';

interface Row {
  condition: string;
  /** Per cent, as typed. */
  share: string;
  /** The confidence that the typed number stands for, so that an untouched one keeps its digits. */
  given: number;
}
interface Fields extends Record<(typeof listFields)[number], string> {
  comment: string;
  description: string;
  conditions: Row[];
}

const shareOf = (confidence: number) => String(perCent(confidence));
const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

const fieldsOf = (draft: Completed): Fields => ({
  comment: '',
  description: draft.description,
  warnings: draft.warnings.join('\n'),
  treatment: draft.treatment.join('\n'),
  followUp: draft.followUp.join('\n'),
  conditions: draft.differentialDiagnosis.map(({ condition, confidence }) => ({
    condition,
    share: shareOf(confidence),
    given: confidence,
  })),
});

/** Returns the fields that differ from the draft. */
function editsOf(draft: Completed, fields: Fields): AnalysisEdits {
  const before = fieldsOf(draft);
  const edits: AnalysisEdits = {};
  if (fields.description !== before.description) edits.description = fields.description.trim();
  for (const name of listFields) if (fields[name] !== before[name]) edits[name] = linesOf(fields[name]);
  if (JSON.stringify(fields.conditions) !== JSON.stringify(before.conditions)) {
    edits.differentialDiagnosis = fields.conditions
      .filter(({ condition }) => condition.trim())
      .map(({ condition, share, given }) => ({
        condition: condition.trim(),
        confidence: share === shareOf(given) ? given : Number(share) / 100,
      }));
  }
  return edits;
}

/** Takes the signer's changes and comment, and signs. */
export function SignDialog({ draft, onClose }: { draft: Completed; onClose: () => void }) {
  const { t } = useTranslation();
  const form = useId();
  const { sign } = useReview(draft.imageId);
  const { register, control, handleSubmit, formState } = useForm<Fields>({ defaultValues: fieldsOf(draft) });
  const rows = useFieldArray({ control, name: 'conditions' });
  const submit = handleSubmit((fields) => {
    const edits = editsOf(draft, fields);
    sign.mutate(
      {
        version: draft.version ?? 0,
        ...(fields.comment.trim() ? { comment: fields.comment.trim() } : {}),
        ...(Object.keys(edits).length > 0 ? { edits } : {}),
      },
      { onSuccess: onClose },
    );
  });
  const error = sign.error ? errorText(sign.error) : undefined;
  const shareRule = { min: 0, max: 100, required: true };
  return (
    <Modal open onClose={onClose} title={t('analysis.review.signTitle')} maxW="720px" scrollBehavior="inside">
      <Dialog.Body>
        <Text color="fg.muted" fontSize="sm" mb="4">
          {t('analysis.review.signText')}
        </Text>
        <Flex as="form" id={form} direction="column" gap="5" onSubmit={submit} {...{ noValidate: true }}>
          <Field label={t('analysis.review.comment')} help={t('analysis.review.commentHelp')} optional error={error}>
            <Textarea size="lg" rows={3} dir="auto" maxLength={limits.signatureComment} {...register('comment')} />
          </Field>
          <Field
            label={t('analysis.description')}
            help={draft.said?.description.length ? t('analysis.review.translated') : undefined}
          >
            <Textarea size="lg" rows={5} dir="auto" maxLength={8000} {...register('description')} />
          </Field>
          <Box as="fieldset">
            <Text as="legend" fontWeight="semibold" fontSize="sm" mb="2">
              {t('analysis.differential')}
            </Text>
            <Flex direction="column" gap="2">
              {rows.fields.map((row, at) => (
                <Flex key={row.id} gap="2" align="center">
                  <Input
                    size="lg"
                    dir="auto"
                    aria-label={t('analysis.review.condition', { number: at + 1 })}
                    {...register(`conditions.${at}.condition`)}
                  />
                  <Input
                    size="lg"
                    w="124px"
                    flex="none"
                    type="number"
                    step="any"
                    inputMode="decimal"
                    aria-label={t('analysis.review.percent', { number: at + 1 })}
                    aria-invalid={Boolean(formState.errors.conditions?.[at]?.share)}
                    {...register(`conditions.${at}.share`, shareRule)}
                  />
                  <IconButton
                    variant="ghost"
                    aria-label={t('analysis.review.removeCondition', { number: at + 1 })}
                    onClick={() => rows.remove(at)}
                  >
                    <XIcon />
                  </IconButton>
                </Flex>
              ))}
              {formState.errors.conditions && (
                <Text role="alert" fontSize="sm" color="danger.fg">
                  {t('analysis.review.percentRule')}
                </Text>
              )}
              <Button
                variant="outline"
                alignSelf="flex-start"
                size="sm"
                disabled={rows.fields.length >= 50}
                onClick={() => rows.append({ condition: '', share: '50', given: 0.5 })}
              >
                <PlusIcon />
                {t('analysis.review.addCondition')}
              </Button>
            </Flex>
          </Box>
          {listFields.map((name) => (
            <Field key={name} label={t(`analysis.${name}`)} help={t('analysis.review.onePerLine')}>
              <Textarea size="lg" rows={3} dir="auto" {...register(name)} />
            </Field>
          ))}
        </Flex>
      </Dialog.Body>
      <Dialog.Footer>
        <Button variant="outline" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button type="submit" form={form} loading={sign.isPending} loadingText={t('analysis.review.signAct')}>
          <SignatureIcon />
          {t('analysis.review.signAct')}
        </Button>
      </Dialog.Footer>
    </Modal>
  );
}
