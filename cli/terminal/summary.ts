// What a run leaves for people and tools: the folder runs/<id>/ with summary.json, best.py, solution.json, best.svg and
// config.yaml, and the closing text.
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import type { RunDocument } from '../../activities/store/documents.ts';
import { paidSoFar } from '../../activities/store/paid.ts';
import type { Store } from '../../activities/store/store.ts';
import { endedWell, type RunReport, runReport, type TemporalUi, wallSeconds } from '../../client/report.ts';
import { extendCommand, limitsToGoOn } from '../../client/usage.ts';
import { PROJECT_ROOT } from '../../deploy/host/home.ts';
import { INVENTED, inventsScores } from '../../evolution/config/noop.ts';
import { rankingScore } from '../../evolution/scoring/ranking.ts';
import { type Task, taskName } from '../../evolution/task.ts';
import type { Direction } from '../../evolution/types.ts';
import { inXml, visible } from '../../evolution/visible.ts';
import { clock, dollars, jsonText, score } from './output.ts';
import { costText, estimatedText, rewoundText, tokensText, unansweredText } from './progress.ts';
import { type ProgramTexts, readProgram } from './solution.ts';
import { writeWhole } from '../../activities/whole-file.ts';
import { table } from './table.ts';

export const runsDirectory = (env: NodeJS.ProcessEnv): string =>
  resolve(env['EVOLVE_RUNS'] || join(PROJECT_ROOT, 'runs'));

type SummaryInput = {
  readonly store: Store;
  readonly run: RunDocument;
  readonly picture: Task['picture'];
  readonly directory: string;
  readonly now: Date;
  readonly ui: TemporalUi | null;
};

const FILES = ['best.py', 'solution.json', 'best.svg', 'config.yaml', 'summary.json'] as const;

/**
 * Writes the files and returns the names of those that exist now. summary.json is written last, so that where it exists
 * the others are complete.
 */
export const writeSummary = async (input: SummaryInput): Promise<readonly string[]> => {
  const { run, directory } = input;
  const best = run.best === null ? null : await readProgram(input.store, run.best.program);
  const contents = new Map<string, string>(bestFiles(input, best));
  contents.set(
    'config.yaml',
    `# Settings of run ${run.run}, complete. \`npx evolve run --config config.yaml\` repeats them.\n${settingsText(run.config)}`,
  );
  contents.set('summary.json', `${jsonText(withBest(runReport(run, input.now, input.ui), best), 2)}\n`);
  mkdirSync(directory, { recursive: true });
  for (const name of FILES) {
    const text = contents.get(name);
    if (text === undefined) rmSync(join(directory, name), { force: true });
    else writeWhole(join(directory, name), text);
  }
  return FILES.filter((name) => contents.has(name));
};

/** YAML; as JSON, which is YAML too, where a name holds characters that YAML would write as they are. */
const settingsText = (config: RunDocument['config']): string => {
  const text = stringify(config);
  return visible(text) === text ? text : `${jsonText(config, 2)}\n`;
};

/** With the reward of the best program, and the idea that it carries out. */
const withBest = ({ best, ...report }: RunReport, found: ProgramTexts | null): object => ({
  ...report,
  best:
    best === null || found === null
      ? best
      : { ...best, reward: found.program.reward, ...(found.idea === null ? {} : { idea: found.idea }) },
});

const bestFiles = ({ run, picture }: SummaryInput, best: ProgramTexts | null): [string, string][] => {
  if (run.best === null || best === null) return [];
  const files: [string, string][] = [];
  // The name is the same for every language. A program of several files stands in it with one file after the other.
  if (best.code !== null) files.push(['best.py', best.code]);
  if (best.solution === null) return files;
  files.push(['solution.json', `${best.solution.trimEnd()}\n`]);
  const circles = picture === 'circles-in-unit-square' ? circlesOf(JSON.parse(best.solution)) : null;
  if (circles !== null) {
    files.push([
      'best.svg',
      circlesSvg(circles, {
        title: `${run.run}: ${score(rankingScore(run.best, run.config.evaluation.scoring))}`,
        score: run.best.score,
        strictScore: run.best.strictScore,
        detail: `${taskName(run.config.task)} · run ${run.run} · step ${run.best.step} · ${run.offlineModel ? 'no language model' : run.config.model.name}`,
      }),
    ]);
  }
  return files;
};

