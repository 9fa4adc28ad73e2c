// The tools of `evolve mcp`. Each is the command of its name: inputs, checks, refusals and answers are those of the
// command line, and a table here says which commands and flags are offered, and what has to be allowed.
import type { Argument, Command, Option } from 'commander';
import { z } from 'zod';
import { commandOf, verbNames, verbOf } from '../../evolution/steering/verbs.ts';
import { program } from '../program.ts';
import { type Allow, type Tool, toldBy } from './answer.ts';
import { docsTool } from './docs.ts';

/** Flags as inputs, null for every flag of the command; flags that are always given beside `--json`. */
type Row = {
  readonly flags?: readonly string[] | null;
  readonly always?: readonly string[];
  /** It prints a text that is easier to read than its JSON. */
  readonly isText?: true;
  /** It goes on until it is ended, after so many seconds as the input says. */
  readonly waits?: true;
};
type Rows = { readonly [command: string]: Row };

const READS: Rows = {
  list: { flags: ['state', 'sweep'] },
  status: {},
  watch: { always: ['--exit-on-attention'], waits: true },
  programs: { flags: ['step', 'outcome', 'elites', 'quarantined', 'all', 'code'] },
  show: { flags: ['prompt', 'response'], isText: true },
  best: { flags: ['code', 'solution'] },
  prompt: { flags: ['step', 'group', 'stage'], isText: true },
  steps: { flags: ['all'] },
  islands: {},
  deltas: {},
  usage: {},
  settings: { flags: ['versions'] },
  doctor: {},
  compare: {},
  report: { flags: ['sweep', 'summary'] },
  'sweep list': {},
  'sweep status': {},
  'sweep report': {},
  'task list': {},
  'task show': { flags: ['prompts', 'code'] },
};

const RUN_FLAGS = ['seed', 'steps', 'batch', 'responses', 'max-programs', 'model', 'config', 'set'];
const STARTS: Rows = {
  run: {
    flags: ['run', 'task', 'method', ...RUN_FLAGS, 'direction', 'score', 'change', 'seconds'],
    always: ['--detach'],
  },
  fork: { flags: ['at-step', ...RUN_FLAGS], always: ['--detach'] },
  sweep: { always: ['--detach'] },
};

const TASKS: Rows = {
  init: { flags: null },
  'task new': { flags: null },
  'task init': { flags: null },
  'task check': { flags: ['only', 'strict', 'full'] },
  'task score': { flags: ['run', 'seed', 'smoke'] },
};

const STEERS: Rows = Object.fromEntries(
  verbNames.filter((name) => name !== 'fork' && name !== 'export').map((name) => [commandOf(name), { flags: null }]),
);

const TABLE: readonly (readonly [Allow | null, Rows])[] = [
  [null, READS],
  ['start', STARTS],
  ['steer', STEERS],
  ['tasks', TASKS],
];

/** All tools, those that only read first. */
export const allTools = async (): Promise<readonly Tool[]> => {
  const evolve = await program(TABLE.flatMap(([, rows]) => Object.keys(rows).flatMap((command) => command.split(' '))));
  return [
    docsTool,
    ...TABLE.flatMap(([allow, rows]) =>
      Object.entries(rows).map(([command, row]) => toolOf(evolve, { command, allow }, row)),
    ),
  ];
};

/** The names of its inputs; all that only read take `cursor` too. */
export const takes = ({ input }: Tool): string =>
  Object.entries(input.shape)
    .filter(([name]) => name !== 'cursor')
    .map(([name, schema]) => `${name}${schema.safeParse(undefined).success ? '?' : ''}`)
    .join(', ');

const CURSOR = z.coerce.number().int().min(0).optional().describe('where the answer before ended, to read on');
const SECONDS = z.coerce.number().int().min(1).max(300).default(30).describe('how long to wait for what comes');
const VALUE = z.union([z.string(), z.number()], { error: () => 'a text or a number' });

const toolOf = (
  evolve: Command,
  { command: path, allow }: { readonly command: string; readonly allow: Allow | null },
  { flags = [], always = [], isText, waits }: Row,
): Tool => {
  const command = path.split(' ').reduce((at, name) => at.commands.find((below) => below.name() === name)!, evolve);
  const operands = command.registeredArguments;
  const options =
    flags === null
      ? command.options.filter(({ long }) => long !== '--json')
      : flags.map((name) => command.options.find(({ long }) => long === `--${name}`)!);
  const json = isText || command.options.every(({ long }) => long !== '--json') ? [] : ['--json'];
  return {
    name: path.replaceAll(/[ -]/g, '_'),
    brief: command.description(),
    allow,
    isGrave: verbNames.some((name) => commandOf(name) === path && verbOf(name).grave === true),
    input: z.strictObject({
      ...Object.fromEntries(operands.map((one) => [one.name(), operandSchema(one)])),
      ...Object.fromEntries(options.map((one) => [one.attributeName(), optionSchema(one)])),
      ...(waits ? { seconds: SECONDS } : {}),
      ...(allow === null ? { cursor: CURSOR } : {}),
    }),
    answer: (input, signal) =>
      toldBy(
        [
          ...path.split(' '),
          ...json,
          ...always,
          ...options.flatMap((one) => optionWords(one, input[one.attributeName()])),
          '--',
          ...operands.flatMap((one) => operandWords(input[one.name()])),
        ],
        { allow, signal, cursor: input['cursor'] as number, seconds: waits ? (input['seconds'] as number) : undefined },
      ),
  };
};

const operandSchema = ({ variadic, required, description, defaultValue }: Argument): z.ZodType => {
  const told = defaultValue === undefined ? description : `${description} (default: ${String(defaultValue)})`;
  const schema = (variadic ? z.array(VALUE) : VALUE).describe(told);
  return required ? schema : schema.optional();
};

const isList = ({ parseArg, argChoices }: Option): boolean => parseArg !== undefined && argChoices === undefined;

const optionSchema = (option: Option): z.ZodType => {
  const { description, mandatory } = option;
  const schema = (option.isBoolean() ? z.boolean() : isList(option) ? z.array(VALUE) : VALUE).describe(description);
  return mandatory && option.defaultValue === undefined ? schema : schema.optional();
};

const operandWords = (value: unknown): readonly string[] =>
  value === undefined ? [] : Array.isArray(value) ? value.map(String) : [String(value)];

/** `--flag=value`, so that no value is taken for a flag. */
const optionWords = ({ long }: Option, value: unknown): readonly string[] =>
  value === undefined || value === false
    ? []
    : value === true
      ? [long!]
      : operandWords(value).map((one) => `${long}=${one}`);
