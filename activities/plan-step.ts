// Activity `planStep`: opens a step behind the fence, samples its parents, writes their prompts and takes in what people injected.
import { ApplicationFailure } from '@temporalio/activity';
import { modelPool } from '../evolution/config/models.ts';
import type { RunConfig } from '../evolution/config/run-config.ts';
import { promptId } from '../evolution/ids.ts';
import { rng } from '../evolution/rng.ts';
import { drawParents } from '../evolution/selection.ts';
import { buildThetaPrompt, drawPart, type ShownProgram } from '../evolution/prompts/theta-prompt.ts';
import type { Task } from '../evolution/task.ts';
import type { ProgramId } from '../evolution/types.ts';
import type { StoreActivities, StepPlan } from './interface.ts';
import type { PromptDocument, RunDocument } from './store/documents.ts';
import { epochAt } from './store/paid.ts';
import type { Store } from './store/store.ts';
import { shownBeside } from './prompt-context.ts';
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
    if (done) return { ...emptyPlan(document, generation, epoch), done };
    const task = await loadTask(document.config.task);
    if (step === 0) {
      await plantInitialProgram(store, document, task);
      return { ...emptyPlan(document, generation, epoch), evaluate: [0], embeds: document.config.embedding.model !== null };
    }
    const version = await writePrompts(store, document, task, step, epoch);
    const config = await store.readConfig(run, version);
    const injected = await takeInjected(store, { run, step, epoch, config });
    return {
      ...emptyPlan(document, generation, epoch), version, groups: config.batch, responses: config.responses,
      perRequest: modelPool(document.config).some(({ nativeN }) => nativeN === false) ? 1 : config.responses,
      injected: injected.count, evaluate: injected.evaluate, embeds: config.embedding.model !== null,
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

/** Returns the version of the settings that the step goes by: that under which it was planned first. */
const writePrompts = async (store: Store, { run, config: newest, configVersion }: RunDocument, task: Task, step: number, epoch: number): Promise<number> => {
  const written = await store.getPrompts(idsOf(run, step, epoch, newest));
  const version = written.values().next().value?.configVersion ?? configVersion;
  const config = version === configVersion ? newest : await store.readConfig(run, version);
  const ids = idsOf(run, step, epoch, config);
  if ((version === configVersion ? written : await store.getPrompts(ids)).size === ids.length) return version;

  const population = await store.population(run);
  const draws = drawParents({ population, step, batch: config.batch, seed: config.seed, settings: config });
  const beside = await shownBeside(store, population, draws, { config, step });
  const shown = await showPrograms(store, [...draws.map((draw) => draw.parent), ...beside.flatMap(({ prior, context }) => [...prior, ...context.map(({ id }) => id)])]);
  const returned = config.prompt.reintroduced ? await returnedLines(store, draws.map(({ parent }) => parent)) : new Map<ProgramId, readonly string[]>();
  const prompts = draws.map((draw, group) => {
    const part = drawPart(task.prompts, rng(config.seed, 'part', step, group));
    const hints = config.prompt.hints.filter(({ island }) => island === null || island === draw.island).map(({ text }) => text);
    const { prior, context } = beside[group]!;
    return { part, text: buildThetaPrompt({
      task, part, parent: shown.get(draw.parent)!, prior: prior.map((id) => shown.get(id)!), hints, settings: config.diff,
      context: context.map(({ id, role }) => ({ role, program: shown.get(id)! })), reintroduced: returned.get(draw.parent) ?? [],
    }) };
  });
  const refs = await store.putTexts(prompts.flatMap(({ text }) => [text.system, text.user]));
  await store.putPrompts(prompts.map(({ part }, group): PromptDocument => ({
    _id: ids[group]!, run, step, epoch, group, system: refs[2 * group]!, user: refs[2 * group + 1]!,
    parent: draws[group]!.parent, island: draws[group]!.island, priorPrograms: beside[group]!.prior, part: part.name, configVersion: version,
    ...(beside[group]!.context.length === 0 ? {} : { context: beside[group]!.context }), ...(draws[group]!.branch === 'founding' ? { founding: true } : {}),
  })));
  return version;
};

const idsOf = (run: string, step: number, epoch: number, { batch }: RunConfig): string[] =>
  Array.from({ length: batch }, (_, group) => promptId(run, step, epoch, group));

/** Code and metrics of programs, as a prompt shows them. */
const showPrograms = async (store: Store, all: readonly ProgramId[]): Promise<ReadonlyMap<ProgramId, ShownProgram>> => {
  const programs = await store.getPrograms([...new Set(all)]);
  const texts = await store.getTexts([...programs.values()].flatMap((program) => (program.code === null ? [] : [program.code])));
  const evaluations = await store.getEvaluations([...programs.values()].flatMap((program) => (program.evaluation === null ? [] : [program.evaluation])));
  return new Map([...programs].map(([id, program]) => {
    const evaluation = program.evaluation === null ? undefined : evaluations.get(program.evaluation);
    return [id, {
      code: program.code === null ? '' : texts.get(program.code) ?? '',
      outcome: program.outcome, score: program.score,
      metrics: { ...evaluation?.metrics, ...(evaluation ? { runtime_s: Number((evaluation.wallMs / 1000).toFixed(3)) } : {}) },
    }];
  }));
};

/** Lines of these programs that came back after an ancestor had deleted them. */
const returnedLines = async (store: Store, ids: readonly ProgramId[]): Promise<ReadonlyMap<ProgramId, readonly string[]>> =>
  new Map([...await store.getDeltas([...new Set(ids)])].map(([id, { lines }]) => [id, lines?.returned ?? []]));
