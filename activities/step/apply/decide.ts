// Decides of the answers to a step's slots by rules alone: which of them counts, whose model is to be asked to mend its
// answer, which program is to be run, and the delta of each slot (ThetaEvolve Eq. 1).
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { completeDelta } from '../../../evolution/deltas/complete.ts';
import type { Delta } from '../../../evolution/deltas/delta.ts';
import { reasonOf, repeated } from '../../../evolution/edits/early-checks.ts';
import { reintroduced } from '../../../evolution/edits/reintroduced.ts';
import { answeredId } from '../../../evolution/ids.ts';
import { cutShort } from '../../../evolution/models/endings.ts';
import type { ProgramId } from '../../../evolution/types.ts';
import type { AnswerRead } from '../../reading/readings.ts';
import { blobRef } from '../../store/content/texts.ts';
import type { DeltaDocument, DeltaLines, ProgramDocument } from '../../store/documents/step-documents.ts';
import { deltaIdOf } from '../../store/content/mended.ts';
import { type LacksDelta, wantsDelta } from '../commit/missing-delta.ts';
import { type Form, isTaken } from './forms.ts';
import type { ToAsk } from './repair.ts';

export type Step = {
  readonly config: RunConfig;
  readonly run: string;
  readonly step: number;
  readonly epoch: number;
  /** Slots whose model is not to be asked any more. */
  readonly final: readonly number[];
  /** Each program is run and mended by itself, though it equals that of another slot. */
  readonly each: boolean;
};

/** What is to be done after the last form of a slot. */
type Next = 'run' | 'mend' | 'end';

/** True where a model was asked to mend this form, or may be: it is not the last, or rounds are left. */
const isLeft = (forms: readonly Form[], at: number, { config, final }: Asking): boolean =>
  at < forms.length - 1 || (forms.length <= config.repair.rounds && !final.includes(forms[at]!.slot));

/** True where the form is a program that was run, or is to be. */
const isRun = (forms: readonly Form[], at: number, of: Asking): boolean => {
  const { read, duplicateOf } = forms[at]!;
  if (read.result.outcome !== null || duplicateOf !== null) return false;
  if (forms.slice(0, at).some((form) => form.read.hash === read.hash)) return false;
  // A name may be bound in a way that cannot be seen, so at last the program is run.
  return read.result.unbound === undefined || !isLeft(forms, at, of);
};

type Asking = Pick<Step, 'config' | 'final'>;

/** A model is asked at most `repair.rounds` times to mend its answer, and not where that repeats a program or was cut. */
export const nextAfter = (forms: readonly Form[], of: Asking): Next => {
  const at = forms.length - 1;
  const { read, finishReason, evaluation, duplicateOf } = forms[at]!;
  const { outcome, nothingTaken, unbound } = read.result;
  const runs = isRun(forms, at, of);
  if (runs && (evaluation === null || evaluation.outcome === 'valid')) return 'run';
  const isFault =
    runs ||
    (outcome === null && duplicateOf === null && unbound !== undefined) ||
    ((nothingTaken === true || outcome === 'no_solution') && cutShort(finishReason) === null);
  return isFault && isLeft(forms, at, of) ? 'mend' : 'end';
};

type Decisions = {
  readonly deltas: readonly DeltaDocument[];
  /** The texts of programs that the deltas name. */
  readonly codes: readonly string[];
  readonly asks: readonly ToAsk[];
  readonly lacking: readonly LacksDelta[];
  /** The forms that are to be run. */
  readonly toRun: readonly DeltaDocument[];
};

/** `deleted` are hashes of the lines that were deleted on the way to each parent. */
export const decide = (
  slots: readonly (readonly Form[])[],
  deleted: ReadonlyMap<ProgramId, ReadonlySet<string>>,
  of: Step,
): Decisions => {
  const { each } = of;
  const made = slots.map((forms) => decideSlot(forms, deleted, of));
  // Of equal programs one is mended: where steps are not a stream, one of them was run.
  const seen = new Set<string | null>();
  const asks = made
    .flatMap(({ ask }) => ask)
    .filter(({ form: { evaluation, read } }) => {
      const isFirst = evaluation === null || each || !seen.has(read.hash);
      seen.add(read.hash);
      return isFirst;
    });
  return {
    deltas: made.flatMap(({ deltas }) => deltas),
    codes: made.flatMap(({ codes }) => codes),
    asks,
    lacking: made.flatMap(({ lacking }) => lacking),
    toRun: made.flatMap(({ toRun }) => toRun),
  };
};

