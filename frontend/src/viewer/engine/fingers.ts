import type { Types } from '@cornerstonejs/core';
import { type AnnotationTool, annotation, type BaseTool, utilities } from '@cornerstonejs/tools';

const { deselectAnnotation, isAnnotationSelected, setAnnotationSelected } = annotation.selection;

/** The distance in CSS pixels within which a finger is at a mark, as the library has it. */
const REACH = 36;

interface Touch {
  detail: { element: HTMLDivElement; viewportId: string; currentPoints: { canvas: Types.Point2 } };
}
type Navigation = BaseTool & {
  preTouchStartCallback?: (touch: Touch) => boolean | undefined;
  touchTapCallback?: (touch: Touch) => void;
};

/** Returns the person's own marks under a finger. */
const marksUnder = ({ element, currentPoints: { canvas } }: Touch['detail'], tools: readonly AnnotationTool[]) =>
  tools.flatMap((tool) =>
    tool
      .filterInteractableAnnotationsForElement(element, annotation.state.getAnnotations(tool.toolName, element))
      .filter(
        (one) =>
          !one.isLocked &&
          (tool.getHandleNearImagePoint(element, one, canvas, REACH) ||
            tool.isPointNearTool(element, one, canvas, REACH, 'touch')),
      ),
  );

/**
 * Lets one finger use a tool that draws nothing also where it begins on a mark. A tap selects the mark, and then the finger
 * moves it; a tap beside the marks selects none. `isChosen` tells whether one finger has such a tool.
 */
export function passOverMarks(tool: Navigation, marks: readonly AnnotationTool[], isChosen: () => boolean): void {
  const before = tool.preTouchStartCallback?.bind(tool);
  // The library takes hold of a mark under the finger only if this returns false.
  tool.preTouchStartCallback = (touch) =>
    before?.(touch) ||
    !marksUnder(touch.detail, marks).some(({ annotationUID }) => isAnnotationSelected(annotationUID ?? ''));
  tool.touchTapCallback = ({ detail }) => {
    if (!isChosen()) return;
    const [mark] = marksUnder(detail, marks);
    if (mark?.annotationUID) setAnnotationSelected(mark.annotationUID);
    else deselectAnnotation();
    utilities.triggerAnnotationRenderForViewportIds([detail.viewportId]);
  };
}

/**
 * Keeps a browser from making mouse events of a tap. The library hears a part of them: it takes hold of a mark under the
 * tap, and the next finger anywhere moves it. Returns how to stop.
 */
export function withoutMouse(element: HTMLElement): () => void {
  const end = (event: TouchEvent) => event.cancelable && event.preventDefault();
  element.addEventListener('touchend', end);
  return () => element.removeEventListener('touchend', end);
}
