import { getEnabledElement, type StackViewport, type Types, utilities } from '@cornerstonejs/core';
import { WindowLevelTool } from '@cornerstonejs/tools';
import { dragged, rangeOf } from '../window';
import { extentOf } from './pixels';

interface Drag {
  detail: { element: HTMLDivElement; deltaPoints: { canvas: Types.Point2 } };
}

/** Changes the window by a drag. The library's own tool reaches width 1 within some pixels on a narrow window. */
export class WindowTool extends WindowLevelTool {
  static override toolName = 'Window';

  override mouseDragCallback({ detail: { element, deltaPoints } }: Drag): void {
    const viewport = getEnabledElement(element)?.viewport as StackViewport | undefined;
    const voiRange = viewport?.getProperties().voiRange;
    const image = viewport?.getCornerstoneImage() as Types.IImage | undefined;
    if (!viewport || !voiRange || !image || image.color) return;
    const { windowWidth, windowCenter } = utilities.windowLevel.toWindowLevel(voiRange.lower, voiRange.upper);
    const window = dragged({ center: windowCenter, width: windowWidth }, deltaPoints.canvas, extentOf(image));
    viewport.setProperties({ voiRange: rangeOf(window) });
    viewport.render();
  }
}
