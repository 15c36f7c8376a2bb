/**
 * The window as the router sees it. `goingBack` puts its own methods in the place of those of the history. It loads with
 * the first screen that has sheets: the sign-in needs none of it.
 */
export const inPlace: Partial<Pick<History, 'pushState' | 'replaceState' | 'go'>> & {
  /** Hears of a step before the router does. */
  arrived?: (event: PopStateEvent) => void;
} = {};

let routed = false;
/** False where no router uses the history of the browser. */
export const isRouted = (): boolean => routed;

/** Gives each property as its owner has it: methods of the browser refuse another `this`. */
const over = <T extends object>(owner: T, own: object): T =>
  new Proxy(owner, {
    get(_, name) {
      const value = Reflect.get(name in own ? own : owner, name);
      return typeof value === 'function' ? value.bind(owner) : value;
    },
  });

/** Call it before the router is made: listeners of the window are called in the order in which they were added. */
export function windowForRouter(): Window {
  if (!routed) window.addEventListener('popstate', (event) => inPlace.arrived?.(event));
  routed = true;
  return over(window, { history: over(history, inPlace) });
}
