// What a style of prompts does: `prompt.style`, one file a style beside this one. Called by compose.ts.
import type { Ahead } from '../island-ahead.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { TemplateStyle } from '../../evolution/prompts/placeholders.ts';
import type { TemplateOf } from '../../evolution/prompts/template.ts';
import type { Task } from '../../evolution/task.ts';
import type { Message, RunId } from '../../evolution/types.ts';
import type { GroupPlan } from '../store/documents.ts';
import type { Store } from '../store/store.ts';

/** A group whose programs are to be asked for, and what its stages came to. */
export type ToCompose = {
  readonly plan: GroupPlan;
  /** The idea to carry out; null without ideation. */
  readonly idea: string | null;
  /** The evolved prompt to ask with; null where prompts do not evolve. */
  readonly prompt: string | null;
};

export type StyleInput = {
  readonly store: Store; readonly task: Task;
  /** The settings that the step goes by. */
  readonly config: RunConfig;
  readonly run: RunId; readonly step: number;
  readonly groups: readonly ToCompose[];
  /** Where steps before are not committed yet: what they made is in `store` all the same. */
  readonly ahead?: Ahead | undefined;
};

/** The messages for the programs of each group, in order: a system message, then user and assistant in turn, a user message last. */
export type Style<S extends TemplateStyle> = (input: StyleInput, template: TemplateOf<S>) => Promise<readonly (readonly Message[])[]>;
