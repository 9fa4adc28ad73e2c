// Zooming and panning of a picture with pointer, fingers and wheel. It is so little that a library for it would be a
// tenth of all script.

/** A point of the picture is at `k` times its place, moved by x and y. */
export type View = { readonly x: number; readonly y: number; readonly k: number };

export type PanZoom = {
  readonly set: (view: View) => void;
  /** Around the middle of the window. */
  readonly scaleBy: (factor: number) => void;
  /** Brings a place of the picture into the middle of the window. */
  readonly centre: (x: number, y: number) => void;
  readonly stop: () => void;
};

type Point = { readonly x: number; readonly y: number };
/** A pointer that moved less was meant as a click. */
const CLICK_PX = 4;

/**
 * `wheel` says whether a turn of the wheel is for the picture, and not for the page. `on` is told of every change; a
 * click after a movement does not reach the element.
 */
export const panZoom = (
  element: HTMLElement,
  {
    least,
    most,
    wheel,
    on,
  }: {
    readonly least: number;
    readonly most: number;
    readonly wheel: (event: WheelEvent) => boolean;
    readonly on: (view: View) => void;
  },
): PanZoom => {
  let view: View = { x: 0, y: 0, k: 1 };
  const fingers = new Map<number, Point>();
  let moved = 0;
  const control = new AbortController();
  const { signal } = control;
  const set = (next: View): void => {
    view = next;
    on(view);
  };
  const scaleAt = (factor: number, at: Point): void => {
    const k = Math.min(most, Math.max(least, view.k * factor));
    const by = k / view.k;
    set({ k, x: at.x - (at.x - view.x) * by, y: at.y - (at.y - view.y) * by });
  };
  const placeOf = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top } = element.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const middle = (): Point => ({ x: element.clientWidth / 2, y: element.clientHeight / 2 });

  element.addEventListener(
    'wheel',
    (event) => {
      if (!wheel(event)) return;
      event.preventDefault();
      // Lines and pages of a wheel are about so many pixels; a pinch on a touchpad comes as a wheel with Ctrl.
      const pixels = event.deltaY * (event.deltaMode === 0 ? 1 : event.deltaMode === 1 ? 20 : 400);
      scaleAt(2 ** (-pixels * (event.ctrlKey ? 0.01 : 0.002)), placeOf(event));
    },
    { passive: false, signal },
  );
  element.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0) return;
      if (fingers.size === 0) moved = 0;
      fingers.set(event.pointerId, placeOf(event));
    },
    { signal },
  );
  element.addEventListener(
    'pointermove',
    (event) => {
      const before = fingers.get(event.pointerId);
      if (before === undefined) return;
      const now = placeOf(event);
      const [other] = [...fingers].filter(([id]) => id !== event.pointerId);
      fingers.set(event.pointerId, now);
      moved += Math.hypot(now.x - before.x, now.y - before.y);
      if (moved > CLICK_PX) element.setPointerCapture(event.pointerId);
      const share = other === undefined ? 1 : 0.5;
      view = { ...view, x: view.x + (now.x - before.x) * share, y: view.y + (now.y - before.y) * share };
      if (other === undefined) return on(view);
      const far = (from: Point): number => Math.max(1, Math.hypot(from.x - other[1].x, from.y - other[1].y));
      scaleAt(far(now) / far(before), { x: (now.x + other[1].x) / 2, y: (now.y + other[1].y) / 2 });
    },
    { signal },
  );
  for (const end of ['pointerup', 'pointercancel'] as const)
    element.addEventListener(end, ({ pointerId }) => fingers.delete(pointerId), { signal });
  element.addEventListener('click', (event) => moved > CLICK_PX && event.stopImmediatePropagation(), {
    capture: true,
    signal,
  });
  return {
    set,
    scaleBy: (factor) => scaleAt(factor, middle()),
    centre: (x, y) => set({ ...view, x: middle().x - x * view.k, y: middle().y - y * view.k }),
    stop: () => control.abort(),
  };
};
