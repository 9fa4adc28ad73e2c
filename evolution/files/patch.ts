// The difference between two programs as a patch that `git apply` takes.
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff';
import type { Task } from '../task/task.ts';
import { type ProgramFile, splitFiles } from './program-files.ts';

/** What a program changes in the files of its task; null where the initial program is one file. */
export const patchOf = ({ initialProgram }: Pick<Task, 'initialProgram'>, code: string): string | null => {
  const [before, after] = [splitFiles(initialProgram), splitFiles(code)];
  return before === null || after === null ? null : gitPatch(before, after);
};

/** The patch of the files that differ. Programs change and add files, and remove none. */
export const gitPatch = (before: readonly ProgramFile[], after: readonly ProgramFile[]): string =>
  after
    .flatMap(({ name, text }) => {
      const old = before.find((file) => file.name === name)?.text;
      if (old === text) return [];
      const patch = structuredPatch(`a/${name}`, `b/${name}`, old ?? '', text, undefined, undefined, { context: 3 });
      const isNew = old === undefined;
      return formatPatch(
        { ...patch, isGit: true, isCreate: isNew, ...(isNew ? { oldFileName: '/dev/null' } : {}) },
        FILE_HEADERS_ONLY,
      );
    })
    .join('');
