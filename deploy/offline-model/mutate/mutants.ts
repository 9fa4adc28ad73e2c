// Changes of a program by which a check sees whether a score depends on the program.
import { mutate } from './mutate.ts';
import { readProgram } from './program.ts';
import { randomFrom } from './random.ts';

const DRAWN = 9;
/** Where only an order counts, all constants are alike. */
const RETURNED = ['None', '0', '1.5', ...[97, 89, 83].map((size) => `hash(repr(locals())) % ${size}`)];
const TEXTS = 3;
export const MOST_MUTANTS = DRAWN + TEXTS + RETURNED.length;

/** It ends before its first line, and each file of it too. */
export const brokenOf = (program: string): string =>
  program.startsWith('# === FILE: ') ? program.replaceAll(/^# === FILE: .*\n/gm, `$&${BROKEN}`) : `${BROKEN}${program}`;
const BROKEN = 'raise RuntimeError("this program is broken")\n';

/**
 * Drawn as the offline model draws them; then with other texts and other results, for a program that has no number to
 * change.
 */
export const mutantsOf = (initialProgram: string, evaluator: string): readonly string[] => {
  const parent = readProgram(initialProgram);
  const drawn = Array.from({ length: DRAWN }, (_, number) => mutate(parent, [], randomFrom('import', number)));
  const returned = RETURNED.map((value) => initialProgram.replaceAll(/^(\s+return )\S.*$/gm, `$1${value}`));
  const all = [
    ...drawn.flatMap((mutant) => mutant?.program ?? []),
    ...withOtherTexts(initialProgram, evaluator),
    ...returned,
  ];
  return [...new Set(all)].filter((mutant) => mutant !== initialProgram);
};

/** A text of the program that the evaluator lists beside others becomes the first other one. */
const withOtherTexts = (program: string, evaluator: string): readonly string[] =>
  [...evaluator.matchAll(/\[((?:\s*(['"])[^'"\n]*\2\s*,?)+)\]/g)]
    .map((list) => [...list[1]!.matchAll(/(['"])([^'"\n]*)\1/g)].map((text) => text[2]!))
    .flatMap((texts) => {
      // Not in a comment, where all of them may be told.
      const inLine = (text: string): RegExp =>
        new RegExp(`^([^#\\n]*['"])${text.replaceAll(/\W/g, '\\$&')}(?=['"])`, 'm');
      const used = texts.find((text) => inLine(text).test(program));
      const other = texts.find((text) => text !== used);
      return used === undefined || other === undefined ? [] : [program.replace(inLine(used), `$1${other}`)];
    })
    .slice(0, TEXTS);
