// A run as the list of runs has it, made up for tests of the list.
import type { RunCard } from '../../../page/api/run/runs.ts';

type Changes = { readonly [key in keyof RunCard]?: RunCard[key] };

/** It runs, has a best of 2.4 in step 8 of 10, and may make 40 steps. */
export const cardOf = (run: string, changes: Changes = {}): RunCard =>
  ({
    ...{
      run,
      task: 'circles',
      method: 'theta',
      model: 'small',
      priced: true,
      seed: 1,
      state: 'running',
      stopReason: null,
    },
    ...{ steps: 10, programs: 100, mark: null, sweep: null, varied: null, createdAt: '2026-11-28T10:00:00.000Z' },
    best: { program: `${run}:8`, score: 2.4, strictScore: 2.4, ranking: 2.4 },
    known: {
      ...{ title: 'Circles', direction: 'maximise', scoreName: 'sum of radii', paper: 2.63 },
      bestKnown: { value: 2.5, strict: false, source: null },
    },
    limits: [{ limit: 'steps', of: 40, spent: 10 }],
    rate: { programs: 100, tokens: 1000, costUsd: 0, steps: 10, overSeconds: 3600 },
    ...{ trend: [], improved: { step: 8, at: '2026-11-28T11:00:00.000Z' }, uncommitted: null, scoresInvented: false },
    ...{ paid: { tokens: 1_000, costUsd: 0.5 }, next: { urgent: false, what: 'running', command: null } },
    ...changes,
  }) as RunCard;
