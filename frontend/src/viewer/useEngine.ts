import { useEffect, useState } from 'react';

export type Engine = typeof import('./engine');

/** `failed`: the browser cannot run the imaging library; the server draws the frames. */
export type EngineState = { engine?: Engine; failed: boolean };

/** Loads and starts the imaging library. */
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
  return state;
}
