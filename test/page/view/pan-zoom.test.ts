// A picture under fingers and wheel: the place under a finger stays under it, and the picture stays within its limits.
import { describe, expect, test } from 'vitest';
import { dragged, movedTo, type Point, scaledAt, type View, wheelFactor } from '../../../page/view/lineage/pan-zoom.ts';

const at = (x: number, y: number): Point => ({ x, y });
const LIMITS = { least: 0.1, most: 4 };
const VIEW: View = { x: 20, y: -10, k: 2 };
/** The place of the picture that is seen at a point of the window. */
const placeAt = ({ x, y, k }: View, point: Point): Point => ({ x: (point.x - x) / k, y: (point.y - y) / k });

describe('zooming', () => {
  test.each([1.5, 0.5])('keeps the place under the pointer (factor %d)', (factor) => {
    const finger = at(100, 40);
    const view = scaledAt(VIEW, factor, finger, LIMITS);
    expect(view.k).toBe(2 * factor);
    expect(placeAt(view, finger)).toEqual(placeAt(VIEW, finger));
  });

  test.each([
    [1_000, 4],
    [0.000_1, 0.1],
  ])('by %d stays within the limits', (factor, k) => {
    expect(scaledAt(VIEW, factor, { x: 0, y: 0 }, LIMITS).k).toBe(k);
  });

  test.each([
    ['a turn towards the user makes it smaller', { deltaY: 100, deltaMode: 0, ctrlKey: false }, 2 ** -0.2],
    ['lines of a wheel count as 20 pixels', { deltaY: -3, deltaMode: 1, ctrlKey: false }, 2 ** 0.12],
    ['a pinch is stronger', { deltaY: -10, deltaMode: 0, ctrlKey: true }, 2 ** 0.1],
  ])('by the wheel: %s', (_, turn, factor) => {
    expect(wheelFactor(turn)).toBeCloseTo(factor, 12);
  });
});

describe('moving', () => {
  test('one finger takes the picture with it', () => {
    expect(dragged(VIEW, [at(0, 0), at(7, -3)], null, LIMITS)).toEqual({ x: 27, y: -13, k: 2 });
  });

  test('two fingers that part zoom around their middle', () => {
    expect(dragged(VIEW, [at(10, 0), at(20, 0)], at(0, 0), LIMITS).k).toBe(4);
  });

  test('a place is brought into the middle', () => {
    const view = movedTo(VIEW, { x: 30, y: 40 }, { x: 200, y: 100 });
    expect(placeAt(view, { x: 200, y: 100 })).toEqual({ x: 30, y: 40 });
  });
});
