// The checks of a response before anything runs (ThetaEvolve 3.3, Eq. 1). Duplicates are found later, by the hash of
// `norm`.
import type { DiffSettings } from '../config/run-config.ts';
import { cutShort } from '../models/endings.ts';
import type { Outcome, ProgramId } from '../types.ts';
import { type Unbound, unboundIn } from '../python/unbound.ts';
import { whyNoProgram, withOuterImports, withParentImports } from './accepted-program.ts';
import { applyBlocks, type OtherProgram } from './apply.ts';
import { closedChange } from './closed.ts';
import {
  almostMarker,
  type Ambiguous,
  type Block,
  type BrokenBlock,
  isWhole,
  linesOf,
  readAnswer,
  readBlocks,
  type Unmatched,
} from './diff.ts';
import { readSource } from './equivalence.ts';
import { isPython, languageOf } from './language.ts';
import { TEXT_LIMITS, tooLong } from './limits.ts';
import { afterReasoning } from './reasoning.ts';
import { type FileRules, filesProblem, splitFiles } from '../files/program-files.ts';
import { NO_PROGRAM, readFiles, readProgram, replaceProgram } from './whole-program.ts';

export type EarlyResult = {
  /** Null where nothing is wrong so far: what follows is the search for duplicates, then the evaluation. */
  readonly outcome: Extract<Outcome, 'no_diff' | 'no_change' | 'no_solution'> | null;
  readonly reason: string | null;
  /** The child; null when the answer held no block, and no program where one is accepted. */
  readonly code: string | null;
  /** The canonical text that is to be hashed. */
  readonly norm: string | null;
  /** Code length in characters. */
  readonly length: number;
  /** The number of blocks, broken ones included; 1 for a whole program. */
  readonly blocks: number;
  readonly unmatched: readonly Unmatched[];
  /** Blocks that apply, though to one of several places. */
  readonly ambiguous: readonly Ambiguous[];
  /** The answer held edits, or what might be the program, and nothing of it was taken. Left out where that is not so. */
  readonly nothingTaken?: true;
  /** Names that the program uses and nothing binds, where they were looked for; left out where there are none. */
  readonly unbound?: readonly Unbound[];
};

type ResponseToParent = {
  readonly response: string;
  readonly parentCode: string;
  /** `normalise(parentCode)`, given because siblings share it. */
  readonly parentNorm: string;
  /** The program that blocks are to change where it is not the parent: what earlier answers made of it. */
  readonly base?: string | undefined;
  /** Whether names that nothing binds are looked for. */
  readonly findsUnbound?: boolean | undefined;
  readonly settings: DiffSettings;
  /** The function that a program must define; left out where it is not known. */
  readonly entry?: string | undefined;
  /** Programs that the model was shown beside the parent, which say where the lines of a block come from. */
  readonly others?: readonly OtherProgram[] | undefined;
  /** Left out: no file may be added. */
  readonly files?: FileRules | undefined;
};

/** The first check that finds something decides. */
export const applyResponse = ({
  response,
  parentCode,
  parentNorm,
  base = parentCode,
  findsUnbound = false,
  settings,
  entry,
  others,
  files,
}: ResponseToParent): EarlyResult => {
  if (settings.parse === 'answer' && afterReasoning(response) === null)
    return { ...noDiff(UNCLEAR, []), nothingTaken: true };
  const answer = readAnswer(response, settings.parse);
  const length = tooLong('the answer', answer, TEXT_LIMITS.answerChars);
  if (length !== null) return noDiff(length, []);
  const blocks = settings.accept === 'program' ? [] : readBlocks(answer);
  if (!blocks.some(isWhole)) {
    const whole = settings.accept === 'edits' ? null : wholeProgram(answer, parentCode, { ...settings, entry });
    if (whole !== null && 'code' in whole)
      return checked(whole, { parentCode, parentNorm, findsUnbound, settings, files });
    const reason = whole?.reason ?? null;
    const almost = settings.accept === 'program' ? null : almostMarker(answer);
    const heldEdits = blocks.length > 0 || almost !== null || (reason !== null && reason !== NO_PROGRAM);
    return {
      ...noDiff(whyNoBlock(response, answer, { blocks, settings, almost, program: reason }), blocks),
      ...(heldEdits ? { nothingTaken: true as const } : {}),
    };
  }
  const { code, applied, unmatched, ambiguous } = applyBlocks(base, blocks, { ...settings, others });
  const child = { code, blocks: blocks.length, unmatched, ambiguous };
  if (applied === 0) {
    return {
      ...child,
      length: code.length,
      norm: parentNorm,
      outcome: 'no_change',
      reason: whyNothingApplied(unmatched, blocks.length, settings.strict),
      nothingTaken: true,
    };
  }
  return checked(child, { parentCode, parentNorm, findsUnbound, settings, files });
};

const noDiff = (reason: string, blocks: readonly (Block | BrokenBlock)[]): EarlyResult => ({
  outcome: 'no_diff',
  reason,
  code: null,
  norm: null,
  length: 0,
  blocks: blocks.length,
  unmatched: brokenOf(blocks),
  ambiguous: [],
});

type Child = Pick<EarlyResult, 'blocks' | 'unmatched' | 'ambiguous'> & { readonly code: string };

