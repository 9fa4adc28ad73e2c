// Stands in for d3-transition and d3-interpolate, which d3-zoom imports to animate: nothing on this page is animated, and
// with all that they bring along they would be 9 KiB of the page's script. The bundle puts this file in their place
// (page/bundle.ts).
import { selection } from 'd3-selection';

/** Nothing is under way that could be interrupted. */
export const interrupt = (): void => undefined;

/** What is between two views of an animation: the second. */
export const interpolateZoom =
  <T>(_from: T, to: T) =>
  (): T =>
    to;

Object.assign(selection.prototype, {
  interrupt<T>(this: T): T {
    return this;
  },
});
