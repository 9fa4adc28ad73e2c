// Colours of the stylesheet as a canvas and a file need them, under the present theme; and those of levels of a score.
import { effect, type Signal, signal } from '@preact/signals';
import { LEVELS } from '../../api/pictures/ranked.ts';
import { theme } from './state.ts';
import { score } from './text.ts';

const changes = signal(0);
let listening = false;
/** Counts changes of the theme; whoever draws reads it, and so draws again. */
export const themeChanges = (): Signal<number> => {
  if (listening) return changes;
  listening = true;
  const changed = (): void => void requestAnimationFrame(() => changes.value++);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
  effect(() => {
    void theme.value;
    changed();
  });
  return changes;
};

/** What a name of the stylesheet comes to under the theme of an element. */
export const inkAt = (place: HTMLElement, name: string): string => {
  place.style.color = `var(${name})`;
  const ink = getComputedStyle(place).color;
  place.style.color = '';
  return ink;
};

/**
 * The colours by their names, such as `--s0`. To be called while a component is drawn, which follows the theme then.
 */
export const inksOf = <N extends string>(names: readonly N[]): { readonly [name in N]: string } => {
  void themeChanges().value;
  const probe = document.body.appendChild(document.createElement('span'));
  const colours = names.map((name) => [name, inkAt(probe, name)]);
  probe.remove();
  return Object.fromEntries(colours) as { readonly [name in N]: string };
};

/** The colours of series, which come again after the last. */
export const SERIES: readonly string[] = Array.from({ length: 8 }, (_, index) => `--s${index}`);
export const colourOf = (index: number): string => SERIES[index % SERIES.length]!;

const DASHES: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
/** The dashes of a series: no two of the first 32 have the same colour and the same dashes. */
export const dashOf = (index: number): readonly number[] =>
  DASHES[(index + Math.floor(index / SERIES.length)) % DASHES.length]!;

/** The colours of levels, the worst first. */
export const LEVEL_NAMES: readonly `--level${number}`[] = Array.from(
  { length: LEVELS },
  (_, index) => `--level${index}` as const,
);

/** The legend of the levels that these borders make, the worst first. `sign` is -1 where smaller scores are better. */
export const levelLegend = (
  borders: readonly number[],
  sign: 1 | -1,
): readonly { readonly colour: string; readonly name: string }[] => {
  const short = (value: number): string => score(sign * value, 5);
  return LEVEL_NAMES.slice(LEVELS - 1 - borders.length).map((colour, level) => ({
    colour,
    name:
      level > 0
        ? `from ${short(borders[level - 1]!)}`
        : borders.length === 0
          ? 'all alike'
          : `worse than ${short(borders[0]!)}`,
  }));
};
