// An estimate of an experiment: runs, programs, requests, tokens and dollars. Tokens are a rule of thumb
// (docs/experiments.md).
import { costUsd, priceOf } from '../budget/money.ts';
import type { RunConfig } from '../config/run-config.ts';
import { styleOf } from '../config/styles.ts';
import { modelId, modelsFor } from '../models/ensemble.ts';
import type { Task } from '../task/task.ts';
import type { Role } from '../types.ts';
import { programsOf } from './scale.ts';

/** Lengths in characters, and the task's own limit on CPU time. */
export type Texts = { readonly statement: number; readonly initial: number; readonly cpuSeconds?: number };

export const textsOf = ({
  problem,
  prompts,
  initialProgram,
  limits,
}: Pick<Task, 'problem' | 'prompts' | 'initialProgram' | 'limits'>): Texts => ({
  statement: (problem?.length ?? 0) + (prompts[0]?.text.length ?? 0),
  initial: initialProgram.length,
  cpuSeconds: limits.cpuSeconds,
});

export type Estimate = {
  readonly runs: number;
  readonly programs: number;
  readonly requests: number;
  readonly tokens: { readonly in: number; readonly out: number };
  /** US dollars; null where the price of a model is not known. */
  readonly costUsd: number | null;
  /** The part of it that models with a known price take. */
  readonly pricedUsd: number;
  /** The same, if every answer had the length at which a model is stopped. */
  readonly pricedUsdAtMost: number;
  /** The models whose price is not known. */
  readonly unpriced: readonly string[];
  /** CPU time of all evaluations if every program used its limit, in hours; null where the limit is not known. */
  readonly cpuHoursAtMost: number | null;
};

const CHARACTERS_PER_TOKEN = 4;
/** Rules of edits, headings and limits, which every style has. */
const FRAME_TOKENS = 800;
/** The share of the longest answer that an answer is taken to use. */
const ANSWER_SHARE = 0.25;
/** `prompt.ancestors: null` shows all; a lineage is taken to be so long. */
const ALL_ANCESTORS = 8;

type One = Omit<Estimate, 'runs' | 'costUsd'>;

const runEstimate = (config: RunConfig, { statement, initial, cpuSeconds: ofTask }: Texts): One => {
  const programs = programsOf(config) ?? 0;
  const { prompt, exploration, ideation } = config;
  const others =
    prompt.priorPrograms + prompt.elites + prompt.diverse + prompt.inspirations + (prompt.ancestors ?? ALL_ANCESTORS);
  const texts = statement + styleOf(config).growth(others) * initial;
  const promptTokens = FRAME_TOKENS + texts / CHARACTERS_PER_TOKEN;
  const explored = exploration.metaPrompt ? exploration.start : 0;
  const ideas = ideation.kind === 'none' ? 0 : 1;
  // Requests for each program, by who answers them.
  const shares: readonly (readonly [Role, number])[] = [
    ['exploit', 1 - explored],
    ['explore', explored],
    ['meta', explored],
    ['idea', ideas],
    ['judge', ideation.gate === 'off' ? 0 : ideas],
    ['evaluator', config.evaluation.modelCalls],
  ];
  const parts = shares.flatMap(([role, share]) => {
    const pool = modelsFor(config, role);
    const weights = pool.reduce((sum, { weight }) => sum + weight, 0);
    return pool.map((model) => {
      const requests = share === 0 ? 0 : (programs * share * model.weight) / weights;
      return { model, requests, in: requests * promptTokens, out: requests * ANSWER_SHARE * model.maxTokens };
    });
  });
  const asked = parts.filter(({ requests }) => requests > 0);
  const sum = (of: (part: (typeof parts)[number]) => number): number => asked.reduce((all, part) => all + of(part), 0);
  const usd = (share: number): number =>
    sum(({ model, in: read, out }) => costUsd({ in: read, out: out * share }, priceOf(model)));
  const cpuSeconds = config.evaluation.cpuSeconds ?? ofTask ?? null;
  return {
    programs,
    requests: Math.ceil(sum(({ requests }) => requests) - 1e-6),
    tokens: { in: Math.ceil(sum((part) => part.in)), out: Math.ceil(sum((part) => part.out)) },
    pricedUsd: usd(1),
    pricedUsdAtMost: usd(1 / ANSWER_SHARE),
    unpriced: asked.filter(({ model }) => priceOf(model) === null).map(({ model }) => modelId(model)),
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
  const sum = (of: (one: One) => number): number => seeds * each.reduce((total, one) => total + of(one), 0);
  const unpriced = [...new Set(each.flatMap((one) => one.unpriced))].sort();
  const pricedUsd = sum((one) => one.pricedUsd);
  const known = (of: (one: One) => number | null): number | null =>
    each.some((one) => of(one) === null) ? null : sum((one) => of(one)!);
  return {
    runs: seeds * configs.length,
    programs: sum(({ programs }) => programs),
    requests: sum(({ requests }) => requests),
    tokens: { in: sum(({ tokens }) => tokens.in), out: sum(({ tokens }) => tokens.out) },
    costUsd: unpriced.length === 0 ? pricedUsd : null,
    pricedUsd,
    pricedUsdAtMost: sum(({ pricedUsdAtMost }) => pricedUsdAtMost),
    unpriced,
    cpuHoursAtMost: known(({ cpuHoursAtMost }) => cpuHoursAtMost),
  };
};
