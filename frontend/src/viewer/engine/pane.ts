import { Enums, eventTarget, metaData, type StackViewport, type Types } from '@cornerstonejs/core';
import type { Point } from '@lightbox/contract/annotations/measuring.js';
import type { MarkKind } from '@lightbox/contract/annotations/schemas.js';
import { rangeOf, type ValueRange, windowOf } from '@lightbox/contract/images/voi.js';
import { hundredth } from '../hundredth';
import { type Edges, edgesOf, type Vector, vectorIn } from '../orientation';
import { kept, nothingShown, type PaneView, type Shown, sharedTurn, type Turned, type WantedView } from '../shown';
import { type Window as PaneWindow, tidyWindow } from '../window';
import { withoutMouse } from './fingers';
import { frameOf } from './frameId';
import { extentOf } from './pixels';
import { isFromCorner, type PlaneModule, pixelOf, worldOf } from './plane';
import { Prefetch } from './prefetch';
import { enable, engineId, isSmooth, renderingEngine, runningEngine } from './start';
import { addMeasure, equip, unequip } from './tools';
import { functionOf, precise, sentOf, sentRange, showRange } from './voi';

const minus = (a: readonly number[], b: readonly number[]) => vectorIn(a.map((value, i) => value - (b[i] ?? 0)));
const normalized = (vector: Vector): Vector => {
  const size = Math.hypot(...vector) || 1;
  return vectorIn(vector.map((part) => part / size));
};

const failures = [Enums.Events.IMAGE_LOAD_ERROR, Enums.Events.IMAGE_LOAD_FAILED];

let made = 0;

/** One viewport on one element: a stack of frames with its window, zoom and orientation. */
export class Pane {
  readonly id = `pane-${++made}`;
  #shown = nothingShown;
  #changed = new Set<() => void>();
  #stack: readonly string[] = [];
  #fit = 1;
  /** The window and the inversion that a person chose. Without a window, each frame has its own. */
  #chosen: PaneWindow | undefined;
  #inverted = false;
  #turned: Turned = upright;
  /** The window that is on screen, with all its digits. */
  #window: PaneWindow = { center: 0, width: 1 };
  /** The range that was set last, and its frame. */
  #set: { frameId: string; range: ValueRange } | undefined;
  #ready = false;
  #closed = false;
  readonly #prefetch = new Prefetch();
  readonly #resize: ResizeObserver;
  readonly #stop: () => void;

