// Who opens the comparison finds one, without having chosen anything.
import { expect, it } from 'vitest';
import { firstCompared, firstTask, shortLabel } from '../../../../page/api/run/compare.ts';

const run = (name: string, day: number, programs: number, task = 'circles') => ({
  ...{ run: name, task, programs, scoresInvented: name === 'noop' },
  createdAt: new Date(Date.UTC(2026, 0, day)).toISOString(),
});

it('begins with the newest runs of the task of the newest run', () => {
  const runs = [run('old', 1, 100), run('other', 2, 100, 'digits'), run('new', 3, 90)];
  expect(firstTask(runs)).toBe('circles');
  expect(firstCompared(runs, 'circles')).toEqual(['new', 'old']);
  expect(firstCompared(runs, 'digits')).toEqual(['other']);
});

it('leaves out runs that have just begun, which would be dots beside the lines of all others', () => {
  const runs = [run('long', 1, 1000), run('short', 2, 49), run('half', 3, 500), run('empty', 4, 0, 'digits')];
  expect(firstCompared(runs, 'circles')).toEqual(['half', 'long']);
  expect(firstTask(runs)).toBe('circles');
  const huge = [run('huge', 1, 8000), run('a', 2, 380), run('b', 3, 160)];
  expect(firstCompared(huge, 'circles')).toEqual(['b', 'a', 'huge']);
  expect(firstCompared([run('only', 1, 1)], 'circles')).toEqual(['only']);
  expect(firstTask([])).toBeNull();
  expect(firstCompared([run('noop', 5, 1000), run('long', 1, 10)], 'circles')).toEqual(['long']);
});

it('takes as many as have a colour of their own', () => {
  const runs = Array.from({ length: 20 }, (_, at) => run(`r${at}`, at + 1, 10));
  expect(firstCompared(runs, 'circles')).toEqual(['r19', 'r18', 'r17', 'r16', 'r15', 'r14', 'r13', 'r12']);
});

it('shows a long hint by its beginning', () => {
  const long = 'place the circles on a hexagonal grid and move the outer ones';
  expect(shortLabel(`theta prompt.hints=“${long}” “short” seed=-`)).toBe(
    'theta prompt.hints=“place the circles on a hexagonal grid an …” “short” seed=-',
  );
});
