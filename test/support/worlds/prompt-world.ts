// A run of any method on any task over the store in memory, with a model and an evaluator that do everything that
// prompts have to speak of: answers that apply, do not match, are prose, repeat a program; programs that are valid,
// crash, are stopped, give an invalid solution. For the contract of prompts and for docs/prompts.
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import { promptId } from '../../../evolution/ids.ts';
import type { resolveConfig } from '../../../evolution/methods/resolve.ts';
import { rng } from '../../../evolution/rng.ts';
import type { Evaluation } from '../../../evolution/scoring/evaluation.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { Message } from '../../../evolution/types.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { configFrom } from '../domain/asked-run.ts';
import { shippedTask } from '../domain/shipped-tasks.ts';
import { type Asking, conducted, edit, run, textOf } from './conducted.ts';

export type SentRequest = {
  readonly step: number;
  readonly group: number;
  /** What was asked for. `program` is a request for programs. */
  readonly stage: Exclude<Asking['stage'], 'evaluator' | 'novelty'>;
  readonly messages: readonly Message[];
  /** The program to change, as it was when it was asked. */
  readonly parent: ProgramDocument;
  /** What that program and the best of the run printed; empty where they are not valid. */
  readonly printed: { readonly parent: string; readonly best: string };
  readonly operator: 'exploit' | 'explore' | null;
  readonly founding: boolean;
};

export type PromptRun = {
  readonly task: Task;
  readonly config: ReturnType<typeof resolveConfig>['config'];
  readonly requests: readonly SentRequest[];
};

/** What an answer or a program is to be, drawn with these weights for each slot. */
const KINDS = ['valid', 'valid', 'valid', 'crash', 'invalid', 'timeout', 'unmatched', 'prose', 'same'] as const;
type Kind = (typeof KINDS)[number];

const LOG = (name: string): string =>
  [
    '#DELTA-SUMMARY-START',
    `FROM: what stood before ${name}`,
    `TO: strategy ${name}`,
    '#DELTA-SUMMARY-END',
    '#DELTA-PLAN-DETAILS-START',
    '[Modification 1]',
    `COMPONENT: part ${name}`,
    'OLD_LOGIC: one start',
    `NEW_LOGIC: several starts in ${name}`,
    'HYPOTHESIS: better coverage',
    '#DELTA-PLAN-DETAILS-END',
  ].join('\n');

