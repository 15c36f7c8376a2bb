import { Flex, Input, Text } from '@chakra-ui/react';
import { WarningCircleIcon } from '@phosphor-icons/react';
import { type ComponentProps, type ReactNode, useId } from 'react';

export const Fault = ({ id, children }: { id: string; children: string | undefined }) =>
  children ? (
    <Flex id={id} role="alert" gap="1.5" mt="1.5" fontSize="xs" color="fg.error">
      <WarningCircleIcon size={16} aria-hidden style={{ flex: 'none', marginTop: 1 }} />
      {children}
    </Flex>
  ) : null;

interface CellProps {
  fault: string | undefined;
  help?: ReactNode;
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
