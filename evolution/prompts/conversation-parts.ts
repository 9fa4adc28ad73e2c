// What a conversation with the model is made of (conversation.ts), and what its texts are made from (code-texts.ts).
import type { DiffSettings } from '../config/run-config.ts';
import type { Operator } from '../exploration/operator.ts';
import type { Task, TaskLimits } from '../task.ts';
import type { EditSettings } from './edit-rules.ts';

/** `response`: what turned this ancestor into its child, as the model gave it. */
export type Ancestor = { readonly card: string; readonly response: string };

export type TokenBudget = {
  /** Null: no limit. */
  readonly maxPromptTokens: number | null;
  /** Of one text; a message costs what its content does. */
  readonly estimateTokens: (text: string) => number;
};

export type ConversationParts = {
  /** The evolved prompt: the system message begins with it, byte for byte. */
  readonly prompt: string;
  /** Of the program to change: without markers the whole of it is open. */
  readonly code: string;
  readonly task: Pick<Task, 'scoreName' | 'direction'>;
  readonly limits: Pick<TaskLimits, 'cpuSeconds' | 'memoryBytes'>;
  readonly settings: EditSettings & Pick<DiffSettings, 'strict'>;
  /** Exploiting refines, exploring looks for another paradigm. */
  readonly operator: Operator;
  /** Oldest first, without the target; none where the operator explores and in the initial phase. */
  readonly ancestors: readonly Ancestor[];
  /** Cards of other programs. */
  readonly inspirations: readonly string[];
  /** Card of the program to change. */
  readonly target: string;
  /** Card of the target's latest failed child; null: none, or `failureContext` is off. */
  readonly failure: string | null;
  /** Lines of the target that an ancestor had deleted and that came back. */
  readonly returned?: readonly string[] | undefined;
  /** An idea to carry out. */
  readonly idea?: string | null | undefined;
  /** What people ask of the model. */
  readonly hints?: readonly string[] | undefined;
  /** Where answers are in responses; left out: after the reasoning. */
  readonly parse?: DiffSettings['parse'] | undefined;
  readonly budget: TokenBudget;
};
