// Several tabs of the page are told apart by their titles.
import { expect, it } from 'vitest';
import { tabTitle } from '../../../../page/api/site/tab-title.ts';

const views = [
  { name: 'runs', title: 'Runs' },
  { name: 'sweeps', title: 'Sweeps' },
  { name: 'start', title: 'New run' },
];
const runViews = [
  { name: 'overview', title: 'Overview' },
  { name: 'program', title: 'Program' },
  { name: 'map', title: 'Map' },
];
const title = (place: string, run: string | null, ...path: string[]): string =>
  tabTitle({ place, path, run, views, runViews });

it('says the view, the run and the program', () => {
  expect(title('sweeps', null)).toBe('Sweeps · DurableEvolve');
  expect(title('sweeps', 'bins')).toBe('Sweep bins · DurableEvolve');
  expect(title('start', null)).toBe('New run · DurableEvolve');
  expect(title('run', 'demo')).toBe('Overview · demo · DurableEvolve');
  expect(title('run', 'demo', 'map')).toBe('Map · demo · DurableEvolve');
  expect(title('run', 'demo', 'program', 'demo:000012:0:000003')).toBe(
    'Program 000012:0:000003 · demo · DurableEvolve',
  );
  expect(title('run', 'fork', 'program', 'demo:000001:0:000001')).toBe(
    'Program demo:000001:0:000001 · fork · DurableEvolve',
  );
});

it('says that an address leads nowhere', () => {
  expect(title('nowhere', null)).toBe('No such view · DurableEvolve');
  expect(title('run', 'demo', 'nowhere')).toBe('No such view · demo · DurableEvolve');
});
