import { getEnabledElement, type StackViewport, type Types } from '@cornerstonejs/core';
import { WindowLevelTool } from '@cornerstonejs/tools';
import { rangeOf, windowOf } from '@lightbox/contract/images/voi.js';
import { dragged } from '../window';
import { extentOf } from './pixels';
import { functionOf, showRange } from './voi';

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
    const by = functionOf(image);
    const window = dragged(windowOf(voiRange, by), deltaPoints.canvas, extentOf(image));
    showRange(viewport, image, rangeOf(window, by));
    viewport.render();
  }
}
