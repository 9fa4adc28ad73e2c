// A sandbox for unit tests: answers with what a function says, under the same contract (abort, checkpoints, close).
import {
  type Execution,
  InfrastructureError,
  type Sandbox,
  type SandboxJob,
} from '../../activities/sandbox/contract/types.ts';

export type FakeAnswer = Partial<Omit<Execution, 'isolation' | 'imageId'>>;

const DEFAULTS: Execution = {
  kind: 'ok',
  solution: undefined,
  exitCode: 0,
  oom: false,
  cpuMs: 1,
  wallMs: 1,
  peakBytes: null,
  stdoutTail: '',
  stderrTail: '',
  truncated: false,
  saved: false,
  isolation: 'fake',
  imageId: 'fake',
};

export const createFakeSandbox = (answer: (job: SandboxJob) => FakeAnswer | Promise<FakeAnswer>): Sandbox => ({
  level: 'fake',
  imageId: 'fake',
  run: async (job, signal) => {
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return { ...DEFAULTS, ...(await Promise.race([Promise.resolve(answer(job)), aborted.promise])) };
    } finally {
      signal.removeEventListener('abort', abort);
    }
  },
  converse: async () => {
    throw new InfrastructureError('the fake sandbox runs no program that could be called');
  },
  close: async () => undefined,
});
