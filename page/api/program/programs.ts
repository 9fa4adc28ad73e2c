// The answers about one program and about the task of a run, and their paths.
import type { Cause } from '../../../client/read/program-origin.ts';
import type { StageSent } from '../../../client/read/requests/prompts.ts';
import type { EvaluationDocument, ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import type { UnansweredSum } from '../../../activities/store/documents/documents.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { Artifact } from '../../../evolution/scoring/artifacts.ts';
import { programId } from '../../../evolution/ids.ts';
import type { Usage } from '../../../evolution/types.ts';

/** The full id that a person means by `3:0:12`, a program of this run, or by `other:3:0:12`; null for no id. */
export const typedId = (text: string, run: string): string | null => {
  const [, owner = run, ...numbers] = /^(?:(.+):)?(\d{1,9}):(\d{1,5}):(\d{1,9})$/s.exec(text.trim()) ?? [];
  const [step, epoch, slot] = numbers.map(Number);
  return slot === undefined ? null : programId(owner, step!, epoch!, slot);
};

/** The run that an id names. */
export const ownerOf = (id: string): string => id.slice(0, id.indexOf(':'));

const path = (run: string, ...parts: readonly string[]): string =>
  ['runs', run, ...parts].map((part) => encodeURIComponent(part)).join('/');
export const taskPath = (run: string): string => path(run, 'task');
export const programPath = (run: string, id: string): string => path(run, 'programs', id, 'facts');
export const askedPath = (run: string, id: string): string => path(run, 'programs', id, 'asked');
export const solutionPath = (run: string, id: string): string => path(run, 'programs', id, 'solution');
export const artifactsPath = (run: string, id: string): string => path(run, 'programs', id, 'artifacts');

/** The task of a run. Nothing of it is hidden from programs but the values of papers. */
export type TaskFacts = Pick<
  Task,
  'id' | 'title' | 'direction' | 'scoreName' | 'kind' | 'references' | 'picture' | 'entry'
> & {
  readonly language: string;
  /** The score that ranks. */
  readonly scoring: 'tolerant' | 'strict';
  readonly scoresInvented: boolean;
  readonly metrics: { readonly [name: string]: string };
  readonly bound: { readonly value: number; readonly source: string } | null;
};

/** GET runs/:run/programs/:id/facts */
export type ProgramFacts = Omit<ProgramDocument, '_id' | 'code' | 'idea' | 'prompt'> & {
  readonly id: string;
  readonly cause: Cause;
  /** A rewind took back the step that made it, so that it is in no population. */
  readonly superseded: boolean;
  /** The steps whose scores compare with its own: from the first on, and before the other, if there is one. */
  readonly comparable: readonly [from: number, before: number | null];
  readonly code: string | null;
  /** Lines that went of what it was made from; null where they cannot be counted. */
  readonly linesDeleted: number | null;
  readonly idea: { readonly text: string; readonly score: number | null; readonly would: string | null } | null;
  /** The evolved prompt that asked for it. */
  readonly prompt: { readonly id: string; readonly parent: string | null; readonly isNew: boolean } | null;
  readonly evaluated: Omit<EvaluationDocument, '_id' | 'run' | 'code' | 'solution'> | null;
  /** The length of its solution as JSON text; null where there is none. */
  readonly solutionLength: number | null;
  readonly scoresInvented: boolean;
  readonly hidden: {
    readonly outcome: string;
    readonly score: number | null;
    readonly reasons: readonly string[];
    readonly direction: 'maximise' | 'minimise' | null;
    readonly initial: number | null;
  } | null;
  /** The blocks of its answer, and those that did not fit. */
  readonly edit: {
    readonly reason: string | null;
    readonly blocks: number;
    readonly unmatched: readonly { readonly block: number; readonly reason: string }[];
    readonly ambiguous: readonly { readonly block: number; readonly reason: string }[];
    readonly duplicateOf: string | null;
  } | null;
};

/** GET runs/:run/programs/:id/asked: what models were asked for it, and what they answered, as it was sent. */
export type ProgramAsked = {
  /** Calls before the program, and the request for it, in their order. */
  readonly stages: readonly StageSent[];
  readonly answer: {
    readonly text: string | null;
    readonly reasoning: string | null;
    readonly model: string;
    readonly policy: string | null;
    readonly finishReason: string | null;
    readonly usage: Usage;
    readonly costUsd: number | null;
  } | null;
  readonly shownBeside: readonly { readonly id: string; readonly role: string }[];
  readonly unanswered: UnansweredSum | null;
};

/** GET runs/:run/programs/:id/artifacts */
export type ProgramArtifacts = { readonly artifacts: readonly Artifact[] };

/** GET runs/:run/programs/:id/solution, as JSON text. */
export type ProgramSolution = { readonly solution: string | null };
