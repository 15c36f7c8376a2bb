import { Button, type ButtonProps } from '@chakra-ui/react';
import { ArrowLeftIcon } from '@phosphor-icons/react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';

interface Props extends Omit<ButtonProps, 'children'> {
  to: string;
  children: ReactNode;
}

/** A link to the screen above, with an arrow against the reading direction. */
export const BackLink = ({ to, children, ...look }: Props) => (
  <Button asChild variant="outline" {...look}>
    <Link to={to}>
      <ArrowLeftIcon mirrored={document.dir === 'rtl'} aria-hidden />
      {children}
    </Link>
  </Button>
);
