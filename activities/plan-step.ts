// Activity `planStep`: opens a step behind the fence, samples its parents, writes their prompts and takes in what people injected.
import { ApplicationFailure } from '@temporalio/activity';
import { modelPool } from '../evolution/config/models.ts';
import type { RunConfig } from '../evolution/config/run-config.ts';
import { promptId } from '../evolution/ids.ts';
import { rng } from '../evolution/rng.ts';
import { drawParents } from '../evolution/selection.ts';
import { drawPart } from '../evolution/prompts/theta-prompt.ts';
import type { Task } from '../evolution/task.ts';
import type { StoreActivities, StepPlan } from './interface.ts';
import { compose, storeMessages } from './prompts/compose.ts';
import { evolvedPrompts } from './prompts/evolved-prompts.ts';
import { writeRequest } from './advance.ts';
import { stagesOf } from './stages/stage.ts';
import type { GroupPlan, PromptDocument, RunDocument, StoredMessage } from './store/documents.ts';
import { epochAt } from './store/paid.ts';
import type { Store } from './store/store.ts';
import { shownBeside } from './prompt-context.ts';
import { humanGoal } from './human-goal.ts';
import { initialDelta } from './initial-program.ts';
import { takeInjected } from './take-injected.ts';
import { missing, summaryOf } from './step-summary.ts';

export type PlanStepDeps = { readonly store: Store; readonly loadTask: (id: string) => Promise<Task> };

export const createPlanStep = ({ store, loadTask }: PlanStepDeps): Pick<StoreActivities, 'planStep'> => ({
  async planStep({ run, step, owner }): Promise<StepPlan> {
    const generation = await store.openStep(run, step, owner);
    const document = await store.readRun(run);
    if (!document) throw missing(`run ${run}`);
    const epoch = epochAt(document.epochs, step);
    const done = await doneBefore(store, document, step, generation);
    const task = await loadTask(document.config.task);
    if (done) return { ...emptyPlan(document, generation, epoch), done: { ...done, ...humanGoal(done.best, document.config, task) } };
    if (step === 0) {
      await plantInitialProgram(store, document, task);
      return { ...emptyPlan(document, generation, epoch), evaluate: [0], embeds: document.config.embedding.model !== null };
    }
    const version = await writePrompts(store, document, task, step, epoch);
    const preludes = await preludesOf(store, await store.readConfig(run, version), { run, step, epoch });
    const config = await store.readConfig(run, version);
    const injected = await takeInjected(store, { run, step, epoch, config });
    return {
      ...emptyPlan(document, generation, epoch), version, groups: config.batch, responses: config.responses,
      perRequest: modelPool(document.config).some(({ nativeN }) => nativeN === false) ? 1 : config.responses,
      injected: injected.count, evaluate: injected.evaluate, embeds: config.embedding.model !== null, ...(preludes.length === 0 ? {} : { preludes }),
    };
  },
});

const emptyPlan = (document: RunDocument, generation: number, epoch: number): StepPlan => ({
  generation, epoch, version: document.configVersion, groups: 0, responses: document.config.responses, perRequest: 1, injected: 0, evaluate: [], done: null,
});

/** The summary of a step that was committed before. Throws SupersededError where the run has gone another way since this owner opened it. */
const doneBefore = async (store: Store, document: RunDocument, step: number, generation: number) => {
  const { run, committedStep } = document;
  if (committedStep >= step) {
    if ((await store.readStep(run, step, generation))?.state === 'committed') return summaryOf(store, document, step, generation);
  } else if (document.generation === generation && committedStep === step - 1) return null;
  throw ApplicationFailure.nonRetryable(
    `step ${step} of run ${run} was opened as generation ${generation}, and the run has gone on since as generation ${document.generation}, step ${committedStep}: nothing is changed here`, 'SupersededError');
};

