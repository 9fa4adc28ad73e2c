// One step of a rebuild: its programs are checked against their evaluations and entered into the population again, and
// the result is compared with what the step stored.
import { sumUsage } from '../../evolution/budget/money.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { commitStep } from '../../evolution/population/insertion.ts';
import { applyChangeSet, emptyPopulation, type Population } from '../../evolution/population/population.ts';
import type { ChangeSet, Direction, ProgramId } from '../../evolution/types.ts';
import { embeddingOf } from '../llm/embeddings/vectors.ts';
import { linesAfter, roundsAfter, scoresAgain, stagnationAfter } from '../step/commit/totals.ts';
import { childOf } from '../step/commit/step-made.ts';
import { callsOf } from '../store/content/calls.ts';
import { askedIn } from '../store/documents/step-ids.ts';
import type { BestProgram, RunTotals } from '../store/documents/documents.ts';
import { Rows } from '../store/documents/rows.ts';
import { NO_TOTALS } from '../store/documents/run-documents.ts';
import type { EmbeddingDocument, ProgramDocument, RolloutDocument } from '../store/documents/step-documents.ts';
import type { Store } from '../store/store.ts';
import type { CommittedStep } from '../store/steps/read-steps.ts';
import { checkEvaluations, checkValues, programsOf, rolloutsOf } from './check-step.ts';
import { Differences } from './differences.ts';

type Best = { readonly program: BestProgram; readonly fit: number };

/** The sums and the population after the steps so far, made again from what is stored. */
export class Fold {
  /** -1 before step 0. */
  step = -1;
  readonly population: Population;
  readonly ids = new Set<ProgramId>();
  totals: RunTotals = NO_TOTALS;
  best: Best | null = null;
  readonly differences = new Differences();
  readonly #store: Store;
  readonly #direction: Direction | null;
  readonly #rows = new Rows();

  /** `direction` is null where it is not known; then the signs of fitnesses are not checked. */
  constructor(store: Store, { population }: RunConfig, direction: Direction | null) {
    this.#store = store;
    this.#direction = direction;
    this.population = emptyPopulation(population);
  }

  async add(committed: CommittedStep): Promise<void> {
    const { population, differences } = this;
    const { step: marker } = committed;
    const { step } = marker;
    const store = this.#store;
    const config = await store.readConfig(marker.run, marker.configVersion);
    const programs = await programsOf(store, this.ids, committed, differences);
    const embeddings =
      config.embedding.model === null
        ? new Map<ProgramId, EmbeddingDocument>()
        : await store.getEmbeddings(programs.map(({ _id }) => _id));
    const evaluations = await checkEvaluations(store, programs, config, this.#direction, differences);
    const evaluated = programs.filter(({ evaluation }) => evaluation !== null);
    const measured = { evaluations, embeddings: embeddingOf(evaluated, embeddings) };
    const references = population.state.references ?? [];
    await checkValues({ store, config, references, ...measured }, programs, differences);

    const stagnant = stagnationAfter(this.totals, population, programs.map(childOf), config);
    this.#enter(committed, programs, config);
    const winner = bestOf(this.best, programs, step);
    const paid: readonly Paid[] = [
      ...(step === 0 ? [] : await rolloutsOf(store, programs, differences)),
      ...(await callsOf(
        store,
        askedIn(
          marker,
          programs.map(({ _id }) => _id),
        ),
        config,
      )),
      ...[...embeddings.values()].map(({ tokens, costUsd }) => ({ usage: { in: tokens, out: 0 }, costUsd })),
    ];
    const before = this.totals;
    this.totals =
      step === 0
        ? { ...withPaid(before, paid), ...stagnant }
        : {
            ...totalsAfter(before, programs, paid, winner === this.best ? null : winner),
            ...roundsAfter({ before, programs, evaluations, config }),
            ...stagnant,
          };
    this.best = winner;
    this.step = step;
    compareTotals(step, 'totals', this.totals, marker.totals, differences);
    differences.compare(step, 'best program', winner?.program ?? null, marker.best);
  }

  #enter(
    { step: marker, changeSet: stored, fingerprint }: CommittedStep,
    programs: readonly ProgramDocument[],
    config: RunConfig,
  ): void {
    const { population, differences } = this;
    const { step } = marker;
    const changeSet = entered(population, programs, step, config, differences) ?? stored;
    for (const key of Object.keys(changeSet) as (keyof ChangeSet)[])
      differences.compare(step, `change set: ${key}`, changeSet[key], stored[key]);
    this.#rows.apply(changeSet);
    applyChangeSet(population, changeSet);
    differences.compare(step, 'fingerprint of the rows', this.#rows.fingerprint, fingerprint);
    differences.compare(step, 'state of the population', changeSet.state, marker.population);
  }
}

/** Null where a program cannot enter any population. The rebuild then goes on with what is stored. */
const entered = (
  population: Population,
  programs: readonly ProgramDocument[],
  step: number,
  config: RunConfig,
  differences: Differences,
): ChangeSet | null => {
  try {
    return commitStep({ population, children: programs.map(childOf), step, settings: config });
  } catch (error) {
    differences.compare(
      step,
      'insertion',
      'programs that can enter the population',
      error instanceof Error ? error.message : String(error),
    );
    return null;
  }
};

/** The earlier one of two equal programs stays. */
const bestOf = (best: Best | null, programs: readonly ProgramDocument[], step: number): Best | null => {
  let winner = scoresAgain(programs) ? null : best;
  for (const { _id, fit, score, strictScore } of programs) {
    if (fit !== undefined && score !== null && (winner === null || fit > winner.fit))
      winner = { fit, program: { program: _id, score, strictScore, step } };
  }
  return winner;
};

/** `best` is the program that became the best in this step, or null. */
const totalsAfter = (
  before: RunTotals,
  programs: readonly ProgramDocument[],
  paid: readonly Paid[],
  best: Best | null,
): RunTotals => {
  const failures: Record<string, number> = { ...before.failures };
  for (const { outcome } of programs) if (outcome !== 'valid') failures[outcome] = (failures[outcome] ?? 0) + 1;
  const { stagnantEpochs: _, ...counted } = before;
  if (scoresAgain(programs)) return { ...withPaid(counted, paid), sinceBest: 0 };
  return {
    ...withPaid(counted, paid),
    ...linesAfter(before, programs),
    programs: before.programs + programs.length,
    failures,
    valid: before.valid + programs.filter(({ outcome }) => outcome === 'valid').length,
    sinceBest:
      best === null
        ? before.sinceBest + programs.length
        : programs.length - 1 - programs.findIndex(({ _id }) => _id === best.program.program),
  };
};

type Paid = Pick<RolloutDocument, 'usage' | 'costUsd'>;

const withPaid = (before: RunTotals, paid: readonly Paid[]): RunTotals => ({
  ...before,
  tokens: sumUsage(
    paid.map(({ usage }) => usage),
    before.tokens,
  ),
  costUsd: paid.reduce((total, { costUsd }) => total + costUsd, before.costUsd),
});

/** Costs are sums of fractions, so small differences do not count. The number of estimated tokens is left out. */
export const compareTotals = (
  step: number,
  what: string,
  { costUsd, estimated: _expected, ...expected }: RunTotals,
  { costUsd: storedUsd, estimated: _found, ...found }: RunTotals,
  differences: Differences,
): void => {
  differences.compare(step, what, expected, found);
  if (Math.abs(costUsd - storedUsd) > 1e-9 * Math.max(1, costUsd))
    differences.compare(step, `${what}: costUsd`, costUsd, storedUsd);
};
