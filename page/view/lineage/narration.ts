// The changes and ideas of programs in the words of models, asked for step by step when somebody looks at a program of
// the step, and kept.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { StepNarration, Narration } from '../../api/program/deltas.ts';
import { runPath, theSource } from '../base/state.ts';

const AT_ONCE = 4;

/** The words of one lineage. */
class Narrations {
  readonly of: string;
  readonly steps = signal<{ readonly [step: number]: StepNarration }>({});
  readonly #begun = new Set<number>();

  constructor(of: string) {
    this.of = of;
  }

  /** Asks for the steps that lack, a few at a time, until the returned function is called. */
  ask(run: string, steps: readonly number[]): () => void {
    let looking = true;
    const queue = [...new Set(steps)].filter((step) => !this.#begun.has(step));
    const next = async (): Promise<void> => {
      for (let step = queue.shift(); step !== undefined && looking; step = queue.shift()) {
        this.#begun.add(step);
        try {
          const words = await theSource().json<StepNarration>(runPath(run, `told/${step}`));
          this.steps.value = { ...this.steps.value, [step]: words };
        } catch {
          // The program's own page says what is wrong; here its words are left out until somebody looks again.
          this.#begun.delete(step);
          return;
        }
      }
    };
    for (let one = 0; one < AT_ONCE; one++) void next();
    return () => void (looking = false);
  }
}

/** The words of the last lineage that was looked at; another one begins anew. */
let last = new Narrations('');

export type NarrationOf = (step: number, id: string) => Narration | null;

/** The words that came so far, by program. `lineage` names the rows that the steps are of; null before they came. */
export const useNarrations = (run: string, lineage: string | null, steps: readonly number[]): NarrationOf => {
  const of = `${run} ${lineage}`;
  if (last.of !== of) last = new Narrations(of);
  useEffect(() => (lineage === null ? undefined : last.ask(run, steps)), [of, steps.join()]);
  const words = last.steps.value;
  return (step, id) => words[step]?.[id] ?? null;
};
