// Why an execution gave no solution, in words that are safe and useful to show to a model. Pure; called by evaluate.ts.
import type { TaskLimits } from '../../evolution/task.ts';
import type { Execution } from './types.ts';

const LINE_CHARS = 300;

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.slice(0, LINE_CHARS) ?? '';

export const reasonFor = (execution: Execution, limits: TaskLimits): string => {
  const last = lastLine(execution.stderrTail);
  switch (execution.kind) {
    case 'timeout_cpu': return `expected at most ${limits.cpuSeconds} s of CPU time, the program used more`;
    case 'timeout_wall': return `expected an end within ${limits.wallSeconds} s, the program went on`;
    case 'memory': return `expected at most ${Math.round(limits.memoryBytes / 2 ** 20)} MiB of memory, the program used more`;
    case 'output_limit': return `expected at most ${limits.outputBytes} bytes of output, the program wrote more`;
    case 'invalid_output': return last.startsWith('solution refused') ? last : 'the program ended without handing over a solution';
    case 'program_error': return last || `the program ended with exit code ${execution.exitCode}`;
    case 'ok': case 'rejected': case 'infrastructure': return '';
  }
};
