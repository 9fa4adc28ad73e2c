// Runs of any tasks beside the values of the papers: what `evolve report` shows.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import { scoredFrom } from '../../activities/store/documents/lineage.ts';
import { hiddenResult, hiddenScoreOfInitial } from '../../activities/store/population/hidden-results.ts';
import { moneyOf } from '../../activities/store/steps/paid.ts';
import type { Store } from '../../activities/store/store.ts';
import { taskLoader, taskRef } from '../../activities/task/kept-task.ts';
import { INVENTED, inventsScores } from '../../evolution/config/noop.ts';
import { isPriced } from '../../evolution/models/ensemble.ts';
import { settingsOfGroups } from '../../evolution/reports/compare.ts';
import { dollars } from '../../evolution/reports/number-text.ts';
import { type PaperSays, type ReportedRun, reportRow, type ReportRow } from '../../evolution/reports/task-report.ts';
import { hiddenDirection } from '../../evolution/scoring/evaluation.ts';
import { QUARANTINED } from '../../evolution/scoring/quarantine.ts';
import { gainOver, isBetter } from '../../evolution/scoring/ranking.ts';
import { type Task, taskName } from '../../evolution/task/task.ts';
import type { Direction } from '../../evolution/types.ts';
import { asCompared, contentsText } from '../read/compare.ts';
import { metricOf } from './experiments.ts';
import { type PaperValues, paperValues } from './paper-values.ts';
import { programsOf } from '../read/views.ts';

type TaskReport = { readonly rows: readonly ReportRow[]; readonly notes: readonly string[] };

/**
 * By task and its content, the best first. Runs whose task is gone, and those without a program of their own, are left
 * out, with a note.
 */
export const reportStored = async (store: Store, documents: readonly RunDocument[]): Promise<TaskReport> => {
  const tasks = new Map<string, Task | null>();
  const load = taskLoader(store);
  const rows: (ReportRow & { readonly of: string })[] = [];
  const notes: string[] = [];
  const papers = paperValues();
  const made = documents.filter(hasOwnProgram);
  const empty = documents.filter((document) => !hasOwnProgram(document));
  if (empty.length > 0)
    notes.push(`left out, without a program of their own: ${empty.map(({ run }) => run).join(', ')}`);
  const settings = new Map(
    [...Map.groupBy(made, (one) => `${taskText(one)} ${one.config.method} ${one.offlineModel}`).values()].flatMap(
      (own) => [...settingsOfGroups(own.map(asCompared))],
    ),
  );
  for (const document of made) {
    const id = taskName(document.config.task);
    const of = taskRef(document);
    if (!tasks.has(of)) tasks.set(of, await load(of).catch(() => null));
    const task = tasks.get(of)!;
    if (task === null) {
      notes.push(`run ${document.run} is left out: its task ${id} cannot be read any more`);
      continue;
    }
    if (inventsScores(document.config)) {
      notes.push(`run ${document.run} is left out: its scores are ${INVENTED}`);
      continue;
    }
    if (document.taskSnapshot === undefined && task.evaluatorDigest !== document.evaluatorDigest)
      notes.push(`run ${document.run} was scored by an evaluator of ${id} that has changed since`);
    const { requests, tokens, costUsd } = await store.unanswered(document.run);
    if (requests > 0)
      notes.push(
        `run ${document.run} sent ${requests} requests without an answer: about ${tokens.in + tokens.out} tokens and ${dollars(costUsd)} (estimated) beside those of its row`,
      );
    const row = { ...(await reported(store, document, task)), settings: settings.get(document.run)! };
    rows.push({ ...reportRow(row, task, await paperSays(store, document, papers)), of });
  }
  rows.sort((a, b) => a.task.localeCompare(b.task) || byScore(a, b) || a.run.localeCompare(b.run));
  const byContent = [...Map.groupBy(rows, ({ task, of }) => `${task} ${of}`).values()].flat();
  return { rows: byContent.map(({ of: _, ...row }) => row), notes: [...notes, ...differing(documents)] };
};

