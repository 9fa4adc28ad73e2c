// The catalogue is complete, and docs/tasks.md links to what is there. Where all tasks are tested (checked.ts).
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { EVERY, TASKS } from './checked.ts';

const TASKS_FILE = join(import.meta.dirname, '..', '..', 'docs', 'tasks.md');

/** The problems of the four papers, and what their released code adds. */
const CATALOGUE = [
  'circle-packing-square-26',
  'circle-packing-square-32',
  'circle-packing-rect-21',
  'first-autocorrelation',
  'second-autocorrelation',
  'third-autocorrelation',
  'autoconvolution-peak',
  'hadamard-29',
  'hexagon-packing-11',
  'hexagon-packing-12',
  'max-min-distance-16-2',
  'max-min-distance-14-3',
  'spherical-code-30',
  'littlewood-512',
  'mstd-30',
  'heilbronn-square-16',
  'kissing-number-11',
  'erdos-minimum-overlap',
  'blackbox-optimization',
  'symbolic-regression',
  'pde-solver',
  'efficient-convolution',
  'online-bin-packing',
  'tsp-gls',
  'flow-shop',
];

test.skipIf(!EVERY)('every task of the catalogue is there', () => {
  expect(TASKS).toEqual(expect.arrayContaining(CATALOGUE));
});

test.skipIf(!EVERY)('every link of docs/tasks.md leads to a file', () => {
  const links = [...readFileSync(TASKS_FILE, 'utf8').matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !target.startsWith('http'));
  expect(links.filter((target) => !existsSync(join(dirname(TASKS_FILE), target)))).toEqual([]);
});
