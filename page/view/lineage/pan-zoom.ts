// Zooming and panning of a picture with pointer, fingers and wheel. It is so little that a library for it would be a
// tenth of all script.

/** A point of the picture is at `k` times its place, moved by x and y. */
export type View = { readonly x: number; readonly y: number; readonly k: number };
export type Point = { readonly x: number; readonly y: number };
export type Limits = { readonly least: number; readonly most: number };

/** The view with everything `factor` times as large, where `at` of the window shows the same place as before. */
export const scaledAt = (view: View, factor: number, at: Point, { least, most }: Limits): View => {
  const k = Math.min(most, Math.max(least, view.k * factor));
  const by = k / view.k;
  return { k, x: at.x - (at.x - view.x) * by, y: at.y - (at.y - view.y) * by };
};

/** The view with a place of the picture at a point of the window. */
export const movedTo = ({ k }: View, place: Point, at: Point): View => ({
  k,
  x: at.x - place.x * k,
  y: at.y - place.y * k,
});

/** The view after one finger went from one point to another. With a second finger on the picture it zooms too. */
export const dragged = (view: View, [from, to]: readonly [Point, Point], other: Point | null, limits: Limits): View => {
  const share = other === null ? 1 : 0.5;
  const panned = { ...view, x: view.x + (to.x - from.x) * share, y: view.y + (to.y - from.y) * share };
  if (other === null) return panned;
  const distance = (point: Point): number => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
  const middle = { x: (to.x + other.x) / 2, y: (to.y + other.y) / 2 };
  return scaledAt(panned, distance(to) / distance(from), middle, limits);
};

/** The factor by which a turn of the wheel enlarges the picture. A pinch on a touchpad comes as a wheel with Ctrl. */
export const wheelFactor = ({ deltaY, deltaMode, ctrlKey }: WheelTurn): number => {
  // Lines and pages of a wheel are about so many pixels.
  const pixels = deltaY * (deltaMode === 0 ? 1 : deltaMode === 1 ? 20 : 400);
  return 2 ** (-pixels * (ctrlKey ? 0.01 : 0.002));
};
type WheelTurn = Pick<WheelEvent, 'deltaY' | 'deltaMode' | 'ctrlKey'>;

/** A pointer that moved less was meant as a click. */
const CLICK_PX = 4;

type Options = Limits & {
  /** True where a turn of the wheel is for the picture, and not for the page. */
  readonly wheel: (event: WheelEvent) => boolean;
  /** The listener of every new view. */
  readonly on: (view: View) => void;
};

/** Follows the fingers on an element. A click after a movement does not reach the element. */
export class PanZoom {
  readonly #element: HTMLElement;
  readonly #options: Options;
  readonly #control = new AbortController();
  readonly #fingers = new Map<number, Point>();
  /** Pixels since the first finger came down. */
  #moved = 0;
  #view: View = { x: 0, y: 0, k: 1 };

  constructor(element: HTMLElement, options: Options) {
    this.#element = element;
    this.#options = options;
    const { signal } = this.#control;
    element.addEventListener('wheel', this.#turned, { passive: false, signal });
    element.addEventListener('pointerdown', this.#down, { signal });
    element.addEventListener('pointermove', this.#drag, { signal });
    for (const end of ['pointerup', 'pointercancel'] as const)
      element.addEventListener(end, ({ pointerId }) => this.#fingers.delete(pointerId), { signal });
    const click = (event: Event): void => {
      if (this.#moved > CLICK_PX) event.stopImmediatePropagation();
    };
    element.addEventListener('click', click, { capture: true, signal });
  }

  stop(): void {
    this.#control.abort();
  }

  set(view: View): void {
    this.#view = view;
    this.#options.on(view);
  }

  /** Around the middle of the window. */
  scaleBy(factor: number): void {
    this.set(scaledAt(this.#view, factor, this.#middle(), this.#options));
  }

  /** Brings a place of the picture into the middle of the window. */
  centre(place: Point): void {
    this.set(movedTo(this.#view, place, this.#middle()));
  }

  #middle(): Point {
    return { x: this.#element.clientWidth / 2, y: this.#element.clientHeight / 2 };
  }

  #placeOf({ clientX, clientY }: MouseEvent): Point {
    const { left, top } = this.#element.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  readonly #turned = (event: WheelEvent): void => {
    if (!this.#options.wheel(event)) return;
    event.preventDefault();
    this.set(scaledAt(this.#view, wheelFactor(event), this.#placeOf(event), this.#options));
  };

  readonly #down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    if (this.#fingers.size === 0) this.#moved = 0;
    this.#fingers.set(event.pointerId, this.#placeOf(event));
  };

  readonly #drag = (event: PointerEvent): void => {
    const from = this.#fingers.get(event.pointerId);
    if (from === undefined) return;
    const to = this.#placeOf(event);
    const [other] = [...this.#fingers].filter(([id]) => id !== event.pointerId);
    this.#fingers.set(event.pointerId, to);
    this.#moved += Math.hypot(to.x - from.x, to.y - from.y);
    if (this.#moved > CLICK_PX) this.#element.setPointerCapture(event.pointerId);
    this.set(dragged(this.#view, [from, to], other?.[1] ?? null, this.#options));
  };
}
