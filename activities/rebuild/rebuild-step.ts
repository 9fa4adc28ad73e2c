// One step of a rebuild: its programs are checked against their evaluations and entered into the population again, and
// the result is compared with what the step stored.
import { sumUsage } from '../../evolution/budget/money.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { commitStep } from '../../evolution/population/insertion.ts';
import { applyChangeSet, emptyPopulation, type Population } from '../../evolution/population/population.ts';
import type { ChangeSet, Direction, ProgramId } from '../../evolution/types.ts';
import { embeddingOf } from '../llm/embeddings/vectors.ts';
import { linesAfter, roundsAfter, stagnationAfter } from '../step/commit/totals.ts';
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
import type { Differences } from './differences.ts';

/** The sums and the population after the steps so far. It is changed in place, step by step. */
export type Folded = {
  /** -1 before step 0. */
  step: number;
  readonly population: Population;
  readonly rows: Rows;
  readonly ids: Set<ProgramId>;
  totals: RunTotals;
  best: { readonly program: BestProgram; readonly fit: number } | null;
};

export const nothingFolded = (config: RunConfig): Folded => ({
  step: -1,
  population: emptyPopulation(config.population),
  rows: new Rows(),
  ids: new Set(),
  totals: NO_TOTALS,
  best: null,
});

/** `direction` is null where it is not known; then the signs of fitnesses are not checked. */
export const foldStep = async (
  store: Store,
  folded: Folded,
  committed: CommittedStep,
  direction: Direction | null,
  differences: Differences,
): Promise<void> => {
  const { step: marker, changeSet: stored, fingerprint } = committed;
  const { step } = marker;
  const config = await store.readConfig(marker.run, marker.configVersion);
  const programs = await programsOf(store, folded.ids, committed, differences);
  const embeddings =
    config.embedding.model === null
      ? new Map<ProgramId, EmbeddingDocument>()
      : await store.getEmbeddings(programs.map(({ _id }) => _id));
  const evaluations = await checkEvaluations(store, programs, config, direction, differences);
  await checkValues(
    {
      store,
      config,
      references: folded.population.state.references ?? [],
      evaluations,
      embeddings: embeddingOf(
        programs.filter(({ evaluation }) => evaluation !== null),
        embeddings,
      ),
    },
    programs,
    differences,
  );

  const stagnant = stagnationAfter(folded.totals, folded.population, programs.map(childOf), config);
  const changeSet = entered(folded.population, programs, step, config, differences) ?? stored;
  for (const key of Object.keys(changeSet) as (keyof ChangeSet)[])
    differences.compare(step, `change set: ${key}`, changeSet[key], stored[key]);
  folded.rows.apply(changeSet);
  applyChangeSet(folded.population, changeSet);
  differences.compare(step, 'fingerprint of the rows', folded.rows.fingerprint, fingerprint);
  differences.compare(step, 'state of the population', changeSet.state, marker.population);

  const winner = bestOf(folded.best, programs, step);
  const paid: readonly Paid[] = [
    ...(step === 0 ? [] : await rolloutsOf(store, programs, differences)),
    ...(await callsOf(store, askedIn(marker), config)),
    ...[...embeddings.values()].map(({ tokens, costUsd }) => ({ usage: { in: tokens, out: 0 }, costUsd })),
  ];
  folded.totals =
    step === 0
      ? { ...withPaid(folded.totals, paid), ...stagnant }
      : {
          ...totalsAfter(folded.totals, programs, paid, winner === folded.best ? null : winner),
          ...roundsAfter({ before: folded.totals, programs, evaluations, config }),
          ...stagnant,
        };
  folded.best = winner;
  folded.step = step;
  compareTotals(step, 'totals', folded.totals, marker.totals, differences);
  differences.compare(step, 'best program', winner?.program ?? null, marker.best);
};

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
const bestOf = (best: Folded['best'], programs: readonly ProgramDocument[], step: number): Folded['best'] => {
  let winner = best;
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
  best: Folded['best'],
): RunTotals => {
  const failures: Record<string, number> = { ...before.failures };
  for (const { outcome } of programs) if (outcome !== 'valid') failures[outcome] = (failures[outcome] ?? 0) + 1;
  const { stagnantEpochs: _, ...counted } = before;
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

const withPaid = (before: RunTotals, paid: readonly Paid[]): RunTotals => {
  return {
    ...before,
    tokens: sumUsage(
      paid.map(({ usage }) => usage),
      before.tokens,
    ),
    costUsd: paid.reduce((total, { costUsd }) => total + costUsd, before.costUsd),
  };
};

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
