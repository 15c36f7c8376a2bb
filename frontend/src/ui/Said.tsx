import { Box } from '@chakra-ui/react';
import type { ParseKeys } from 'i18next';
import type { ComponentType } from 'react';
import { Trans } from 'react-i18next';

const parts = { n: <bdi />, b: <Box as="strong" fontWeight="semibold" color="fg" overflowWrap="anywhere" dir="ltr" /> };

/** `Trans` with the union of all keys exceeds the compiler's limits; `i18nKey` is still checked below. */
const Sentence = Trans as unknown as ComponentType<{
  i18nKey: ParseKeys;
  values: Record<string, string>;
  components: typeof parts;
  tOptions: object;
  shouldUnescape: boolean;
}>;

/** A translated sentence with texts of people in it: `<n>` isolates the direction of a name, `<b>` stresses. */
export const Said = ({ i18nKey, values }: { i18nKey: ParseKeys; values: Record<string, string> }) => (
  // The values are escaped and then unescaped by `Trans`, so that an angle bracket in a name is shown as one.
  <Sentence
    i18nKey={i18nKey}
    values={values}
    components={parts}
    tOptions={{ interpolation: { escapeValue: true } }}
    shouldUnescape
  />
);