/** Turns `steps` into `limits.steps reached (16)`. A limit that ended the run before it was reached says why. */
const reasonText = (run: RunDocument): string => {
  const {
    stopReason,
    config: { limits },
    totals,
  } = run;
  if (stopReason === null) return 'no reason was recorded';
  const limit = Object.hasOwn(limits, stopReason) ? limits[stopReason as keyof typeof limits] : null;
  if (limit === null) return stopReason;
  const { tokens, costUsd } = paidSoFar(run);
  const short: { readonly [limit: string]: readonly [spent: number, text: string] } = {
    programs: [totals.programs, `${totals.programs} are made, and another step would exceed it`],
    tokens: [tokens, `${tokens} are paid for, and one more response is likely to exceed it`],
    costUsd: [costUsd, `${dollars(costUsd)} are paid, and one more response is likely to exceed it`],
  };
  const [spent, text] = short[stopReason] ?? [limit, ''];
  return spent < limit ? `limits.${stopReason} (${limit}): ${text}` : `limits.${stopReason} reached (${limit})`;
};

/** A finished run goes on with other limits, a stopped one as it is. */
const waysOn = (run: RunDocument, direction: Direction | null, now: Date): readonly (readonly [string, string])[] => {
  if (run.status === 'stopped' || run.status === 'terminated')
    return [[`resume ${run.run}`, 'continue where it stopped']];
  const more = Object.keys(limitsToGoOn(run, direction, now));
  const extend = extendCommand(run, direction, now);
  if (more.length > 0) return [[extend, more.includes('targetScore') ? 'beyond the target' : 'beyond that limit']];
  // Only the best value by human hands ends a run whose limits are not reached.
  return [
    [`set ${run.run} ideation.stopAtHuman=false`, 'do not stop at the best by human hands'],
    [extend, 'then go on'],
  ];
};

const modelNames = ({ config: { model, models } }: RunDocument): string =>
  [model, ...models]
    .map(({ kind, name }) => (kind === 'offline' ? 'no language model: offline genetic-programming mutator' : name))
    .join(' + ');

const commands = (rows: readonly (readonly [string, string])[]): readonly string[] =>
  table(rows.map(([command, meaning]) => [`  npx evolve ${command}`, meaning]));

/** The end of a run in a few lines, with the commands to go on. `direction` is null where the task is gone. */
export const lastWords = (
  run: RunDocument,
  directory: string,
  files: readonly string[],
  now: Date,
  direction: Direction | null = null,
): readonly string[] => {
  const { totals, best } = run;
  const failures = Object.entries(totals.failures)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ');
  return [
    '',
    `${endedWell(run) ? 'Run' : 'NO SUCCESS: run'} ${run.run} ${run.status}: ${reasonText(run)}`,
    ...(endedWell(run)
      ? []
      : [
          totals.programs === 0
            ? '  not one program was made'
            : '  not one new program was valid; the best below, if any, is the initial program',
        ]),
    `  best      ${best === null ? 'none' : `${score(best.score)} tolerant, ${score(best.strictScore)} strict, ${best.step === 0 ? 'the initial program' : `found in step ${best.step}`} (${best.program})`}`,
    ...(best !== null && inventsScores(run.config) ? [`            ${INVENTED}`] : []),
    `  programs  ${totals.programs} made in ${Math.max(0, run.committedStep)} steps, ${totals.valid} valid, ${totals.programs - totals.valid} failed${failures === '' ? '' : ` (${failures})`}`,
    `  model     ${modelNames(run)}; tokens ${tokensText(totals.tokens, ', ')}; cost ${costText(run)}${rewoundText(run)}`,
    ...(totals.estimated === undefined ? [] : [`            ${estimatedText(totals.estimated)}`]),
    ...(run.unanswered === undefined || run.unanswered.requests === 0
      ? []
      : [`            ${unansweredText(run.unanswered)}`]),
    `  time      ${clock(wallSeconds(run, now))}`,
    `  files     ${directory}: ${files.join(', ')}`,
    '',
    'Go on with:',
    ...commands([
      ...waysOn(run, direction, now),
      [`best ${run.run} --code`, 'the best program'],
      [`programs ${run.run}`, 'every candidate'],
      ...(best === null ? [] : ([[`show ${best.program}`, 'how the best came about']] as const)),
      ['down', 'shut the parts down'],
    ]),
  ];
};

