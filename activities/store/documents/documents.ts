// The documents of runs, sweeps and tasks, as stored; those of what a step makes are in step-documents.ts. Keys have no
// `.` and no `$`, and every document but a task carries `run`.
import type { Trust } from '../../../evolution/task/trust.ts';
import type { Estimated } from '../../../evolution/budget/money.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import type { IdeaOutcome, RoundOutcome } from '../../../evolution/ideas/rounds.ts';
import type { Parked, Refusal, RunStatus } from '../../../evolution/run-states.ts';
import type { StreamStep } from '../../../evolution/schedule/stream.ts';
import type { Mark, Person, SetMark } from '../../../evolution/steering/base/people.ts';
import type { RunVerb } from '../../../evolution/steering/verbs.ts';
import type { BlobRef, Json, Outcome, PopulationState, ProgramId, RunId, Usage } from '../../../evolution/types.ts';

/** Sums over committed steps, which each commit sets anew. The initial program counts in none of them. */
export type RunTotals = {
  readonly programs: number;
  readonly valid: number;
  readonly failures: { readonly [outcome in Exclude<Outcome, 'valid'>]?: number };
  readonly tokens: Usage;
  readonly costUsd: number;
  /** The part of `tokens` that is our estimate; left out where there is none. */
  readonly estimated?: Estimated;
  /** Number of programs made after the one that is best now. */
  readonly sinceBest: number;
  /** Steps one after the other in which no island's own child became its best; where a limit on them counts them. */
  readonly stagnantEpochs?: number;
  /** Left out before there are any. */
  readonly lines?: EditedLines;
  /** The outcomes of the rounds, in runs that have ideas. */
  readonly rounds?: RoundTotals;
};

/** `wouldBe` counts the rounds that a gate in the shadow would have stopped, and how many of them failed. */
export type RoundTotals = {
  readonly counts: { readonly [outcome in RoundOutcome]?: number };
  readonly ideas: { readonly [outcome in IdeaOutcome]?: number };
  readonly wouldBe?: {
    readonly [verdict in 'rejected' | 'unparsed']?: { readonly rounds: number; readonly failed: number };
  };
};

/** Number of lines that edits added, and of those among them that an ancestor had deleted. */
export type EditedLines = { readonly added: number; readonly reintroduced: number };

/** Requests that were sent and have no answer, and what counts for them (bookings.ts). */
export type UnansweredSum = { readonly requests: number; readonly tokens: Usage; readonly costUsd: number };

/** The costs of steps that a rewind or a resampling set aside, by step and epoch (set-aside.ts). */
export type SetAside = {
  readonly step: number;
  readonly epoch: number;
  readonly programs: number;
  readonly tokens: Usage;
  readonly costUsd: number;
};

/** From this step on, responses are asked for under this epoch, once for `by`, the command that wanted it. */
export type EpochStart = { readonly step: number; readonly epoch: number; readonly by: string };

export type BestProgram = {
  readonly program: ProgramId;
  readonly score: number;
  readonly strictScore: number | null;
  readonly step: number;
};

/** A tracker that lacks steps of a run: the last one that it has (-1: none), and why it has no more. */
export type TrackerFault = { readonly tracker: string; readonly step: number; readonly error: string };

/** Programs with an outcome of steps that are not committed. */
export type Uncommitted = {
  readonly programs: number;
  readonly valid: number;
  /** The best of them, where it is better than that of the run. */
  readonly best: BestProgram | null;
};

/** The machine and the folder that have the files of a run's end. */
export type RunResults = {
  readonly host: string;
  readonly directory: string;
  readonly files: readonly string[];
  /** The reason for which they could not be written. */
  readonly failure: string | null;
  /** The end that they show. Those of an earlier end do not count. */
  readonly endedAt: Date | null;
};

/** The state of a run that learns: its policy, and the last step that is settled. */
export type PolicyHead = {
  readonly policy: { readonly id: string; readonly version: number } | null;
  readonly learned: number;
};
export type Training = { readonly tokens: number; readonly costUsd: number };

/** A change of a run between its steps, by people or the engine: another state, or another version of the settings. */
export type Happened = { readonly at: Date } & (
  | { readonly status: RunStatus; readonly reason: string | null }
  /** `by` is the message that asked for it: the id of an action, or another one's where the Temporal UI sent it. */
  | { readonly version: number; readonly by?: string }
);

