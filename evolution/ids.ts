// Ids derive from the position in the workflow, never from attempt, clock or chance.
import type { ProgramId, RunId, Stage } from './types.ts';

const pad = (n: number, width: number): string => String(n).padStart(width, '0');

/** `run:step:epoch` - the prefix of everything a step makes. */
export const stepKey = (run: RunId, step: number, epoch: number): string => `${run}:${pad(step, 6)}:${epoch}`;

/** Id of a prompt: `run:step:epoch:b`, b the group's index in the batch. */
export const promptId = (run: RunId, step: number, epoch: number, group: number): string =>
  `${stepKey(run, step, epoch)}:${pad(group, 4)}`;

/** Id of a response, its delta and its program: `run:step:epoch:slot` (slots.ts). */
export const programId = (run: RunId, step: number, epoch: number, slot: number): ProgramId =>
  `${stepKey(run, step, epoch)}:${pad(slot, 6)}`;

/** Workflow ids, readable in the Temporal UI. */
export const runWorkflowId = (run: RunId): string => `run/${run}`;
export const stepWorkflowId = (run: RunId, step: number): string => `run/${run}/step/${pad(step, 6)}`;

/** `run:step:epoch:group:stage`. */
export const stageId = (prompt: string, stage: Stage | 'program'): string => `${prompt}:${stage}`;

/** Of the call that scores it, in step 0. */
export const initialIdeaId = (run: RunId, epoch: number): string => stageId(promptId(run, 0, epoch, 0), 'judge');

/** Of the call for a delta that a response left out: `run:step:epoch:slot:repair`. */
export const repairId = (program: ProgramId): string => `${program}:repair`;
