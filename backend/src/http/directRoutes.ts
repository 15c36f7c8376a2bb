import type { RequestHandler, Router } from 'express';

/** A handler of one call, with the places and names of the parameters in its path. */
interface Direct {
  handler: RequestHandler;
  names: (readonly [place: number, name: string])[];
}

/** A part of a path that is an id or a number. No literal part of a call's path is. */
const isValue = (part: string): boolean => /^(?:[0-9a-f]{24}|[0-9]{1,9})$/.test(part);

/**
 * Finds the handlers of the calls among the routes from `first` on, by the method and the shape of the path. The router would
 * compare each request with the paths of some hundred calls until it comes to its own. A path with other values than ids and
 * numbers, or one that is written in another way, is left to the router.
 */
export function directRoutes(router: Router, first: number): RequestHandler {
  const known = new Map<string, Direct>();
  for (const { route } of router.stack.slice(first)) {
    const [only, ...others] = route?.stack ?? [];
    if (!route || !only || others.length > 0) continue;
    const parts = route.path.split('/');
    const names = parts.flatMap((part, place) => (part.startsWith(':') ? [[place, part.slice(1)] as const] : []));
    const key = keyOf(only.method, parts, (part) => part.startsWith(':'));
    // The router would take the first one, too.
    if (!known.has(key)) known.set(key, { handler: only.handle, names });
  }
  return (req, res, next) => {
    const parts = req.path.split('/');
    const found = known.get(keyOf(req.method, parts, isValue));
    if (!found) return next();
    const { handler, names } = found;
    if (names.length > 0) req.params = Object.fromEntries(names.map(([place, name]) => [name, parts[place] as string]));
    return handler(req, res, next);
  };
}

const keyOf = (method: string, parts: string[], isParameter: (part: string) => boolean): string =>
  `${method.toUpperCase()} ${parts.map((part) => (isParameter(part) ? ':' : part)).join('/')}`;
