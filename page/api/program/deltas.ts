// The answers about the changes of a run: those of one step in full, and the sums over the components that they
// touched.
import type { ChangeLabel, CompleteDelta } from '../../../evolution/deltas/delta.ts';
import type { ProgramId } from '../../../evolution/types.ts';
import { keepBest } from './keep-best.ts';

/** The words of models about a program, before or beside its code. */
export type Narration = {
  readonly delta?: CompleteDelta & { readonly label: ChangeLabel };
  readonly idea?: { readonly text: string; readonly score: number | null; readonly would: string | null };
};
/** GET runs/:run/told/:step. Programs of which models said nothing are left out. */
export type StepNarration = { readonly [program: ProgramId]: Narration };

/** A change that helped: `gain` is how much better the program is than its parent. */
export type Example = {
  readonly program: ProgramId;
  readonly gain: number;
  readonly summary: string;
  readonly newLogic: string;
  readonly hypothesis: string;
};

export type Component = {
  /** As it was spelt first. */
  readonly component: string;
  readonly changed: number;
  readonly labels: { readonly [label in ChangeLabel]: number };
  /** Over the changes with a score on both sides; null where there are none. */
  readonly meanGain: number | null;
  readonly bestGain: number | null;
  /** The most helpful changes, best first. */
  readonly examples: readonly Example[];
};

/** GET runs/:run/deltas. */
export type DeltasAnswer = {
  readonly deltas: number;
  /** The number that a model wrote; the others are mechanical. */
  readonly described: number;
  /** Most improvements first. */
  readonly components: readonly Component[];
  /** Components that are not listed, because there are too many. */
  readonly others: number;
};

/** A program as the sums need it. `gain` is null where it or its parent has no score. */
export type Changed = {
  readonly program: ProgramId;
  readonly delta: CompleteDelta & { readonly label: ChangeLabel };
  readonly gain: number | null;
};

const EXAMPLES = 3;
/** Names of components come from models, so their number has no bound of its own. */
const MOST_COMPONENTS = 4_000;
const LISTED = 300;

type Sum = {
  readonly component: string;
  changed: number;
  readonly labels: { [label in ChangeLabel]: number };
  gains: number;
  gainSum: number;
  readonly examples: Example[];
};

export class DeltaSums {
  #deltas = 0;
  #described = 0;
  #dropped = 0;
  readonly #components = new Map<string, Sum>();

  add({ program, delta, gain }: Changed): void {
    this.#deltas++;
    if (delta.status !== 'missing') this.#described++;
    const seen = new Set<string>();
    for (const { component, newLogic, hypothesis } of delta.plan) {
      const key = component.trim().toLowerCase();
      if (key === '' || seen.has(key)) continue;
      seen.add(key);
      const sum = this.#sumOf(key, component.trim());
      if (sum === null) continue;
      sum.changed++;
      sum.labels[delta.label]++;
      if (gain === null) continue;
      sum.gains++;
      sum.gainSum += gain;
      if (gain > 0) {
        const short = {
          summary: delta.summary.to.slice(0, 300),
          newLogic: newLogic.slice(0, 300),
          hypothesis: hypothesis.slice(0, 300),
        };
        keepBest(sum.examples, { program, gain, ...short }, EXAMPLES, (one) => one.gain);
      }
    }
  }

  answer(): DeltasAnswer {
    const all = [...this.#components.values()].sort(
      (a, b) => b.labels.improved - a.labels.improved || b.changed - a.changed || (a.component < b.component ? -1 : 1),
    );
    return {
      deltas: this.#deltas,
      described: this.#described,
      components: all.slice(0, LISTED).map(({ gains, gainSum, ...sum }) => ({
        ...sum,
        meanGain: gains === 0 ? null : gainSum / gains,
        bestGain: sum.examples[0]?.gain ?? null,
      })),
      others: Math.max(0, all.length - LISTED) + this.#dropped,
    };
  }

  #sumOf(key: string, component: string): Sum | null {
    const known = this.#components.get(key);
    if (known !== undefined) return known;
    if (this.#components.size >= MOST_COMPONENTS) {
      this.#dropped++;
      return null;
    }
    const labels = { improved: 0, degraded: 0, unchanged: 0, failed: 0 };
    const made: Sum = { component: component.slice(0, 120), changed: 0, labels, gains: 0, gainSum: 0, examples: [] };
    this.#components.set(key, made);
    return made;
  }
}
