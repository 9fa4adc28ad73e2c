// What the answers to a slot made: the first one, and those that mend it.
import type { ProgramId } from '../../../evolution/types.ts';
import type { AnswerRead } from '../../reading/readings.ts';
import type { EvaluationDocument, ProgramDocument, PromptDocument } from '../../store/documents/step-documents.ts';

/** An answer to a slot. */
export type SlotAnswer = {
  readonly id: ProgramId;
  readonly slot: number;
  readonly prompt: PromptDocument;
  readonly parent: ProgramDocument;
  readonly response: string;
  readonly finishReason: string | null;
};

/** What an answer made, read beside the parent. The first is of the answer to the prompt, the others were mended. */
export type Form = SlotAnswer & {
  readonly read: AnswerRead;
  /** The program of the run that it repeats. */
  readonly duplicateOf: ProgramId | null;
  /** Null where it was not run, or not looked for. */
  readonly evaluation: EvaluationDocument | null;
};

/** True where the answer changed the program. */
export const isTaken = ({ read: { result } }: Form): boolean => result.nothingTaken !== true && result.code !== null;
