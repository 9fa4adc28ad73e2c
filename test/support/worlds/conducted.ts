// A run over the store in memory whose steps are done by hand, as the workflow of a step does them, with a model and an
// evaluator of the test.
import { MockActivityEnvironment } from '@temporalio/testing';
import type { AnsweredCall, StepPlan } from '../../../activities/interface/step.ts';
import { createAsk } from '../../../activities/llm/chat/ask.ts';
import type { ChatRequest, ChatResponse } from '../../../activities/llm/chat/client.ts';
import { createGenerate } from '../../../activities/llm/chat/generate.ts';
import { createEmbed, type EmbedDeps } from '../../../activities/llm/embeddings/embed.ts';
import { createRunActivities } from '../../../activities/run/open-run.ts';
import { createNoopEvaluator, type EvaluationJob } from '../../../activities/sandbox/host/evaluator.ts';
import { createApplyResponses } from '../../../activities/step/apply/apply-responses.ts';
import { createAdvance } from '../../../activities/step/ask/advance.ts';
import { createInitialIdea } from '../../../activities/step/ask/stages/initial-idea.ts';
import { createIsland } from '../../../activities/step/commit/ahead.ts';
import { createCommitStep } from '../../../activities/step/commit/commit-step.ts';
import { createEvaluate } from '../../../activities/step/evaluate/evaluate.ts';
import { createPlanIsland } from '../../../activities/step/plan/plan-island.ts';
import { createPlanStep } from '../../../activities/step/plan/plan-step.ts';
import { createTurnStream } from '../../../activities/step/plan/plan-stream.ts';
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { range } from '../../../evolution/schedule/slots.ts';
import type { Evaluation } from '../../../evolution/scoring/evaluation.ts';
import type { Stage } from '../../../evolution/stages.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { collect } from '../../activities/store/fixtures.ts';
import { memoryStore } from '../../doubles/memory-store.ts';

