// A run with `schedule: continuous` whose activities are played: streams that begin where the run is.
import type { Asked, Cast, conductorWorld } from './conductor.ts';

/** Of a group. A window asks for the next one after four groups. */
const RESPONSES = 6;

/** A run of so many steps, each of two groups; two groups are asked for at once. */
export const streamCast = (
  world: ReturnType<typeof conductorWorld>,
  name: string,
  { steps, plays = {}, stream = {} }: { readonly steps: number; readonly plays?: object; readonly stream?: object },
): Cast => {
  const planOf = (step: number, last: number) => ({
    ...{ generation: 1, epoch: 0, version: 1, injected: 0, evaluate: [], done: null, groups: 0 },
    ...{ responses: RESPONSES, perRequest: RESPONSES },
    stream: {
      ...{ first: step, pending: [], planned: 0, batch: 2, inFlight: 2 * RESPONSES, last },
      ...{ steps: 1, window: 4 * RESPONSES, ...stream },
    },
  });
  const planStep = ({ step, window }: Asked) => planOf(step, step + (window as { readonly steps: number }).steps - 1);
  const limits = { steps, programs: null, tokens: null, costUsd: null, wallSeconds: null, targetScore: null };
  return world.cast(name, planOf(1, steps), { planStep, ...plays }, { responses: RESPONSES, limits });
};
