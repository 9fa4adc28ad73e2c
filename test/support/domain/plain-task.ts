// A task of a test that runs no program: what the test says of it, and the rest as it is of most tasks.
import type { Task } from '../../../evolution/task/task.ts';

export const plainTask = (told: Partial<Task>): Task => ({
  ...{ id: 't', title: 'T', version: 1, kind: 'solution', direction: 'maximise', entry: 'construct' },
  ...{ scoreName: 'score', instance: {}, references: [], prompts: [], problem: null, picture: null },
  limits: { cpuSeconds: 60, wallSeconds: 180, memoryBytes: 1 << 30, outputBytes: 1 << 20, pids: 64, cores: 1 },
  ...{ initialProgram: '', evaluatorSource: '', evaluatorDigest: '' },
  ...told,
});
