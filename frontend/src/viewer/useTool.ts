import { useEffect, useState } from 'react';
import type { ToolName } from './keys';
import type { Engine } from './useEngine';

/** The tool of the pointer. Until a person chooses one, a finger goes through a stack; a mouse has a wheel for it. */
export function useTool(engine: Engine | undefined, hasManyFrames: boolean) {
  const [byTouch] = useState(() => matchMedia('(pointer: coarse)').matches);
  const [chosen, choose] = useState<ToolName>();
  const [swipes, setSwipes] = useState(false);
  useEffect(() => {
    if (engine && byTouch && hasManyFrames) setSwipes(true);
  }, [engine, byTouch, hasManyFrames]);
  const tool = chosen ?? (swipes ? 'scroll' : 'window');
  useEffect(() => engine?.choose(tool), [engine, tool]);
  return { tool, choose };
}
