// `evolve export <run> --page`: the page of one run as a file.
import type { ProgramDocument } from '../../activities/store/documents/step-documents.ts';
import { UsageError } from '../../client/connect/errors.ts';
import { findRun } from '../../client/read/run-id.ts';
import { everySettings } from '../../client/read/settings-versions.ts';
import type { Files } from '../bundle.ts';
import type { AtAGlance } from '../api/run/overview.ts';
import type { RunReport } from '../api/run/runs.ts';
import type { Progress } from '../api/site/live.ts';
import { createApp } from '../server/app.ts';
import type { Site } from '../server/site/site.ts';
import { overviewOf, pathsAfter, pathsOfPrograms, pathsOfRun, reportOf } from './paths.ts';
import { withoutPlaces, withoutVisitors } from './places.ts';
import { type Wanted, writePage, type Written } from './write-page.ts';

/** The programs with code, prompt, answer and logs in the file: all, none, or the best with their ancestors. */
export type Whole = 'all' | 'none' | { readonly best: number };

export type ExportedPage = Written & {
  readonly run: string;
  readonly file: string;
  readonly programs: number;
  /** The number of them with code, prompt, answer and logs in the file. */
  readonly whole: number;
};

export const exportPage = async (
  site: Site,
  files: Files,
  id: string,
  file: string,
  whole: Whole,
  tell: (progress: Progress) => void = () => undefined,
): Promise<ExportedPage> => {
  const store = await site.store();
  const { run, configVersion } = await findRun(store, id);
  const programs: Light[] = [];
  for await (const { _id, parents, fit = -Infinity } of store.eachProgram(run)) programs.push({ _id, parents, fit });
  const chosen = chosenOf(programs, whole);
  const app = createApp(site, {});
  const [ofRun, ofPrograms] = [pathsOfRun(app, run), pathsOfPrograms(run, chosen)];
  const share = (paths: number): number => Math.floor((paths * chosen.length) / Math.max(1, ofPrograms.length));
  const withoutSettings = withoutPlaces(await everySettings(store, { run, configVersion }));
  const written = await writePage(app, files, file, {
    title: `${run} · DurableEvolve`,
    version: site.about().version,
    exported: { run, at: new Date().toISOString() },
    wanted: [...ofRun.map((path) => ({ path, ...changeOf(run, path) })), ...ofPrograms.map((path) => ({ path }))],
    changeAll: (json) => withoutSettings(withoutVisitors(json)),
    after: (path, body) => pathsAfter(run, path, body),
    tell: (paths) => tell({ done: share(Math.max(0, paths - ofRun.length)), of: chosen.length }),
    left: leftOut(whole, chosen.length, programs.length),
  });
  return { run, file, programs: programs.length, whole: chosen.length, ...written };
};

/** The address of the workflow engine's UI is of no use elsewhere, and names a machine. */
const withoutPlace = (report: RunReport): RunReport => ({ ...report, temporalUrl: null });

const changeOf = (run: string, path: string): Pick<Wanted, 'change'> =>
  path === reportOf(run)
    ? { change: (answer) => withoutPlace(answer as RunReport) }
    : path === overviewOf(run)
      ? { change: (answer) => ({ ...(answer as AtAGlance), report: withoutPlace((answer as AtAGlance).report) }) }
      : {};

const leftOut = (whole: Whole, chosen: number, all: number): string | null =>
  chosen === all
    ? null
    : whole === 'none'
      ? 'it was made without code, prompts and answers of programs'
      : `of ${all} programs it has code, prompts and answers of the ${chosen} that are best or their ancestors`;

type Light = Required<Pick<ProgramDocument, '_id' | 'parents' | 'fit'>>;

/** In the order in which they were committed. */
const chosenOf = (programs: readonly Light[], whole: Whole): readonly string[] => {
  if (whole === 'all') return programs.map(({ _id }) => _id);
  if (whole === 'none') return [];
  const byId = new Map(programs.map((program) => [program._id, program]));
  const chosen = new Set(
    programs
      .filter(({ fit }) => fit > -Infinity)
      .sort((a, b) => b.fit - a.fit)
      .slice(0, whole.best)
      .map(({ _id }) => _id),
  );
  for (const id of chosen) for (const parent of byId.get(id)?.parents ?? []) chosen.add(parent);
  return programs.flatMap(({ _id }) => (chosen.has(_id) ? [_id] : []));
};

/** `all`, `none` or `best:<n>`. */
export const wholeFrom = (text: string): Whole => {
  if (text === 'all' || text === 'none') return text;
  const best = /^best:([1-9]\d{0,6})$/.exec(text)?.[1];
  if (best === undefined)
    throw new UsageError(`--programs: expected all, none or best:<n> such as best:100, got "${text}"`);
  return { best: Number(best) };
};
