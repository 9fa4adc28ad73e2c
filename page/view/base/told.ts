// What models said of programs, asked for step by step when somebody looks at a program of the step, and kept.
import { signal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { StepTold, Told } from '../../data/deltas.ts';
import { theSource } from './state.ts';

type Steps = { readonly [step: number]: StepTold };
/** Of the last lineage that was looked at; another one begins anew. */
let held: { readonly of: string; readonly steps: Signal<Steps>; readonly asked: Set<number> } | null = null;
const AT_ONCE = 4;

/** What is known so far, by program. `lineage` names the rows of which the steps are; null while they are not known. */
export const useTold = (
  run: string,
  lineage: string | null,
  wanted: readonly number[],
): ((step: number, id: string) => Told | null) => {
  const of = `${run} ${lineage}`;
  if (held?.of !== of) held = { of, steps: signal({}), asked: new Set() };
  const { steps, asked } = held;
  useEffect(() => {
    if (lineage === null) return undefined;
    let looking = true;
    const queue = [...new Set(wanted)].filter((step) => !asked.has(step));
    const next = async (): Promise<void> => {
      for (let step = queue.shift(); step !== undefined && looking; step = queue.shift()) {
        asked.add(step);
        try {
          const told = await theSource().json<StepTold>(`runs/${encodeURIComponent(run)}/told/${step}`);
          steps.value = { ...steps.value, [step]: told };
        } catch {
          // The program's own page says what is wrong; here its words are left out until somebody looks again.
          asked.delete(step);
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