const decideSlot = (forms: readonly Form[], deleted: ReadonlyMap<ProgramId, ReadonlySet<string>>, of: Step) => {
  const last = forms.at(-1)!;
  const next = nextAfter(forms, of);
  const ran = forms.flatMap((_, index) => (isRun(forms, index, of) ? [index] : []));
  const counting = ran.length > 0 ? ran : next === 'mend' ? [] : [countingOf(forms)];
  const deltas = counting.map((again, place) => deltaDocument(forms, { again, place }, of, deleted));
  const { id: program, slot, prompt } = last;
  const { run, step, epoch } = of;
  return {
    deltas,
    codes: counting.flatMap((index) => forms[index]!.read.result.code ?? []),
    ask:
      next === 'mend'
        ? [{ run, step, epoch, group: prompt.group, program, slot, prompt, round: forms.length, form: last }]
        : [],
    lacking: counting.slice(0, 1).flatMap((index) => lackingOf(forms[index]!, deltas[0]!, of.config)),
    toRun: next === 'run' || (ran.length === 0 && awaits(forms[counting[0] ?? 0]!)) ? deltas.slice(-1) : [],
  };
};

/** True of a program without a fault that its text shows, as long as it is not known to fail. */
const awaits = ({ read, duplicateOf, evaluation }: Form): boolean =>
  read.result.outcome === null && duplicateOf === null && (evaluation === null || evaluation.outcome === 'valid');

/** Where no form was run, the last that is a program counts, else the first answer. */
const countingOf = (forms: readonly Form[]): number =>
  Math.max(
    0,
    forms.findLastIndex((form) => isTaken(form) && form.read.result.outcome !== 'no_change'),
  );

/** The first form that is run has the id of the program, and each later one that of the request that it answers. */
const deltaDocument = (
  forms: readonly Form[],
  { again, place }: { readonly again: number; readonly place: number },
  { run, step }: Step,
  deleted: ReadonlyMap<ProgramId, ReadonlySet<string>>,
): DeltaDocument => {
  const { id, slot, parent, read, finishReason, duplicateOf } = forms[again]!;
  const { result, hash } = read;
  const from = forms.findIndex((form) => isTaken(form));
  // A mended answer need not tell once more what it changes.
  const told = forms.slice(0, again + 1).findLast((form) => (form.read.delta?.status ?? 'missing') !== 'missing');
  const delta = told?.read.delta ?? read.delta;
  return {
    ...{ _id: place === 0 ? id : answeredId(id, 'repair', again), run, step, slot, parent: parent._id },
    outcome: duplicateOf === null ? result.outcome : 'duplicate',
    reason: duplicateOf === null ? reasonOf(result, finishReason) : repeated(duplicateOf),
    code: result.code === null ? null : blobRef(result.code),
    normHash: hash,
    length: result.length,
    blocks: result.blocks,
    unmatched: result.unmatched,
    duplicateOf,
    ...(parent.mended === undefined ? {} : { parentForm: deltaIdOf(parent) }),
    ...(again === 0 ? {} : { again }),
    ...(from <= 0 ? {} : { told: from }),
    ...(result.ambiguous.length === 0 ? {} : { ambiguous: result.ambiguous }),
    ...(delta === null ? {} : { change: changeOf(read, delta, parent) }),
    ...(result.outcome === null && result.code !== null
      ? { lines: linesOf(read, deleted.get(deltaIdOf(parent))!) }
      : {}),
  };
};

const lackingOf = ({ prompt, parent, read }: Form, delta: DeltaDocument, config: RunConfig): readonly LacksDelta[] => {
  if (read.delta === null || !wantsDelta(delta, config)) return [];
  const { run, step, epoch, group } = prompt;
  const place = { program: delta._id, run, step, epoch, group };
  return [{ ...place, delta: read.delta, parentDelta: parent.change ?? null, blocks: read.patch }];
};

const changeOf = ({ result, added, deleted }: AnswerRead, delta: Delta, { change }: ProgramDocument) =>
  completeDelta({
    delta,
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
