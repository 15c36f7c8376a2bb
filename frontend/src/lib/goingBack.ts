/**
 * Back closes the open sheet, as people expect on a phone, and does not leave the page.
 *
 * While a sheet is open, the page has a second entry in the history. Back leaves that entry, and this closes the sheet.
 * A sheet that is closed in another way takes its entry with it. The router sees a history without these entries: what it
 * adds takes the place of such an entry, and what it replaces or steps over counts from the page below.
 */
import { inPlace, isRouted } from './routerWindow';

/** The state of an entry: that of the router, and ours. */
interface State {
  /** The router's number of the page, from 0. */
  idx?: number;
  /** The same for a page and the entry of its sheets. */
  page?: number;
  /** True for the entry of the sheets. */
  sheet?: true;
}

/** How to close each open sheet, the newest last. */
const sheets: (() => void)[] = [];
/** The page as the router knows it, while the entry of the sheets is above it. */
let below: { state: State; url: string } | undefined;
/** The page of the current entry, if it had a sheet. */
let page: number | undefined;
/** True until the step from the entry of the sheets to its page has arrived. The wishes of the router wait meanwhile. */
let stepping = false;
const waiting: (() => void)[] = [];
/** True while the router itself is on its way to another entry. */
let travelling = false;

const current = (): State => history.state ?? {};
const without = ({ sheet: _, ...state }: State): State => state;

/** Adds or removes the entry of the sheets. Later, because a sheet often closes together with a change of the page. */
const settle = () => setTimeout(settleNow);
function settleNow() {
  if (!isRouted() || stepping || travelling) return;
  if (sheets.length > 0 && !below) {
    // The time is another one for each page, also after a reload.
    page = current().page ?? performance.timeOrigin + performance.now();
    below = { state: { ...current(), page }, url: location.href };
    history.replaceState(below.state, '');
    history.pushState({ ...below.state, sheet: true } satisfies State, '');
  } else if (sheets.length === 0 && below) {
    stepping = true;
    history.back();
  }
}

function arrived(event: PopStateEvent) {
  const left = below;
  const state = current();
  const stays = state.page !== undefined && state.page === page;
  below = state.sheet ? { state: without(state), url: location.href } : undefined;
  page = state.page;
  travelling = false;
  // For the router nothing has changed.
  if (stays) event.stopImmediatePropagation();
  if (stays && left && !below) {
    // The router may have replaced the page while the sheet was open.
    history.replaceState(left.state, '', left.url);
    // Without a sheet this is a page that was loaded again: the step was meant to leave it.
    const close = sheets.at(-1) ?? (() => history.back());
    if (!stepping) close();
  }
  stepping = false;
  for (const go of waiting.splice(0)) go();
  settle();
}

/** Does what the router wants, as soon as this is at the page. */
function soon(go: () => void) {
  if (stepping) waiting.push(go);
  else go();
}

const forRouter: Required<typeof inPlace> = {
  arrived,
  pushState: (state, unused, url) =>
    soon(() => {
      if (below) history.replaceState(state, unused, url);
      else history.pushState(state, unused, url);
      below = undefined;
      page = undefined;
      travelling = false;
      settle();
    }),
  replaceState: (state, unused, url) =>
    soon(() => {
      const own: State = page ? { ...state, page } : state;
      history.replaceState(below ? { ...own, sheet: true } : own, unused, url);
      if (below) below = { state: own, url: location.href };
    }),
  go: (delta = 0) =>
    soon(() => {
      // Before the first page is another site, or nothing: then no step arrives.
      if ((current().idx ?? 0) + delta >= 0) travelling = true;
      history.go(below && delta < 0 ? delta - 1 : delta);
    }),
};

/** Takes over the entry that is left when the page is loaded again with an open sheet: the address may open it again. */
export function adopt() {
  page = current().page;
  if (current().sheet) below = { state: without(current()), url: location.href };
}

adopt();
Object.assign(inPlace, forRouter);

/** Tells that a sheet is open, and how Back closes it. Returns how to tell that it is closed. */
export function sheetOpened(close: () => void): () => void {
  sheets.push(close);
  settle();
  return () => {
    sheets.splice(sheets.indexOf(close), 1);
    settle();
  };
}
