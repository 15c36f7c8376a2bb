import { getEnabledElement, getEnabledElements, type StackViewport, type Types } from '@cornerstonejs/core';
import {
  AngleTool,
  type AnnotationTool,
  ArrowAnnotateTool,
  addTool,
  annotation,
  cancelActiveManipulations,
  EllipticalROITool,
  Enums,
  LengthTool,
  PanTool,
  ProbeTool,
  ReferenceLinesTool,
  StackScrollTool,
  ToolGroupManager,
  ZoomTool,
} from '@cornerstonejs/tools';
import type { MeasureKind } from '@lightbox/contract/annotations/measuring.js';
import type { MarkKind } from '@lightbox/contract/annotations/schemas.js';
import type { ToolName } from '../keys';
import { wrapped } from '../wrapped';
import { arrowMade } from './arrows';
import { passOverMarks } from './fingers';
import { linesOf } from './measures';
import { WindowTool } from './windowTool';

const { Primary, Secondary, Auxiliary, Wheel } = Enums.MouseBindings;
const groupId = 'viewer';

/** The longest line of words at an arrow, in characters. */
const LINE = 40;
/** The library keeps a box of text inside its pane by these sizes in CSS pixels: of a character, and of the space around. */
const box = { character: 8, around: 58 };

/** Breaks the words at an arrow into lines that fit into the pane. The library writes one line, which the pane cuts. */
class ArrowTool extends ArrowAnnotateTool {
  protected override renderLinkedTextBoxAnnotation(
    drawn: Parameters<ArrowAnnotateTool['renderLinkedTextBoxAnnotation']>[0],
  ): boolean {
    const { clientWidth } = drawn.enabledElement.viewport.element;
    const most = Math.max(1, Math.min(LINE, Math.floor((clientWidth - box.around) / box.character)));
    return super.renderLinkedTextBoxAnnotation({
      ...drawn,
      textLines: drawn.textLines.flatMap((line) => wrapped(line, most)),
    });
  }
}

const toolOf: Record<ToolName, { toolName: string }> = {
  window: WindowTool,
  pan: PanTool,
  zoom: ZoomTool,
  scroll: StackScrollTool,
  length: LengthTool,
  angle: AngleTool,
  ellipse: EllipticalROITool,
  probe: ProbeTool,
  arrow: ArrowTool,
};

export const measureTools: Record<MarkKind, string> = {
  length: LengthTool.toolName,
  angle: AngleTool.toolName,
  ellipse: EllipticalROITool.toolName,
  probe: ProbeTool.toolName,
  arrow: ArrowAnnotateTool.toolName,
};

/** The tools that draw nothing. */
const navigation: readonly string[] = [WindowTool, PanTool, ZoomTool, StackScrollTool].map(({ toolName }) => toolName);

type Place = readonly [x: number, y: number];

/** The handles of a measurement. Those of an ellipse are the ends of its axes, not its middle and a corner. */
function handlesOf(kind: MarkKind, places: readonly Place[]): readonly Place[] {
  const [[x, y], corner] = places as [Place, Place | undefined];
  if (kind !== 'ellipse' || !corner) return places;
  const [dx, dy] = [Math.abs(corner[0] - x), Math.abs(corner[1] - y)];
  return [
    [x, y + dy],
    [x, y - dy],
    [x - dx, y],
    [x + dx, y],
  ];
}

/** Adds a measurement to the frame of a viewport, from places in CSS pixels. */
export function addMeasure(viewport: StackViewport, kind: MarkKind, places: readonly Place[]): void {
  const points = handlesOf(kind, places).map((place) => viewport.canvasToWorld([...place]));
  const metadata = { ...viewport.getViewReference({ points }), toolName: measureTools[kind] };
  const uid = annotation.state.addAnnotation(annotationOf(metadata, points) as never, viewport.element);
  if (kind === 'arrow') arrowMade(uid);
}

/** Returns an annotation of the library. */
export function annotationOf(metadata: object, points: readonly Types.Point3[], label = '') {
  const [corner] = points as [Types.Point3];
  return {
    highlighted: false,
    invalidated: true,
    isLocked: false,
    isVisible: true,
    metadata,
    data: {
      label,
      handles: {
        points,
        activeHandleIndex: null,
        textBox: {
          hasMoved: false,
          worldPosition: corner,
          worldBoundingBox: { topLeft: corner, topRight: corner, bottomLeft: corner, bottomRight: corner },
        },
      },
      cachedStats: {},
    },
  };
}

const textOf = (kind: MeasureKind) => ({
  getTextLines: (data: { handles: { points: number[][] } }, target: string) =>
    linesOf(kind, data.handles.points, target),
});

/** Draws lines only where both panes have a picture: before it, the library knows no plane of a pane and fails. */
class SliceLinesTool extends ReferenceLinesTool {
  static override toolName = 'SliceLines';

  constructor(...settings: ConstructorParameters<typeof ReferenceLinesTool>) {
    super(...settings);
    const draw = this.renderAnnotation;
    this.renderAnnotation = (target, helper) => hasPicture(target.viewport as StackViewport) && draw(target, helper);
  }
}

