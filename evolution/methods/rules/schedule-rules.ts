// Settings that need steps which end for all programs at once, against `schedule: continuous` and `overlapping`.
import type { Clash } from '../../config/problems.ts';
import type { RunConfig } from '../../config/run-config.ts';
import { broken, type Rule } from './rule.ts';

/** Against any schedule in which a step begins before the one before has ended. */
const RULES: readonly Rule[] = [
  {
    keys: ['schedule', 'learning.trainer'],
    breaks: ({ learning: { trainer } }) =>
      trainer === 'none'
        ? null
        : `learning compares the programs of a step with each other, and they must come from one policy: expected learning.trainer none, got ${trainer}`,
  },
  {
    keys: ['schedule', 'ideation.kind'],
    breaks: ({ ideation: { kind } }) =>
      kind === 'none'
        ? null
        : `a round of research proposes, judges and carries out an idea before the next one begins: expected ideation.kind none, got ${kind}`,
  },
  {
    keys: ['schedule', 'embedding.model'],
    breaks: ({ embedding: { model } }) =>
      model === null
        ? null
        : `an embedding is compared with the population with which its step began: expected embedding.model null, got ${model}`,
  },
  {
    keys: ['schedule', 'modelChoice'],
    breaks: ({ modelChoice }) =>
      modelChoice === 'bandit'
        ? 'the bandit chooses the models of a whole step at once: expected another modelChoice'
        : null,
  },
];

const OF_STREAMS: readonly Rule[] = [
  {
    keys: ['schedule', 'method'],
    breaks: ({ method }) =>
      method === 'theta' || method === 'static'
        ? `${method} draws the whole batch of a step from one population (ThetaEvolve, 3.1), so it has steps: take openevolve, delta or code`
        : null,
  },
  {
    keys: ['schedule', 'selection.kind'],
    breaks: ({ selection: { kind } }) =>
      kind === 'puct'
        ? 'puct counts the draws of a step together, so that they differ: expected another selection.kind'
        : null,
  },
  {
    keys: ['inFlight', 'responses'],
    breaks: ({ inFlight, responses }) =>
      responses > inFlight
        ? `a group asks for ${responses} programs at once (responses): expected at least ${responses}, got ${inFlight}`
        : null,
  },
];

export const scheduleClashes = (config: RunConfig): readonly Clash[] =>
  config.schedule === 'steps'
    ? []
    : broken(config.schedule === 'continuous' ? [...RULES, ...OF_STREAMS] : RULES, config);
