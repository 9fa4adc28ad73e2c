// Activity `planStep`: opens a step behind the fence, samples its parents and writes their prompts.
import { promptId } from '../evolution/ids.ts';
import { rng } from '../evolution/rng.ts';
import { drawParents, drawPriorPrograms } from '../evolution/selection.ts';
import { buildThetaPrompt, drawPart, type ShownProgram } from '../evolution/prompts/theta-prompt.ts';
import type { Task } from '../evolution/task.ts';
import type { ProgramId } from '../evolution/types.ts';
import type { StoreActivities, StepPlan } from './interface.ts';
import type { PromptDocument, RunDocument } from './store/documents.ts';
import type { Store } from './store/store.ts';
import { initialDelta } from './initial-program.ts';
import { missing, summaryOf } from './step-summary.ts';

export type PlanStepDeps = { readonly store: Store; readonly loadTask: (id: string) => Promise<Task> };

export const createPlanStep = ({ store, loadTask }: PlanStepDeps): Pick<StoreActivities, 'planStep'> => ({
  async planStep({ run, step, epoch, owner }): Promise<StepPlan> {
    const generation = await store.openStep(run, step, owner);
    const document = await store.readRun(run);
    if (!document) throw missing(`run ${run}`);
    const { config } = document;
    const plan = {
      generation, groups: step === 0 ? 0 : config.batch, responses: config.responses,
      perRequest: config.model.nativeN === false ? 1 : config.responses,
    };
    if (document.committedStep >= step) return { ...plan, done: await summaryOf(store, document, step, generation) };
    const task = await loadTask(config.task);
    if (step === 0) await plantInitialProgram(store, document, task);
    else await writePrompts(store, document, task, step, epoch);
    return { ...plan, done: null };
  },
});

/** The initial program is slot 0 of step 0: a delta without a parent, evaluated and committed like any other. */
const plantInitialProgram = async (store: Store, { run }: RunDocument, task: Task): Promise<void> => {
  const [code] = await store.putTexts([task.initialProgram]);
  await store.putDeltas([initialDelta(run, task.initialProgram, code!)]);
};

const writePrompts = async (store: Store, { run, config }: RunDocument, task: Task, step: number, epoch: number): Promise<void> => {
  const ids = Array.from({ length: config.batch }, (_, group) => promptId(run, step, epoch, group));
  if ((await store.getPrompts(ids)).size === ids.length) return;
  const population = await store.population(run);
  const draws = drawParents({ population, step, batch: config.batch, seed: config.seed, settings: { population: config.population, selection: config.selection } });
  const priors = draws.map((draw, group) => drawPriorPrograms({
    population, parent: draw.parent, island: draw.island, count: config.prompt.priorPrograms, eliteRatio: config.prompt.eliteRatio,
    settings: config.population, rng: rng(config.seed, 'prior', step, group),
  }));
  const shown = await showPrograms(store, [...draws.map((draw) => draw.parent), ...priors.flat()]);
  const prompts = draws.map((draw, group) => {
    const part = drawPart(task.prompts, rng(config.seed, 'part', step, group));
    return { part, text: buildThetaPrompt({ task, part, parent: shown.get(draw.parent)!, prior: priors[group]!.map((id) => shown.get(id)!), settings: config.diff }) };
  });
  const refs = await store.putTexts(prompts.flatMap(({ text }) => [text.system, text.user]));
  await store.putPrompts(prompts.map(({ part }, group): PromptDocument => ({
    _id: ids[group]!, run, step, epoch, group, system: refs[2 * group]!, user: refs[2 * group + 1]!,
    parent: draws[group]!.parent, island: draws[group]!.island, priorPrograms: priors[group]!, part: part.name,
  })));
};

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