export const run = 'r';
export const edit = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n`;

export type Call = <T>(work: (input: never) => Promise<T>, input: unknown) => Promise<T>;
export const call: Call = (work, input) =>
  new MockActivityEnvironment().run(work as (input: unknown) => ReturnType<typeof work>, input) as never;
/** `twice`: every activity is repeated, as by an engine that lost its answer. */
export const calling =
  (twice: boolean): Call =>
  async (work, input) => {
    if (twice) await call(work, input);
    return call(work, input);
  };

/** An endpoint that says so stands for a process that is killed while it waits. */
export const KILLED = 'killed';

type Parts = {
  /** What another process has stored; the work goes on with it. */
  readonly store?: Store;
  readonly loadTask: (id: string) => Promise<Task>;
  readonly takeTask?: Parameters<typeof createPlanStep>[0]['takeTask'];
  readonly chat: (request: ChatRequest) => ChatResponse;
  /** Told before each request of a group. */
  readonly asking?: (group: Asking) => Promise<void>;
  readonly evaluated?: (
    valid: Evaluation,
    job: Pick<EvaluationJob, 'code'>,
    of: { readonly config: RunConfig; readonly taskSnapshot?: string },
  ) => Evaluation | Promise<Evaluation>;
  readonly embed?: (text: string) => readonly number[];
  /** Whether answers of which nothing is taken are mended. */
  readonly mends?: boolean;
};
export type Asking = {
  readonly step: number;
  readonly epoch: number;
  readonly group: number;
  readonly stage: Stage | AnsweredCall['stage'] | 'program';
};
type Stepping = {
  readonly twice?: boolean;
  readonly owner?: string;
  readonly of?: string;
  /** Groups at the end for which a limit leaves nothing. */
  readonly omit?: number;
  /** The step ends there, as by a kill. */
  readonly until?: 'gate' | 'commit';
};
type Followed = {
  readonly plan: StepPlan;
  /** Slots of responses, and not of programs. */
  readonly apply: boolean;
  readonly of?: string;
  readonly slots: readonly number[];
  readonly step: number;
  readonly ahead?: object;
  readonly stream?: true;
};
type Unrepaired = readonly { readonly slot: number; readonly reason: string }[];

export const conducted = ({ store = memoryStore(), loadTask, takeTask, chat, mends = false, ...parts }: Parts) => {
  const { asking = async () => undefined, evaluated = (valid) => valid, embed = () => [1, 0] } = parts;
  const deps = { store, loadTask };
  const taking = takeTask === undefined ? deps : { ...deps, takeTask };
  const clientFor = async ({ name }: { readonly name: string }, served: { readonly model: string } | null = null) => ({
    model: served?.model ?? name,
    client: { models: async () => [], chat: async (request: ChatRequest) => chat(request) },
  });
  const embeddings: EmbedDeps['clientFor'] = async () => ({
    model: 'e',
    client: { embed: async ({ texts }) => ({ vectors: texts.map(embed), tokens: 3 * texts.length }) },
  });
  const noop = createNoopEvaluator();
  const activities = {
    ...createRunActivities(taking),
    ...createPlanStep(taking),
    ...createPlanIsland(deps),
    ...createInitialIdea(deps),
    ...createAdvance(deps),
    ...createAsk({ store, clientFor }),
    ...createGenerate({ store, clientFor }),
    ...createApplyResponses(deps),
    ...createEmbed({ store, islandOf: createIsland(deps), clientFor: embeddings }),
    ...createEvaluate({
      store,
      evaluatorFor: async (config, of) => ({
        isolation: 'fake',
        evaluate: async (job, signal) =>
          evaluated(await noop.evaluate({ ...job, scoring: 'tolerant' }, signal), job, { config, ...of }),
      }),
    }),
    ...createCommitStep(deps),
    ...createTurnStream({ ...deps, ...createCommitStep(deps) }),
  };

  /** From slots whose programs are there, or (`apply`) responses, to evaluated programs. */
  const follow = async (again: Call, { plan, apply, of = run, ...at }: Followed): Promise<Unrepaired> => {
    const ref = { ...at, run: of, epoch: plan.epoch, version: plan.version };
    const unrepaired: { readonly slot: number; readonly reason: string }[] = [];
    const ask = async (some: readonly AnsweredCall[], fails?: (slot: number, reason: string) => void) => {
      for (const one of some) {
        const group = Math.floor(one.slot / plan.responses);
        await asking({ step: at.step, epoch: plan.epoch, group, stage: one.stage });
        await again(activities.ask, { ...ref, group, ...one }).catch((error: Error) => {
          if (fails === undefined || error.message.includes(KILLED)) throw error;
          fails(one.slot, error.message);
        });
      }
    };
    let final: readonly number[] = mends ? [] : at.slots;
    for (let open = at.slots; open.length > 0;) {
      const applied = apply
        ? await again(activities.applyResponses, { ...ref, slots: open, final })
        : { evaluate: open };
      const { asks = [], mended = [] } = applied;
      let slots = applied.evaluate;
      if (plan.embeds === true && slots.length > 0) {
        const embedded = await again(activities.embed, { ...ref, slots });
        await ask(embedded.asks ?? []);
        const judged = (embedded.asks ?? []).map(({ slot }) => slot);
        const novel = judged.length === 0 ? [] : (await again(activities.embed, { ...ref, slots: judged })).evaluate;
        slots = [...embedded.evaluate, ...novel];
      }
      const { failed = [] } = slots.length === 0 ? {} : await again(activities.evaluate, { ...ref, slots, mended });
      await ask(
        asks.filter(({ stage }) => stage === 'delta'),
        (slot, reason) => unrepaired.push({ slot, reason }),
      );
      const further = asks.filter(({ stage }) => stage === 'repair');
      const refused: number[] = [];
      await ask(further, (slot) => refused.push(slot));
      final = refused;
      open = mends ? [...further.map(({ slot }) => slot), ...failed] : [];
    }
    return unrepaired;
  };

  /** The stages of a group before its programs; whether its programs are asked for. */
  const prepared = async (again: Call, ref: Omit<Asking, 'stage'>, first: Stage | null): Promise<boolean> => {
    for (let stage = first; stage !== null;) {
      let failed: string | null = null;
      await asking({ ...ref, stage });
      await again(activities.ask, { ...ref, stage }).catch((error: Error) => {
        if (stage !== 'judge' && stage !== 'meta') throw error;
        failed = error.message;
      });
      const made: { next: Stage | null; refused: boolean } = await again(activities.advance, { ...ref, stage, failed });
      if (made.refused) return false;
      stage = made.next;
    }
    return true;
  };

  const step = async (
    n: number,
    { twice = false, owner = 'first', of = run, omit = 0, until = 'commit' }: Stepping = {},
  ) => {
    const again = calling(twice);
    const plan = await again(activities.planStep, { run: of, step: n, owner });
    if (plan.done) return plan.done;
    const { responses } = plan;
    const ref = { run: of, step: n, epoch: plan.epoch, version: plan.version };
    const unrepaired = [...(await follow(again, { plan, apply: false, of, step: n, slots: plan.evaluate }))];
    for (let group = 0; group < plan.groups - omit; group++) {
      const prelude = plan.preludes?.find((one) => one.group === group)?.stage ?? null;
      if (!(await prepared(again, { ...ref, group }, prelude))) continue;
      if (until === 'gate') return null;
      await asking({ ...ref, group, stage: 'program' });
      const { missing } = await again(activities.generate, { ...ref, group, first: 0, count: responses, responses });
      for (const slot of missing)
        await again(activities.generate, { ...ref, group, first: slot % responses, count: 1, responses });
      const slots = range(group * responses, responses);
      unrepaired.push(...(await follow(again, { plan, apply: true, of, step: n, slots })));
    }
    if (plan.judgesIdea === true) {
      await again(activities.initialIdea, ref);
      await again(activities.ask, { ...ref, group: 0, stage: 'judge' }).catch(() => undefined);
    }
    return again(activities.commitStep, {
      ...ref,
      generation: plan.generation,
      injected: plan.injected,
      omitted: range((plan.groups - omit) * responses, omit * responses),
      ...(unrepaired.length === 0 ? {} : { unrepaired }),
    });
  };
  return { store, call, activities, follow, step };
};

export const programsOf = (store: Store, of = run, fromStep = 0): Promise<readonly ProgramDocument[]> =>
  collect(store.eachProgram(of, { fromStep }));

export const textOf = async (store: Store, ref: string): Promise<string> => (await store.getTexts([ref])).get(ref)!;
