// These settings say how an answer becomes a program (`diff`) and what the program is worth (`reward`, `evaluation`).
import { z } from 'zod';
import { whole, above, finite, flag, oneOf, orNull, ANY } from './leaves.ts';
import { allLevels, RUNTIMES } from '../levels.ts';
import { isNoopAllowed } from '../noop.ts';
import { PACKAGE_SET_NAMES } from './package-sets.ts';

export const diff = z.strictObject({
  accept: oneOf('edits', 'program', 'either').describe(
    'What an answer may be: SEARCH/REPLACE blocks, a whole program in a fence, or either; the papers have edits.',
  ),
  match: oneOf('lines', 'substring').describe(
    'What SEARCH must equal: whole lines, whatever white space ends them, or any part of the text once its outer white space is gone.',
  ),
  strict: flag().describe('Whether one block that does not match rejects the whole answer.'),
  enforceBlock: flag().describe('Whether edits must stay between the EVOLVE-BLOCK markers.'),
  moveImports: flag().describe(
    'Whether imports that an answer adds outside the EVOLVE-BLOCK are put at its start, in place of refusing them.',
  ),
  maxCodeChars: whole(100, 4_000_000).describe('Longest program, characters; a longer one is `no_solution`.'),
  parse: oneOf('answer', 'whole').describe(
    'Read edits from the answer only, or from the reasoning too, in whichever field it came.',
  ),
  lazyScope: oneOf('history', 'parent').describe(
    'What a child must differ from: every program of the run, or its parent only.',
  ),
});

export const repair = z.strictObject({
  rounds: whole(0, 3).describe(
    'How often a model is asked to mend its answer and told why: no edit could be taken, or the program does not compile, uses a name that nothing binds, or gave no valid solution. Each time counts. The papers have 0.',
  ),
});

export const reward = z.strictObject({
  kind: oneOf('objective', 'shaped', 'format', 'valid', 'improve').describe(
    'Reward of a valid program; recorded, and used by learning.',
  ),
  lower: orNull(finite()).describe('L of the shaped reward.'),
  upper: orNull(finite()).describe('U of the shaped reward.'),
  alpha: above(0, 100).describe('Exponent of the shaped reward.'),
  k: above(0, 1e6).describe('Factor of the shaped reward.'),
});

const sandboxNames = (): string[] => ['auto', ...allLevels().map(({ name }) => name)];
const expectedSandbox = (): string => `one of ${sandboxNames().join(', ')}`;

/** Levels of outside packages are registered later than this is made. */
const sandbox = z
  .string({ error: expectedSandbox })
  .check(({ value, issues }) => {
    if (sandboxNames().includes(value) || (value === 'noop' && isNoopAllowed())) return;
    issues.push({ code: 'invalid_value', values: sandboxNames(), input: value, message: expectedSandbox() });
  })
  .meta({
    get enum() {
      return sandboxNames();
    },
  });

export const evaluation = z.strictObject({
  seed: whole(0, ANY).describe('Seed handed to every candidate program.'),
  scoring: oneOf('tolerant', 'strict').describe(
    'Which score ranks programs, is shown to models and is held against `limits.targetScore`. `tolerant` ranks by what the tolerance of a task adds too.',
  ),
  acceptSavedOnTimeout: flag().describe(
    'Whether the last checkpoint counts after a timeout. In ThetaEvolve (3.3) it does not: there a timeout is a failure.',
  ),
  cpuSeconds: orNull(whole(1, 86_400)).describe(
    "CPU limit of a candidate, seconds, in place of the task's: less or more; null: the task's. The wall clock follows it.",
  ),
  memoryMiB: orNull(whole(64, 1_048_576)).describe(
    "Memory limit of a candidate, MiB, in place of the task's; null: the task's.",
  ),
  cores: orNull(whole(1, 1_024)).describe(
    "Cores that a candidate may use at a time, in place of the task's; null: the task's. `cpuSeconds` counts all of them.",
  ),
  toldSeconds: orNull(whole(1, 86_400)).describe(
    'CPU seconds that programs are told to plan for, at most the limit; null: 6/7 of it.',
  ),
  packages: orNull(oneOf(...PACKAGE_SET_NAMES)).describe(
    'A named set of packages that programs and evaluator can import beside numpy and scipy: `science` has those that CodeEvolve offers its models (docs/tasks.md); null: what the task declares.',
  ),
  parallel: orNull(whole(1, 1_000_000)).describe(
    'The most programs of the run that are evaluated at once (ThetaEvolve: 16); null: as many as the hosts take.',
  ),
  raiseLimits: flag().describe(
    "Whether cpuSeconds, memoryMiB and cores may be more than the task's. Without it more than the task's changes nothing.",
  ),
  modelCalls: whole(0, 1_000).describe(
    "The most requests to a model (role `evaluator`) that the task's own evaluator may make for one program, where task.yaml says `evaluator: {network: model}`.",
  ),
  modelTokens: whole(1, 100_000_000).describe(
    'The most tokens of these requests and their answers together for one program; a request that could pass it is refused.',
  ),
  invalidStart: oneOf('park', 'accept').describe(
    'What a run does whose initial program is not valid: wait at step 0 until a person has mended the task, or go on from it. `accept` is for tasks that have no valid start.',
  ),
  sandbox: sandbox.describe(
    'Level of isolation of candidates; `auto` is what the machine has. docs/operations/sandbox.md says what each level is and can do.',
  ),
  runtime: oneOf(...RUNTIMES).describe(
    'OCI runtime of the containers: `runsc` (gVisor) and `kata` keep the kernel of the host away from programs; `engine` is what the container engine takes by itself (docs/operations/sandbox.md).',
  ),
});
