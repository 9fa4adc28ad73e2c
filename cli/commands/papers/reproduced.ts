// What `evolve reproduce` tells: the list, the plan, and the paper's numbers beside ours with all that differs.
import { type ExperimentFigure } from '../../../client/papers/figures.ts';
import type { Won } from '../../../evolution/experiments/figure.ts';
import { listExperiments, paperItems, type PreparedExperiment } from '../../../client/papers/experiments.ts';
import { BESIDE_LEAST_FIRST, besideTable, type CellReport } from '../../../evolution/experiments/beside.ts';
import { armsOf, type Choice } from '../../../evolution/experiments/plan.ts';
import { notServedIn } from '../../../evolution/experiments/spec.ts';
import { flat } from '../../../evolution/config/layers.ts';
import { counted, dollars, score } from '../../../evolution/reports/number-text.ts';
import { valueText } from '../../../evolution/reports/value-text.ts';
import { sumOf } from '../../../evolution/statistics.ts';
import { json, line, lines } from '../../terminal/output.ts';
import { widthOf } from '../../terminal/screen.ts';
import { table } from '../../terminal/table.ts';

/** What the runs of an experiment have come to so far. */
export type Result = ExperimentFigure & { readonly cells: readonly CellReport[] };

/** Every table and figure of the papers, with the size of its experiment or the reason why it has none. */
export const listItems = (asJson: boolean): void => {
  const sizes = new Map(listExperiments().map(({ paper, id, ...size }) => [`${paper} ${id}`, size]));
  const items = paperItems().map((item) => ({ ...item, ...sizes.get(`${item.paper} ${item.file}`) }));
  if (asJson) return json(items);
  const rows = items.flatMap(({ paper, item, file, title, runs, programs, needsLearning }) =>
    file === null
      ? []
      : [[paper, item, file, title!, String(runs), String(programs), needsLearning === true ? 'some rows' : '-']],
  );
  const head = ['paper', 'item', 'experiment', 'title', 'runs', 'programs', 'learning'];
  for (const text of table([head, ...rows], { width: widthOf(process.stdout), cut: { title: 20 } })) line(text);
  line();
  line('Without an experiment:');
  lines(items.flatMap(({ paper, item, why }) => (why === null ? [] : [`  ${paper} ${item}: ${why}`])));
};

/** The work and the cost of the experiment, before anything is started. */
export const planLines = (prepared: PreparedExperiment, { scale, answers, policy }: Choice): readonly string[] => {
  const { file, plan } = prepared;
  const { experiment } = file;
  const left = policy === null ? experiment.rows.filter(({ needs }) => needs !== undefined) : [];
  return [
    `${experiment.title} (${experiment.source})`,
    `sweep ${plan.name}${scale === 1 ? '' : `, at a scale of ${scale}`}: ${sizeOf(prepared)}`,
    takes(prepared, answers.kind === 'offline'),
    ...(answers.kind === 'offline'
      ? ['The offline model holds no language model: this shows that the experiment runs, and repeats no result.']
      : []),
    ...(answers.kind === 'published'
      ? notServedIn(experiment).map(({ name, inItsPlace }) => `nobody serves ${name}; in its place: ${inItsPlace}`)
      : []),
    ...left.map(({ name }) => `left out: ${name} needs a policy of another run: give --policy <run>@<version>`),
  ];
};

export const sizeOf = ({ plan, estimate: { runs, programs, requests } }: PreparedExperiment): string =>
  `${counted(runs, 'run')} (${counted(plan.groups.length, 'configuration')}, ${counted(plan.seeds.length, 'seed')}), ${counted(programs, 'program')}, about ${counted(requests, 'request')}`;

export const takes = ({ estimate }: PreparedExperiment, offline = false): string => {
  const { tokens, cpuHoursAtMost } = estimate;
  const cost = offline ? 'cost $0, since the offline model answers' : costOf(estimate);
  const cpu = cpuHoursAtMost === null ? '' : `; evaluations at most ${score(cpuHoursAtMost, 3)} hours of CPU time`;
  return `about ${millions(tokens.in)} tokens in and ${millions(tokens.out)} out; ${cost}${cpu}`;
};

const costOf = ({ pricedUsd, unpriced }: PreparedExperiment['estimate']): string => {
  const names = `${unpriced.join(', ')} (docs/models.md)`;
  if (unpriced.length === 0) return `cost about $${score(pricedUsd, 3)}`;
  if (pricedUsd === 0) return `cost not known, since there is no price for ${names}`;
  return `cost about $${score(pricedUsd, 3)}, not counting models without a price: ${names}`;
};

