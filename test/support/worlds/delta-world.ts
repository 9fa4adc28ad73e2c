// A run over the store in memory with a scripted model and a scripted evaluator: what each answer says and what each
// program scores is fixed by the test. For tests of method `delta`.
import { type ChatRequest, ModelError } from '../../../activities/llm/chat/client.ts';
import type { ProgramDocument, PromptDocument } from '../../../activities/store/documents/step-documents.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { promptId } from '../../../evolution/ids.ts';
import { PRESETS } from '../../../evolution/methods/presets.ts';
import type { Evaluation } from '../../../evolution/scoring/evaluation.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { plainTask } from '../domain/plain-task.ts';
import { type Asking, conducted, edit as block, KILLED, programsOf, run, textOf } from './conducted.ts';

export { KILLED, run };

/** Value 1; `lines` long. */
export const initialProgram = (lines = 12): string =>
  [
    'def solve(instance):',
    '    # EVOLVE-BLOCK-START',
    '    value = 1.0',
    ...Array.from({ length: lines - 5 }, (_, index) => `    step_${index} = ${index} * instance["n"] + ${index + 7}`),
    '    # EVOLVE-BLOCK-END',
    '    return value',
    '',
  ].join('\n');

const task = (program: string): Task =>
  plainTask({
    id: 't',
    title: 'T',
    entry: 'solve',
    scoreName: 'points',
    instance: { n: 3 },
    prompts: [{ name: 'all', weight: 1, text: 'Find a large value.' }],
    initialProgram: program,
    evaluatorDigest: 'digest',
  });

type Sections = Partial<{
  [section in 'population' | 'selection' | 'migration' | 'prompt' | 'delta' | 'diff' | 'repair']: object;
}>;

export const configOf = ({
  batch = 4,
  responses = 1,
  seed = 42,
  ...sections
}: Sections & { readonly batch?: number; readonly responses?: number; readonly seed?: number } = {}): RunConfig => {
  const preset = PRESETS.delta;
  return {
    ...preset,
    task: 't',
    batch,
    responses,
    seed,
    ...Object.fromEntries(
      (['population', 'selection', 'migration', 'prompt', 'delta', 'diff', 'repair'] as const).map((section) => [
        section,
        { ...preset[section], ...(section === 'repair' ? { rounds: 0 } : {}), ...sections[section] },
      ]),
    ),
  };
};

export type Asked = {
  readonly step: number;
  readonly slot: number;
  readonly parentCode: string;
  readonly user: string;
};

/** An edit of the line that holds the value, and what the test wants said of it. */
export const edit = (parentCode: string, value: number | string): string => {
  const line = parentCode.split('\n').find((one) => one.startsWith('    value = '))!;
  return block(line, `    value = ${value}`).trimEnd();
};

export const log = (name: string): string =>
  [
    '#DELTA-SUMMARY-START',
    `FROM: the strategy before ${name}`,
    `TO: strategy ${name}`,
    '#DELTA-SUMMARY-END',
    '#DELTA-PLAN-DETAILS-START',
    '[Modification 1]',
    `COMPONENT: Part ${name}`,
    'OLD_LOGIC: few restarts',
    `NEW_LOGIC: many restarts in ${name}`,
    'HYPOTHESIS: better coverage',
    '#DELTA-PLAN-DETAILS-END',
  ].join('\n');

const evaluation = (score: number | null): Evaluation => ({
  outcome: score === null ? 'invalid' : 'valid',
  execution: 'ok',
  score,
  strictScore: score,
  metrics: {},
  reasons: score === null ? ['the value is no number'] : [],
  solution: null,
  exitCode: 0,
  cpuMs: 0,
  wallMs: 0,
  peakBytes: null,
  stdoutTail: '',
  stderrTail: '',
  isolation: 'fake',
  imageId: 'none',
});

const valueIn = (code: string): number | null => {
  const value = Number(/value = (\S+)/.exec(code)?.[1]);
  return Number.isFinite(value) ? value : null;
};

