// The files that a run leaves in runs/<id>/: where a worker has put them, and the same files written here.
import { existsSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { RunDocument, RunResults } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { runsDirectory, WORKERS_RUNS } from '../../deploy/host/home.ts';
import { type Place, temporalUi } from '../connect/connection.ts';
import { taskLoader } from '../connect/loaded-late.ts';
import { runReport } from './report.ts';
import type { RunFinding } from './state-findings.ts';

/** The files of a run in a folder of this machine. */
export type ResultFiles = { readonly directory: string; readonly files: readonly string[] };

/** Writes the files of a run as it stands. Without a folder they go to where runs of this machine leave theirs. */
export const writeHere = async (
  place: Place,
  store: Store,
  run: RunDocument,
  directory = join(runsDirectory(place.env), run.run),
): Promise<ResultFiles> => {
  const { writeFiles } = await import('../../activities/results/write-results.ts');
  const report = (one: RunDocument) => runReport(one, new Date(), temporalUi(place));
  return { directory, files: await writeFiles({ store, loadTask: taskLoader(store), report }, run, directory) };
};

/**
 * The files of a run that has ended, which the worker wrote before the run's workflow was closed. They are written here
 * where the document names no place (the database was away), where they are on another machine or are gone, and where
 * the runs of this process have another folder. Faults are in `notes`.
 */
export const filesOfEnd = async (
  place: Place,
  store: Store,
  run: RunDocument,
): Promise<ResultFiles & { readonly notes: readonly string[] }> => {
  const { results } = (await store.readRun(run.run)) ?? run;
  const own = results?.endedAt?.getTime() === run.endedAt?.getTime() ? results : undefined;
  const here = join(runsDirectory(place.env), run.run);
  const written =
    own !== undefined &&
    own.failure === null &&
    own.host === hostname() &&
    existsSync(join(own.directory, 'summary.json'));
  if (written && own.directory === here) return { directory: here, files: own.files, notes: [] };
  const notes = own?.failure ? [failureText(own)] : [];
  try {
    const files = await writeHere(place, store, run);
    // They lie where somebody watched, and not beside the clone as well.
    if (written && dirname(own.directory) === WORKERS_RUNS) await moved(store, run.run, own, files);
    return { ...files, notes };
  } catch (error) {
    if (written) return { directory: own.directory, files: own.files, notes: [] };
    const reason = error instanceof Error ? error.message : String(error);
    return { directory: here, files: [], notes: [...notes, failureText({ failure: reason, host: hostname() })] };
  }
};

const moved = async (store: Store, run: string, from: RunResults, to: ResultFiles): Promise<void> => {
  for (const name of from.files) await rm(join(from.directory, name), { recursive: true, force: true });
  await rmdir(from.directory).catch(() => undefined);
  await store.setFields(run, { results: { ...from, ...to } });
};

/** For `evolve doctor <run>`. */
export const resultsFindings = ({ run, results, endedAt }: RunDocument): readonly RunFinding[] => {
  if (results === undefined || results.endedAt?.getTime() !== endedAt?.getTime()) return [];
  const { host, directory, files, failure } = results;
  return failure === null
    ? [{ about: 'results', ok: true, detail: `${files.join(', ')} in ${directory} on ${host}` }]
    : [{ about: 'results', ok: false, detail: failureText(results), command: `npx evolve files ${run}` }];
};

const failureText = ({ failure, host }: { readonly failure: string | null; readonly host: string }): string =>
  `the files of the run could not be written on ${host}: ${failure}`;