/** To three digits, never as a power of ten. */
const millions = (tokens: number): string => `${score(tokens / 1e6, 3)} million`;

/** The settings in which each row differs from the first. */
export const armLines = ({ file: { experiment } }: PreparedExperiment): readonly string[] =>
  armsOf(experiment).map(({ name, differences }) => {
    const texts = differences.map(
      ({ key, cases, first, own }) =>
        `${key}${cases === null ? '' : ` (${cases.join(', ')})`} ${valueText(first)} -> ${valueText(own)}`,
    );
    return `arm ${name}: ${texts.join(', ') || 'the first'}`;
  });

/** In how many cases each row is best; nothing where rows are not compared. */
const winLines = ({ wins }: Result): readonly string[] => {
  const text = (won: Won | null, where: string): readonly string[] =>
    won === null ? [] : [`${won.won} of ${won.of} ${where}`];
  return wins.length === 0
    ? []
    : [
        'Best in so many cases:',
        ...wins.map(
          ({ row, paper, ours }) =>
            `  ${row}: ${[...text(paper, 'in the paper'), ...text(ours, 'in ours')].join(', ')}`,
        ),
      ];
};

/** The sum over all runs, each once. */
const costOfRuns = (cells: readonly CellReport[]): number =>
  sumOf(
    [...new Map(cells.flatMap(({ ours }) => (ours === null ? [] : [[ours.runs.join(), ours] as const]))).values()].map(
      ({ costUsd, runs }) => costUsd * runs.length,
    ),
  );

/** What is not as in the paper: by the list of items, and by the choices of whoever called. */
const differsIn = (
  { file: { experiment }, plan }: PreparedExperiment,
  { scale, answers, over, trainer }: Choice,
): readonly string[] => {
  const item = paperItems().find(({ paper, file }) => paper === experiment.paper && file === experiment.id);
  const own =
    plan.seeds.length < experiment.seeds.length
      ? [`It has ${counted(plan.seeds.length, 'seed')}, and not ${experiment.seeds.length}.`]
      : [];
  return [
    ...(item?.differs ?? []),
    ...(item?.incomparable == null ? [] : [`Not comparable: ${item.incomparable}.`]),
    ...(scale === 1 ? [] : [`It has ${score(scale, 6)} of the programs.`]),
    ...own,
    ...(answers.kind === 'published'
      ? []
      : [`${answers.kind === 'one' ? answers.name : 'The offline model'} answers, and not the paper's models.`]),
    ...(trainer === null ? [] : [`${trainer} trains.`]),
    ...Object.entries(flat(over)).map(([key, value]) => `Set for all rows: ${key} ${valueText(value)}.`),
  ];
};

/** The table, the wins, the cost, and what a reader must know. */
export const tell = (prepared: PreparedExperiment, choice: Choice, result: Result): void => {
  const { experiment } = prepared.file;
  const { cells, panels } = result;
  line();
  const rows = besideTable(experiment, cells);
  if (rows.length > 1)
    for (const text of table(rows, {
      width: widthOf(process.stdout),
      drop: BESIDE_LEAST_FIRST,
      cut: { case: 16, row: 16 },
    }))
      line(text);
  const isRun = cells.some(({ ours }) => ours !== null);
  for (const part of [
    winLines(result),
    panels.flatMap(({ title, shows, says }) =>
      shows === 'rounds' || shows === 'share' ? says.map((text) => `${title}: ${text}`) : [],
    ),
    isRun ? [`Cost of its runs: ${dollars(costOfRuns(cells))}.`] : [],
    ['What differs from the paper:', ...differsIn(prepared, choice).map((text) => `  ${text}`)],
    experiment.notes,
  ]) {
    if (part.length === 0) continue;
    line();
    lines(part);
  }
};

/** The plan as a document. */
export const planDocument = (
  { file: { experiment }, plan, estimate }: PreparedExperiment,
  { scale, answers }: Choice,
) => ({
  paper: experiment.paper,
  id: experiment.id,
  title: experiment.title,
  source: experiment.source,
  sweep: plan.name,
  scale,
  answers: answers.kind,
  seeds: plan.seeds,
  plan: estimate,
  costUsd: estimate.costUsd,
  arms: armsOf(experiment),
});

/** The plan and its results as a document; `svg` is the file of the figure. */
export const resultDocument = (
  prepared: PreparedExperiment,
  choice: Choice,
  { cells, wins, panels }: Result,
  svg: string | null,
) => ({
  ...planDocument(prepared, choice),
  ...{ cells, wins, spentUsd: costOfRuns(cells) },
  differs: differsIn(prepared, choice),
  figure: { svg, panels },
  notes: prepared.file.experiment.notes,
});
