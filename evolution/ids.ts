// Ids derive from the position in the workflow, never from attempt, clock or chance.
import type { ProgramId, RunId } from './types.ts';

const pad = (n: number, width: number): string => String(n).padStart(width, '0');

/** `run:step:epoch` - the prefix of everything a step makes. */
export const stepKey = (run: RunId, step: number, epoch: number): string => `${run}:${pad(step, 6)}:${epoch}`;

/** Id of a prompt: `run:step:epoch:b`, b the group's index in the batch. */
export const promptId = (run: RunId, step: number, epoch: number, group: number): string =>
  `${stepKey(run, step, epoch)}:${pad(group, 4)}`;

/** Id of a response, its delta and its program: `run:step:epoch:slot`, slot = group * n + sample. */
export const programId = (run: RunId, step: number, epoch: number, slot: number): ProgramId =>
  `${stepKey(run, step, epoch)}:${pad(slot, 6)}`;

/** Total order of birth: step * 1e6 + slot. */
export const bornSeq = (step: number, slot: number): number => step * 1e6 + slot;

/** Workflow ids, readable in the Temporal UI. */
export const runWorkflowId = (run: RunId): string => `run/${run}`;
export const stepWorkflowId = (run: RunId, step: number): string => `run/${run}/step/${pad(step, 6)}`;
