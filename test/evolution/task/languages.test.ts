// What each language says of itself, held against the example in it: its markers, its fence, when two programs are the
// same, and a form of answers that every language takes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { applyResponse } from '../../../evolution/edits/early-checks.ts';
import { normalise } from '../../../evolution/edits/equivalence.ts';
import { inLanguage, languageNameOf, languageOf, withoutMarkers } from '../../../evolution/edits/language.ts';
import { givenProgram } from '../../../evolution/edits/whole-program.ts';
import { defaultsFor } from '../../../evolution/methods/defaults.ts';
import { editRules } from '../../../evolution/prompts/parts/sections.ts';
import { LANGUAGE_NAMES, LANGUAGES, toolchainOf, toolOf } from '../../../evolution/task/languages.ts';

const SCAFFOLD = join(import.meta.dirname, '..', '..', '..', 'client', 'tasks', 'scaffold');
const OTHERS = LANGUAGE_NAMES.filter((name) => name !== 'python');
const fileOf = (name: (typeof OTHERS)[number]): string =>
  readFileSync(join(SCAFFOLD, name === 'text' ? 'text' : 'language', `initial.${LANGUAGES[name].extension}`), 'utf8');
const settings = { ...defaultsFor({}).diff, accept: 'either' as const };

describe.each(OTHERS)('%s', (name) => {
  const { comment, fence, same } = LANGUAGES[name];
  const file = fileOf(name);
  const program = inLanguage(file, name);

  test('a program says in which language it is, and a file of a person does not need to', () => {
    expect(languageNameOf(program)).toBe(name);
    expect(languageOf(program)).toBe(LANGUAGES[name]);
    expect(inLanguage(program, name)).toBe(program);
    expect(givenProgram(program, file, { enforceBlock: true })).toEqual({ code: program });
    if (name === 'text') expect(withoutMarkers(program)).toBe(file);
    expect(editRules(program, settings)).toContain(`\`${comment} EVOLVE-BLOCK-START\``);
    const toolchain = toolchainOf(name);
    expect(toolchain === undefined || toolOf(toolchain).length > 0).toBe(true);
  });

  test('comments and spacing make no other program where the language allows it', () => {
    const spaced = program.replaceAll(/ = /g, '  =   ').replaceAll('\n', '  \n\n');
    const commented = program.replace(/\n/, `\n${comment} a comment\n`);
    expect(normalise(program.replaceAll('\n', '  \n\n'))).toBe(normalise(program));
    expect(normalise(spaced) === normalise(program)).toBe(same === 'tokens' || name === 'text');
    if (same === 'tokens' || name === 'javascript') expect(normalise(commented)).toBe(normalise(program));
  });

  test('takes blocks and whole programs, and nothing outside the open block', () => {
    const line = program.split('\n').find((one) => /best = |invoice|best <- Inf|best :=/.test(one))!;
    const replaced = line.replace(/(?:Infinity|INFINITY|Inf\(1\)|Inf\b|huge\(best\)|f64::INFINITY|invoice).*/, 'other');
    const answer = `<<<<<<< SEARCH\n${line}\n=======\n${replaced}\n>>>>>>> REPLACE\n`;
    const read = (response: string) =>
      applyResponse({ response, parentCode: program, parentNorm: normalise(program), settings, entry: 'smallest_gap' });
    expect(read(answer)).toMatchObject({ outcome: null, code: program.replace(line, replaced) });
    const whole = `\`\`\`${fence}\n${program.replace(line, replaced)}\`\`\`\n`;
    expect(read(whole)).toMatchObject({ outcome: null, code: program.replace(line, replaced) });
    const closed = program.split('\n').findLast((one) => one.trim().length > 3 && !one.includes('EVOLVE'))!;
    if (name !== 'text')
      expect(read(`<<<<<<< SEARCH\n${closed}\n=======\nnothing\n>>>>>>> REPLACE\n`).outcome).not.toBeNull();
  });
});

test('two programs that differ in what a lexer alone could tell are never the same', () => {
  const cpp = (code: string): string => normalise(`// EVOLVE-BLOCK-START cpp\n${code}\n// EVOLVE-BLOCK-END\n`);
  for (const [one, other] of [
    ['x = a++ + b;', 'x = a + ++b;'],
    ['s = "a  b";', 's = "a b";'],
    ['s = "// a";', 's = "// b";'],
    ['s = R"(a  b)";', 's = R"(a b)";'],
    ["c = '\"'; // a\nd;", "c = '\"'; // a d;"],
    ['int a;', 'inta;'],
    ['a / b', 'a // b'],
    ['#define A 1\nb', '#define A 1 b'],
  ] as const)
    expect(cpp(one)).not.toBe(cpp(other));
  expect(cpp('if(a){b;} /* c\n d */')).toBe(cpp('if (a)  {b;} // e'));
  const julia = (code: string): string => normalise(`# EVOLVE-BLOCK-START julia\n${code}\n# EVOLVE-BLOCK-END\n`);
  expect(julia('[1 -2]')).not.toBe(julia('[1 - 2]'));
});
