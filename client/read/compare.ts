// Runs of one task side by side: what `evolve compare` shows. The scores of a run are those of its committed steps.
import { scoredFrom } from '../../activities/store/documents/lineage.ts';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { taskLoader, taskRef } from '../../activities/task/kept-task.ts';
import { INVENTED, inventsScores } from '../../evolution/config/noop.ts';
import {
  type ComparedRun,
  compareRuns,
  groupsOf,
  type Comparison,
  type Until,
} from '../../evolution/reports/compare.ts';
import { commonScoring, rankingScore, type Scoring } from '../../evolution/scoring/ranking.ts';
import { taskName } from '../../evolution/task/task.ts';
import type { Direction, RunId } from '../../evolution/types.ts';
import { UsageError } from '../connect/errors.ts';
import { hasEnded } from '../../evolution/run-states.ts';
import type { StepPoint } from '../../evolution/experiments/figure.ts';
import { roundsReport } from './report.ts';

type CompareReport = Comparison & {
  readonly task: string;
  readonly direction: Direction;
  readonly scoreName: string;
  /** Warnings to the reader. */
  readonly notes: readonly string[];
};

type Compared = {
  readonly report: CompareReport;
  readonly runs: readonly ComparedRun[];
  /** The best value known of the task; null where task.yaml names none. */
  readonly bestKnown: number | null;
};

/**
 * `points` is the number of checkpoints on each axis. Throws where the runs are not of one task, one has committed
 * nothing, or the scores of one are invented.
 */
export const compareStored = async (
  store: Store,
  documents: readonly RunDocument[],
  points: number,
  until: Until = 'shortest',
): Promise<Compared> => {
  const distinct = [...new Map(documents.map((document) => [document.run, document])).values()];
  const task = oneTask(distinct);
  const invented = distinct.filter(({ config }) => inventsScores(config)).map(({ run }) => run);
  if (invented.length > 0)
    throw new UsageError(
      `expected runs whose programs were run, got ${invented.join(', ')}: the scores are ${INVENTED}, so there is nothing to compare`,
    );
  const { direction, scoreName, references } = await taskLoader(store)(taskRef(distinct[0]!));
  const runs: ComparedRun[] = [];
  const scoring = commonScoring(distinct.map(({ config }) => config.evaluation.scoring));
  for (const document of distinct) runs.push(await comparedRun(store, document, scoring));
  return {
    report: {
      task,
      direction,
      scoreName,
      notes: notesOn(distinct),
      ...compareRuns(runs, { direction, points, until }),
    },
    runs,
    bestKnown: references.find(({ best }) => best === true)?.value ?? null,
  };
};

const oneTask = (documents: readonly RunDocument[]): string => {
  const tasks = Map.groupBy(documents, ({ config }) => taskName(config.task));
  const [task] = tasks.keys();
  if (task === undefined) throw new UsageError('expected the ids of runs to compare, got none');
  if (tasks.size === 1) return task;
  const names = [...tasks].map(([name, runs]) => `${name} (${runs.map(({ run }) => run).join(', ')})`).join(', ');
  throw new UsageError(`expected runs of one task, for scores of different tasks cannot be compared, got ${names}`);
};

/** Seconds count from the commit of the initial program: a run that waited to be started has not lost time. */
export const pointsOf = async (
  store: Store,
  run: RunId,
  scoring: Scoring,
  /** Scores of earlier steps are by another version of the task, and do not count. */
  comparable = 0,
): Promise<readonly StepPoint[]> => {
  const series: StepPoint[] = [];
  let first: number | null = null;
  for await (const { step, totals, best, at } of store.eachStep(run)) {
    first ??= at.getTime();
    const rounds = roundsReport(totals.rounds)?.rollup;
    series.push({
      programs: totals.programs,
      tokens: totals.tokens.in + totals.tokens.out,
      costUsd: totals.costUsd,
      // The run that a fork comes from may have gone on later.
      seconds: Math.max(series.at(-1)?.seconds ?? 0, (at.getTime() - first) / 1000),
      best: step < comparable ? null : best && rankingScore(best, scoring),
      ...(rounds === undefined ? {} : { rounds }),
    });
  }
  return series;
};

