// The reader of YAML and JSON: what it takes, and that no text holds it. The refusals that people meet are in
// test/refusals.test.ts.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readYamlText } from '../../../evolution/config/yaml.ts';

const valueOf = (text: string, json = false): unknown => {
  const read = readYamlText(text, { json });
  if (read.kind === 'problems') throw new Error(JSON.stringify(read.problems));
  return read.value;
};

test('plain values are what they look like', () => {
  expect(valueOf('a: 1\nb: -2.5e-3\nc: .5\nd: +7\ne: true\nf: null\ng: ~\nh:\ni: "0x10"\nj: 2026-11-22\nk: 0')).toEqual(
    {
      a: 1,
      b: -0.0025,
      c: 0.5,
      d: 7,
      e: true,
      f: null,
      g: null,
      h: null,
      i: '0x10',
      j: '2026-11-22',
      k: 0,
    },
  );
  expect(valueOf('a: |\n  ? one\n  - - - two\nb: "[[[[["\nc: what? yes\nd: [1, 2,]')).toEqual({
    a: '? one\n- - - two\n',
    b: '[[[[[',
    c: 'what? yes',
    d: [1, 2],
  });
  expect(valueOf('low: &low {min: 0, max: 1}\nfeatures: [*low, *low]')).toEqual({
    low: { min: 0, max: 1 },
    features: [
      { min: 0, max: 1 },
      { min: 0, max: 1 },
    ],
  });
  expect(valueOf('\uFEFFa: 1')).toEqual({ a: 1 });
  for (const empty of ['', ' \n', '# only this', '---', '--- # this\n...\n']) expect(valueOf(empty)).toBeUndefined();
});

test('places are found by path', () => {
  const read = readYamlText('a: 1\nb:\n  - c: 2\n  - {d: 3, e: [4, 5]}\n');
  if (read.kind === 'problems') throw new Error('it was refused');
  expect([['a'], ['b', 0, 'c'], ['b', 1, 'e', 1], ['b', 1, 'f'], ['z']].map((path) => read.placeOf(path))).toEqual([
    { line: 1, col: 1 },
    { line: 3, col: 5 },
    { line: 4, col: 19 },
    { line: 4, col: 5 },
    { line: 1, col: 1 },
  ]);
});

const words = fc.stringMatching(/^[a-z]{1,8}$/).filter((word) => word !== 'constructor' && word !== 'prototype');
const plain = fc.letrec((again) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
    fc.boolean(),
    fc.constant(null),
    fc.string().filter((text) => !text.includes('\0')),
    fc.array(again('value'), { maxLength: 4 }),
    fc.dictionary(words, again('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

test('what JSON holds is read as JSON reads it, in either form', () => {
  fc.assert(
    fc.property(fc.dictionary(words, plain, { maxKeys: 4, noNullPrototype: true }), (value) => {
      const kept: unknown = JSON.parse(JSON.stringify(value));
      expect(valueOf(JSON.stringify(value), true)).toEqual(kept);
      expect(valueOf(JSON.stringify(value, null, 2))).toEqual(kept);
      expect(valueOf(stringify(value, { aliasDuplicateObjects: false }))).toEqual(kept);
    }),
    { seed: 1, numRuns: 60 },
  );
});

// Attempt: files, settings and the machine.
test('no text makes it throw', () => {
  const piece = fc.constantFrom(
    ...`a[]{},"'\n\t#!|>%`,
    ...[': ', '- ', '? ', '  ', '&a', '*a'],
    ...['---\n', '...\n', '<<', '0x', '1e999', '\\', '\u2028', '\ud800', '\0', '\r'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.boolean(), (pieces, json) => {
      const read = readYamlText(pieces.join(''), { json });
      if (read.kind === 'value') return;
      expect(read.problems.length).toBeGreaterThan(0);
      for (const { line, col, message } of read.problems) {
        expect(Math.min(line, col)).toBeGreaterThan(0);
        expect(message).not.toBe('');
      }
    }),
    { seed: 1, numRuns: 500 },
  );
});

const FLOOR_MS = 20;
const MOST = 2.5;
const LENGTH = 10_000;

/** The least of three measurements in milliseconds of CPU, since others share the machine. */
const cpuMs = (text: string): number =>
  Math.min(
    ...Array.from({ length: 3 }, () => {
      const before = process.threadCpuUsage();
      readYamlText(text);
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1000;
    }),
  );

const lines = (length: number, line: (index: number) => string): string =>
  Array.from({ length: Math.ceil(length / 8) }, (_, index) => line(index)).join('\n');
const SHAPES: { readonly [name: string]: (length: number) => string } = {
  keys: (length) => lines(length, (index) => `k${index}: v`),
  'keys in one line': (length) => `{${lines(length, (index) => `k${index}: v,`).replaceAll('\n', '')}}`,
  anchors: (length) => lines(length, (index) => `- &a${index} v`),
  indentation: (length) =>
    Array.from({ length: Math.sqrt(2 * length) }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
  ...Object.fromEntries(
    [
      ...`[,"'\\`,
      ...['? ', '?\n', '- ', '-\n', '{a: ', '[],', ': ', 'a: ', 'a:\n'],
      ...['!a ', '&a ', '*a ', '%a\n', '#\n', '---\n'],
    ].map((unit) => [JSON.stringify(unit), (length: number) => unit.repeat(length / unit.length)]),
  ),
};

test.each(Object.entries(SHAPES))('twice the text takes at most 2.5 times the time: %s', (_name, shape) => {
  let told = '';
  for (let length = LENGTH; length <= 8 * LENGTH; length *= 2) {
    const [once, twice] = [cpuMs(shape(length)), cpuMs(shape(2 * length))];
    if (twice < FLOOR_MS || twice <= MOST * once) return;
    told = `${once} ms for ${length} characters, ${twice} ms for ${2 * length}`;
  }
  expect(told).toBe('');
});
