import type { ReactNode } from 'react';
import { useRoutes } from 'react-router-dom';
import { Queries } from './Queries';
import { RequireSession } from './RequireSession';
import { Shell } from './Shell';

/** Shows its children in the frame of the signed-in screens, at an address that has no route of its own. */
export const InShell = ({ children }: { children: ReactNode }) =>
  useRoutes([
    {
      Component: Queries,
      children: [
        { Component: RequireSession, children: [{ Component: Shell, children: [{ path: '*', element: children }] }] },
      ],
    },
  ]);
