import { useCheckboxContext, useSwitchContext } from '@chakra-ui/react';
import type { ComponentProps } from 'react';

type Rest = Pick<ComponentProps<'input'>, 'aria-label' | 'aria-describedby'>;
type Api = Pick<ReturnType<typeof useSwitchContext>, 'checked' | 'getHiddenInputProps'>;

// React wants to see a listener. The library listens to the click.
const heard = () => {};

/*
 * The input of a switch or box whose value the server holds. A press turns the input at once, and the library turns it
 * back only when the value changes. After a refused change the value is the old one, so here React turns it back.
 */
function HeldInput({ api, ...rest }: { api: Api } & Rest) {
  const { defaultChecked: _, ...input } = api.getHiddenInputProps();
  return <input {...input} {...rest} checked={api.checked} onChange={heard} />;
}

export const HeldSwitchInput = (rest: Rest) => <HeldInput api={useSwitchContext()} {...rest} />;

export const HeldCheckboxInput = (rest: Rest) => <HeldInput api={useCheckboxContext()} {...rest} />;