export type Script = {
  readonly config?: RunConfig;
  readonly program?: string;
  readonly answer: (asked: Asked) => string;
  /** Null: invalid. Left out: the value in the code. */
  readonly scoreOf?: (code: string) => number | null;
  /** What the evaluator shows of each program. */
  readonly artifacts?: Evaluation['artifacts'];
  /** The answer to a call for a delta that was left out, or to mend an answer. Left out: the endpoint refuses. */
  readonly repair?: (request: ChatRequest) => string;
  /** What another process has stored; the work goes on with it. */
  readonly store?: ReturnType<typeof memoryStore>;
};

export const deltaWorld = ({
  config = configOf(),
  program = initialProgram(),
  answer,
  scoreOf = valueIn,
  repair,
  store = memoryStore(),
  artifacts,
}: Script) => {
  const loadTask = async (): Promise<Task> => task(program);
  const repairs: ChatRequest[] = [];
  let at: Asking;
  let parentCode = '';
  const { activities, call, step } = conducted({
    store,
    loadTask,
    mends: true,
    asking: async (one) => {
      at = one;
      const id = promptId(run, one.step, one.epoch, one.group);
      const { parent } = (await store.getPrompts([id])).get(id)!;
      parentCode = await codeOf((await store.getPrograms([parent])).get(parent)!);
    },
    chat: (request) => {
      const tokens = (...texts: readonly string[]): number =>
        Math.ceil(texts.reduce((sum, { length }) => sum + length, 0) / 4);
      const choice = (text: string) => ({ text, reasoning: null, finishReason: 'stop' });
      if (at.stage !== 'program') {
        repairs.push(request);
        if (repair === undefined)
          throw new ModelError('HTTP 401: no such key', { status: 401, fatal: true, retryAfterMs: null });
        return { model: request.model, usage: { in: 50, out: 7 }, choices: [choice(repair(request))] };
      }
      const user = request.messages.at(-1)!.content;
      const answers = Array.from({ length: request.n }, (_, index) =>
        answer({ step: at.step, slot: at.group * request.n + index, parentCode, user }),
      );
      const usage = { in: tokens(...request.messages.map(({ content }) => content)), out: tokens(...answers) };
      return { model: 'm', usage, choices: answers.map(choice) };
    },
    evaluated: (_, { code }) => ({ ...evaluation(scoreOf(code)), ...(artifacts && { artifacts }) }),
  });
  const plan = (n: number) => call(activities.planStep, { run, step: n, owner: 'first' });
  const promptsOf = async (
    step: number,
  ): Promise<readonly (PromptDocument & { readonly texts: { readonly system: string; readonly user: string } })[]> => {
    const { batch } = (await store.readRun(run))!.config;
    const found = await store.getPrompts(Array.from({ length: batch }, (_, group) => promptId(run, step, 0, group)));
    const texts = await store.getTexts([...found.values()].flatMap(({ system, user }) => [system, user]));
    return [...found.values()]
      .sort((a, b) => a.group - b.group)
      .map((prompt) => ({ ...prompt, texts: { system: texts.get(prompt.system)!, user: texts.get(prompt.user)! } }));
  };
  const codeOf = async ({ code }: ProgramDocument): Promise<string> => (code === null ? '' : textOf(store, code));

  return {
    store,
    plan,
    promptsOf,
    /** But the initial one. */
    programs: () => programsOf(store, run, 1),
    codeOf,
    repairs,
    loadTask,
    async open() {
      await store.createRun({
        run,
        config,
        taskDigest: 'digest',
        evaluatorDigest: 'digest',
        offlineModel: true,
        createdAt: new Date(0),
      });
    },
    step: async (n: number, twice = false) => (await step(n, { twice }))!,
  };
};

export type World = ReturnType<typeof deltaWorld>;

/** Steps 0 to `steps`. */
export const played = async (script: Script, steps: number, twice = false): Promise<World> => {
  const world = deltaWorld(script);
  await world.open();
  for (let step = 0; step <= steps; step++) await world.step(step, twice);
  return world;
};

/** Values that rise and fall, all different, with an invalid program now and then; every answer logs its change. */
export const lively = ({ step, slot, parentCode }: Asked): string => {
  const name = `s${step}x${slot}`;
  const value =
    (step * 5 + slot) % 7 === 3
      ? `nan_${step}_${slot}`
      : (1 + ((step * 37 + slot * 11) % 50) / 17 + step / 1000 + slot / 100_000).toFixed(7);
  return `${edit(parentCode, value)}\n\n${log(name)}`;
};