export type RunDocument = {
  readonly _id: RunId;
  readonly run: RunId;
  readonly config: RunConfig;
  /** Rises with every change of settings. Replaced versions are kept in `events`. */
  readonly configVersion: number;
  /** Ids of the last messages that changed the settings: one that comes again after a manual reset changes nothing. */
  readonly changes: readonly string[];
  /** The last starts and rewinds that were obeyed, so that none is obeyed twice after a manual reset. */
  readonly starts: readonly string[];
  /** Digest of the task with all that models are told of it (task-digest.ts). */
  readonly taskDigest: string;
  /** Part of the key of every evaluation. */
  readonly evaluatorDigest: string;
  /** How far its scores can be trusted, as it was when the run began. Left out in runs of before. */
  readonly trust?: Trust;
  /** `_id` of the run's task in `tasks`; left out where the task is read from its folder. */
  readonly taskSnapshot?: string;
  /** Changes of its task in mid-run, oldest first; left out where there was none. */
  readonly rescorings?: readonly Rescoring[];
  /** When it was made; a run of a sweep: when its turn came. */
  readonly createdAt: Date;
  readonly schemaVersion: number;
  readonly status: RunStatus;
  readonly statusReason: string | null;
  /** The parked phase that needs attention. */
  readonly parked: Parked | null;
  readonly stopReason: string | null;
  readonly endedAt: Date | null;
  /** The fence. It rises when a step is opened again after it, or a later one, was opened; `openings` says by whom. */
  readonly generation: number;
  readonly openings: { readonly step: number; readonly owner: string } | null;
  /** -1 before the initial program is committed (step 0). */
  readonly committedStep: number;
  readonly view: number;
  readonly population: PopulationState;
  readonly totals: RunTotals;
  readonly best: BestProgram | null;
  readonly offlineModel: boolean;
  readonly isolation: string | null;
  /** The queue on which its programs wait for evaluation. Left out means that of all hosts. */
  readonly queue?: string;
  /** In the order asked for. A step has the epoch of the last entry whose `step` is not above it, else epoch 0. */
  readonly epochs: readonly EpochStart[];
  readonly setAside: readonly SetAside[];
  /** The run that this one was forked off, and the step after which. Everything up to that step is the other run's. */
  readonly origin: { readonly run: RunId; readonly step: number } | null;
  /** The sweep that made the run. */
  readonly sweep: string | null;
  /** Never stored: whoever shows what the run has paid for adds it (withUnanswered). */
  readonly unanswered?: UnansweredSum;
  /** Never stored: what its open steps have made (client/read/uncommitted.ts). Left out where that is nothing. */
  readonly uncommitted?: Uncommitted;
  /** Never stored: the trackers that fail for it (withTrackers). Left out where none does. */
  readonly trackers?: readonly TrackerFault[];
  /** Never stored: the last messages that changed nothing, from the run's workflow (client/temporal/run-state.ts). */
  readonly refusals?: readonly Refusal[];
  /** Milliseconds that the run was paused or had ended, until it last went on. Left out where it never was. */
  readonly pausedMs?: number;
  /** The last changes of its state and its settings, oldest first. */
  readonly happened: readonly Happened[];
  /** When a person last did something to it, and the mark that it has; left out where there was none. */
  readonly actedAt?: Date;
  readonly mark?: SetMark | null;
  /** Set while `evolve prune` removes the run. Nothing may go on with it any more. */
  readonly removing?: Date | null;
  /** The files of its last end; left out where none was written yet. */
  readonly results?: RunResults;
  /** The policy that the run has now; null before its start. This and the next two are left out until a run learns. */
  readonly policy?: PolicyHead['policy'];
  /** The last step that is settled; -1 before there is one. */
  readonly learned?: number;
  /** The cost of training the run's own policies, whatever became of them. Sums that each commit of one sets anew. */
  readonly training?: Training;
  /** The name of the draws on which the programs of a fork are evaluated: those of the run that it was forked off. */
  readonly draws?: string;
};

/**
 * The name of the draws on which the programs of a run are evaluated, where its task draws its data. Forks have those of
 * the run that they go on from, and runs of a sweep share theirs, so that they can be compared.
 */
export const drawsOf = ({ run, sweep, draws }: Pick<RunDocument, 'run' | 'sweep' | 'draws'>): string =>
  draws ?? (sweep === null ? run : `sweep:${sweep}`);

/** The parts of a task that runs need. `_id` is the SHA-256 over the rest; paths are in the task's folder, in order. */
export type TaskDocument = {
  readonly _id: string;
  readonly task: string;
  readonly files: readonly { readonly path: string; readonly blob: BlobRef }[];
};

