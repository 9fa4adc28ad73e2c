// A run document, and the state of a run that is watched, as tests of the command line need them.
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type { WatchState } from '../../../cli/terminal/standing.ts';
import { configFrom } from './asked-run.ts';

export const runDocument = (changes: Partial<RunDocument> = {}): RunDocument => ({
  _id: 'demo',
  run: 'demo',
  config: configFrom({ batch: 8, responses: 8, limits: { steps: 16 } }),
  configVersion: 1,
  changes: [],
  taskDigest: 't',
  evaluatorDigest: 'e',
  createdAt: new Date('2026-11-21T10:00:00Z'),
  schemaVersion: 4,
  status: 'running',
  statusReason: null,
  parked: null,
  starts: [],
  happened: [],
  stopReason: null,
  endedAt: null,
  generation: 0,
  openings: null,
  committedStep: 3,
  view: 0,
  population: { bounds: null, generations: [], lastMigration: 0, size: 90, best: null },
  totals: {
    programs: 192,
    valid: 80,
    failures: { no_change: 12, no_solution: 100 },
    tokens: { in: 1_234_567, out: 45_678 },
    costUsd: 0,
    sinceBest: 40,
  },
  best: { program: 'demo:000002:0:000017', score: 1.8412973456789, strictScore: 1.8412960456789, step: 2 },
  offlineModel: true,
  isolation: 'docker',
  epochs: [],
  setAside: [],
  origin: null,
  sweep: null,
  ...changes,
});

/** Nothing is known but the document. */
export const watchState = (changes: Partial<WatchState> = {}): WatchState => ({
  run: runDocument(),
  now: new Date('2026-11-21T10:01:30Z'),
  ...{ live: null, inStep: null, waitingFor: null, perMinute: null, temporalUrl: null },
  ...changes,
});
