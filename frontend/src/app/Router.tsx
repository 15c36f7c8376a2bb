import type { Permission } from '@lightbox/contract/permissions.js';
import { type ComponentType, useEffect } from 'react';
import { createBrowserRouter, Outlet, type RouteObject, ScrollRestoration, useLocation } from 'react-router-dom';
import { paths } from '../lib/paths';
import { windowForRouter } from '../lib/routerWindow';
import { Toaster } from '../lib/toaster';
import { useOpened } from '../pwa/opened';
import { OfflineBar } from '../ui/OfflineBar';
import { ErrorPage } from './ErrorPage';
import { NotFound } from './NotFound';

/** A route whose screen is a chunk of its own, loaded at the first visit. */
const screen = (path: string, load: () => Promise<ComponentType>): RouteObject => ({
  path,
  lazy: async () => ({ Component: await load() }),
});

const only = (to: Permission, ...children: RouteObject[]): RouteObject => ({
  lazy: async () => {
    const { Allowed } = await import('./Allowed');
    return { element: <Allowed to={to} /> };
  },
  children,
});

/** A screen that uses texts which the first screens after the sign-in do not. */
const furtherScreen = (path: string, load: () => Promise<ComponentType>): RouteObject =>
  screen(path, async () => (await Promise.all([load(), import('../i18n/further')]))[0]);

/** The first screens that people open. They load as little code as possible. */
const firstScreens = [
  screen(paths.home, async () => (await import('../landing/Landing')).Landing),
  screen(paths.login, async () => (await import('../auth/Login')).Login),
];

const publicScreens = [
  screen(paths.register, async () => (await import('../auth/Register')).Register),
  screen(paths.verifyAccount, async () => (await import('../auth/VerifyAccount')).VerifyAccount),
  screen(paths.forgotPassword, async () => (await import('../auth/ForgotPassword')).ForgotPassword),
  screen(paths.resetPassword, async () => (await import('../auth/ResetPassword')).ResetPassword),
  screen(paths.signOn(), async () => (await import('./SignOnScreen')).SignOnScreen),
  screen(paths.notMe, async () => (await import('../auth/NotMe')).NotMe),
];

/** The screens of a guest and of a sender use the whole window. They need no session, and open none. */
const guestScreens = [
  screen(paths.guestLink(), async () => (await import('../guests/GuestLink')).GuestLink),
  screen(paths.send(), async () => (await import('../requests/SendImages')).SendImages),
];

const protectedScreens = [
  only(
    'stats.read',
    furtherScreen(paths.dashboard, async () => (await import('../users/Dashboard')).Dashboard),
  ),
  only(
    'overview.read',
    furtherScreen(paths.adminDashboard, async () => (await import('../overview/AdminDashboard')).AdminDashboard),
  ),
  only(
    'image.upload',
    furtherScreen(paths.upload, async () => (await import('../uploads/Upload')).Upload),
    screen(paths.requests, async () => (await import('../requests/Requests')).Requests),
    screen(paths.request(), async () => (await import('../requests/OneRequest')).OneRequest),
  ),
  only(
    'user.approve',
    furtherScreen(paths.approveProvider, async () => (await import('../users/ApproveProvider')).ApproveProvider),
  ),
  only(
    'analysis.read',
    furtherScreen(paths.aiAnalysis(), async () => (await import('../analysis/AiAnalysis')).AiAnalysis),
  ),
  only(
    'audit.read',
    furtherScreen(paths.auditLogs, async () => (await import('../audit/AuditLogs')).AuditLogs),
  ),
  only(
    'role.read',
    furtherScreen(paths.rolesPermissions, async () => (await import('../roles/RolesPermissions')).RolesPermissions),
  ),
  only(
    'setting.manage',
    furtherScreen(paths.appSettings, async () => (await import('../settings/AppSettings')).AppSettings),
  ),
  furtherScreen(paths.profile, async () => (await import('./ProfileScreen')).ProfileScreen),
  furtherScreen(paths.noticeSettings, async () => (await import('../profile/NoticeSettings')).NoticeSettings),
  only(
    'carer.use',
    furtherScreen(paths.carers, async () => (await import('../carers/Carers')).Carers),
  ),
  furtherScreen(paths.userProfile(), async () => (await import('./ProfileScreen')).ProfileScreen),
  furtherScreen(paths.emergencies, async () => (await import('../emergencies/EmergencyAccess')).EmergencyAccess),
  furtherScreen(paths.disclosures, async () => (await import('../profile/Disclosures')).Disclosures),
  screen(paths.viewImages, async () => (await import('./ImagesScreen')).ImagesScreen),
  furtherScreen(paths.shareImage, async () => (await import('../sharing/ShareImage')).ShareImage),
  screen(paths.messages, async () => (await import('./MessagesScreen')).MessagesScreen),
];

/** Screens for everybody, with and without a session. */
const infoScreens = [
  screen(paths.help, async () => (await import('../info/Help')).Help),
  screen(paths.privacy, async () => (await import('../info/Privacy')).Privacy),
];

/** Signed-in screens that use the whole window: they have no menu. */
const wholeWindow = [
  furtherScreen(paths.viewer(), async () => (await import('../viewer/ImageViewer')).ImageViewer),
  furtherScreen(paths.studyViewer(), async () => (await import('../viewer/StudyViewer')).StudyViewer),
];

/** True when one of these screens was left: at the first one, the focus stays at the top of the page. */
let left = false;

/**
 * The frame of the screens without a session: they show the offline bar too. A link that led to another screen has gone with
 * the focus. The title gets it, unless a field has taken it already.
 */
function Public() {
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is another screen.
  useEffect(() => {
    const title = left && document.activeElement === document.body && document.querySelector<HTMLElement>('main h1');
    if (title) {
      title.tabIndex = -1;
      // The title has the focus only for screen readers, so it shows no focus ring.
      title.style.outline = '0';
      title.focus();
    }
    return () => {
      left = true;
    };
  }, [pathname]);
  return (
    <>
      <OfflineBar />
      <Outlet />
    </>
  );
}

function Root() {
  useOpened();
  return (
    <>
      <Outlet />
      <ScrollRestoration />
      <Toaster />
    </>
  );
}

export const routes: RouteObject[] = [
  {
    Component: Root,
    ErrorBoundary: ErrorPage,
    HydrateFallback: () => null,
    children: [
      { Component: Public, children: firstScreens },
      {
        lazy: async () => ({ Component: (await import('./Queries')).Queries }),
        children: [
          { Component: Public, children: [...publicScreens, ...guestScreens] },
          {
            // The frame, the socket and the handlers of all events: the sign-in needs none of them.
            lazy: async () => ({ Component: (await import('./RequireSession')).RequireSession }),
            children: [
              {
                ErrorBoundary: ErrorPage,
                children: [
                  {
                    lazy: async () => ({ Component: (await import('./Shell')).Shell }),
                    children: [{ ErrorBoundary: ErrorPage, children: protectedScreens }],
                  },
                  ...wholeWindow,
                ],
              },
            ],
          },
        ],
      },
      {
        lazy: async () => ({ Component: (await import('./InfoScreen')).InfoScreen }),
        children: infoScreens,
      },
      { path: '*', Component: NotFound },
    ],
  },
];

export function createRouter() {
  // The page was loaded again while a sheet was open.
  if (history.state?.sheet) void import('../lib/goingBack').catch(() => {});
  return createBrowserRouter(routes, { window: windowForRouter() });
}
