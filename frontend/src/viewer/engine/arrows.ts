import { eventTarget } from '@cornerstonejs/core';
import { ArrowAnnotateTool, Enums } from '@cornerstonejs/tools';

interface Arrow {
  annotationUID: string;
  metadata: { toolName: string };
  data: { label: string };
}

const told = new Set<(uid: string) => void>();

/** Tells the screen that a person has made an arrow. */
export function arrowMade(uid: string): void {
  for (const tell of told) tell(uid);
}

/** Calls back when a person has made an arrow. Returns how to stop. */
export function watchArrows(made: (uid: string) => void): () => void {
  const completed = (event: Event) => {
    const { annotation } = (event as CustomEvent<{ annotation: Arrow }>).detail;
    if (annotation.metadata.toolName !== ArrowAnnotateTool.toolName) return;
    // The tool goes on to write its placeholder into the label.
    queueMicrotask(() => {
      annotation.data.label = annotation.data.label.trim();
      made(annotation.annotationUID);
    });
  };
  told.add(made);
  eventTarget.addEventListener(Enums.Events.ANNOTATION_COMPLETED, completed as EventListener);
  return () => {
    told.delete(made);
    eventTarget.removeEventListener(Enums.Events.ANNOTATION_COMPLETED, completed as EventListener);
  };
}