/** The steps that a fork has of another run are not its own. */
const hasOwnProgram = ({ totals, committedStep, origin }: RunDocument): boolean =>
  totals.programs > 0 && (origin === null || committedStep > origin.step);

/** The better first; runs without a score are last. */
const byScore = (a: ReportRow, b: ReportRow): number => {
  const [own, other] = [a.bestStrict ?? a.best, b.bestStrict ?? b.best];
  if (own === null || other === null) return Number(own === null) - Number(other === null);
  return gainOver(a.direction, other, own);
};

/** Tasks of one id whose content is not the same in all runs: another folder, or one that was edited. */
const differing = (documents: readonly RunDocument[]): readonly string[] =>
  [
    ...Map.groupBy(
      documents.filter(({ taskSnapshot }) => taskSnapshot !== undefined),
      ({ config }) => taskName(config.task),
    ),
  ].flatMap(([id, own]) => {
    const contents = Map.groupBy(own, ({ taskSnapshot }) => taskSnapshot!);
    return contents.size < 2
      ? []
      : [
          `the task ${id} was not the same in all runs, which stand below each other by content: ${contentsText(contents)}`,
        ];
  });

/** With the variant of its instance that the run chose. */
const taskText = ({ config }: RunDocument): string =>
  `${taskName(config.task)}${config.instance === null ? '' : ` ${config.instance}`}`;

const reported = async (store: Store, document: RunDocument, task: Task): Promise<Omit<ReportedRun, 'settings'>> => {
  const { run, config, totals, best } = document;
  const { direction } = task;
  const { paid } = moneyOf(document);
  return {
    run,
    task: taskText(document),
    method: config.method,
    seed: config.seed,
    state: document.status,
    programs: totals.programs,
    tokens: paid.tokens,
    costUsd: paid.costUsd === 0 && !isPriced(config) ? null : paid.costUsd,
    ...(await judged(store, document, direction)),
    ...(await onHidden(store, run, best?.program ?? null)),
    hiddenDirection: hiddenDirection(task),
    offlineModel: document.offlineModel,
    level: document.trust ?? null,
  };
};

/** A human best that is given by a metric is held against that metric of the run's best program. */
const paperSays = async (store: Store, { config, best }: RunDocument, papers: PaperValues): Promise<PaperSays> => {
  const human = papers.human(taskName(config.task));
  return {
    value: papers.of(config),
    human:
      human === null || human.metric === null
        ? null
        : { value: human.value, own: best === null ? null : await metricOf(store, best.program, human.metric) },
  };
};

/** The facts that are read from the run's programs. */
const judged = async (
  store: Store,
  document: RunDocument,
  direction: Direction,
): Promise<Pick<ReportedRun, 'best' | 'bestStrict' | 'quarantined' | 'start'>> => {
  const { run, config } = document;
  const from = scoredFrom(document);
  let best: number | null = null;
  let bestStrict: number | null = null;
  let quarantined = 0;
  let atStart: number | null = null;
  const better = (score: number | null, than: number | null): number | null =>
    score !== null && (than === null || isBetter(direction, score, than)) ? score : than;
  for await (const program of programsOf(store, run, { initial: true })) {
    if (program.reasons[0]?.startsWith(QUARANTINED)) quarantined += 1;
    if (program.outcome !== 'valid' || program.step < from) continue;
    if (program.step === from && (from === 0 || atStart === null)) atStart = program.score;
    best = better(program.score, best);
    bestStrict = better(program.strictScore, bestStrict);
  }
  return { best, bestStrict, quarantined, start: { name: config.initial, score: atStart } };
};

/** For a `function` task, the scores of the best and of the initial program on hidden instances, as far as known. */
const onHidden = async (
  store: Store,
  run: string,
  best: string | null,
): Promise<Pick<ReportedRun, 'hidden' | 'hiddenInitial'>> => {
  const program = best === null ? undefined : (await store.getPrograms([best])).get(best);
  const hidden = (await hiddenResult(store, program?.evaluation ?? null))?.score ?? null;
  return { hidden, hiddenInitial: hidden === null ? null : await hiddenScoreOfInitial(store, run) };
};
