// The fake sandbox keeps the contract of the real ones.
import { createFakeSandbox, type FakeAnswer } from '../../../doubles/fake-sandbox.ts';
import { PROGRAMS, sandboxContract } from './contract.ts';

const answers: {
  readonly [code: string]: (job: {
    readonly acceptSavedOnTimeout: boolean;
    readonly limits: { readonly wallSeconds: number };
  }) => FakeAnswer | Promise<FakeAnswer>;
} = {
  [PROGRAMS.solution]: () => ({ solution: { circles: [[26, 7, 0.5]] } }),
  [PROGRAMS.numpy]: () => ({ solution: { heights: [0, 0.5, 1], n: 3, ok: true } }),
  [PROGRAMS.busy]: () => ({
    solution: { ok: true },
    profile: { seconds: 0.8, functions: [{ name: 'work', percent: 99 }] },
    saves: { count: 1, kept: [{ seconds: 0.8, solution: [1] }] },
  }),
  [PROGRAMS.crash]: () => ({ kind: 'program_error', exitCode: 1, stderrTail: 'ValueError: expected more\n' }),
  [PROGRAMS.nothing]: () => ({ kind: 'invalid_output' }),
  [PROGRAMS.nan]: () => ({
    kind: 'invalid_output',
    stderrTail: 'solution refused: expected finite numbers, got nan\n',
  }),
  [PROGRAMS.checkpoint]: (job) => ({
    kind: 'timeout_cpu',
    exitCode: 152,
    solution: job.acceptSavedOnTimeout ? { step: 2 } : undefined,
  }),
  [PROGRAMS.endless]: (job) =>
    job.limits.wallSeconds <= 2 ? { kind: 'timeout_wall', exitCode: 137 } : new Promise<never>(() => undefined),
};

sandboxContract('the fake sandbox', async () => createFakeSandbox((job) => answers[job.code]!(job)));
