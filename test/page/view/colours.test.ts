// Colours that stand side by side and mean something, as eyes without red or without green see them. No browser is needed:
// the stylesheet names every colour for both themes.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { WORK } from '../../../page/api/run/time.ts';
import { LEVEL_NAMES, SERIES } from '../../../page/view/base/ink.ts';
import { OUTCOMES } from '../../../page/view/base/text.ts';

type Three = readonly [number, number, number];

const STYLE = ['style.css', 'lineage/lineage.css']
  .map((file) => readFileSync(new URL(`../../../page/view/${file}`, import.meta.url), 'utf8'))
  .join('\n');
const THEMES = ['light', 'dark'] as const;
const linear = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const colour = (name: string, theme: 0 | 1): Three => {
  const hex = new RegExp(`${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(STYLE)![theme + 1]!;
  return [1, 3, 5].map((at) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255)) as unknown as Three;
};
/** Row by row. */
type Matrix = readonly number[];
const times = (of: Matrix, [r, g, b]: Three): Three =>
  [0, 3, 6].map((at) => of[at]! * r + of[at + 1]! * g + of[at + 2]! * b) as unknown as Three;

/** What each kind of eye sees of linear red, green and blue: Machado, Oliveira and Fernandes (2009), in full strength. */
const EYES: { readonly [eyes: string]: Matrix } = {
  usual: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
};

const CONES = [
  ...[0.4122214708, 0.5363325363, 0.0514459929, 0.2119034982, 0.6806995451, 0.1073969566],
  ...[0.0883024619, 0.2817188376, 0.6299787005],
];
const OKLAB = [
  ...[0.2104542553, 0.793617785, -0.0040720468, 1.9779984951, -2.428592205, 0.4505937099],
  ...[0.0259040371, 0.7827717662, -0.808675766],
];
/** Lightness and two hues, in which equal distances look equally large. */
const oklab = (rgb: Three): Three => {
  const cones = times(CONES, rgb.map((value) => Math.min(1, Math.max(0, value))) as unknown as Three);
  return times(OKLAB, cones.map(Math.cbrt) as unknown as Three);
};
const seen = (name: string, theme: 0 | 1, eyes: string): Three => oklab(times(EYES[eyes]!, colour(name, theme)));
const apart = (a: Three, b: Three): number => Math.hypot(...a.map((value, at) => value - b[at]!));

/** Colours of which any two may stand side by side, and how far apart they are at least. */
const GROUPS = [
  ['outcomes of programs', OUTCOMES.map((one) => one.colour), 0.085],
  ['what became of a change', ['--valid', '--duplicate', '--invalid', '--no-solution'], 0.11],
  ['series of plots', SERIES, 0.07],
  ['kinds of work of a step', Object.values(WORK).map((one) => one.colour), 0.07],
  ['good, waiting and bad', ['--good', '--wait', '--bad'], 0.06],
  ['lines that came and went', ['--good-soft', '--bad-soft'], 0.04],
] as const;

describe.each(Object.keys(EYES))('with eyes of the kind %s', (eyes) => {
  test.each(GROUPS)('%s can be told apart', (_, names, least) => {
    for (const theme of [0, 1] as const)
      for (const [index, one] of names.entries())
        for (const other of names.slice(0, index))
          expect(
            apart(seen(one, theme, eyes), seen(other, theme, eyes)),
            `${one} and ${other}, ${THEMES[theme]}`,
          ).toBeGreaterThan(least);
  });

  test('the levels of a score become darker or lighter step by step', () => {
    for (const theme of [0, 1] as const) {
      const lightness = LEVEL_NAMES.map((name) => seen(name, theme, eyes)[0] * (theme === 0 ? -1 : 1));
      for (const [level, value] of lightness.entries())
        if (level > 0) expect(value - lightness[level - 1]!, `level ${level}, ${THEMES[theme]}`).toBeGreaterThan(0.02);
    }
  });
});

test('each of them stands out from its card', () => {
  const luminance = ([r, g, b]: Three): number => 0.2126 * r + 0.7152 * g + 0.0722 * b;
  for (const theme of [0, 1] as const)
    for (const name of [...OUTCOMES.map((one) => one.colour), ...SERIES]) {
      const [dark, light] = [colour(name, theme), colour('--card', theme)].map(luminance).sort((a, b) => a - b);
      expect((light! + 0.05) / (dark! + 0.05), `${name}, ${THEMES[theme]}`).toBeGreaterThan(3);
    }
});