const checked = (
  made: Child,
  {
    parentCode,
    parentNorm,
    findsUnbound,
    settings: { maxCodeChars, enforceBlock },
    files,
  }: Pick<ResponseToParent, 'parentCode' | 'parentNorm' | 'findsUnbound' | 'settings' | 'files'>,
): EarlyResult => {
  const { code } = made;
  const { norm, error } = readSource(code);
  const child = { ...made, length: code.length, norm };
  if (norm === parentNorm)
    return {
      ...child,
      outcome: 'no_change',
      reason: 'the answer changes only comments, spacing or docstrings, so the program is unchanged',
    };
  if (code.length > maxCodeChars) {
    return {
      ...child,
      outcome: 'no_solution',
      reason: `the program has ${code.length} characters, at most ${maxCodeChars} are allowed`,
    };
  }
  const misplaced = filesProblem(linesOf(parentCode).join('\n'), linesOf(code).join('\n'), files);
  if (misplaced !== null) return { ...child, outcome: 'no_solution', reason: misplaced };
  if (error !== null) return { ...child, outcome: 'no_solution', reason: `does not compile: ${error}` };
  const changed = enforceBlock ? closedChange(linesOf(parentCode).join('\n'), linesOf(code).join('\n')) : null;
  if (changed !== null)
    return { ...child, outcome: 'no_solution', reason: `the code outside the EVOLVE-BLOCK is changed: ${changed}` };
  const unbound = findsUnbound === true && isPython(code) ? newlyUnbound(parentCode, code) : [];
  return { ...child, outcome: null, reason: null, ...(unbound.length === 0 ? {} : { unbound }) };
};

/** What the parent too leaves unbound may be given by whoever runs it. */
const newlyUnbound = (parentCode: string, code: string): readonly Unbound[] => {
  const unbound = unboundIn(code);
  const before = unbound.length === 0 ? [] : unboundIn(parentCode);
  return unbound.filter(({ name }) => !before.some((one) => one.name === name));
};

const wholeProgram = (
  answer: string,
  parentCode: string,
  settings: DiffSettings & Pick<ResponseToParent, 'entry'>,
): Child | { readonly reason: string } => {
  const several = splitFiles(parentCode) !== null;
  const read = several
    ? readFiles(answer)
    : readProgram(
        answer,
        settings.accept === 'either' ? (program) => whyNoProgram(parentCode, program, settings) : undefined,
        languageOf(parentCode).fence,
      );
  if ('reason' in read) return read;
  const replaced = replaceProgram(parentCode, read.program, settings);
  if ('reason' in replaced) return replaced;
  if (several) return { code: replaced.code, blocks: 1, unmatched: [], ambiguous: [] };
  const given = { code: replaced.code, note: null };
  const { enforceBlock } = settings;
  const moveImports = settings.moveImports && isPython(parentCode);
  const outer = moveImports && enforceBlock ? withOuterImports(given.code, read.program) : given;
  const kept = moveImports ? withParentImports(outer.code, parentCode) : given;
  const ambiguous = [outer.note, kept.note].flatMap((reason) => (reason === null ? [] : [{ block: 1, reason }]));
  return { code: kept.code, blocks: 1, unmatched: [], ambiguous };
};

const brokenOf = (blocks: readonly (Block | BrokenBlock)[]): readonly Unmatched[] =>
  blocks.flatMap((block, index) => (isWhole(block) ? [] : [{ block: index + 1, reason: block.broken }]));

const UNCLEAR =
  'it cannot be known where the reasoning ends: its marks stand in it several times. Write the answer after one closing mark, and name no marks in it';
const NO_BLOCK = 'no SEARCH/REPLACE block in the answer';

type NoBlock = {
  readonly blocks: readonly (Block | BrokenBlock)[];
  readonly settings: DiffSettings;
  /** What is said of a line that looks like a marker. */
  readonly almost: string | null;
  readonly program: string | null;
};

/** `program` is the reason why there is no whole program either. */
const whyNoBlock = (response: string, answer: string, { blocks, settings, almost, program }: NoBlock): string => {
  if (response.trim() === '') return 'the response is empty';
  if (answer.trim() === '') return 'there is no answer after the reasoning, or the reasoning is not closed';
  if (settings.accept === 'program' && program !== null) return program;
  const [broken] = brokenOf(blocks);
  const why =
    broken !== undefined
      ? `no whole SEARCH/REPLACE block in the answer; block ${broken.block}: ${broken.reason}`
      : almost !== null
        ? `no SEARCH/REPLACE block in the answer; ${almost}`
        : NO_BLOCK;
  if (program === null || (program === NO_PROGRAM && why !== NO_BLOCK)) return why;
  return `${why}, and ${program}`;
};

const whyNothingApplied = (unmatched: readonly Unmatched[], blocks: number, strict: boolean): string => {
  const [first] = unmatched;
  const why =
    strict && unmatched.length < blocks
      ? `${unmatched.length} of ${blocks} blocks ${unmatched.length === 1 ? 'does' : 'do'} not apply, and then none is taken`
      : `${blocks === 1 ? 'the block does not apply' : `none of ${blocks} blocks applies`}`;
  return `${why}, so the program is unchanged; block ${first?.block}: ${first?.reason}`;
};

/** The reason of a child that equals a program of the run. */
export const repeated = (program: ProgramId): string =>
  `the program is one that this run has tried already, ${program}`;

/** Why an answer has no edits: it was cut off before it had any, or what the early checks say. */
export const reasonOf = (
  { outcome, reason }: { readonly outcome: Outcome | null; readonly reason: string | null },
  finishReason: string | null,
): string | null => (outcome === 'no_diff' ? (cutShort(finishReason) ?? reason) : reason);
