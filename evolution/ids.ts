// Ids derive from positions, never from attempt, clock or chance, so that work done twice is stored once.
import type { AnsweredStage, Stage } from './stages.ts';
import type { ProgramId, RunId } from './types.ts';

const pad = (n: number, width: number): string => String(n).padStart(width, '0');

/** `run:step:epoch`, the prefix of everything that a step makes. */
export const stepKey = (run: RunId, step: number, epoch: number): string => `${run}:${pad(step, 6)}:${epoch}`;

/** The id of a prompt: `run:step:epoch:b`, where b is the group's index in the batch. */
export const promptId = (run: RunId, step: number, epoch: number, group: number): string =>
  `${stepKey(run, step, epoch)}:${pad(group, 4)}`;

/** The id of a response, its delta and its program: `run:step:epoch:slot`. */
export const programId = (run: RunId, step: number, epoch: number, slot: number): ProgramId =>
  `${stepKey(run, step, epoch)}:${pad(slot, 6)}`;

/** The types of the workflows that people start, and their task queue. */
export const RUN_WORKFLOW = 'evolutionRun';
export const SWEEP_WORKFLOW = 'sweep';
export const WORKFLOW_QUEUE = 'evolve-workflow';
/** True if a workflow of this type is a run or a sweep of ours. */
export const isOurs = (workflowType: string | undefined): boolean =>
  workflowType === SWEEP_WORKFLOW || workflowType === RUN_WORKFLOW;

/** Ids of workflows, readable in the Temporal UI. */
export const runWorkflowId = (run: RunId): string => `run/${run}`;
/** One sweep of a name lives at a time, because one workflow of an id does. */
export const sweepWorkflowId = (name: string): string => `sweep/${name}`;
export const stepWorkflowId = (run: RunId, step: number): string => `run/${run}/step/${pad(step, 6)}`;
/** The step of such an id; null for the id of anything else. */
export const stepOfWorkflow = (id: string): number | null => {
  const step = /^run\/[^/]+\/step\/(\d+)$/.exec(id)?.[1];
  return step === undefined ? null : Number(step);
};

/** The update of a policy with the rollouts of this step. */
export const updateWorkflowId = (run: RunId, step: number): string => `run/${run}/update/${pad(step, 6)}`;
/** What a task's evaluator asks of a model, by the id of the call. */
export const callWorkflowId = (run: RunId, call: string): string => `run/${run}/call/${call}`;
/** The training of a judge, which belongs to no run, with so many epochs. */
export const trainingWorkflowId = (name: string, epochs: number): string => `judge/${name}/update/${pad(epochs, 6)}`;

/** The id of a call: `run:step:epoch:group:stage`. */
export const stageId = (prompt: string, stage: Stage | 'program'): string => `${prompt}:${stage}`;

/** The id of the call that scores the initial idea, in step 0. */
export const initialIdeaId = (run: RunId, epoch: number): string => stageId(promptId(run, 0, epoch, 0), 'judge');

/** The id of a call for one program: `run:step:epoch:slot:stage`, and `:round` where its calls are numbered. */
export const answeredId = (program: ProgramId, stage: AnsweredStage, round?: number): string =>
  `${program}:${stage}${round === undefined ? '' : `:${round}`}`;
