// Takes in a run from the files of an export: they are checked first, then stored. The run's workflow is not started.
import type { Manifest } from '../../activities/store/exchange/export-format.ts';
import type { Imported } from '../../activities/store/exchange/import-runs.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import type { RunId } from '../../evolution/types.ts';
import type { Parts } from '../connect/connection.ts';
import { UsageError } from '../connect/errors.ts';
import { isOpen } from '../temporal/workflow.ts';

export type ImportReport = Imported & Pick<Manifest, 'run' | 'committedStep' | 'lostTexts' | 'notIncluded'>;

export const importRun = async (parts: Parts, folder: string): Promise<ImportReport> => {
  const { readExport } = await import('../../activities/store/exchange/import.ts');
  const { ExportError } = await import('../../activities/store/exchange/import-manifest.ts');
  const { ConflictError } = await import('../../activities/store/documents/errors.ts');
  try {
    const checked = await readExport(folder);
    const store = await parts.store();
    for (const run of checked.manifest.runs) if ((await store.readRun(run)) === null) await requireClosed(parts, run);
    const { run, committedStep, lostTexts, notIncluded } = checked.manifest;
    return {
      ...{ run, committedStep, lostTexts },
      ...(notIncluded === undefined ? {} : { notIncluded }),
      ...(await store.importRuns(checked)),
    };
  } catch (error) {
    throw error instanceof ExportError || error instanceof ConflictError ? new UsageError(error.message) : error;
  }
};

/** An open workflow whose run this database has lost would take the imported run for its own, and be ahead of it. */
const requireClosed = async (parts: Parts, run: RunId): Promise<void> => {
  if (!(await isOpen(await parts.engine(), runWorkflowId(run)))) return;
  throw new UsageError(
    `workflow ${runWorkflowId(run)} is open in the workflow engine, though the database has no run "${run}": terminate it in the Temporal UI (or \`temporal workflow terminate --workflow-id ${runWorkflowId(run)}\`), then import again`,
  );
};
