import { Flex, Input, NativeSelect, Text } from '@chakra-ui/react';
import type { KeyboardEvent, Ref } from 'react';
import { useTranslation } from 'react-i18next';
import { type Known, useWords } from './settings';
import { type Amount, unitsOf } from './units';

interface Props {
  known: Known;
  amount: Amount;
  onAmount: (amount: Amount) => void;
  inputRef: Ref<HTMLInputElement & HTMLSelectElement>;
  form: string;
  label: string;
  onKeyDown: (event: KeyboardEvent) => void;
  aria: { 'aria-invalid'?: true; 'aria-describedby'?: string };
}

const look = { h: 'control', bg: 'bg.surface', borderRadius: 'control', fontSize: 'sm' } as const;

/** The fields of a value: a number with its unit, a choice, or a text. */
export function ValueFields({ known, amount, onAmount, inputRef, form, label, onKeyDown, aria }: Props) {
  const { t } = useTranslation();
  const { optionOf } = useWords();
  const { name, number, options } = known;
  if (options)
    return (
      <NativeSelect.Root>
        <NativeSelect.Field
          {...look}
          {...aria}
          ref={inputRef}
          form={form}
          aria-label={label}
          value={amount.text}
          onKeyDown={onKeyDown as never}
          onChange={(event) => onAmount({ ...amount, text: event.target.value })}
        >
          {options.map((option) => (
            <option key={option} value={option}>
              {optionOf(name, option)}
            </option>
          ))}
        </NativeSelect.Field>
        <NativeSelect.Indicator />
      </NativeSelect.Root>
    );
  const field = (
    <Input
      {...look}
      {...aria}
      ref={inputRef}
      form={form}
      aria-label={label}
      autoComplete="off"
      dir={number || known.about === 'line' ? 'auto' : 'ltr'}
      {...(number && { inputMode: 'decimal', w: '110px' })}
      {...(known.about === 'phone' && { inputMode: 'tel' })}
      {...(known.about === 'url' && { inputMode: 'url' })}
      value={amount.text}
      onKeyDown={onKeyDown}
      onChange={(event) => onAmount({ ...amount, text: event.target.value })}
    />
  );
  if (!number) return field;
  const units = unitsOf(number.unit);
  return (
    <Flex gap="2" align="center">
      {field}
      {units.length > 1 ? (
        <NativeSelect.Root w="90px">
          <NativeSelect.Field
            {...look}
            form={form}
            aria-label={t('settings.unit')}
            value={amount.unit}
            onKeyDown={onKeyDown as never}
            onChange={(event) => onAmount({ ...amount, unit: event.target.value })}
          >
            {units.map((unit) => (
              <option key={unit}>{unit}</option>
            ))}
          </NativeSelect.Field>
          <NativeSelect.Indicator />
        </NativeSelect.Root>
      ) : (
        <Text as="span" fontSize="sm" color="fg.muted">
          {t(`settings.unitName.${amount.unit as 'hours'}`)}
        </Text>
      )}
    </Flex>
  );
}
