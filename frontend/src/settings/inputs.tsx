import { Flex, Input, NativeSelect, Text } from '@chakra-ui/react';
import { WarningCircleIcon } from '@phosphor-icons/react';
import { type ComponentProps, type ReactNode, type Ref, useId } from 'react';
import { knownOf } from './settings';

export const Fault = ({ id, children }: { id: string; children: string | undefined }) =>
  children ? (
    <Flex id={id} role="alert" gap="1.5" mt="1.5" fontSize="xs" color="fg.error">
      <WarningCircleIcon size={16} aria-hidden style={{ flex: 'none', marginTop: 1 }} />
      {children}
    </Flex>
  ) : null;

interface CellProps {
  fault: string | undefined;
  help?: string | undefined;
  children: (aria: { 'aria-invalid'?: true; 'aria-describedby'?: string }) => ReactNode;
}

/** An input of the row, with its fault or the range of allowed values below it. */
export function InputCell({ fault, help, children }: CellProps) {
  const id = useId();
  return (
    <>
      {children({ ...(fault && { 'aria-invalid': true }), ...((fault || help) && { 'aria-describedby': id }) })}
      {fault ? (
        <Fault id={id}>{fault}</Fault>
      ) : (
        help && (
          <Text id={id} fontSize="xs" color="fg.muted" mt="1.5" fontVariantNumeric="tabular-nums">
            {help}
          </Text>
        )
      )}
    </>
  );
}

export const MonoInput = (props: ComponentProps<typeof Input>) => (
  <Input h="control" bg="bg.surface" fontFamily="mono" fontSize="sm" autoComplete="off" {...props} />
);

interface ValueProps extends Omit<ComponentProps<typeof Input>, 'onChange' | 'ref' | 'value'> {
  name: string;
  value: string;
  onValue: (value: string) => void;
  inputRef: Ref<HTMLInputElement & HTMLSelectElement>;
}

/** The input for a value, or a select if the setting has fixed options. */
export function ValueInput({ name, value, onValue, inputRef, ...input }: ValueProps) {
  const known = knownOf(name);
  if (!known?.options)
    return (
      <MonoInput
        ref={inputRef}
        value={value}
        onChange={(event) => onValue(event.target.value)}
        {...(known?.about === 'number' && { inputMode: 'numeric' })}
        {...input}
      />
    );
  const { form, onKeyDown, 'aria-label': label, 'aria-invalid': invalid, 'aria-describedby': describedBy } = input;
  return (
    <NativeSelect.Root>
      <NativeSelect.Field
        ref={inputRef}
        {...{ form, 'aria-label': label, 'aria-invalid': invalid, 'aria-describedby': describedBy }}
        {...(onKeyDown && { onKeyDown: onKeyDown as never })}
        value={known.options.includes(value) ? value : ''}
        onChange={(event) => onValue(event.target.value)}
        bg="bg.surface"
        borderRadius="control"
        h="control"
        fontFamily="mono"
        fontSize="sm"
      >
        <option value="" disabled hidden />
        {known.options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </NativeSelect.Field>
      <NativeSelect.Indicator />
    </NativeSelect.Root>
  );
}
