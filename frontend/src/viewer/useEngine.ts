import { useEffect, useState } from 'react';

export type Engine = typeof import('./engine');

/** `failed`: the browser cannot run the imaging library; the server draws the frames. */
export type EngineState = { engine?: Engine | undefined; failed: boolean };

/** Loads and starts the imaging library, which keeps its pixels while a screen uses it. */
export function useEngine(wanted: boolean): EngineState {
  const [state, setState] = useState<EngineState>({ failed: false });
  useEffect(() => {
    if (!wanted) return;
    let here = true;
    import('./engine')
      .then((engine) => {
        engine.start();
        if (here) setState({ engine, failed: false });
      })
      .catch(() => here && setState({ failed: true }));
    return () => {
      here = false;
    };
  }, [wanted]);
  const { engine } = state;
  useEffect(() => engine?.use(), [engine]);
  return state;
}

/** Returns the images that the server draws because this browser cannot. */
export function useRendered(engine: Engine | undefined, onRefused: () => void): ReadonlySet<string> {
  const [rendered, setRendered] = useState<ReadonlySet<string>>(new Set());
  useEffect(
    () =>
      engine?.listen({
        refused: onRefused,
        rendered: (id) => setRendered((now) => (now.has(id) ? now : new Set([...now, id]))),
      }),
    [engine, onRefused],
  );
  return rendered;
}
