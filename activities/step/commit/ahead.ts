// The programs of an island that has gone on while other islands are still at an earlier step. They are made from the
// same stored content as the later commits of these steps, so the commits will store the same programs.
import { ApplicationFailure } from '@temporalio/activity';
import { LRUCache } from 'lru-cache';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { programId } from '../../../evolution/ids.ts';
import { groupsOn, islandView } from '../../../evolution/population/island-coupling.ts';
import { commitStep } from '../../../evolution/population/insertion.ts';
import { applyChangeSet, type Population } from '../../../evolution/population/population.ts';
import { range, slotsIn, slotsOf } from '../../../evolution/schedule/slots.ts';
import type { ProgramId } from '../../../evolution/types.ts';
import type { IslandRef } from '../../interface/step.ts';
import { requiredRun, type StepDeps } from '../../run/step-summary.ts';
import type { Ahead } from '../../store/ahead.ts';
import type { RunDocument } from '../../store/documents/documents.ts';
import { SupersededError } from '../../store/documents/errors.ts';
import type { ProgramDocument } from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';
import { taskRef } from '../../task/kept-task.ts';
import { programDocuments } from './program-documents.ts';
import { childOf, stepMade } from './step-made.ts';

/** Number of steps whose programs are remembered. They never change, so only memory limits the number. */
const KEPT_STEPS = 2_000;

const keptOf = new WeakMap<Store, LRUCache<string, readonly ProgramDocument[]>>();

/** The returned store also has the programs of `ahead`, as far as activities of the island read them. */
export const createAhead = ({
  store,
  loadTask,
}: StepDeps): ((
  at: IslandRef,
) => Promise<{ readonly ahead: Ahead; readonly document: RunDocument; readonly store: Store }>) => {
  const kept = keptOf.get(store) ?? new LRUCache<string, readonly ProgramDocument[]>({ max: KEPT_STEPS });
  keptOf.set(store, kept);
  return async (at) => {
    const { run, step, epoch, version, generation, island } = at;
    const document = await requiredRun(store, run);
    requireGeneration(document, step, generation);
    const config = await store.readConfig(run, version);
    const { direction } = await loadTask(taskRef(document));
    const { committedStep: committed } = document;
    const known = new Map<ProgramId, ProgramDocument>();
    const withAhead = withPrograms(store, known);
    const planned = { ...document, config };
    const steps: { step: number; programs: readonly ProgramDocument[] }[] = [];
    for (let before = committed + 1; before < step; before++) {
      const { injected = 0, unrepaired = [] } = at.told?.find((one) => one.step === before) ?? {};
      const key = JSON.stringify([run, generation, version, epoch, before, island, injected, unrepaired]);
      const groups = groupsOn(island, before, config);
      const programs =
        kept.get(key) ??
        (await programDocuments({
          store: withAhead,
          direction,
          epoch,
          generation,
          run: planned,
          made: await stepMade({
            store: withAhead,
            run: planned,
            step: before,
            epoch,
            injected,
            groups,
            unrepaired,
            omitted: [
              ...(await neverAsked(store, { ...at, step: before }, groups, config.responses)),
              ...(await injectedElsewhere(store, { ...at, step: before }, config, injected)),
            ],
          }),
        }));
      kept.set(key, programs);
      for (const program of programs) known.set(program._id, program);
      steps.push({ step: before, programs });
    }
    return { ahead: { base: store, committed, steps }, document, store: withAhead };
  };
};

/** What the prompts of a stream may tell of: everything that is committed. */
export const committedOnly = async (store: Store, run: string): Promise<Ahead> => ({
  base: store,
  committed: (await requiredRun(store, run)).committedStep,
  steps: [],
});

/** Throws SupersededError where the run was rewound after the step was planned. */
export const requireGeneration = ({ run, generation }: RunDocument, step: number, planned: number): void => {
  if (generation !== planned)
    throw new SupersededError(
      `step ${step} of run '${run}' belongs to generation ${planned}, and the run has gone on as generation ${generation}`,
    );
};

type Island = Awaited<ReturnType<ReturnType<typeof createAhead>>> & { readonly population: Population };

/** The island as the commits of its steps will leave it, with the programs that they will store. */
export const createIsland = (deps: StepDeps): ((at: IslandRef) => Promise<Island>) => {
  const { store } = deps;
  const aheadOf = createAhead(deps);
  return async (at) => {
    const { run, step, version, island } = at;
    const config = await store.readConfig(run, version);
    const found = await aheadOf(at);
    const [population, committed] = await store.readPopulation(
      run,
      (whole, after) => [islandView(whole, island), after] as const,
    );
    const { committed: known, steps } = found.ahead;
    if (committed < known || committed >= step)
      throw ApplicationFailure.create({
        message: `step ${step} of run ${run} was planned while the run went from step ${known} to ${committed}`,
        type: 'Moved',
      });
    for (const { step: before, programs } of steps) {
      if (before <= committed) continue;
      const children = programs.map(childOf);
      applyChangeSet(population, commitStep({ population, children, step: before, settings: config }));
    }
    return { ...found, population };
  };
};

/**
 * Slots that were never asked for, to keep a budget. An island goes on only when all its programs are there, so a
 * missing one was not asked for.
 */
const neverAsked = async (
  store: Store,
  { run, step, epoch }: IslandRef,
  groups: readonly number[],
  responses: number,
): Promise<readonly number[]> => {
  const slots = groups.flatMap((group) => slotsOf(group, responses));
  const deltas = await store.getDeltas(slots.map((slot) => programId(run, step, epoch, slot)));
  return slots.filter((slot) => !deltas.has(programId(run, step, epoch, slot)));
};

/** Slots of injected programs that belong to other islands. */
const injectedElsewhere = async (
  store: Store,
  { run, step, epoch, island }: IslandRef,
  config: RunConfig,
  injected: number,
): Promise<readonly number[]> => {
  const slots = range(slotsIn(config), injected);
  const deltas = await store.getDeltas(slots.map((slot) => programId(run, step, epoch, slot)));
  return slots.filter((slot) => deltas.get(programId(run, step, epoch, slot))?.island !== island);
};

const withPrograms = (store: Store, known: ReadonlyMap<ProgramId, ProgramDocument>): Store => ({
  ...store,
  async getPrograms(ids) {
    const found = new Map(
      ids.flatMap((id): [ProgramId, ProgramDocument][] => {
        const program = known.get(id);
        return program === undefined ? [] : [[id, program]];
      }),
    );
    const others = ids.filter((id) => !found.has(id));
    if (others.length > 0) for (const [id, program] of await store.getPrograms(others)) found.set(id, program);
    return found;
  },
});
