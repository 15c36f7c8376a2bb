import type { ReactNode } from 'react';
import { Queries } from './Queries';
import { RequireSession } from './RequireSession';
import { Shell } from './Shell';

/** Shows its children in the frame of the signed-in screens, on a page that is there without a session too. */
export const InShell = ({ children }: { children: ReactNode }) => (
  <Queries>
    <RequireSession>
      <Shell>{children}</Shell>
    </RequireSession>
  </Queries>
);
