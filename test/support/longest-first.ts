// The order of the test files: the longest first, so that no core is idle while a last long file runs alone. Not by
// what vitest remembers of an earlier run: a fresh clone has none.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest, by measurement; files that work and files that wait by turns. What is not here is short. */
const LONG = [
  ...['e2e/accidents/outages', 'activities/sandbox/levels/fork', 'e2e/steering/windows', 'trainer/worker'],
  ...['e2e/runs/determinism', 'e2e/accidents/releases', 'page/browser/looking', 'e2e/steering/sweeps'],
  ...['e2e/accidents/namespace', 'e2e/runs/learning', 'tasks/golden', 'e2e/people/examples', 'e2e/runs/main-job'],
  ...['activities/store/mongo', 'e2e/runs/bookings', 'e2e/people/hostile', 'activities/sandbox/levels/levels'],
  ...['e2e/steering/steering', 'page/browser/recorded', 'tasks/cheats-fork', 'e2e/accidents/hosts', 'tasks/cheats'],
  ...['e2e/people/replay', 'e2e/runs/population', 'e2e/steering/resets', 'page/browser/texts', 'e2e/runs/methods'],
  ...['activities/sandbox/levels/bubblewrap', 'page/browser/actions', 'e2e/runs/function-task', 'tasks/initial'],
  ...['e2e/runs/task-folder', 'page/browser/dialogs', 'e2e/tiny', 'e2e/people/poisoned', 'e2e/people/reproduce'],
  ...['e2e/people/library', 'page/browser/hostile', 'page/browser/live', 'activities/sandbox/levels/docker'],
  // Of those that share a process:
  ...['workflows/versions', 'workflows/run/rows', 'workflows/stream/stream', 'workflows/run/reset-points'],
  ...['workflows/sweep/stopped-runs', 'workflows/step/evolution-step', 'client/connect/connection'],
  ...['client/upkeep/terminate', 'workflows/messages/hostile', 'workflows/learning/policy-update'],
  ...['workflows/run/start-object', 'workflows/run/run-page', 'workflows/step/island-window', 'workflows/sweep/page'],
  ...['client/connect/silent-engine', 'workflows/run/run-states', 'workflows/sweep/scheduled'],
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
