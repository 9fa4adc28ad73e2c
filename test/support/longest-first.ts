// The order of the test files: the longest first, so that no core is idle while a last long file runs alone. Not by
// what vitest remembers of an earlier run: a fresh clone has none.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest, by measurement; files that work and files that wait by turns. What is not here is short. */
const LONG = [
  'e2e/accidents/faults',
  'tasks/golden',
  'e2e/accidents/outages',
  'tasks/cheats',
  'e2e/runs/determinism',
  'activities/sandbox/levels/fast',
  'e2e/steering/sweeps',
  'trainer/worker',
  'e2e/runs/methods',
  'page/browser/looking',
  'e2e/runs/learning',
  'tasks/cheats-fast',
  'e2e/steering/windows',
  'page/browser/actions',
  'e2e/steering/resets',
  'activities/store/mongo',
  'e2e/people/replay',
  'page/browser/recorded',
  'e2e/steering/steering',
  'activities/sandbox/levels/function',
  'e2e/accidents/releases',
  'activities/sandbox/levels/bubblewrap',
  'e2e/runs/population',
  'activities/sandbox/levels/levels',
  'e2e/accidents/namespace',
  'tasks/initial',
  'e2e/accidents/hosts',
  'page/browser/hostile',
  'e2e/runs/bookings',
  'activities/sandbox/levels/docker',
  'e2e/runs/function-task',
  'page/browser/exported',
  'e2e/people/poisoned',
  'page/browser/live',
  'e2e/tiny',
  'deploy/servers/supervisor',
  'e2e/runs/task-folder',
  'page/browser/dialogs',
  'e2e/people/library',
  'page/browser/large',
  'e2e/accidents/learning-kills',
  'activities/sandbox/levels/trusted',
  'e2e/steering/many',
  'e2e/people/reproduce',
  'e2e/people/hostile',
  'e2e/runs/main-job',
  'e2e/steering/obeyed',
  'e2e/runs/asking',
  'e2e/steering/first-step',
  'e2e/runs/ensemble',
  // Of those that share a process:
  'workflows/versions',
  'workflows/stream/stream',
  'workflows/run/reset-points',
  'workflows/sweep/stopped-runs',
  'workflows/run/rows',
  'workflows/step/evolution-step',
  'client/upkeep/terminate',
  'client/connect/connection',
  'workflows/messages/hostile',
  'workflows/learning/policy-update',
  'workflows/run/start-object',
  'workflows/run/run-page',
  'workflows/step/island-window',
  'workflows/sweep/page',
  'activities/step/windows',
  'workflows/sweep/scheduled',
  'client/connect/silent-engine',
  'workflows/engine/encrypted',
  'workflows/learning/whole-runs',
  'workflows/sweep/one-execution',
  'workflows/run/run-states',
  'workflows/run/run-progress',
  'activities/step/ask/prompts/contract',
  'workflows/replay',
  'activities/llm/transport/openai-stream',
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