/** The initial program is slot 0 of step 0: a delta without a parent, evaluated and committed like any other. */
const plantInitialProgram = async (store: Store, { run }: RunDocument, task: Task): Promise<void> => {
  const [code] = await store.putTexts([task.initialProgram]);
  await store.putDeltas([initialDelta(run, task.initialProgram, code!)]);
};

/** Groups that are asked for something before their programs. */
const preludesOf = async (store: Store, config: RunConfig, { run, step, epoch }: { readonly run: string; readonly step: number; readonly epoch: number }): Promise<NonNullable<StepPlan['preludes']>> => {
  if (config.ideation.kind === 'none' && !config.exploration.metaPrompt) return [];
  const prompts = await store.getPrompts(idsOf(run, step, epoch, config));
  return [...prompts.values()].flatMap(({ group, first }) => (first === undefined ? [] : [{ group, stage: first }])).sort((a, b) => a.group - b.group);
};

/** Returns the version of the settings that the step goes by: that under which it was planned first. */
const writePrompts = async (store: Store, { run, config: newest, configVersion }: RunDocument, task: Task, step: number, epoch: number): Promise<number> => {
  const written = await store.getPrompts(idsOf(run, step, epoch, newest));
  const version = written.values().next().value?.configVersion ?? configVersion;
  const config = version === configVersion ? newest : await store.readConfig(run, version);
  const ids = idsOf(run, step, epoch, config);
  if ((version === configVersion ? written : await store.getPrompts(ids)).size === ids.length) return version;

  const population = await store.population(run);
  const draws = drawParents({ population, step, batch: config.batch, seed: config.seed, settings: config });
  const [beside, prompts] = await Promise.all([
    shownBeside(store, population, draws, { run, config, step }), evolvedPrompts(store, population, draws, { task, config, step }),
  ]);
  const plans = draws.map((draw, group): GroupPlan => ({
    _id: ids[group]!, run, step, epoch, group, parent: draw.parent, island: draw.island, priorPrograms: beside[group]!.prior,
    part: drawPart(task.prompts, rng(config.seed, 'part', step, group)).name, configVersion: version,
    ...(beside[group]!.context.length === 0 ? {} : { context: beside[group]!.context }), ...(draw.branch === 'founding' ? { founding: true } : {}),
    ...(draw.operator === undefined ? {} : { operator: draw.operator }), ...(prompts[group] == null ? {} : { prompt: prompts[group] }),
  })).map((plan): GroupPlan => {
    const [first] = stagesOf(config, plan);
    return first === undefined ? plan : { ...plan, first };
  });
  for (const plan of plans) if (plan.first !== undefined) await writeRequest(store, plan, plan.first, { store, task, config, run, step, plan, made: {} });
  const direct = plans.filter(({ first }) => first === undefined);
  const texts = await store.getTexts(direct.flatMap(({ prompt }) => prompt?.text ?? []));
  const groups = direct.map((plan) => ({ plan, idea: null, prompt: plan.prompt === undefined ? null : texts.get(plan.prompt.text) ?? null }));
  const messages = await storeMessages(store, await compose({ store, task, config, run, step, groups }));
  const asked = new Map(direct.map(({ _id }, index) => [_id, messages[index]!]));
  await store.putPrompts(plans.map((plan) => withMessages(plan, asked.get(plan._id) ?? [])));
  return version;
};

const idsOf = (run: string, step: number, epoch: number, { batch }: RunConfig): string[] =>
  Array.from({ length: batch }, (_, group) => promptId(run, step, epoch, group));

/** A prompt of system and user is stored as these two, a longer one as a conversation. */
const withMessages = (plan: GroupPlan, messages: readonly StoredMessage[]): PromptDocument => {
  const [system, user, ...more] = messages;
  return { ...plan, system: system?.content ?? NO_TEXT, user: user?.content ?? NO_TEXT, ...(more.length === 0 ? {} : { messages }) };
};

/** Where a group is asked for something else first. */
const NO_TEXT = '';
