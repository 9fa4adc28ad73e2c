// The ids of what a committed step made, as its marker says. In a stream (evolution/schedule/stream.ts) they are in the
// name of the stream's first step, and in the order in which they were finished.
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { programId, promptId } from '../../../evolution/ids.ts';
import { range, slotsOf } from '../../../evolution/schedule/slots.ts';
import { slotsInOrder } from '../../../evolution/schedule/stream.ts';
import type { StreamPlace } from '../../../evolution/schedule/stream.ts';
import type { ProgramId, RunId } from '../../../evolution/types.ts';
import type { StepDocument } from './documents.ts';
import type { PromptDocument } from './step-documents.ts';
import type { StoredStep } from './stored.ts';

/** In birth order. */
export const programsOf = ({
  run,
  step,
  epoch,
  slots,
  stream,
}: Pick<StoredStep, 'run' | 'step' | 'epoch' | 'slots' | 'stream'>): readonly ProgramId[] =>
  stream === undefined
    ? slots.flatMap(([first, last]) => range(first, last - first + 1).map((slot) => programId(run, step, epoch, slot)))
    : [
        ...slotsInOrder(stream).map((slot) => programId(run, stream.first, epoch, slot)),
        ...stream.injected.map((slot) => programId(run, step, epoch, slot)),
      ];

/** The place of the prompts and calls of a step: the step in whose name they are, and their groups. */
export type AskedIn = {
  readonly run: RunId;
  readonly step: number;
  readonly epoch: number;
  /** Left out means all groups of a step. */
  readonly groups?: readonly number[];
  /** Everything that was evaluated, injected programs too. Left out means the programs of the groups. */
  readonly programs?: readonly ProgramId[];
};

export const askedIn = (
  { run, step, epoch, stream }: Pick<StepDocument, 'run' | 'step' | 'epoch' | 'stream'>,
  programs: readonly ProgramId[],
): AskedIn =>
  stream === undefined
    ? { run, step, epoch, programs }
    : { run, step: stream.first, epoch, groups: stream.groups, programs };

type Sizes = Pick<RunConfig, 'batch' | 'responses'>;

const groupsIn = ({ groups }: AskedIn, { batch }: Sizes): readonly number[] => groups ?? range(0, batch);

export const promptsIn = (asked: AskedIn, config: Sizes): readonly string[] =>
  groupsIn(asked, config).map((group) => promptId(asked.run, asked.step, asked.epoch, group));

export const programsIn = (asked: AskedIn, config: Sizes): readonly ProgramId[] =>
  groupsIn(asked, config).flatMap((group) =>
    slotsOf(group, config.responses).map((slot) => programId(asked.run, asked.step, asked.epoch, slot)),
  );

const GROUPS_PER_PAGE = 100;

/** The prompts of a stream's groups that are planned and not committed, by id, in the order of groups. */
export const plannedGroups = async (
  { getPrompts }: { readonly getPrompts: (ids: readonly string[]) => Promise<ReadonlyMap<string, PromptDocument>> },
  at: Omit<AskedIn, 'groups'>,
  { next, open }: StreamPlace,
): Promise<ReadonlyMap<string, PromptDocument>> => {
  const idOf = (group: number): string => promptId(at.run, at.step, at.epoch, group);
  const prompts = new Map(await getPrompts(open.map(idOf)));
  for (let from = next; ; from += GROUPS_PER_PAGE) {
    const page = await getPrompts(range(from, GROUPS_PER_PAGE).map(idOf));
    for (const [id, prompt] of [...page].sort(([, a], [, b]) => a.group - b.group)) prompts.set(id, prompt);
    // Groups are planned in order, so that the first page with a gap is the last one.
    if (page.size < GROUPS_PER_PAGE) return prompts;
  }
};
