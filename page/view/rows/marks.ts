// The marks of people on the programs of a run, for all views that show programs.
import type { ProgramMarks } from '../../api/rows/marks.ts';
import { useRunAnswer } from '../base/state.ts';

const NONE: ProgramMarks = {};

/** Empty until they are there. */
export const useProgramMarks = (run: string): ProgramMarks => useRunAnswer<ProgramMarks>(run, 'marks').value ?? NONE;
