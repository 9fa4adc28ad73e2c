// The order of the test files: the longest first, so that no core is idle while a last long file runs alone. Not by
// what vitest remembers of an earlier run: a fresh clone has none.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The order in which they were measured (docs/measurements.md); what is not here follows, and is short. */
const LONG = ['e2e/main-job', 'tasks/cheats-fast'];

const rank = ({ moduleId }: TestSpecification): number => {
  const at = LONG.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at < 0 ? LONG.length : at;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
