// The text of one choice: a short honest sentence and SEARCH/REPLACE blocks. Called by completion.ts.
import { garbage } from './garbage.ts';
import { mutate } from './mutate/mutate.ts';
import { readProgram } from './mutate/program.ts';
import type { Program } from './mutate/program.ts';
import type { OfflineModelOptions } from './options.ts';
import { readPrompt } from './prompt.ts';
import { digest, randomFrom } from './random.ts';

import { trivialBlocks } from './trivial.ts';

/** More partners than this cost time and bring nothing. */
const MAX_PARTNERS = 8;

/** `text` null: the endpoint answers with null content. */
export type AnswerText = { readonly text: string | null };

/** Choice j of seed s equals choice 0 of seed s + j: everything drawn depends on the messages and on `seed` alone. */
export function answers(promptText: string, seeds: readonly number[], options: OfflineModelOptions): readonly AnswerText[] {
  const key = digest(promptText);
  const { parent, others } = readPrompt(promptText);
  const program = parent === null ? null : readProgram(parent);
  const partners = options.trivial ? [] : others.slice(-MAX_PARTNERS).map(readProgram);
  return seeds.map((seed) => answer(program, partners, key, seed, options));
}

function answer(program: Program | null, partners: readonly Program[], key: string, seed: number, options: OfflineModelOptions): AnswerText {
  const fault = randomFrom(key, seed, 'content fault', options.faultSeed);
  if (options.rateEmpty > 0 && fault.chance(options.rateEmpty)) return { text: fault.chance(0.5) ? '' : null };
  const text = options.trivial ? trivialText(program, digest(`${key} ${seed}`)) : mutationText(program, partners, key, seed);
  return { text: options.rateGarbage > 0 && fault.chance(options.rateGarbage) ? garbage(text, fault) : text };
}

function trivialText(program: Program | null, unique: string): string {
  const blocks = program && trivialBlocks(program, unique);
  return blocks ?? NOTHING;
}

function mutationText(program: Program | null, partners: readonly Program[], key: string, seed: number): string {
  const mutation = program && mutate(program, partners, randomFrom(key, seed));
  return mutation ? `Random mutation, no language model: ${mutation.words}.\n\n${mutation.blocks}` : NOTHING;
}

const NOTHING = 'Random mutation, no language model: the prompt shows no program with statements that may be changed.';
