// The changes and ideas of programs in the words of models, asked for step by step when somebody looks at a program of
// the step, and kept.
import { signal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { StepTold, Told as Narration } from '../../api/program/deltas.ts';
import { runPath, theSource } from '../base/state.ts';

type Steps = { readonly [step: number]: StepTold };
/** The steps of the last lineage that was looked at; another one begins anew. */
let held: { readonly of: string; readonly steps: Signal<Steps>; readonly begun: Set<number> } | null = null;
const AT_ONCE = 4;

export type NarrationOf = (step: number, id: string) => Narration | null;

/** Everything that has come so far, by program. `lineage` names the rows that the steps are of; null before they came. */
export const useNarrations = (run: string, lineage: string | null, wanted: readonly number[]): NarrationOf => {
  const of = `${run} ${lineage}`;
  if (held?.of !== of) held = { of, steps: signal({}), begun: new Set() };
  const { steps, begun } = held;
  useEffect(() => {
    if (lineage === null) return undefined;
    let looking = true;
    const queue = [...new Set(wanted)].filter((step) => !begun.has(step));
    const next = async (): Promise<void> => {
      for (let step = queue.shift(); step !== undefined && looking; step = queue.shift()) {
        begun.add(step);
        try {
          const words = await theSource().json<StepTold>(runPath(run, `told/${step}`));
          steps.value = { ...steps.value, [step]: words };
        } catch {
          // The program's own page says what is wrong; here its words are left out until somebody looks again.
          begun.delete(step);
          return;
        }
      }
    };
    for (let one = 0; one < AT_ONCE; one++) void next();
    return () => {
      looking = false;
    };
  }, [of, wanted.join()]);
  const now = steps.value;
  return (step, id) => now[step]?.[id] ?? null;
};
