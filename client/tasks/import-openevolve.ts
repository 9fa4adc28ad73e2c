// Makes a task of an OpenEvolve example (initial program, evaluator, YAML). OpenEvolve's evaluator imports the program
// into its own process, so both go into the candidate's container: isolated from the host and from other programs, but
// not from each other.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { GIVEN_BYTES, GivenFileError, listGiven, readGiven } from '../../activities/given-file.ts';
import { importsOutside, outsideProblem } from '../../activities/check/check-texts.ts';
import { byHandProblem, limitsByHand } from '../../activities/task/statement.ts';
import { fileLayer } from '../../evolution/config/sources.ts';
import { UsageError } from '../connect/errors.ts';

type Imported = {
  readonly files: { readonly [name: string]: string };
  readonly entry: string;
  readonly notes: readonly string[];
};

const HARNESS = readFileSync(join(import.meta.dirname, 'scaffold', 'openevolve', 'harness.py'), 'utf8');
const EVALUATOR = readFileSync(join(import.meta.dirname, 'scaffold', 'openevolve', 'evaluator.py'), 'utf8');
const DEFAULT_TIMEOUT_S = 300;
const MAX_TIMEOUT_S = 86_400;

/** The warning that no care of the importer can make needless. */
export const WARNING =
  'the evaluator and the program share one process and one container: a program can change what the evaluator computes. ' +
  'Believe its scores only as far as you read its winners; write an evaluator.py of your own (docs/tasks.md) for anything that matters.';

/**
 * The function for which the gate asks: one that the evaluator names and the program defines, else the program's last
 * function.
 */
export const entryOf = (program: string, evaluator: string): string => {
  const defined = [...program.matchAll(/^(?:async\s+)?def\s+([A-Za-z_]\w*)/gm)].map((match) => match[1]!);
  const named = defined.filter((name) => new RegExp(`\\b${name}\\b`).test(evaluator));
  const entry = named.at(-1) ?? defined.at(-1);
  if (entry === undefined) throw new UsageError('initial_program.py: expected at least one function at the top level');
  return entry;
};

/** True where a line that begins the block stands before one that ends it. */
const hasBlock = (program: string): boolean => {
  const lines = program.split('\n').map((line) => line.trim());
  const start = lines.indexOf('# EVOLVE-BLOCK-START');
  return start >= 0 && lines.lastIndexOf('# EVOLVE-BLOCK-END') > start;
};
const marked = (program: string): string =>
  hasBlock(program) ? program : `# EVOLVE-BLOCK-START\n${program.trimEnd()}\n# EVOLVE-BLOCK-END\n`;
const escaped = (text: string): string => text.replaceAll(/\{([A-Za-z_]\w*)\}/g, '{{$1}}');

const read = (folder: string, name: string): string => {
  const path = join(folder, name);
  try {
    return readGiven(path, { maxBytes: GIVEN_BYTES.task, within: folder });
  } catch (error) {
    throw error instanceof GivenFileError
      ? new UsageError(`${path}: expected this file of an OpenEvolve example, got ${error.message}`)
      : error;
  }
};

const settingsIn = (
  folder: string,
): { readonly file: string | null; readonly value: { readonly [key: string]: unknown } } => {
  const file = listGiven(folder, folder, { deep: false }).find((name) => /\.ya?ml$/.test(name));
  if (file === undefined) return { file: null, value: {} };
  const { settings } = fileLayer(join(folder, file), read(folder, file), 'max_iterations: 100');
  return { file, value: record(settings) };
};

const record = (value: unknown): { readonly [key: string]: unknown } =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as { [key: string]: unknown }) : {};

/** Reads the example; writes nothing. Throws UsageError with the file that is wrong. */
export const importOpenEvolve = (from: string, id: string): Imported => {
  const folder = resolve(from);
  const program = marked(read(folder, 'initial_program.py'));
  const evaluator = read(folder, 'evaluator.py');
  if (!/^def\s+evaluate\s*\(/m.test(evaluator))
    throw new UsageError(`${join(folder, 'evaluator.py')}: expected a function evaluate(program_path)`);
  const { file, value } = settingsIn(folder);
  const entry = entryOf(program, evaluator);
  const timeout = Number(record(value['evaluator'])['timeout'] ?? DEFAULT_TIMEOUT_S);
  const seconds = timeout > 0 && timeout <= MAX_TIMEOUT_S ? timeout : DEFAULT_TIMEOUT_S;
  const systemMessage = record(value['prompt'])['system_message'];
  const message =
    typeof systemMessage === 'string' && systemMessage.trim() !== ''
      ? systemMessage.trim()
      : 'Find a program with a better score.';
  const cascade = /^def\s+evaluate_stage\d/m.test(evaluator);
  return {
    entry,
    notes: [
      WARNING,
      `the program must go on defining ${entry}; change \`entry\` in task.yaml if its evaluator calls another function`,
      ...(cascade ? ['its evaluate_stage functions are not used: evaluate() decides alone'] : []),
      ...(file === null
        ? ['no YAML beside it: default limits and a short prompt']
        : [
            `of ${file} the system message and the evaluator's timeout were taken; models, population and iterations are settings of a run: \`npx evolve run --task ${id} --method openevolve\``,
          ]),
      ...importsOutside(program, 'initial.py').map(outsideProblem),
      ...limitsByHand(message).map((found) => `prompts/task.md:${byHandProblem(found)}`),
      'packages other than numpy and scipy are not in the evaluator image',
    ],
    files: {
      'task.yaml': taskYaml(id, entry, seconds),
      'initial.py': program,
      'evaluator.py': EVALUATOR,
      'harness.py': HARNESS.replace('__EVALUATOR__', () =>
        JSON.stringify(evaluator).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029'),
      ),
      'prompts/task.md': `${escaped(message)}\n\nRules: the program must go on defining \`{entry}\`. The score \`{scoreName}\` is to {direction}.\n`,
      'README.md': `# ${id}\n\nImported from an OpenEvolve example (\`evolve task import-openevolve\`). \`harness.py\` holds its evaluator, which runs in the program's own container; \`evaluator.py\` takes the metrics that come out and ranks by \`combined_score\`, else \`score\`, else the mean of the numbers.\n\n**Not separated**: ${WARNING}\n`,
    },
  };
};

const taskYaml = (id: string, entry: string, seconds: number): string =>
  stringify({
    id,
    title: `${id}, imported from OpenEvolve`,
    papers: [],
    version: 1,
    kind: 'function',
    direction: 'maximise',
    entry,
    scoreName: 'combined_score',
    instance: {},
    library: ['form'],
    limits: { cpuSeconds: seconds, wallSeconds: seconds * 3, memoryMiB: 2048, outputMiB: 4, pids: 64 },
    prompts: [{ name: 'task', weight: 1, file: 'prompts/task.md' }],
  });

export const writeImported = ({ files }: Imported, folder: string): void => {
  mkdirSync(join(folder, 'prompts'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
};
