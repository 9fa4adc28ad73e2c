// What an experiment will take before it begins: runs, programs, requests, tokens and dollars. Tokens are a rule of
// thumb, since nobody knows how long programs and answers will be; docs/experiments.md says how far it can be trusted.
import { priceOf } from '../budget/money.ts';
import type { RunConfig } from '../config/run-config.ts';
import { modelsFor } from '../models/ensemble.ts';
import { programsOf } from './scale.ts';

/** Lengths in characters. */
export type Texts = { readonly statement: number; readonly initial: number };

export type Estimate = {
  readonly runs: number;
  readonly programs: number;
  readonly requests: number;
  readonly tokens: { readonly in: number; readonly out: number };
  /** US dollars; null where the price of a model is not known. */
  readonly costUsd: number | null;
  /** CPU time of all evaluations if every program used its limit, in hours; null where no setting names the limit. */
  readonly cpuHoursAtMost: number | null;
};

const CHARACTERS_PER_TOKEN = 4;
/** Rules of edits, headings and limits, which every style has. */
const FRAME_TOKENS = 800;
/** A search begins with a short program and goes on with longer ones. */
const GROWTH = 4;
/** The length of a delta, as a share of a program. */
const DELTA = 0.3;
/** The share of the longest answer that an answer is taken to use. */
const ANSWER_SHARE = 0.25;
/** `prompt.ancestors: null` shows all; a lineage is taken to be so long. */
const ALL_ANCESTORS = 8;

const runEstimate = (config: RunConfig, { statement, initial }: Texts): Omit<Estimate, 'runs'> => {
  const programs = programsOf(config) ?? 0;
  const { prompt, exploration, ideation, model } = config;
  const stages =
    (exploration.metaPrompt ? exploration.start : 0) + (ideation.kind === 'none' ? 0 : ideation.gate === 'off' ? 1 : 2);
  const requests = Math.ceil(programs * (1 + stages));
  const others =
    prompt.priorPrograms + prompt.elites + prompt.diverse + prompt.inspirations + (prompt.ancestors ?? ALL_ANCESTORS);
  const texts =
    statement +
    (prompt.style === 'task-only' ? 1 : GROWTH * (1 + others * (prompt.style === 'delta' ? DELTA : 1))) * initial;
  const read = FRAME_TOKENS + texts / CHARACTERS_PER_TOKEN;
  const tokens = { in: Math.ceil(requests * read), out: Math.ceil(requests * ANSWER_SHARE * model.maxTokens) };
  const pool = modelsFor(config, 'exploit');
  const weights = pool.reduce((sum, { weight }) => sum + weight, 0);
  const prices = pool.map((one) => ({ share: one.weight / weights, price: priceOf(one) }));
  const { cpuSeconds } = config.evaluation;
  return {
    programs,
    requests,
    tokens,
    costUsd: prices.some(({ price }) => price === null)
      ? null
      : prices.reduce(
          (sum, { share, price }) => sum + (share * (tokens.in * price!.in + tokens.out * price!.out)) / 1e6,
          0,
        ),
    cpuHoursAtMost: cpuSeconds === null ? null : (programs * cpuSeconds) / 3600,
  };
};

/** The sum over all runs: each of `configs` once for each seed. `textsOf` tells the length of the texts of its task. */
export const estimateOf = (
  configs: readonly RunConfig[],
  seeds: number,
  textsOf: (config: RunConfig) => Texts,
): Estimate => {
  const each = configs.map((config) => runEstimate(config, textsOf(config)));
  const sum = (of: (one: Omit<Estimate, 'runs'>) => number): number =>
    seeds * each.reduce((total, one) => total + of(one), 0);
  const known = (of: (one: Omit<Estimate, 'runs'>) => number | null): number | null =>
    each.some((one) => of(one) === null) ? null : sum((one) => of(one)!);
  return {
    runs: seeds * configs.length,
    programs: sum(({ programs }) => programs),
    requests: sum(({ requests }) => requests),
    tokens: { in: sum(({ tokens }) => tokens.in), out: sum(({ tokens }) => tokens.out) },
    costUsd: known(({ costUsd }) => costUsd),
    cpuHoursAtMost: known(({ cpuHoursAtMost }) => cpuHoursAtMost),
  };
};
