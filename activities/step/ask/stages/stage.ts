// The interface of a stage. A stage is a call of a group before its programs are asked for; each has its own file in
// this folder.
import type { RunConfig } from '../../../../evolution/config/run-config.ts';
import type { Task } from '../../../../evolution/task/task.ts';
import type { Message, Outcome, RunId } from '../../../../evolution/types.ts';
import type { Ahead } from '../../../store/ahead.ts';
import type { GroupPlan, StagesMade } from '../../../store/documents/step-documents.ts';
import type { Store } from '../../../store/store.ts';

export type StageInput = {
  readonly store: Store;
  readonly task: Task;
  readonly config: RunConfig;
  readonly run: RunId;
  readonly step: number;
  readonly plan: GroupPlan;
  /** The results of earlier stages. */
  readonly made: StagesMade;
  /** As in StyleInput. */
  readonly ahead?: Ahead | undefined;
};

/** `answer` comes without its reasoning. It is null where the call could not be made, and then `failed` says why. */
export type Answered = StageInput & { readonly answer: string | null; readonly failed: string | null };

export type StageResult =
  /** Contains what earlier stages made, too. */
  | { readonly kind: 'made'; readonly made: StagesMade }
  /** The group ends here. */
  | {
      readonly kind: 'refused';
      readonly outcome: Extract<Outcome, 'rejected' | 'unparsed' | 'idea_failed' | 'rm_failed'>;
      readonly reason: string;
      readonly made: StagesMade;
    };

export type StageHandler = {
  readonly request: (input: StageInput) => Promise<readonly Message[]>;
  readonly read: (input: Answered) => Promise<StageResult>;
};