export type StepDocument = {
  /** `run:step:generation`. */
  readonly _id: string;
  readonly run: RunId;
  readonly step: number;
  readonly generation: number;
  readonly epoch: number;
  readonly state: 'prepared' | 'committed' | 'superseded';
  /** The change set as zstd-compressed JSON in a blob, because it may be large. */
  readonly changeSet: BlobRef;
  readonly totals: RunTotals;
  readonly best: BestProgram | null;
  readonly population: PopulationState;
  readonly configVersion: number;
  /** The time of the commit's preparation. */
  readonly at: Date;
  /** Milliseconds until then during which the run was paused or had ended. */
  readonly pausedMs: number;
  /** In runs with `schedule: continuous`: the groups that the step commits, in the order of insertion. */
  readonly stream?: StreamStep;
};

/** A program that a person put into an island. It becomes a candidate of the next step, after the model's. */
export type InjectionDocument = {
  /** `run:inject:key`. */
  readonly _id: string;
  readonly run: RunId;
  readonly island: number;
  readonly code: BlobRef;
  readonly at: Date;
  /** The step that took the program, and its place among the injected programs of that step; null while it waits. */
  readonly place: { readonly step: number; readonly index: number } | null;
};

/** What a person did to a run. It is written down before it is done. */
export type ActionDocument = {
  /** `run:action:time:random`. */
  readonly _id: string;
  readonly run: RunId;
  readonly verb: RunVerb;
  readonly by: Person;
  readonly at: Date;
  /** It stays `asked` where the asking process ended before it had an answer. */
  readonly state: 'asked' | 'done' | 'refused';
  /** A sentence on what was done, or why it was refused; empty while it is asked. */
  readonly text: string;
  /** Of the verb `mark`; the mark is null where it was removed. */
  readonly marked?: { readonly program: ProgramId | null; readonly mark: Mark | null };
};

/** One run of a sweep. `group` is the number of its configuration; runs of a group differ in seed and repetition. */
export type SweepRun = { readonly run: RunId; readonly group: number; readonly seed: number; readonly repeat: number };
export type SweepStatus = 'running' | 'paused' | 'stopped' | 'finished' | 'terminated';
/** The decision of successive halving at this number of programs. */
export type RungDecision = {
  readonly programs: number;
  /** Best first. `score` is the mean of the best scores of the group's runs; null where nothing was valid. */
  readonly ranking: readonly { readonly group: number; readonly score: number | null }[];
  readonly stopped: readonly number[];
};
export type SweepDocument = {
  /** The sweep's name. */
  readonly _id: string;
  readonly run: string;
  /** The specification as it was given, with its name filled in. */
  readonly spec: Json;
  /** Settings of each group that differ from the base, by dotted key. */
  readonly groups: readonly { readonly [key: string]: Json }[];
  readonly runs: readonly SweepRun[];
  readonly status: SweepStatus;
  readonly stopReason: string | null;
  readonly decisions: readonly RungDecision[];
  readonly createdAt: Date;
  readonly endedAt: Date | null;
};

/** The task by which a run works and scores. */
export type TaskOfRun = Pick<RunDocument, 'taskSnapshot' | 'taskDigest' | 'evaluatorDigest' | 'trust'>;

/** A change of a run's task in mid-run: one step scores programs again under the new version (lineage.ts). */
export type Rescoring = {
  readonly at: Date;
  readonly before: TaskOfRun;
  readonly after: TaskOfRun;
  /** The step that scores again; null while it waits for the end of the step under way. */
  readonly step: number | null;
  /** Why nothing has changed. */
  readonly refused?: string;
};

type Beginning = Pick<RunDocument, 'run' | 'config' | 'createdAt'> & {
  /** The start that makes the run (RunDocument.starts). */
  readonly start?: string | null;
};

/** A run that goes on from a committed step of another, by reference: nothing is copied. */
export type NewFork = Beginning & { readonly from: RunId; readonly step: number };

export type NewRun = Beginning &
  Pick<RunDocument, 'taskDigest' | 'evaluatorDigest' | 'offlineModel'> & {
    readonly taskSnapshot?: string | undefined;
    readonly trust?: Trust | undefined;
    /** Left out means running and without a sweep. */
    readonly status?: 'queued' | 'running';
    readonly sweep?: string | null;
  };

export type RunStanding = Pick<
  RunDocument,
  '_id' | 'status' | 'statusReason' | 'committedStep' | 'generation' | 'configVersion' | 'endedAt' | 'actedAt'
>;

type WithStatus = Pick<RunDocument, 'parked' | 'stopReason' | 'endedAt' | 'starts' | 'pausedMs' | 'createdAt'>;
/** The fields that a change of the status sets beside it. Only the details that are given change. */
export type StatusDetail = { readonly [K in keyof WithStatus]?: WithStatus[K] | undefined } & {
  readonly reason?: string | null;
};
