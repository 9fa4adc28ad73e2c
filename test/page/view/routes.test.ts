// Addresses of the page: they are read as they are written, and a broken one is read as it stands.
import { expect, test } from 'vitest';
import { linkTo, programLink, routeOf, stepLink } from '../../../page/view/base/state.ts';

test.each([
  [['runs'], {}],
  [['run', 'a b/c?#%', 'program', 'a:1'], { show: 'parent', q: 'a & b = c' }],
])('the path %j is read as it was written', (path, query) => {
  const route = routeOf(linkTo(path, query));
  expect(route.path).toEqual(path);
  expect(Object.fromEntries(route.query)).toEqual(query);
});

test.each([
  ['', []],
  ['#', []],
  ['#/', []],
  ['#run//demo/', ['run', 'demo']],
  ['#/run/%zz', ['run', '%zz']],
])('the address %j is read as %j', (hash, path) => {
  expect(routeOf(hash).path).toEqual(path);
});

test('links leave out what is empty', () => {
  expect(linkTo(['start'], { from: null, kind: '' })).toBe('#/start');
  expect(programLink('demo', 'demo:1')).toBe('#/run/demo/program/demo%3A1');
  expect(programLink('demo', 'demo:1', 'parent')).toBe('#/run/demo/program/demo%3A1?show=parent');
  expect(stepLink('demo', 7)).toBe('#/run/demo/programs?step=7..7');
});
