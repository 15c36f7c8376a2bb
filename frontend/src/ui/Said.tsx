import { Box } from '@chakra-ui/react';
import type { ParseKeys } from 'i18next';
import type { ComponentType } from 'react';
import { Trans } from 'react-i18next';

const parts = { n: <bdi />, b: <Box as="strong" fontWeight="semibold" color="fg" overflowWrap="anywhere" dir="ltr" /> };

/** Every key's own type at once is more than the compiler takes; `i18nKey` below is still one of them. */
const Sentence = Trans as unknown as ComponentType<{
  i18nKey: ParseKeys;
  values: Record<string, string>;
  components: typeof parts;
  tOptions: object;
  shouldUnescape: boolean;
}>;

/** A sentence with a person's words in it: `<n>` keeps a name's direction to itself, `<b>` stresses. */
export const Said = ({ i18nKey, values }: { i18nKey: ParseKeys; values: Record<string, string> }) => (
  // Escaped and back, so that an angle bracket in a name stays an angle bracket.
  <Sentence
    i18nKey={i18nKey}
    values={values}
    components={parts}
    tOptions={{ interpolation: { escapeValue: true } }}
    shouldUnescape
  />
);
