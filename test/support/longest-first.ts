// The order of the test files: the longest first, so that no core is idle while a last long file runs alone. Not by
// what vitest remembers of an earlier run: a fresh clone has none.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest, by measurement; files that work and files that wait by turns. What is not here is short. */
const LONG = [
  'e2e/main-job',
  'e2e/learning',
  'activities/sandbox/bubblewrap',
  'e2e/resets',
  'e2e/sweeps',
  'activities/sandbox/fast',
  'e2e/outages',
  'e2e/determinism',
  'e2e/learning-kills',
  'trainer/worker',
  'tasks/cheats-fast',
  'e2e/methods',
  'e2e/namespace',
  'tasks/cheats',
  'e2e/steering',
  'e2e/population',
  'e2e/replay',
  'e2e/windows',
  'e2e/faults',
  'activities/sandbox/function',
  'e2e/function-task',
  'e2e/transfer',
  'e2e/library',
  'tasks/initial',
  'tasks/golden',
  'activities/sandbox/docker',
  'client/connection',
  'cli/command-line',
  'activities/sandbox/trusted',
  'deploy/supervisor',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const at = LONG.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at < 0 ? LONG.length : at;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
