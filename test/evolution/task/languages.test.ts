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
  const { comment, fence } = LANGUAGES[name];
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

  test('every character makes another program, but for newlines at the end', () => {
    expect(normalise(`${program}\n\n`)).toBe(normalise(program));
    for (const other of [program.replace(/\n/, '\n\n'), program.replace(/\n/, ` \n`), program.replace(/ /, '  ')])
      expect(normalise(other)).not.toBe(normalise(program));
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
