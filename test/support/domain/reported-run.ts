// A run as `evolve report` reads it, of which a test names what it is about.
import type { ReportedRun } from '../../../evolution/reports/task-report.ts';

export const reportedRun = (named: Partial<ReportedRun> = {}): ReportedRun => ({
  run: 'code-1',
  start: { name: null, score: null },
  task: 'max-min-distance-16-2',
  method: 'code',
  settings: '',
  seed: 7,
  state: 'finished',
  best: null,
  bestStrict: null,
  hidden: null,
  hiddenInitial: null,
  hiddenDirection: null,
  programs: 640,
  tokens: 12345,
  costUsd: 0.5,
  quarantined: 0,
  offlineModel: false,
  level: null,
  ...named,
});
