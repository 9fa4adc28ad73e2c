// What a run will do and cost, told before it starts: by the form of the page and by `evolve run`.
import type { RunConfig } from '../config/run-config.ts';
import { count, counted, duration, dollars } from '../reports/number-text.ts';
import type { Task } from '../task/task.ts';
import { type Estimate, estimateOf, textsOf } from './estimate.ts';
import { programsOf } from './scale.ts';

/** A run that may cost more, or make more programs, is asked about where somebody is at a terminal. */
const ASK_ABOVE = { usd: 1, programs: 1000 };

const LIMIT_WORDS: { readonly [limit: string]: (value: number) => string } = {
  steps: (value) => counted(value, 'step'),
  programs: (value) => counted(value, 'program'),
  tokens: (value) => counted(value, 'token'),
  costUsd: (value) => `$${value}`,
  wallSeconds: (value) => `${value} s`,
  targetScore: (value) => `a score of ${value}`,
};

export class RunPlan {
  readonly #config: RunConfig;
  readonly #estimate: Estimate;
  /** The programs of the run; null where no limit gives their number. */
  readonly programs: number | null;

  constructor(config: RunConfig, task: Parameters<typeof textsOf>[0] & Pick<Task, 'id'>) {
    this.#config = config;
    this.#estimate = estimateOf([config], 1, () => textsOf(task));
    this.programs = programsOf(config);
  }

  /** The size of the run in sentences. */
  get lines(): readonly string[] {
    const { batch, responses, limits, model, method, task } = this.#config;
    const ends = Object.entries(LIMIT_WORDS).flatMap(([limit, words]) => {
      const value = limits[limit as keyof RunConfig['limits']];
      return typeof value === 'number' ? [words(value)] : [];
    });
    return [
      `Method ${method} on ${task}, asking ${model.name}${this.#offline ? ' (no language model)' : ` at ${model.baseUrl}`}.`,
      `A step makes ${counted(batch * responses, 'program')}: ${counted(batch, 'parent')}, ${counted(responses, 'answer')} each.`,
      ends.length === 0
        ? 'Nothing ends it but a person.'
        : `It ends after ${ends.join(' or ')}${ends.length === 1 ? '' : ', whichever is first'}.`,
      ...(this.programs === null ? [] : [`So it makes at most ${counted(this.programs, 'program')}.`, ...this.#work]),
    ];
  }

  /** What the run costs, in a sentence. */
  cost(which: 'This run' | 'Each run' = 'This run'): string {
    const { limits } = this.#config;
    const { unpriced, pricedUsd, pricedUsdAtMost } = this.#estimate;
    const most = limits.costUsd === null ? '' : `, and at most about $${limits.costUsd}`;
    if (unpriced.length > 0) return 'What a run costs is not known: the price of a model is not set.';
    if (this.#free) return `${which} costs nothing: the price of its model is 0.`;
    if (this.programs !== null)
      return `${which} costs about ${dollars(pricedUsd)}, or up to ${dollars(pricedUsdAtMost)} where its answers are long${most}.`;
    return most === '' ? 'No limit is set on the cost of a run.' : `${which} costs at most about $${limits.costUsd}.`;
  }

  /** True where a person at a terminal is asked before the run starts. The offline model costs nothing. */
  get asks(): boolean {
    if (this.#offline) return false;
    if ((this.programs ?? 0) > ASK_ABOVE.programs) return true;
    const most = this.programs === null ? Infinity : this.#estimate.pricedUsdAtMost;
    return Math.min(most, this.#config.limits.costUsd ?? Infinity) > ASK_ABOVE.usd;
  }

  get #offline(): boolean {
    return this.#config.model.kind === 'offline';
  }

  get #free(): boolean {
    return [this.#config.model, ...this.#config.models].every(({ price }) => price?.in === 0 && price.out === 0);
  }

  get #work(): readonly string[] {
    const { tokens, cpuHoursAtMost } = this.#estimate;
    const limit =
      this.#config.evaluation.cpuSeconds === null ? 'limits.cpuSeconds of task.yaml' : 'evaluation.cpuSeconds';
    return [
      ...(this.#offline ? [] : [`They take about ${count(tokens.in)} tokens in and ${count(tokens.out)} out.`]),
      ...(cpuHoursAtMost === null
        ? []
        : [
            `Their evaluations take at most ${duration(cpuHoursAtMost * 3600)} of CPU time, if each uses all of its limit (${limit}).`,
          ]),
    ];
  }
}
