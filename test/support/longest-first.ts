// The order of the test files: the longest first, so that no core is idle while a last long file runs alone. Not by
// what vitest remembers of an earlier run: a fresh clone has none.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest, by measurement; files that work and files that wait by turns. What is not here is short. */
const LONG = [
  'e2e/accidents/faults',
  'activities/sandbox/levels/bubblewrap',
  'e2e/steering/sweeps',
  'activities/sandbox/levels/fast',
  'e2e/accidents/outages',
  'e2e/runs/learning',
  'tasks/cheats',
  'e2e/steering/windows',
  'tasks/golden',
  'e2e/steering/resets',
  'e2e/runs/determinism',
  'e2e/runs/methods',
  'e2e/accidents/learning-kills',
  'trainer/worker',
  'e2e/people/replay',
  'e2e/accidents/namespace',
  'e2e/runs/function-task',
  'tasks/cheats-fast',
  'e2e/steering/steering',
  'e2e/runs/population',
  'tasks/initial',
  'e2e/accidents/hosts',
  'page/browser/recorded',
  'e2e/people/poisoned',
  'activities/sandbox/levels/function',
  'e2e/people/library',
  'e2e/steering/obeyed',
  'e2e/runs/bookings',
  'e2e/people/hostile',
  'activities/store/mongo',
  'e2e/runs/main-job',
  'activities/sandbox/levels/docker',
  'e2e/people/transfer',
  'activities/sandbox/levels/trusted',
  'deploy/servers/supervisor',
  // Of those that share a process:
  'workflows/versions',
  'client/upkeep/terminate',
  'workflows/stream/stream',
  'client/connect/connection',
  'workflows/run/reset-points',
  'workflows/run/run-page',
  'workflows/run/rows',
  'workflows/step/evolution-step',
  'workflows/learning/policy-update',
  'workflows/sweep/stopped-runs',
  'workflows/messages/hostile',
  'evolution/linear',
  'workflows/learning/whole-runs',
  'workflows/run/start-object',
  'workflows/sweep/page',
  'cli/command-line',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const at = LONG.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at < 0 ? LONG.length : at;
};

/** 1 where files share a process. They come last and together: what runs between them would end that process. */
const shares = ({ project }: TestSpecification): number => (project.config.isolate ? 0 : 1);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => shares(a) - shares(b) || rank(a) - rank(b));
  }
}
