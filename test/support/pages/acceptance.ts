// docs/acceptance.md: which tests are named after which acceptance property. `node test/support/pages/acceptance.ts` writes
// it; test/acceptance.test.ts fails while it is not current. A test's title begins with its properties: `CodeEvolve
// 7: ...`, `CodeEvolve 3, 9: ...`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { METHODS, NOT_YET, PROPERTIES, type Method } from './properties.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
export const ACCEPTANCE_FILE = join(ROOT, 'docs', 'acceptance.md');

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

export const acceptanceText = (named: readonly Named[]): string =>
  [
    '# Acceptance properties',
    '',
    'Each method has numbered properties that an implementation must have, and so has learning. A test that shows one is named after it: its title begins with method',
    'and number (`CodeEvolve 7: ...`). Written by `node test/support/pages/acceptance.ts`; `test/acceptance.test.ts` checks that every property has a test, or a reason here why not.',
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
            : tests
                .map(({ file, title }) => `\`${file}\`: ${title.replaceAll('|', '\\|').replaceAll('<', '&lt;')}`)
                .join('<br>');
        return `| ${index + 1} | ${text} | ${cell} |`;
      }),
      '',
    ]),
  ].join('\n');

if (import.meta.main) writeFileSync(ACCEPTANCE_FILE, acceptanceText(namedTests()));