  constructor(readonly element: HTMLDivElement) {
    enable(this.id, element);
    equip(this.id, engineId);
    this.#stop = withoutMouse(element);
    element.addEventListener(Enums.Events.STACK_NEW_IMAGE, this.#onNewImage as EventListener);
    element.addEventListener(Enums.Events.IMAGE_RENDERED, this.#onRendered as EventListener);
    for (const event of failures) eventTarget.addEventListener(event, this.#onLoadFailed);
    this.#resize = new ResizeObserver(() => this.#onResize());
    this.#resize.observe(element);
  }

  get #viewport(): StackViewport {
    return renderingEngine().getViewport<StackViewport>(this.id) as StackViewport;
  }

  readonly subscribe = (changed: () => void) => {
    this.#changed.add(changed);
    return () => void this.#changed.delete(changed);
  };
  readonly snapshot = (): Shown => this.#shown;

  #show(change: Partial<Shown>) {
    this.#shown = { ...this.#shown, ...change };
    for (const changed of this.#changed) changed();
  }

  /** Shows a stack at a position, from 0. A stack that contains the frame on screen has grown, and goes on there. */
  async open(frameIds: readonly string[], at: number): Promise<void> {
    const held = this.#ready ? frameIds.indexOf(this.#stack[this.target] ?? '') : -1;
    if (held >= 0) return isSame(frameIds, this.#stack) ? undefined : this.#grow(frameIds, held);
    this.#stack = frameIds;
    this.#ready = false;
    this.#chosen = undefined;
    this.#inverted = false;
    this.#turned = upright;
    const first = frameIds[at] ?? '';
    this.#show({ ...nothingShown, image: imageIn(first), frameId: first, frame: at + 1, frames: frameIds.length });
    try {
      await this.#viewport.setStack([...frameIds], at);
      if (this.#closed || this.#stack !== frameIds) return;
      this.#ready = true;
      this.#setWindow();
      this.#fitted();
      this.#viewport.render();
      this.#prefetch.around(frameIds, at);
    } catch {
      if (!this.#closed && this.#stack === frameIds) this.fail();
    }
  }

  /** Goes on in a longer stack. The picture stays as a person has turned, moved and windowed it. */
  async #grow(frameIds: readonly string[], at: number): Promise<void> {
    const { zoom } = this.#shown;
    const pan = this.#viewport.getPan();
    this.#stack = frameIds;
    this.#ready = false;
    try {
      await this.#viewport.setStack([...frameIds], at);
      if (this.#closed || this.#stack !== frameIds) return;
      this.#ready = true;
      this.#setWindow();
      this.#put(zoom, pan);
      this.#prefetch.around(frameIds, at);
    } catch {
      if (!this.#closed && this.#stack === frameIds) this.fail();
    }
  }

  /** Turns, enlarges and moves the picture after the library has put it back to its start. */
  #put(zoom: number, pan: Types.Point2) {
    const viewport = this.#viewport;
    this.#fitted();
    viewport.setZoom(this.#fit * zoom);
    this.#orient(viewport);
    viewport.setPan(pan);
    viewport.render();
  }

  #fitted() {
    this.#viewport.resetCamera();
    this.#fit = this.#viewport.getZoom() || 1;
  }

  #onResize() {
    if (this.#closed || !this.#ready) return;
    const { zoom } = this.#shown;
    const pan = this.#viewport.getPan();
    renderingEngine().resize(true, true);
    // One renderer keeps the size of a pixel, the other the share of the height. Neither fits the picture into the pane.
    this.#put(zoom, pan);
  }

  /** One renderer puts the new frame into place after this event, but both draw it later. */
  #onNewImage = () => queueMicrotask(this.#setWindow);

  /** Sets the window of a new frame: the chosen one, or its own. The renderers differ in what they keep by themselves. */
  #setWindow = () => {
    if (this.#closed) return;
    const viewport = this.#viewport;
    const image = viewport.getCornerstoneImage() as Types.IImage | undefined;
    if (!image || image.color) return;
    const range = this.#chosen ? rangeOf(this.#chosen, functionOf(image)) : sentRange(image);
    if (!range) return;
    const interpolationType = Enums.InterpolationType[isSmooth(image) ? 'LINEAR' : 'NEAREST'];
    const invert = Boolean(image.invert) !== this.#inverted;
    showRange(viewport, image, range, { invert, interpolationType });
    this.#set = { frameId: image.imageId, range };
  };

  #onRendered = () => {
    if (this.#closed || !this.#ready) return;
    const viewport = this.#viewport;
    const frameId = viewport.getCurrentImageId();
    const image = frameId ? (viewport.getCornerstoneImage() as Types.IImage | undefined) : undefined;
    // While the next frame loads, the picture of the one before is still on screen.
    if (!image || image.imageId !== frameId) return;
    const { voiRange, invert } = viewport.getProperties();
    // The pointer has changed the window of this frame: it stays for the other frames.
    if (voiRange && this.#set?.frameId === frameId && differ(voiRange, this.#set.range)) {
      this.#chosen = windowOf(voiRange, functionOf(image));
      this.#set.range = { lower: voiRange.lower, upper: voiRange.upper };
    }
    // One renderer tells no range of a picture in colour, whose window is never changed.
    const window = voiRange && !image.color ? windowOf(voiRange, functionOf(image)) : sentOf(image);
    this.#window = window ?? { center: 0, width: 1 };
    const at = viewport.getCurrentImageIdIndex();
    if (at + 1 !== this.#shown.frame) this.#prefetch.around(this.#stack, at);
    this.#show({
      state: 'drawn',
      image: imageIn(frameId),
      frameId,
      frame: at + 1,
      frames: this.#stack.length,
      ...tidyWindow(this.#window, functionOf(image)),
      voiFunction: functionOf(image),
      zoom: Math.round((viewport.getZoom() / this.#fit) * 1_000) / 1_000,
      rotation: this.#turned.rotation,
      flipped: this.#turned.flipHorizontal,
      inverted: Boolean(invert) !== Boolean(image.invert),
      colour: image.color,
      edges: kept(this.#shown.edges, this.#edges()),
      range: kept(this.#shown.range, extentOf(image)),
      sent: kept(this.#shown.sent, sentOf(image)),
      drawing: this.#shown.drawing + 1,
    });
  };

  /** The letters at the edges, from the places in the patient that lie there. */
  #edges(): Edges {
    const { clientWidth: width, clientHeight: height } = this.element;
    const [middle, right, down] = [
      [width / 2, height / 2],
      [width / 2 + 10, height / 2],
      [width / 2, height / 2 + 10],
    ].map((point) => this.#viewport.canvasToWorld(point as Types.Point2));
    if (!middle || !right || !down) return edgesOf([0, 0, 0], [0, 0, 0]);
    return edgesOf(normalized(minus(right, middle)), normalized(minus(down, middle)));
  }

  /** The places on the pane, in CSS pixels, of the frame's first corner and of the corners one pixel on. */
  corners(): { origin: Types.Point2; right: Types.Point2; down: Types.Point2 } | undefined {
    const plane = metaData.get('imagePlaneModule', this.#shown.frameId) as PlaneModule | undefined;
    if (this.#closed || !plane) return undefined;
    const place = (x: number, y: number) => this.#viewport.worldToCanvas(worldOf(plane, [x, y], isFromCorner()));
    return { origin: place(-0.5, -0.5), right: place(0.5, -0.5), down: place(-0.5, 0.5) };
  }

  /** Returns the column and row of the frame's pixel at a place on the pane, in CSS pixels. */
  pixelAt(place: readonly [number, number]): Point | undefined {
    const plane = metaData.get('imagePlaneModule', this.#shown.frameId) as PlaneModule | undefined;
    if (this.#closed || !plane) return undefined;
    return pixelOf(plane, this.#viewport.canvasToWorld([...place]), isFromCorner());
  }

  /** Returns the place on the pane, in CSS pixels, of a place in the frame. The opposite of `pixelAt`. */
  placeOf([x, y]: Point): Point | undefined {
    const plane = metaData.get('imagePlaneModule', this.#shown.frameId) as PlaneModule | undefined;
    if (this.#closed || !plane) return undefined;
    const [left, top] = this.#viewport.worldToCanvas(worldOf(plane, [x, y], isFromCorner()));
    return [left, top];
  }

  /** Returns the pane as others can show it too; undefined while it has no picture. */
  view(): PaneView | undefined {
    const { clientWidth, clientHeight } = this.element;
    const middle = this.#shown.state === 'drawn' ? this.pixelAt([clientWidth / 2, clientHeight / 2]) : undefined;
    if (!middle) return undefined;
    const { frame, zoom, inverted } = this.#shown;
    return {
      frame,
      x: hundredth(middle[0]),
      y: hundredth(middle[1]),
      zoom,
      center: precise(this.#window.center),
      width: precise(this.#window.width),
      inverted,
      ...sharedTurn(this.#turned),
    };
  }

  /** Shows a frame as somebody else saw it, with a place in the middle of the pane. */
  async show({ frame, x, y, zoom, center, width, inverted, rotation, flipped }: WantedView): Promise<void> {
    if (this.#closed || !this.#ready) return;
    const to = frame === undefined ? this.target : Math.max(0, Math.min(this.#stack.length - 1, frame - 1));
    if (to !== this.target) await this.#viewport.setImageIdIndex(to).catch(() => this.#onFrameFailed(to));
    // Another frame was asked for meanwhile.
    if (this.#closed || !this.#ready || this.target !== to) return;
    if (center !== undefined && width) this.#chosen = { center, width };
    if (rotation !== undefined) this.#turned = { rotation, flipHorizontal: flipped ?? false, flipVertical: false };
    this.#inverted = inverted ?? this.#inverted;
    this.#act((viewport) => {
      const image = viewport.getCornerstoneImage() as Types.IImage | undefined;
      viewport.setProperties({ invert: Boolean(image?.invert) !== this.#inverted });
      this.#setWindow();
      const wanted = zoom ?? this.#shown.zoom;
      this.#fitted();
      viewport.setZoom(this.#fit * wanted);
      this.#orient(viewport);
      const plane = metaData.get('imagePlaneModule', viewport.getCurrentImageId()) as PlaneModule | undefined;
      if (!plane) return;
      // The renderers differ in the units of a pan, but not in those of the camera.
      const { clientWidth, clientHeight } = this.element;
      const way = minus(
        worldOf(plane, [x, y], isFromCorner()),
        viewport.canvasToWorld([clientWidth / 2, clientHeight / 2]),
      );
      const { focalPoint, position } = viewport.getCamera();
      const moved = (point: Types.Point3) => point.map((part, i) => part + (way[i] ?? 0)) as Types.Point3;
      viewport.setCamera({
        ...(focalPoint && { focalPoint: moved(focalPoint) }),
        ...(position && { position: moved(position) }),
      });
    });
  }

  /** Makes a measurement from places on the pane, as a pointer does. */
  measure = (kind: MarkKind, places: readonly (readonly [number, number])[]) =>
    this.#act((viewport) => addMeasure(viewport, kind, places));

  #act(change: (viewport: StackViewport) => void) {
    if (this.#closed || !this.#ready) return;
    const viewport = this.#viewport;
    change(viewport);
    viewport.render();
  }

  /** Goes to a position of the stack, from 0; positions outside are moved to the nearest end. */
  goTo(at: number): void {
    const to = Math.max(0, Math.min(this.#stack.length - 1, at));
    if (this.#closed || !this.#ready) return;
    this.#viewport.setImageIdIndex(to).catch(() => this.#onFrameFailed(to));
  }
  /** The position that was asked for last; its frame may still be loading. */
  get target(): number {
    return this.#ready ? this.#viewport.getTargetImageIdIndex() : this.#shown.frame - 1;
  }
  scroll = (by: number) => this.goTo(this.target + by);

  /** The library tells of a frame that cannot be loaded only in this way. */
  #onLoadFailed = ((event: CustomEvent<{ imageId: string }>) => {
    const at = this.#stack.indexOf(event.detail.imageId);
    if (at >= 0) this.#onFrameFailed(at);
  }) as EventListener;

  #onFrameFailed(at: number) {
    if (this.#closed || this.target !== at) return;
    const frameId = this.#stack[at] ?? '';
    this.#show({ state: 'failed', frame: at + 1, frameId, image: imageIn(frameId) });
  }

  setWindow = (center: number, width: number) =>
    this.#act(() => {
      this.#chosen = { center, width };
      this.#setWindow();
    });
  invert = () =>
    this.#act((viewport) => {
      this.#inverted = !this.#inverted;
      const image = viewport.getCornerstoneImage() as Types.IImage | undefined;
      viewport.setProperties({ invert: Boolean(image?.invert) !== this.#inverted });
    });
  #turn(change: Partial<Turned>) {
    this.#turned = { ...this.#turned, ...change };
    this.#act((viewport) => this.#orient(viewport));
  }
  /** The renderers differ in what a flip makes of a turned picture, so both are set from the start. */
  #orient(viewport: StackViewport) {
    const { rotation, flipHorizontal, flipVertical } = this.#turned;
    viewport.setViewPresentation({ rotation: 0 });
    viewport.setCamera({ flipHorizontal, flipVertical });
    viewport.setViewPresentation({ rotation });
  }
  rotate = (by: number) => this.#turn({ rotation: (this.#turned.rotation + by + 360) % 360 });
  flip = () => this.#turn({ flipHorizontal: !this.#turned.flipHorizontal });
  flipVertical = () => this.#turn({ flipVertical: !this.#turned.flipVertical });
  zoomBy = (factor: number) => this.#act((viewport) => viewport.setZoom(viewport.getZoom() * factor));
  fit = () =>
    this.#act((viewport) => {
      this.#fitted();
      this.#orient(viewport);
    });
  reset = () =>
    this.#act((viewport) => {
      this.#turned = upright;
      this.#orient(viewport);
      this.#chosen = undefined;
      if (this.#inverted) viewport.setProperties({ invert: !viewport.getProperties().invert });
      this.#inverted = false;
      this.#setWindow();
      this.#fitted();
    });

  /** Shows no pixels any more. */
  fail(): void {
    this.#prefetch.stop();
    this.#show({ state: 'failed' });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#prefetch.stop();
    this.#resize.disconnect();
    this.#stop();
    this.element.removeEventListener(Enums.Events.STACK_NEW_IMAGE, this.#onNewImage as EventListener);
    this.element.removeEventListener(Enums.Events.IMAGE_RENDERED, this.#onRendered as EventListener);
    for (const event of failures) eventTarget.removeEventListener(event, this.#onLoadFailed);
    unequip(this.id, engineId);
    const engine = runningEngine();
    if (engine?.getViewport(this.id)) engine.disableElement(this.id);
    this.element.replaceChildren();
  }
}

const upright: Turned = { rotation: 0, flipHorizontal: false, flipVertical: false };

/** Values with fractions may be small. */
const differ = (a: ValueRange, b: ValueRange) =>
  Math.max(Math.abs(a.lower - b.lower), Math.abs(a.upper - b.upper)) > (b.upper - b.lower) / 1e6;

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((one, i) => one === b[i]);

/** The product's id of the image of a frame. A cut belongs to the image of its first slice. */
const imageIn = (frameId: string) => (frameId ? frameOf(frameId).id.replace(/-\d+-(row|column)$/, '') : '');
