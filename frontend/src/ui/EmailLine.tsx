import { Text, type TextProps } from '@chakra-ui/react';
import { currentLanguage } from '../i18n';

/** An e-mail address in one line: it starts at the page's edge, and ends with the dots where there is no room for all. */
export const EmailLine = ({ children, ...style }: TextProps & { children: string }) => (
  <Text dir="ltr" textAlign={currentLanguage().dir === 'rtl' ? 'right' : 'left'} truncate {...style}>
    {children}
  </Text>
);