const hasPicture = (viewport: StackViewport | undefined) => Boolean(viewport?.getCornerstoneImage());

/**
 * Gives a tool the marks of a pane only when the pane has a picture. Marks can arrive before it. The renderer without WebGL
 * knows no plane then and fails, and after one failure the library draws no mark any more.
 */
function waitForPicture(tool: AnnotationTool): void {
  const find = tool.filterInteractableAnnotationsForElement.bind(tool);
  tool.filterInteractableAnnotationsForElement = (element, marks) =>
    hasPicture(getEnabledElement(element)?.viewport as StackViewport | undefined) ? find(element, marks) : [];
}

/** Registers the tools, once for the page. */
export function startTools(): void {
  for (const tool of [...Object.values(toolOf), SliceLinesTool]) addTool(tool as never);
  const { style } = annotation.config;
  const usual = style.getDefaultToolStyles();
  style.setDefaultToolStyles({
    ...usual,
    global: {
      ...usual.global,
      color: 'rgb(255, 197, 102)',
      colorHighlighted: 'rgb(255, 225, 170)',
      colorSelected: 'rgb(255, 240, 215)',
      lineWidth: '1.5',
      shadow: true,
      textBoxFontFamily: '"Atkinson Hyperlegible Mono Variable", monospace',
      textBoxFontSize: '14px',
      textBoxColor: 'rgb(255, 197, 102)',
      textBoxColorHighlighted: 'rgb(255, 225, 170)',
      textBoxColorSelected: 'rgb(255, 240, 215)',
    },
  } as never);
}

function group() {
  const known = ToolGroupManager.getToolGroup(groupId);
  if (known) return known;
  const made = ToolGroupManager.createToolGroup(groupId);
  if (!made) throw new Error('The tools cannot be started.');
  for (const toolName of navigation) made.addTool(toolName);
  made.addTool(LengthTool.toolName, textOf('length') as never);
  made.addTool(AngleTool.toolName, textOf('angle') as never);
  made.addTool(EllipticalROITool.toolName, { ...textOf('ellipse'), calculateStats: false } as never);
  made.addTool(ProbeTool.toolName, textOf('probe') as never);
  // The library wants a text before it keeps an arrow. The screen asks for the text afterwards.
  const arrows = { getTextCallback: (done: (text: string) => void) => done(' '), changeTextCallback: () => undefined };
  made.addTool(ArrowAnnotateTool.toolName, arrows as never);
  made.addTool(SliceLinesTool.toolName);
  const marks = Object.values(measureTools).map((name) => made.getToolInstance(name) as AnnotationTool);
  for (const tool of marks) waitForPicture(tool);
  const isChosen = () => navigation.includes(made.getActivePrimaryMouseButtonTool());
  for (const name of navigation) passOverMarks(made.getToolInstance(name), marks, isChosen);
  return made;
}

export const equip = (viewportId: string, engineId: string) => group().addViewport(viewportId, engineId);
export const unequip = (viewportId: string, engineId: string) =>
  ToolGroupManager.getToolGroup(groupId)?.removeViewports(engineId, viewportId);

const always = [
  { toolName: ZoomTool.toolName, bindings: [{ mouseButton: Secondary }, { numTouchPoints: 2 }] },
  { toolName: PanTool.toolName, bindings: [{ mouseButton: Auxiliary }] },
  { toolName: StackScrollTool.toolName, bindings: [{ mouseButton: Wheel }] },
];

/**
 * Gives the chosen tool the first mouse button and one finger. The right button always zooms, the middle one pans, the
 * wheel scrolls, and two fingers zoom and pan.
 */
export function choose(tool: ToolName): void {
  // A drawing that has begun would take the first drag of the new tool.
  cancelMeasure();
  annotation.selection.deselectAnnotation();
  const tools = group();
  const chosen = toolOf[tool].toolName;
  for (const { toolName } of Object.values(toolOf)) tools.setToolPassive(toolName, { removeAllBindings: true });
  for (const { toolName, bindings } of always) {
    tools.setToolActive(toolName, {
      bindings: toolName === chosen ? [...bindings, { mouseButton: Primary }] : bindings,
    });
  }
  if (!always.some(({ toolName }) => toolName === chosen)) {
    tools.setToolActive(chosen, { bindings: [{ mouseButton: Primary }] });
  }
}

/** Draws in the other panes where the slice of this pane cuts them; without a pane, draws no line. */
export function referTo(viewportId: string | undefined): void {
  const tools = ToolGroupManager.getToolGroup(groupId);
  if (!tools) return;
  if (!viewportId) {
    tools.setToolDisabled(SliceLinesTool.toolName);
    return;
  }
  tools.setToolConfiguration(SliceLinesTool.toolName, { sourceViewportId: viewportId });
  tools.setToolEnabled(SliceLinesTool.toolName);
}

/** Ends a drawing that has begun on one of the panes. Returns true when there was one. */
export const cancelMeasure = (): boolean =>
  getEnabledElements().some(({ viewport }) => Boolean(cancelActiveManipulations(viewport.element)));