/** A circle of a packing, of which best.svg shows the unit square, the circles and their score. */
type Circle = readonly [x: number, y: number, r: number];
type Caption = {
  readonly title: string;
  readonly score: number;
  readonly strictScore: number | null;
  readonly detail: string;
};

const SIDE = 600;
const MARGIN = 30;
const CAPTION = 64;

/** The circles of a solution as its JSON holds them, or null when it has another shape. */
export const circlesOf = (solution: unknown): readonly Circle[] | null => {
  const circles = (solution as { circles?: unknown } | null)?.circles;
  if (!Array.isArray(circles) || circles.length === 0) return null;
  return circles.every(
    (circle) =>
      Array.isArray(circle) &&
      circle.length === 3 &&
      circle.every((value) => typeof value === 'number' && Number.isFinite(value)),
  )
    ? (circles as Circle[])
    : null;
};

const px = (value: number): string => value.toFixed(2);

export const circlesSvg = (circles: readonly Circle[], caption: Caption): string => {
  const largest = Math.max(...circles.map(([, , r]) => r), Number.MIN_VALUE);
  const drawn = circles.map(([x, y, r], index) => {
    const [cx, cy, radius] = [MARGIN + x * SIDE, MARGIN + (1 - y) * SIDE, Math.max(0, r) * SIDE];
    const hue = Math.round(205 - 165 * Math.sqrt(Math.max(0, r) / largest));
    const label =
      radius >= 18
        ? `<text x="${px(cx)}" y="${px(cy + 4)}" font-size="${radius >= 34 ? 13 : 10}" text-anchor="middle" fill="#1d2733">${r.toFixed(4)}</text>`
        : '';
    return (
      `<g><title>circle ${index + 1}: centre (${x}, ${y}), radius ${r}</title>` +
      `<circle cx="${px(cx)}" cy="${px(cy)}" r="${px(radius)}" fill="hsl(${hue} 70% 82%)" stroke="hsl(${hue} 45% 38%)" stroke-width="1.2"/>${label}</g>`
    );
  });
  const [width, height] = [SIDE + 2 * MARGIN, SIDE + 2 * MARGIN + CAPTION];
  const strict = caption.strictScore === null ? '' : `, strict ${score(caption.strictScore)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif">`,
    `<title>${inXml(caption.title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<rect x="${MARGIN}" y="${MARGIN}" width="${SIDE}" height="${SIDE}" fill="#f6f8fa" stroke="#1d2733" stroke-width="1.5"/>`,
    ...drawn,
    `<text x="${MARGIN}" y="${SIDE + 2 * MARGIN + 18}" font-size="17" font-weight="600" fill="#1d2733">sum of radii ${score(caption.score)}${strict}, ${circles.length} circles</text>`,
    `<text x="${MARGIN}" y="${SIDE + 2 * MARGIN + 42}" font-size="12" fill="#57606a">${inXml(caption.detail)}</text>`,
    '</svg>',
    '',
  ].join('\n');
};