const MARK = /^\s*(?:#|\/\/) EVOLVE-BLOCK-START\s*$/m;

/** A comment-free line after the start of the open block: it changes the program, and says what it is to do. */
const answerOf = (kind: Kind, name: string, code: string): string => {
  const lines = code.split('\n');
  const start = lines.findIndex((line) => MARK.test(line));
  const comment = lines[start]?.includes('//') === true;
  const anchor = lines.findIndex((line, index) => index > start && /^(?:def|class|function|const|async) /.test(line));
  const at = lines[anchor] ?? lines[start + 1] ?? '';
  const marked = comment ? `const MADE_${name} = "${kind}";` : `MADE_${name} = "${kind}"`;
  const block = (search: string, replace: string): string => edit(search, replace).trimEnd();
  if (kind === 'prose') return 'I would try several starts, and keep the best.';
  if (kind === 'same') return `I leave it as it is.\n${block(at, at)}`;
  if (kind === 'unmatched') return `I change the step.\n${block('step = 0.1  # not there', 'step = 0.2')}`;
  return `I add several starts.\n\n${block(at, `${marked}\n${at}`)}\n\n${LOG(name)}`;
};

/** The newest mark in the code says what becomes of the program; the initial program is valid. */
const kindIn = (code: string): Kind => (/MADE_\w+ = "(\w+)"/.exec(code)?.[1] as Kind | undefined) ?? 'valid';

/** The value of each metric of a valid program, another one for each. */
export const seenMetrics = ({ metrics = {} }: Task): { readonly [name: string]: number } =>
  Object.fromEntries(Object.keys(metrics).map((name, index) => [name, 70_010_000 + index]));

const resultOf = (task: Task, code: string): Partial<Evaluation> => {
  const kind = kindIn(code);
  const random = rng('result', code);
  if (kind === 'crash')
    return {
      outcome: 'no_solution',
      execution: 'program_error',
      score: null,
      strictScore: null,
      exitCode: 1,
      reasons: ['ZeroDivisionError: division by zero (line 7)'],
      stderrTail:
        'Traceback (most recent call last):\n  File "program.py", line 7\nZeroDivisionError: division by zero',
    };
  if (kind === 'timeout')
    return {
      outcome: 'no_solution',
      execution: 'timeout_cpu',
      score: null,
      strictScore: null,
      exitCode: null,
      cpuMs: task.limits.cpuSeconds * 1000,
      reasons: [`stopped after ${task.limits.cpuSeconds} s of CPU time`],
    };
  if (kind === 'invalid')
    return { outcome: 'invalid', score: null, strictScore: null, reasons: ['two of them overlap by 0.013'] };
  const score = task.initial?.score ?? 1 + random.next();
  const printed = printedBy(task, code);
  return {
    score: score + random.next() / 10,
    strictScore: score + random.next() / 10,
    cpuMs: 900,
    metrics: seenMetrics(task),
    stderrTail: `${printed}\n${DRAWN}\n`,
    ...(task.kind === 'function' ? { loadTail: printed } : {}),
  };
};

/** Data that are drawn for a run, which no later request of it may show. */
export const DRAWN = 'item 0.732';
const printedBy = (task: Task, code: string): string =>
  code !== '' && kindIn(code) === 'valid'
    ? `tuned ${rng('printed', task.id, code).next()}\n\`\`\`\nfence \u001b[31m`
    : '';

/** Plays steps 0 to `steps`, and hands back every request that was sent, in order. */
export const promptRun = async (
  {
    task: id,
    settings,
    steps,
    artifacts,
  }: {
    readonly task: string;
    readonly settings: object;
    readonly steps: number;
    /** What the evaluator shows of every program. */
    readonly artifacts?: Evaluation['artifacts'];
  },
  load: (id: string) => Promise<Task> = shippedTask,
): Promise<PromptRun> => {
  const store = memoryStore();
  const task = await load(id);
  const config = configFrom({
    task: id,
    model: {
      kind: 'openai',
      baseUrl: 'http://127.0.0.1:1/v1',
      name: 'm',
      roles: ['exploit', 'explore', 'meta', 'idea', 'judge', 'repair'],
      price: { in: 1, out: 1 },
    },
    ...settings,
  });
  const requests: SentRequest[] = [];
  /** Null while the initial program's idea is judged, which is no request of a group. */
  let asking: Omit<SentRequest, 'messages'> | null = null;
  let parentCode = '';
  let count = 0;
  const answer = (messages: readonly Message[]): string => {
    const { step: n, group, stage } = asking ?? { step: 0, group: 0, stage: 'judge' };
    const name = `${n}_${group}_${asking === null ? 0 : count++}`;
    if (stage === 'judge') return 'Sound.\n\\boxed{7}';
    if (stage === 'idea') return `Several starts, number ${name}: the best of many is better than one.`;
    if (stage === 'delta') return LOG(name);
    if (stage === 'meta') {
      const line = messages
        .at(-1)!
        .content.split('\n')
        .find((one) => one.startsWith('- '));
      return line === undefined
        ? 'Nothing to change.'
        : edit(line, `${line}\n- Think of symmetry (${name}).`).trimEnd();
    }
    return answerOf(rng('kind', name).pick(KINDS), name, parentCode);
  };
  const bestCode = async (): Promise<string> => {
    const best = (await store.readRun(run))?.best?.program;
    const code = best === undefined ? null : (await store.getPrograms([best])).get(best)!.code;
    return code === null ? '' : await textOf(store, code);
  };
  const { activities, call, step } = conducted({
    store,
    loadTask: async () => task,
    mends: true,
    asking: async ({ step: n, epoch, group, stage }) => {
      const id = promptId(run, n, epoch, group);
      const plan = (await store.getPrompts([id])).get(id)!;
      const parent = (await store.getPrograms([plan.parent])).get(plan.parent)!;
      parentCode = parent.code === null ? '' : await textOf(store, parent.code);
      const printed = {
        parent: parent.outcome === 'valid' ? printedBy(task, parentCode) : '',
        best: printedBy(task, await bestCode()),
      };
      const { operator = null, founding = false } = plan;
      asking = { step: n, group, stage: stage as SentRequest['stage'], parent, printed, operator, founding };
    },
    chat: ({ messages, n }) => {
      if (asking !== null) requests.push({ ...asking, messages });
      return {
        model: 'm',
        usage: { in: 100, out: 10 },
        choices: Array.from({ length: n }, () => ({ text: answer(messages), reasoning: null, finishReason: 'stop' })),
      };
    },
    evaluated: (valid, { code }) => ({
      ...valid,
      metrics: {},
      ...resultOf(task, code),
      ...(artifacts && { artifacts }),
    }),
  });
  await call(activities.openRun, { run, owner: 'first', config });
  for (let n = 0; n <= steps; n++) await step(n);
  return { task, config, requests };
};
