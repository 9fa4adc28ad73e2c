// A run over the store in memory with a scripted model and a scripted evaluator: what each answer says and what each
// program scores is fixed by the test. For tests of method `delta`.
import { MockActivityEnvironment } from '@temporalio/testing';
import type { AnsweredCall, StepPlan } from '../../../activities/interface/step.ts';
import { createAsk } from '../../../activities/llm/chat/ask.ts';
import { type ChatRequest, ModelError } from '../../../activities/llm/chat/client.ts';
import { createApplyResponses } from '../../../activities/step/apply/apply-responses.ts';
import { createCommitStep } from '../../../activities/step/commit/commit-step.ts';
import { createEvaluate } from '../../../activities/step/evaluate/evaluate.ts';
import { createPlanStep } from '../../../activities/step/plan/plan-step.ts';
import type { ProgramDocument, PromptDocument } from '../../../activities/store/documents/step-documents.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { programId, promptId } from '../../../evolution/ids.ts';
import { PRESETS } from '../../../evolution/methods/presets.ts';
import type { Evaluation } from '../../../evolution/scoring/evaluation.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { plainTask } from '../domain/plain-task.ts';

export const run = 'r';

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
  return `<<<<<<< SEARCH\n${line}\n=======\n    value = ${value}\n>>>>>>> REPLACE`;
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

/** An endpoint that says so stands for a process that is killed while it waits. */
export const KILLED = 'killed';

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
  const planning = createPlanStep({ store, loadTask });
  const applying = createApplyResponses({ store, loadTask });
  const evaluating = createEvaluate({
    store,
    evaluatorFor: async () => ({
      isolation: 'fake',
      evaluate: async ({ code }) => ({ ...evaluation(scoreOf(code)), ...(artifacts && { artifacts }) }),
    }),
  });
  const committing = createCommitStep({ store, loadTask });
  const repairs: ChatRequest[] = [];
  const asking = createAsk({
    store,
    clientFor: async ({ name }) => ({
      model: name,
      client: {
        models: async () => [],
        chat: async (request) => {
          repairs.push(request);
          if (repair === undefined)
            throw new ModelError('HTTP 401: no such key', { status: 401, fatal: true, retryAfterMs: null });
          return {
            model: name,
            usage: { in: 50, out: 7 },
            choices: [{ text: repair(request), reasoning: null, finishReason: 'stop' }],
          };
        },
      },
    }),
  });
  const call = <T>(work: (input: never) => Promise<T>, input: unknown): Promise<T> =>
    new MockActivityEnvironment().run(work as (input: unknown) => Promise<T>, input) as Promise<T>;

  const plan = (step: number): Promise<StepPlan> => call(planning.planStep, { run, step, owner: 'first' });
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
  /** But the initial one. */
  const programs = async (): Promise<readonly ProgramDocument[]> => {
    const all: ProgramDocument[] = [];
    for await (const one of store.eachProgram(run, { fromStep: 1 })) all.push(one);
    return all;
  };
  const codeOf = async ({ code }: ProgramDocument): Promise<string> =>
    code === null ? '' : (await store.getTexts([code])).get(code)!;

  return {
    store,
    plan,
    promptsOf,
    programs,
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
    /** One step; `twice` repeats every activity. */
    async step(n: number, twice = false) {
      const again = async <T>(work: (input: never) => Promise<T>, input: unknown): Promise<T> => {
        if (twice) await call(work, input);
        return call(work, input);
      };
      const planned = await again(planning.planStep, { run, step: n, owner: 'first' });
      const { responses } = planned;
      const ref = { run, step: n, epoch: planned.epoch, version: planned.version };
      const slots = [...planned.evaluate];
      for (const prompt of n === 0 ? [] : await promptsOf(n)) {
        const parentCode = await codeOf((await store.getPrograms([prompt.parent])).get(prompt.parent)!);
        for (const slot of Array.from({ length: responses }, (_, index) => prompt.group * responses + index)) {
          const text = answer({ step: n, slot, parentCode, user: prompt.texts.user });
          const [response] = await store.putTexts([text]);
          await store.putRollouts([
            {
              _id: programId(run, n, planned.epoch, slot),
              run,
              step: n,
              epoch: planned.epoch,
              group: prompt.group,
              slot,
              response: response!,
              reasoning: null,
              model: 'm',
              finishReason: 'stop',
              usage: {
                in: Math.ceil((prompt.texts.system.length + prompt.texts.user.length) / 4),
                out: Math.ceil(text.length / 4),
              },
              costUsd: 0,
            },
          ]);
        }
      }
      const unrepaired: { readonly slot: number; readonly reason: string }[] = [];
      if (n > 0) {
        const first = Array.from({ length: planned.groups * responses }, (_, slot) => slot);
        const groupOf = (slot: number) => Math.floor(slot / responses);
        const lacking: AnsweredCall[] = [];
        for (let open: readonly number[] = first, final: number[] = []; open.length > 0;) {
          const {
            evaluate,
            mended = [],
            asks = [],
          } = await again(applying.applyResponses, { ...ref, slots: open, final });
          const { failed = [] } =
            evaluate.length === 0 ? {} : await again(evaluating.evaluate, { ...ref, slots: evaluate, mended });
          lacking.push(...asks.filter(({ stage }) => stage === 'delta'));
          const further = asks.filter(({ stage }) => stage === 'repair');
          final = [];
          for (const asked of further)
            await again(asking.ask, { ...ref, group: groupOf(asked.slot), ...asked }).catch((error: Error) => {
              if (error.message.includes(KILLED)) throw error;
              final.push(asked.slot);
            });
          open = [...further.map(({ slot }) => slot), ...failed];
        }
        for (const asked of lacking)
          await again(asking.ask, { ...ref, group: groupOf(asked.slot), ...asked }).catch((error: Error) => {
            unrepaired.push({ slot: asked.slot, reason: error.message });
          });
      }
      if (slots.length > 0) await again(evaluating.evaluate, { ...ref, slots });
      return again(committing.commitStep, {
        ...ref,
        generation: planned.generation,
        injected: planned.injected,
        omitted: [],
        ...(unrepaired.length === 0 ? {} : { unrepaired }),
      });
    },
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
