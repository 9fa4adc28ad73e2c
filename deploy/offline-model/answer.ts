// The text of one choice, in the form that was asked for. For a program it is a short honest sentence and
// SEARCH/REPLACE blocks, or, where the prompt asks for it, a whole program or a log of the change. Otherwise it is an
// idea, a judgement or an edited prompt.
import { deltaSections, garbage, ideaText, judgementText, trivialChange } from './kinds.ts';
import { freshDigits } from './mutate/fresh-digits.ts';
import { type Answer, mutate } from './mutate/mutate.ts';
import { readProgram } from './mutate/program.ts';
import { sha256 } from '../host/sha256.ts';
import { randomFrom } from './mutate/random.ts';
import type { OfflineModelOptions } from './options.ts';
import { promptEditText } from './prompt-edit.ts';
import { type AskedMessage, textOf } from './request.ts';
import { type Asked, askedIn } from './role.ts';

/** More partners than this cost time and bring nothing. */
const MAX_PARTNERS = 8;

/** `text` is null where the endpoint answers with null content. */
export type AnswerText = { readonly text: string | null };

/**
 * Choice j of seed s equals choice 0 of seed s + j, because all random draws depend on the messages and on `seed`
 * alone.
 */
export function answers(
  messages: readonly AskedMessage[],
  seeds: readonly number[],
  options: OfflineModelOptions,
): readonly AnswerText[] {
  const key = sha256(textOf(messages));
  const write = writerOf(askedIn(messages), key, options);
  return seeds.map((seed) => {
    const fault = randomFrom(key, seed, 'content fault', options.faultSeed);
    if (options.rateEmpty > 0 && fault.chance(options.rateEmpty)) return { text: fault.chance(0.5) ? '' : null };
    const text = write(seed);
    return { text: options.rateGarbage > 0 && fault.chance(options.rateGarbage) ? garbage(text, fault) : text };
  });
}

/** Works out once what the choices share. */
function writerOf(asked: Asked, key: string, options: OfflineModelOptions): (seed: number) => string {
  switch (asked.kind) {
    case 'judge':
      return () => judgementText(asked.idea);
    case 'meta':
      return (seed) => promptEditText(asked.prompt, randomFrom(key, seed));
    case 'deltas':
      return () =>
        deltaSections(
          [{ operator: 'unknown', words: `is the patch of ${asked.patch.split('\n').length} lines that was shown` }],
          asked.wanted,
        );
    case 'notes': {
      const program = asked.programs.parent === null ? null : readProgram(asked.programs.parent);
      return (seed) => `# Recommendations\n\n1. ${ideaText(program, randomFrom(key, seed))}`;
    }
    case 'novelty':
      return (seed) => (randomFrom(key, seed).chance(0.5) ? 'NOVEL' : 'NOT_NOVEL');
    case 'idea': {
      const program = asked.programs.parent === null ? null : readProgram(asked.programs.parent);
      return (seed) => ideaText(program, randomFrom(key, seed));
    }
    case 'program':
      return programWriter(asked, key, options);
  }
}

function programWriter(
  asked: Extract<Asked, { kind: 'program' }>,
  key: string,
  { trivial }: OfflineModelOptions,
): (seed: number) => string {
  const { parent, others } = asked.programs;
  if (parent === null) return () => NOTHING;
  const program = readProgram(parent);
  if (trivial) return (seed) => written(trivialChange(program, sha256(`${key} ${seed}`)), asked, '');
  const partners = others.slice(-MAX_PARTNERS).map(readProgram);
  return (seed) => {
    const digits = freshDigits(program, randomFrom(key, seed));
    if (digits !== null) return written(digits, asked, '');
    const answer = mutate(program, partners, randomFrom(key, seed), asked.operator);
    return written(answer, asked, answer === null ? '' : `Random mutation, no language model: ${answer.words}.\n\n`);
  };
}

function written(
  answer: Answer | null,
  { whole, deltas }: Extract<Asked, { kind: 'program' }>,
  preface: string,
): string {
  if (answer === null) return NOTHING;
  const log = deltas.summary || deltas.plan ? `\n\n${deltaSections(answer.parts, deltas)}` : '';
  return `${preface}${whole ? fenced(answer.program) : answer.blocks}${log}`;
}

/** A fence longer than any run of backticks in the program. */
function fenced(program: string): string {
  const longest = (program.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}python\n${program}\n${fence}`;
}

const NOTHING = 'Random mutation, no language model: the prompt shows no program with statements that may be changed.';
