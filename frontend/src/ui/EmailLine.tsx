import { Text, type TextProps } from '@chakra-ui/react';
import { currentLanguage } from '../i18n';

/** An e-mail address in one line: aligned to the start of the page, and cut with an ellipsis if it is too long. */
export const EmailLine = ({ children, ...style }: TextProps & { children: string }) => (
  <Text dir="ltr" textAlign={currentLanguage().dir === 'rtl' ? 'right' : 'left'} truncate {...style}>
    {children}
  </Text>
);
