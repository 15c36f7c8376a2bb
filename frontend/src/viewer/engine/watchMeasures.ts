import { eventTarget } from '@cornerstonejs/core';
import { Enums } from '@cornerstonejs/tools';

const { ANNOTATION_ADDED, ANNOTATION_COMPLETED, ANNOTATION_MODIFIED, ANNOTATION_REMOVED } = Enums.Events;

/** Calls back when a measurement is made, changed or removed. Returns how to stop. */
export function watchMeasures(changed: () => void): () => void {
  const events = [ANNOTATION_ADDED, ANNOTATION_COMPLETED, ANNOTATION_MODIFIED, ANNOTATION_REMOVED];
  for (const event of events) eventTarget.addEventListener(event, changed);
  return () => {
    for (const event of events) eventTarget.removeEventListener(event, changed);
  };
}
