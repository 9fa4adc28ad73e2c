// The content of `evolve programs`, `evolve steps` and `evolve islands`, read from the store.
import type { RunDocument, StepDocument } from '../../activities/store/documents/documents.ts';
import type { ProgramDocument } from '../../activities/store/documents/step-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import type { Population } from '../../evolution/population/population.ts';
import { islandStats, type IslandStats } from '../../evolution/reports/islands.ts';
import { asFit } from '../../evolution/scoring/ranking.ts';
import type { Outcome, ProgramId, RunId } from '../../evolution/types.ts';
import type { StepLine } from './shapes.ts';

/** `step` selects one committed step. `initial` includes the task's own program (step 0). */
export type ProgramsQuery = { readonly step?: number; readonly outcome?: Outcome; readonly initial?: boolean };

export async function* programsOf(
  store: Store,
  run: RunId,
  { step, outcome, initial = false }: ProgramsQuery,
): AsyncGenerator<ProgramDocument> {
  for await (const program of store.eachProgram(run, { fromStep: step ?? (initial ? 0 : 1) })) {
    if (step !== undefined && program.step > step) return;
    if (isAsked(program, { outcome })) yield program;
  }
}

export const isAsked = (
  program: Pick<ProgramDocument, 'step' | 'outcome'>,
  { step, outcome }: { readonly step?: number | undefined; readonly outcome?: Outcome | undefined },
): boolean => (step === undefined || program.step === step) && (outcome === undefined || program.outcome === outcome);

/** The cells that programs hold now, of all islands. */
export const eliteCells = ({ maps }: Population): ReadonlyMap<ProgramId, readonly string[]> => {
  const held = new Map<ProgramId, string[]>();
  for (const [island, { cells }] of maps.entries())
    for (const [cell, { id }] of cells)
      held.set(id, [...(held.get(id) ?? []), maps.length === 1 ? cell : `${island}:${cell}`]);
  return held;
};

/** The times at which the steps of programs were committed, for programs in the order of their steps. */
export class StepTimes {
  readonly #steps: AsyncIterator<StepDocument>;
  #last: IteratorResult<StepDocument> | null = null;

  constructor(store: Store, run: RunId, from: number) {
    this.#steps = store.eachStep(run, from)[Symbol.asyncIterator]();
  }

  async of(programs: readonly ProgramDocument[]): Promise<readonly (string | null)[]> {
    const times: (string | null)[] = [];
    for (const { step } of programs) {
      while (this.#last === null || (!this.#last.done && this.#last.value.step < step))
        this.#last = await this.#steps.next();
      times.push(this.#last.done || this.#last.value.step !== step ? null : this.#last.value.at.toISOString());
    }
    return times;
  }
}

// The steps of a run, one line each: what `evolve steps` shows. Superseded ones were rewound; they stay
// readable.
export async function* stepsOf(store: Store, run: RunId, all: boolean): AsyncGenerator<StepLine> {
  if (all) for (const step of await store.supersededSteps(run)) yield stepLine(run, step, true);
  for await (const step of store.eachStep(run)) yield stepLine(run, step, false);
}

/** True where a rewind took back the step that made this program. */
export const isSuperseded = async (
  store: Store,
  made: { readonly run: RunId; readonly step: number; readonly generation: number },
): Promise<boolean> => {
  for await (const step of store.eachStep(made.run, made.step))
    return step.step !== made.step || step.generation !== made.generation;
  return true;
};

const stepLine = (
  run: RunId,
  { run: maker, step, generation, epoch, configVersion, totals, best, at }: StepDocument,
  superseded: boolean,
): StepLine => ({
  step,
  generation,
  epoch,
  inheritedFrom: maker === run ? null : maker,
  settings: configVersion,
  programs: totals.programs,
  valid: totals.valid,
  best,
  at,
  superseded,
});

/** An island after the run's last committed step. Scores are in the task's direction. */
export type IslandLine = Omit<IslandStats, 'best'> & {
  readonly best: { readonly program: string; readonly score: number } | null;
};

export type IslandsReport = {
  readonly run: string;
  readonly step: number;
  readonly alive: number;
  readonly islands: readonly IslandLine[];
  /** Valid programs without a value of a feature, by feature. They have no cell. */
  readonly noCell: { readonly [feature: string]: number };
};

export const islandsOf = async (
  store: Store,
  document: RunDocument,
  direction: 'maximise' | 'minimise',
): Promise<IslandsReport> => {
  const { run, committedStep: step, config } = document;
  const population = await store.population(document);
  const score = (fit: number): number => asFit(fit, direction);
  const scored = (fit: number | null): number | null => (fit === null ? null : score(fit));
  return {
    run,
    step,
    alive: population.state.size,
    noCell: population.state.noCell ?? {},
    islands: islandStats(population, config).map(({ best, mean, median, ...rest }) => ({
      ...rest,
      best: best === null ? null : { program: best.id, score: score(best.fit) },
      mean: scored(mean),
      median: scored(median),
    })),
  };
};
