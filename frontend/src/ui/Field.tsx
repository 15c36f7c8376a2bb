import { Field as ChakraField, Flex, Input, InputGroup, Text } from '@chakra-ui/react';
import { type Icon, WarningCircleIcon } from '@phosphor-icons/react';
import type { ComponentProps, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { said } from '../i18n';

interface FieldProps {
  label: ReactNode;
  /** Shown at the end of the label's line (Forgot Password?). */
  aside?: ReactNode;
  help?: ReactNode;
  error?: string | undefined;
  optional?: boolean;
  children: ReactNode;
}

/**
 * A label above an input and the help below it. An error replaces the help. Optional fields are marked, required ones
 * not.
 */
export function Field({ label, aside, help, error, optional = false, children }: FieldProps) {
  const { t } = useTranslation();
  return (
    <ChakraField.Root invalid={Boolean(error)}>
      <Flex w="full" align="baseline" justify="space-between" columnGap="3" wrap="wrap">
        <ChakraField.Label>
          {label}
          {optional && (
            <Text as="span" fontWeight="normal" color="fg.muted">
              {t('common.optional')}
            </Text>
          )}
        </ChakraField.Label>
        {aside}
      </Flex>
      {children}
      {error ? (
        <ChakraField.ErrorText role="alert">
          <WarningCircleIcon size={17} aria-hidden style={{ flex: 'none', marginTop: 1 }} />
          {said(error)}
        </ChakraField.ErrorText>
      ) : (
        help && <ChakraField.HelperText>{help}</ChakraField.HelperText>
      )}
    </ChakraField.Root>
  );
}

type TextFieldProps = Omit<FieldProps, 'children'> &
  Omit<ComponentProps<typeof Input>, 'children'> & {
    Icon?: Icon;
    /** Shown inside the input, at its end. */
    end?: ReactNode;
  };

/** A field with one line of text. Accepts the props of react-hook-form's `register`. */
export function TextField({ label, aside, help, error, optional = false, Icon, end, ...input }: TextFieldProps) {
  const box = <Input size="lg" h="field" borderRadius="control" {...input} />;
  return (
    <Field label={label} aside={aside} help={help} error={error} optional={optional}>
      {Icon || end ? (
        // The group has the direction of its input, so that icon and button are at the padding that the input reserves.
        <InputGroup
          {...(input.dir === 'ltr' && { dir: 'ltr' })}
          {...(Icon && { startElement: <Icon size={20} aria-hidden />, startElementProps: { color: 'fg.muted' } })}
          {...(end && { endElement: end, endElementProps: { px: '1.5' } })}
        >
          {box}
        </InputGroup>
      ) : (
        box
      )}
    </Field>
  );
}
