// From evidence to the outcome of an execution, where the first match decides, and why there is no solution. All
// functions are pure.
import type { TaskLimits } from '../../../evolution/task/task.ts';
import type { ExecutionKind } from '../../../evolution/types.ts';
import type { Execution } from '../contract/types.ts';
import type { ResultFrame } from './candidate-output.ts';

export type Evidence = {
  /** The reason for which nothing is known about the process, or null. */
  readonly lost: string | null;
  readonly capFired: boolean;
  readonly wallFired: boolean;
  readonly oom: boolean;
  /** The runner said that the program ended with an uncaught MemoryError. */
  readonly memoryError: boolean;
  readonly exitCode: number | null;
  readonly cpuMs: number | null;
  readonly wallMs: number;
  readonly cpuLimitMs: number;
  readonly frame: ResultFrame;
};

const TIMEOUT = 124;
/** 128 + SIGXCPU, as seen with an init as PID 1. */
const CPU_EXCEEDED = 152;
const SIGKILL = 137;
/**
 * The limit holds for each process and counts from its boot, so a killed process may have used a little less since it
 * got the program.
 */
const CPU_MARGIN_MS = 1_000;

/** The limit holds for all processes together, those included that ended well before. */
const treeUsedUp = ({ cpuMs, cpuLimitMs }: Evidence): boolean => cpuMs !== null && cpuMs > cpuLimitMs;

/** The wall clock decides where the CPU time is not known. Waiting uses no CPU, so there is no margin then. */
const usedUp = ({ cpuMs, wallMs, cpuLimitMs }: Evidence): boolean =>
  cpuMs === null ? wallMs >= cpuLimitMs : cpuMs >= cpuLimitMs - CPU_MARGIN_MS;

export const classify = (evidence: Evidence): ExecutionKind => {
  if (evidence.lost !== null) return 'infrastructure';
  if (evidence.capFired) return 'output_limit';
  if (evidence.wallFired || evidence.exitCode === TIMEOUT) return 'timeout_wall';
  if (evidence.oom || (evidence.memoryError && evidence.exitCode !== 0)) return 'memory';
  if (treeUsedUp(evidence) || evidence.exitCode === CPU_EXCEEDED || (evidence.exitCode === SIGKILL && usedUp(evidence)))
    return 'timeout_cpu';
  if (evidence.exitCode !== 0) return 'program_error';
  return evidence.frame === 'one' ? 'ok' : 'invalid_output';
};

/** Says whether a solution counts that the program had saved before it was stopped. */
const ofSaved = ({ saved, solution }: Pick<Execution, 'saved' | 'solution'>): string =>
  solution !== undefined
    ? '; the solution that it had saved last counts'
    : saved
      ? '; the solution that it had saved does not count in this run'
      : '';

const usedOf = ({ cpuMs }: Pick<Execution, 'cpuMs'>, { cpuSeconds }: TaskLimits): string =>
  cpuMs === null
    ? ''
    : `, in which it used ${Math.round(cpuMs / 1000)} of ${cpuSeconds} s of CPU time: it slept or waited`;

/** A reason is shown to a model, so a line that it quotes is cut to this length. */
const LINE_CHARS = 300;

/** 128 + the signals of a process that broke; then its last line says nothing of why. */
const CRASHES: ReadonlyMap<number | null, string> = new Map([
  [132, 'SIGILL: no such instruction'],
  [134, 'SIGABRT: it aborted'],
  [135, 'SIGBUS: memory that is not there'],
  [136, 'SIGFPE: arithmetic that the processor refuses'],
  [139, 'SIGSEGV: memory that is not its own, or recursion too deep'],
  [142, 'SIGALRM: a timer that it had set, and no handler for it'],
]);

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.slice(0, LINE_CHARS) ?? '';

/**
 * The reason for which a program was stopped, or gave nothing, in words fit for a model. An empty text where it was not
 * stopped.
 */
export const reasonFor = (
  execution: Pick<Execution, 'kind' | 'stderrTail' | 'exitCode' | 'cpuMs' | 'saved' | 'solution'>,
  limits: TaskLimits,
): string => {
  const last = lastLine(execution.stderrTail);
  switch (execution.kind) {
    case 'timeout_cpu':
      return `stopped after ${limits.cpuSeconds} s of CPU time (limit ${limits.cpuSeconds} s)${ofSaved(execution)}`;
    case 'timeout_wall':
      return `stopped after ${limits.wallSeconds} s of wall clock (limit ${limits.wallSeconds} s)${usedOf(execution, limits)}${ofSaved(execution)}`;
    case 'memory': {
      const limit = `${Math.round(limits.memoryBytes / 2 ** 20)} MiB`;
      return `stopped because it needed more than ${limit} of memory (limit ${limit})`;
    }
    case 'output_limit':
      return `stopped because it wrote more than ${limits.outputBytes} bytes of output (limit ${limits.outputBytes} bytes)`;
    case 'invalid_output':
      return last.startsWith('solution refused') ? last : 'the program ended without handing over a solution';
    case 'program_error': {
      const crash = CRASHES.get(execution.exitCode);
      // An exception ends with 1, and is the last line.
      if (last && (execution.exitCode ?? 1) === 1) return last;
      const end = crash === undefined ? `ended with exit code ${execution.exitCode}` : `crashed (${crash})`;
      return `the program ${end}${last && `; the last line that it wrote: ${last}`}`;
    }
    case 'ok':
    case 'rejected':
    case 'infrastructure':
      return '';
  }
};
