// The window on a lineage: a canvas that zooms and pans. From far, a large picture is moved as it is while fingers
// move, and drawn anew when they rest.
import type { Box, Placed } from '../../api/pictures/lineage-picture.ts';
import { PanZoom, type Point, type View } from './pan-zoom.ts';
import { draw, FAR, type Picture } from './drawing.ts';
import { firstView, isInSight, wholeView } from './geometry.ts';

/** More marks than this are not drawn anew at each movement, but this long after it. */
const MANY = 3_000;
const REST_MS = 120;

export type Scene = {
  readonly picture: Picture;
  readonly placed: readonly Placed[];
  readonly box: Box;
  /** The row that is looked at; -1 for none. */
  readonly selected: number;
};

export class TreeWindow {
  readonly #canvas: HTMLCanvasElement;
  readonly #panZoom: PanZoom;
  readonly #observer: ResizeObserver;
  /** A copy of the last picture, where it is moved while fingers move. */
  readonly #copy = document.createElement('canvas');
  #copied: View | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #scene: Scene;
  view: View = { x: 0, y: 0, k: 1 };

  constructor(canvas: HTMLCanvasElement, scene: Scene) {
    this.#canvas = canvas;
    this.#scene = scene;
    this.#panZoom = new PanZoom(canvas, {
      least: 0.01,
      most: 4,
      // The wheel alone scrolls the page, unless the picture has the focus.
      wheel: ({ ctrlKey }) => ctrlKey || document.activeElement === canvas,
      on: (view) => this.#move(view),
    });
    this.#observer = new ResizeObserver(() => this.#redraw());
    this.#observer.observe(canvas);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#observer.disconnect();
    this.#panZoom.stop();
  }

  show(scene: Scene): void {
    this.#scene = scene;
    this.#redraw();
  }

  fitFirst(): void {
    this.#panZoom.set(firstView(this.#scene.box, this.#size()));
  }

  fitWhole(): void {
    this.#panZoom.set(wholeView(this.#scene.box, this.#size()));
  }

  scaleBy(factor: number): void {
    this.#panZoom.scaleBy(factor);
  }

  bringIntoSight(place: Point): void {
    if (!isInSight(place, this.view, this.#size())) this.#panZoom.centre(place);
  }

  #size(): { readonly width: number; readonly height: number } {
    return { width: this.#canvas.clientWidth, height: this.#canvas.clientHeight };
  }

  #cleared(): CanvasRenderingContext2D {
    const context = this.#canvas.getContext('2d')!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    return context;
  }

  #redraw(): void {
    const { view } = this;
    const { picture } = this.#scene;
    const ratio = devicePixelRatio;
    const { width, height } = this.#size();
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    // A canvas that has just left the page has no size.
    if (w === 0 || h === 0) return;
    if (this.#canvas.width !== w || this.#canvas.height !== h) [this.#canvas.width, this.#canvas.height] = [w, h];
    const context = this.#cleared();
    context.setTransform(ratio * view.k, 0, 0, ratio * view.k, ratio * view.x, ratio * view.y);
    draw(context, picture, view);
    this.#copied = view.k < FAR && picture.marks.length > MANY ? view : null;
    if (this.#copied !== null) {
      [this.#copy.width, this.#copy.height] = [w, h];
      this.#copy.getContext('2d')!.drawImage(this.#canvas, 0, 0);
    }
    this.#drawRing(context);
  }

  /** Around the program that is looked at. */
  #drawRing(context: CanvasRenderingContext2D): void {
    const { placed, selected, picture } = this.#scene;
    const at = placed.find(({ node }) => node.row === selected);
    if (at === undefined) return;
    const { k } = this.view;
    context.strokeStyle = picture.inks.accent;
    context.lineWidth = Math.max(2.5, 2.5 / k);
    context.setLineDash([]);
    context.beginPath();
    context.arc(at.x, at.y, Math.max(12, 9 / k), 0, 7);
    context.stroke();
  }

  #move(view: View): void {
    this.view = view;
    clearTimeout(this.#timer);
    if (this.#copied === null || view.k >= FAR) return this.#redraw();
    const { width, height } = this.#canvas;
    const by = view.k / this.#copied.k;
    const ratio = devicePixelRatio;
    const [left, top] = [(view.x - this.#copied.x * by) * ratio, (view.y - this.#copied.y * by) * ratio];
    this.#cleared().drawImage(this.#copy, left, top, width * by, height * by);
    this.#timer = setTimeout(() => this.#redraw(), REST_MS);
  }
}
