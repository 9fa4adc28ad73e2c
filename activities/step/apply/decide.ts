// Decides of the answers to a step's slots by rules alone: which of them counts, whose model is to be asked once more,
// and the delta of each slot (ThetaEvolve Eq. 1).
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { completeDelta } from '../../../evolution/deltas/complete.ts';
import { reasonOf, repeated } from '../../../evolution/edits/early-checks.ts';
import { reintroduced } from '../../../evolution/edits/reintroduced.ts';
import type { ProgramId } from '../../../evolution/types.ts';
import type { AnswerRead } from '../../reading/readings.ts';
import { blobRef } from '../../store/content/texts.ts';
import type {
  DeltaDocument,
  DeltaLines,
  ProgramDocument,
  PromptDocument,
} from '../../store/documents/step-documents.ts';
import { type ToRepair, wantsRepair } from '../commit/repair.ts';
import { countingAnswer, type ToAsk } from './again.ts';

/** An answer to a slot, read beside the parent. */
export type SlotAnswer = {
  readonly id: ProgramId;
  readonly slot: number;
  readonly prompt: PromptDocument;
  readonly parent: ProgramDocument;
  readonly response: string;
  readonly finishReason: string | null;
  readonly read: AnswerRead;
};

export type Facts = {
  /** The answers of each slot in their order, the first one and those that were asked for once more. */
  readonly answers: readonly (readonly SlotAnswer[])[];
  /** Programs of the run by the hash of their text. */
  readonly known: ReadonlyMap<string, ProgramId>;
  /** Hashes of the lines that were deleted on the way to each parent. */
  readonly deleted: ReadonlyMap<ProgramId, ReadonlySet<string>>;
};

export type Step = {
  readonly config: RunConfig;
  readonly run: string;
  readonly step: number;
  readonly epoch: number;
  /** Slots whose model is not to be asked once more. */
  readonly final: readonly number[];
};

type Decisions = {
  readonly deltas: readonly DeltaDocument[];
  /** The texts of programs that the deltas name. */
  readonly codes: readonly string[];
  readonly again: readonly ToAsk[];
  readonly repairs: readonly ToRepair[];
};

/** The answer that counts. `again` is the number of further answers before it. */
type Chosen = SlotAnswer & { readonly again: number };

export const decide = (facts: Facts, of: Step): Decisions => {
  const { config, run, step, epoch, final } = of;
  const chosen: Chosen[] = [];
  const again: ToAsk[] = [];
  for (const ofSlot of facts.answers) {
    const tried = ofSlot.map(({ finishReason, read: { result } }) => ({ finishReason, result }));
    const at = countingAnswer(tried, final.includes(ofSlot[0]!.slot) ? 0 : config.diff.askAgain);
    if (at !== null) chosen.push({ ...ofSlot[at]!, again: at });
    else {
      const { id: program, slot, prompt, response, read } = ofSlot.at(-1)!;
      const place = { run, step, epoch, group: prompt.group, program, slot };
      again.push({ ...place, prompt, round: ofSlot.length, response, result: read.result });
    }
  }
  const deltas = chosen.map((one) => deltaDocument(one, of, facts));
  return {
    deltas,
    codes: chosen.flatMap(({ read: { result } }) => result.code ?? []),
    again,
    repairs: deltas.flatMap((delta, index) => repairOf(chosen[index]!, delta, config)),
  };
};

const deltaDocument = (
  { id, slot, parent, read, finishReason, again }: Chosen,
  { run, step }: Step,
  { known, deleted }: Facts,
): DeltaDocument => {
  const { result, delta, hash } = read;
  const duplicateOf = (result.outcome === null && hash !== null && known.get(hash)) || null;
  return {
    ...{ _id: id, run, step, slot, parent: parent._id },
    outcome: duplicateOf === null ? result.outcome : 'duplicate',
    reason: duplicateOf === null ? reasonOf(result, finishReason) : repeated(duplicateOf),
    code: result.code === null ? null : blobRef(result.code),
    normHash: hash,
    length: result.length,
    blocks: result.blocks,
    unmatched: result.unmatched,
    duplicateOf,
    ...(again === 0 ? {} : { again }),
    ...(result.ambiguous.length === 0 ? {} : { ambiguous: result.ambiguous }),
    ...(delta === null ? {} : { change: changeOf(read, parent) }),
    ...(result.outcome === null && result.code !== null ? { lines: linesOf(read, deleted.get(parent._id)!) } : {}),
  };
};

const repairOf = ({ prompt, parent, read }: Chosen, delta: DeltaDocument, config: RunConfig): readonly ToRepair[] => {
  if (read.delta === null || !wantsRepair(delta, config)) return [];
  const { run, step, epoch, group } = prompt;
  const place = { program: delta._id, run, step, epoch, group };
  return [{ ...place, delta: read.delta, parentDelta: parent.change ?? null, blocks: read.patch }];
};

const changeOf = ({ result, delta, added, deleted }: AnswerRead, { change }: ProgramDocument) =>
  completeDelta({
    delta: delta!,
    parentDelta: change ?? null,
    blocks: result.blocks,
    addedLines: added.length,
    deletedLines: deleted,
  });

/** Number of returned lines that are kept for prompts. */
const RETURNED = 20;

const linesOf = ({ added, deletedHashes }: AnswerRead, deletedBefore: ReadonlySet<string>): DeltaLines => {
  const returned = reintroduced(added, deletedBefore);
  return {
    added: added.length,
    reintroduced: returned.length,
    deleted: deletedHashes,
    returned: returned.slice(0, RETURNED),
  };
};
