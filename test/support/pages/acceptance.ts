// The page of acceptance properties: which tests are named after which. `node test/support/pages/acceptance.ts <file>`
// writes it for the site of the docs. A test's title begins with its properties: `CodeEvolve 7: ...`, `CodeEvolve 3, 9: ...`.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { METHODS, NOT_YET, PROPERTIES, type Method } from './properties.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
export type Named = { readonly method: Method; readonly number: number; readonly file: string; readonly title: string };

/** No other text of a test begins so. */
const TITLE = new RegExp(`(['"\`])(${METHODS.join('|')}) (\\d+(?:, \\d+)*): ((?:\\\\.|(?!\\1)[^\\\\\\n])*)\\1`, 'g');

/** Every test that is named after a property, once for each that it is named after. */
export const namedTests = (): readonly Named[] => {
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .sort();
  return files.flatMap((file) =>
    [...readFileSync(join(ROOT, 'test', file), 'utf8').matchAll(TITLE)].flatMap((match): Named[] => {
      const [, , method, numbers, title] = match as unknown as readonly [string, string, Method, string, string];
      return numbers.split(', ').map((number) => ({
        method,
        number: Number(number),
        file: `test/${file}`,
        title: title.replace(/\\(.)/g, '$1'),
      }));
    }),
  );
};

const acceptanceText = (named: readonly Named[]): string =>
  [
    '# Acceptance properties',
    '',
    'Each method has numbered properties that an implementation must have, and so has learning. A test that shows one is',
    'named after it: its title begins with method and number (`CodeEvolve 7: ...`).',
    '',
    ...METHODS.flatMap((method) => [
      `## ${method}`,
      '',
      '| | property | tests |',
      '| --- | --- | --- |',
      ...PROPERTIES[method].map((text, index) => {
        const tests = named.filter((one) => one.method === method && one.number === index + 1);
        const why = NOT_YET[`${method} ${index + 1}`];
        const cell =
          tests.length === 0
            ? `not yet: ${why ?? 'no test'}`
            : tests.map(({ file, title }) => `\`${file}\`: ${title.replaceAll('|', '\\|')}`).join('; ');
        return `| ${index + 1} | ${text} | ${cell} |`;
      }),
      '',
    ]),
  ].join('\n');

if (import.meta.main) {
  const file = process.argv[2]!;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, acceptanceText(namedTests()));
}