const comparedRun = async (store: Store, document: RunDocument, scoring: Scoring): Promise<ComparedRun> => {
  const { run, config } = document;
  const points = await pointsOf(store, run, scoring, scoredFrom(document));
  if (points.length === 0) throw new UsageError(`run ${run} has committed no step yet: there is nothing to compare`);
  return { ...asCompared(document), seed: config.seed, points };
};

/** What makes runs seeds of one group. */
export const asCompared = ({ run, config, taskDigest, origin }: RunDocument): Omit<ComparedRun, 'seed' | 'points'> => ({
  ...{ run, config, promptText: taskDigest },
  // After step 0 there is nothing but the initial program, which all runs of the task have in common.
  ...(origin === null || origin.step === 0 ? {} : { fork: origin }),
});

const notesOn = (documents: readonly RunDocument[]): readonly string[] => {
  const open = documents.filter((document) => !hasEnded(document)).map(({ run }) => run);
  const evaluators = new Set(documents.map(({ evaluatorDigest }) => evaluatorDigest));
  const promptTexts = new Set(documents.map(({ taskDigest }) => taskDigest));
  const scorings = new Set(documents.map(({ config }) => config.evaluation.scoring));
  const contents = Map.groupBy(
    documents.filter(({ taskSnapshot }) => taskSnapshot !== undefined),
    ({ taskSnapshot }) => taskSnapshot!,
  );
  return [
    ...(evaluators.size > 1 ? ["the runs were scored by different versions of the task's evaluator"] : []),
    ...(evaluators.size === 1 && promptTexts.size > 1
      ? [
          'the runs were begun with different prompt texts, templates or initial programs of the task: they are groups of their own',
        ]
      : []),
    ...(scorings.size === 1 && scorings.has('tolerant')
      ? ['the runs rank by tolerant scores (evaluation.scoring), which are shown']
      : []),
    ...(contents.size > 1 ? [`the task was not the same in all runs: ${contentsText(contents)}`] : []),
    ...(scorings.size > 1
      ? ['some runs rank by strict scores, others by tolerant ones (evaluation.scoring); strict scores are shown']
      : []),
    ...documents.flatMap(({ run, totals: { estimated } }) =>
      estimated === undefined
        ? []
        : [
            `about ${estimated.tokens} tokens of run ${run}, and their cost, are an estimate: its endpoint named none for ${estimated.answers} answers`,
          ],
    ),
    ...documents.flatMap((document) => {
      const step = scoredFrom(document);
      return step === 0
        ? []
        : [
            `step ${step} of ${document.run} scored its programs again by a new version of the task: scores before count as none`,
          ];
    }),
    ...forkNotes(documents),
    ...sameSeedNotes(documents),
    ...(open.length === 0 ? [] : [`not ended yet: ${open.join(', ')}`]),
    ...documents
      .filter(({ configVersion }) => configVersion > 1)
      .map(({ run, configVersion }) => `the settings of ${run} were changed while it ran (version ${configVersion})`),
  ];
};

const forkNotes = (documents: readonly RunDocument[]): readonly string[] =>
  documents.flatMap(({ run, origin }) =>
    origin === null || origin.step === 0
      ? []
      : [
          `${run} is a fork of ${origin.run}: they have everything up to step ${origin.step} in common, so they are no two seeds, and ${run} is not in the group of ${origin.run}`,
        ],
  );

/** Runs that nothing tells apart but chance that no seed rules, such as that of a model. */
const sameSeedNotes = (documents: readonly RunDocument[]): readonly string[] =>
  groupsOf(documents.filter(({ origin }) => origin === null || origin.step === 0).map(asCompared)).flatMap((group) =>
    [...Map.groupBy(group, ({ config }) => config.seed)].flatMap(([seed, runs]) =>
      runs.length < 2
        ? []
        : [
            `${runs.map(({ run }) => run).join(', ')} have the same settings and the same seed (${seed}): what they differ in is no difference between seeds`,
          ],
    ),
  );

/** By the digest of the task as it was kept with each run. */
export const contentsText = (contents: ReadonlyMap<string, readonly RunDocument[]>): string =>
  [...contents]
    .map(
      ([digest, runs]) =>
        `${digest.slice(0, 12)} of ${runs[0]!.config.task} (${runs.map(({ run }) => run).join(', ')})`,
    )
    .join('; ');
