// The readings from the texts of models and candidates. Each reading is a pure function of plain data, because it is
// done in a thread that shares nothing with the caller (reading.ts).
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { Delta } from '../../evolution/deltas/delta.ts';
import { parseDelta, splitAnswer } from '../../evolution/deltas/parse.ts';
import type { OtherProgram } from '../../evolution/edits/apply.ts';
import { type Block, parseBlocks, readAnswer } from '../../evolution/edits/diff.ts';
import { applyResponse, type EarlyResult } from '../../evolution/edits/early-checks.ts';
import { normalise } from '../../evolution/edits/equivalence.ts';
import { keptNotes, TEXT_LIMITS, tooLong } from '../../evolution/edits/limits.ts';
import { editedLines, lineHash } from '../../evolution/edits/reintroduced.ts';
import { fileRules, type KnownFiles } from '../program-paths.ts';
import { givenProgram } from '../../evolution/edits/whole-program.ts';
import { editPrompt, type PromptEdit } from '../../evolution/exploration/prompt-edit.ts';
import { recommendationsIn } from '../../evolution/prompts/notes.ts';
import { parseIdea, parseVerdict } from '../../evolution/ideas/idea.ts';
import { type Shape, shapeOf } from '../../evolution/measures/diversity.ts';
import { treeSize } from '../../evolution/measures/tree-size.ts';
import { sha256 } from '../sha256.ts';

type Answer = {
  readonly response: string;
  readonly parentCode: string;
  /** As in applyResponse. */
  readonly base?: string | undefined;
  readonly findsUnbound?: boolean | undefined;
  readonly config: { readonly prompt: Pick<RunConfig['prompt'], 'style'>; readonly diff: RunConfig['diff'] };
  /** The function that a program must define; left out where it is not known. */
  readonly entry?: string | undefined;
  /** Programs that the model was shown beside the parent; left out where they do not matter. */
  readonly others?: readonly OtherProgram[] | undefined;
  /** What programs may add; left out: no file. */
  readonly files?: KnownFiles | undefined;
};

export type AnswerRead = {
  readonly result: Omit<EarlyResult, 'norm'>;
  /** The hash of the canonical text; null without a child. */
  readonly hash: string | null;
  readonly delta: Delta | null;
  /** The blocks of the answer; where there are none, the lines that differ make one. */
  readonly patch: readonly Block[];
  /** The lines that the child has and its parent lacks, in order; empty without a child. */
  readonly added: readonly string[];
  /** The reverse: how many, and the hash of each different one. */
  readonly deleted: number;
  readonly deletedHashes: readonly string[];
};

const NO_LINES = { added: [], deleted: [] };

/** Siblings share their parent, so its canonical text is made once. */
const PARENTS = 8;
const norms = new Map<string, string>();
const normOf = (code: string): string => {
  const norm = norms.get(code) ?? normalise(code);
  norms.delete(code);
  norms.set(code, norm);
  for (const oldest of norms.keys()) if (norms.size > PARENTS) norms.delete(oldest);
  return norm;
};

const answer = ({ response: text, parentCode, config, files, ...more }: Answer): AnswerRead => {
  const { response, delta } = splitAnswer(text, config);
  const { norm, ...result } = applyResponse({
    response,
    parentCode,
    parentNorm: normOf(parentCode),
    settings: config.diff,
    files: fileRules(files),
    ...more,
  });
  const { added, deleted } = result.code === null ? NO_LINES : editedLines(parentCode, result.code);
  const blocks = config.diff.accept === 'program' || delta === null ? [] : parseBlocks(response);
  return {
    result: { ...result, unmatched: keptNotes(result.unmatched), ambiguous: keptNotes(result.ambiguous) },
    hash: norm === null ? null : sha256(norm),
    delta,
    patch: blocks.length > 0 || delta === null ? blocks : [{ search: deleted, replace: added }],
    added,
    deleted: deleted.length,
    deletedHashes: [...new Set(deleted.map(lineHash))],
  };
};

/** The delta that the answer of a repair call holds, or why it is not read. */
type DeltaRead = { readonly delta: Delta; readonly reason: null } | { readonly delta: null; readonly reason: string };

const delta = (text: string): DeltaRead => {
  const answered = readAnswer(text, 'answer');
  const reason = tooLong('the answer', answered, TEXT_LIMITS.answerChars);
  return reason === null ? { delta: parseDelta(answered).delta, reason } : { delta: null, reason };
};

/** An idea, or why there is none. */
type IdeaRead = { readonly idea: string; readonly reason: null } | { readonly idea: null; readonly reason: string };

const idea = (text: string): IdeaRead => {
  const parsed = parseIdea(text);
  const reason = parsed === '' ? 'the answer holds no idea' : tooLong('the idea', parsed, TEXT_LIMITS.ideaChars);
  return reason === null ? { idea: parsed, reason } : { idea: null, reason };
};

const prompt = ({ prompt: edited, answer: text }: { readonly prompt: string; readonly answer: string }): PromptEdit =>
  editPrompt(edited, text, { parse: 'answer' });

type Given = {
  readonly initial: string;
  readonly given: string;
  readonly diff: Pick<RunConfig['diff'], 'enforceBlock'>;
  readonly files?: KnownFiles | undefined;
};

const given = ({ initial, given: program, diff, files }: Given): ReturnType<typeof givenProgram> =>
  givenProgram(initial, program, diff, fileRules(files));

type Measure = { readonly code: string; readonly treeSize: boolean; readonly shape: boolean };
/** Null where it was not asked for. */
type Measured = { readonly treeSize: number | null; readonly shape: Shape | null };

const measure = ({ code, ...measures }: Measure): Measured => ({
  treeSize: measures.treeSize ? treeSize(code) : null,
  shape: measures.shape ? shapeOf(code) : null,
});

/** The readings by name. A stage's answer (idea, verdict, prompt) comes without its reasoning. */
export const READINGS = {
  answer,
  idea,
  verdict: (text: string): number => parseVerdict(text),
  notes: recommendationsIn,
  prompt,
  delta,
  /** The program that a person injects, or why it is refused. */
  given,
  /** The hash of a program's canonical text. */
  canonical: (code: string): string => sha256(normalise(code)),
  measure,
};

export type Reading = keyof typeof READINGS;
export type TextOf<K extends Reading> = Parameters<(typeof READINGS)[K]>[0];
export type ReadOf<K extends Reading> = ReturnType<(typeof READINGS)[K]>;
