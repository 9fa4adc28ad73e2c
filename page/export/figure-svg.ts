// The figure of an experiment as one SVG file, its panels below each other, in the colours of the light page.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../deploy/host/home.ts';
import type { Panel } from '../../evolution/experiments/figure.ts';
import { drawingOf } from '../view/charts/figure.ts';
import { svgOf } from '../view/charts/files.ts';

const WIDTH = 860;

/** The light colour of a name of the stylesheet, such as `--s0`. */
const lightColours = (): ((name: string) => string) => {
  const css = readFileSync(join(PROJECT_ROOT, 'page', 'view', 'style.css'), 'utf8');
  const colours = new Map(
    [...css.matchAll(/(--[\w-]+): light-dark\((#\w+),/g)].map(([, name, light]) => [name!, light!]),
  );
  return (name) => colours.get(name) ?? '#000000';
};

export const figureSvg = (panels: readonly Panel[]): string => {
  const colour = lightColours();
  let top = 0;
  const parts = panels.map((panel, index) => {
    const end = panel.x.at(-1) ?? 1;
    const from = panel.axis === 'idea' ? 0 : Math.min(panel.x[0] ?? 0, end / 60);
    const { svg, height } = svgOf(drawingOf(panel), { width: WIDTH, x: [from, end], colour });
    // Names within one file are of the whole file.
    const own = svg.replace('id="plot"', `id="plot-${index}"`).replaceAll('url(#plot)', `url(#plot-${index})`);
    const placed = own.replace('<svg ', `<svg y="${top}" `);
    top += height;
    return placed;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" width="${WIDTH}" height="${top}">${parts.join('\n')}</svg>\n`;
};
