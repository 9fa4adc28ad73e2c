// The answers about evolved prompts and about ideas, summed up from programs as they come.
import type { Outcome, ProgramId } from '../../../evolution/types.ts';
import { REFUSED } from '../../../evolution/ideas/rounds.ts';
import { range } from '../../../evolution/schedule/slots.ts';
import { bestOf } from '../../../evolution/scoring/ranking.ts';
import { meanOf, sumOf } from '../../../evolution/statistics.ts';

export type PromptLine = {
  /** Its place in the order in which prompts appeared: its text is at runs/:run/prompts/<place>. */
  readonly place: number;
  /** `initial`, or the id of the group that edited it. */
  readonly id: string;
  /** The place of the prompt that it was edited from; null for an initial one. */
  readonly parent: number | null;
  readonly step: number;
  readonly islands: readonly number[];
  readonly programs: number;
  readonly valid: number;
  /** The number that are better than their parents. */
  readonly helped: number;
  /** `score` is as the task counts it. */
  readonly best: { readonly program: ProgramId; readonly score: number } | null;
};
/** GET runs/:run/prompts. */
export type PromptsAnswer = { readonly prompts: readonly PromptLine[] };
/** GET runs/:run/prompts/:place. `before` is the text of the prompt that it was edited from. */
export type PromptText = { readonly text: string; readonly before: string | null };

/** An idea, and what became of its programs. */
export type IdeaLine = {
  readonly text: string;
  /** The judge's score; -1 for an answer without one, null where nobody judged. */
  readonly judged: number | null;
  /** The verdict of a gate that is on. */
  readonly would: string | null;
  /** The best of its programs, else the first. */
  readonly program: ProgramId;
  readonly outcome: Outcome;
  readonly score: number | null;
  /** Those that were asked for: none where the idea was stopped. */
  readonly programs: number;
  readonly valid: number;
  /** The number that are better than their parent. */
  readonly helped: number;
  readonly meanGain: number | null;
};

/** Ideas whose judge's score is at least `from` and below `to` (the last one with 10 itself), with all their programs. */
export type Bin = Pick<IdeaLine, 'programs' | 'valid' | 'helped' | 'meanGain'> & {
  readonly from: number;
  readonly to: number;
  readonly ideas: number;
  /** Not stopped by the gate. */
  readonly carried: number;
};

/** GET runs/:run/ideas. */
export type IdeasAnswer = {
  readonly ideas: number;
  /** All programs that carried them out. */
  readonly programs: number;
  readonly unjudged: number;
  readonly unparsed: number;
  readonly bins: readonly Bin[];
  /**
   * The share of pairs of carried-out ideas, one of which has a program that is better than its parent and one has none, in which the judge gives the first
   * the higher score; half for a coin. Null without such pairs.
   */
  readonly agreement: number | null;
  readonly gate: 'on' | 'off' | 'shadow';
  readonly threshold: number;
  readonly newest: readonly IdeaLine[];
  /** Highly judged and no better than the parent; of low judgement and better. */
  readonly overrated: readonly IdeaLine[];
  readonly underrated: readonly IdeaLine[];
};

/** A program as these sums need it; texts are references until they are answered. */
export type JudgedProgram = {
  readonly program: ProgramId;
  readonly step: number;
  /** The number of its group in the step. */
  readonly group: number;
  readonly island: number;
  readonly outcome: Outcome;
  readonly score: number | null;
  readonly fit: number | null;
  readonly gain: number | null;
};

type PromptSum = Omit<PromptLine, 'islands' | 'best' | 'parent' | 'programs' | 'valid' | 'helped'> & {
  readonly text: string;
  readonly from: string | null;
  readonly islands: Set<number>;
  programs: number;
  valid: number;
  helped: number;
  best: (NonNullable<PromptLine['best']> & { readonly fit: number }) | null;
};

export class PromptSums {
  readonly #all = new Map<string, PromptSum>();
  readonly #order: PromptSum[] = [];

  /** Initial prompts of different islands share an id and differ in text. */
  add(
    asked: JudgedProgram,
    { id, text, parent }: { readonly id: string; readonly text: string; readonly parent: string | null },
  ): void {
    const key = `${id} ${text}`;
    let sum = this.#all.get(key);
    if (sum === undefined) {
      sum = {
        place: this.#order.length,
        id,
        text,
        from: parent,
        step: asked.step,
        islands: new Set(),
        programs: 0,
        valid: 0,
        helped: 0,
        best: null,
      };
      this.#all.set(key, sum);
      this.#order.push(sum);
    }
    sum.islands.add(asked.island);
    sum.programs++;
    if (asked.gain !== null && asked.gain > 0) sum.helped++;
    const { fit, score, program } = asked;
    if (fit === null || score === null) return;
    sum.valid++;
    if (sum.best === null || fit > sum.best.fit) sum.best = { program, score, fit };
  }

  answer(): PromptsAnswer {
    return {
      prompts: this.#order.map(({ text: _, from, islands, best, ...sum }) => ({
        ...sum,
        parent: this.#placeOf(from, islands)?.place ?? null,
        islands: [...islands].sort((a, b) => a - b),
        best: best === null ? null : { program: best.program, score: best.score },
      })),
    };
  }

  /** References of its text and of the text before; null where there is no such prompt. */
  textsOf(place: number): { readonly text: string; readonly before: string | null } | null {
    const sum = this.#order[place];
    return sum === undefined ? null : { text: sum.text, before: this.#placeOf(sum.from, sum.islands)?.text ?? null };
  }

  /** The prompt of this id; among several, that of the same island. */
  #placeOf(id: string | null, islands: ReadonlySet<number>): PromptSum | undefined {
    if (id === null) return undefined;
    const named = this.#order.filter((one) => one.id === id);
    return named.find((one) => [...one.islands].some((island) => islands.has(island))) ?? named[0];
  }
}

const NEWEST = 40;
const SURPRISES = 8;
/** Judges' scores are counted in tenths. */
const TENTHS = 101;

type Idea = { readonly text: string; readonly score: number | null; readonly would: string | null };

/** An idea with all programs of its group. */
type Told = { readonly idea: Idea; readonly made: JudgedProgram[] };

const summed = (made: readonly JudgedProgram[]): Pick<IdeaLine, 'programs' | 'valid' | 'helped' | 'meanGain'> => {
  const carried = made.filter(({ outcome }) => !REFUSED.has(outcome));
  const gains = carried.flatMap(({ gain }) => gain ?? []);
  return {
    programs: carried.length,
    valid: carried.filter(({ outcome }) => outcome === 'valid').length,
    helped: gains.filter((gain) => gain > 0).length,
    meanGain: meanOf(gains),
  };
};

const lineOf = ({ idea: { text, score: judged, would }, made }: Told): IdeaLine => {
  const { program, outcome, score } = bestOf('maximise', made, ({ fit }) => fit) ?? made[0]!;
  return { text, judged, would, program, outcome, score, ...summed(made) };
};

export class IdeaSums {
  readonly #all: Told[] = [];

  /** Programs of a group come one after the other. */
  add(asked: JudgedProgram, idea: Idea): void {
    const before = this.#all.at(-1)?.made;
    if (before?.[0]!.step === asked.step && before[0]!.group === asked.group) before.push(asked);
    else this.#all.push({ idea, made: [asked] });
  }

  answer({ gate, threshold }: Pick<IdeasAnswer, 'gate' | 'threshold'>): IdeasAnswer {
    const lines = this.#all.map(lineOf);
    const carried = lines.filter(({ judged, programs }) => (judged ?? -1) >= 0 && programs > 0);
    const helped = carried.filter((line) => line.helped > 0).toSorted((a, b) => a.judged! - b.judged!);
    const rest = carried.filter((line) => line.helped === 0).toSorted((a, b) => b.judged! - a.judged!);
    return {
      ideas: lines.length,
      programs: sumOf(lines.map(({ programs }) => programs)),
      unjudged: lines.filter(({ judged }) => judged === null).length,
      unparsed: lines.filter(({ judged }) => judged !== null && judged < 0).length,
      bins: range(0, 10).map((from) => this.#bin(from)),
      agreement: agreementOf(tenthsOf(helped), tenthsOf(rest)),
      gate,
      threshold,
      newest: lines.slice(-NEWEST).reverse(),
      overrated: rest.slice(0, SURPRISES),
      underrated: helped.slice(0, SURPRISES),
    };
  }

  #bin(from: number): Bin {
    const own = this.#all.filter(({ idea }) => Math.min(9, Math.floor(idea.score ?? -1)) === from);
    const carried = own.filter(({ made: [first] }) => !REFUSED.has(first!.outcome)).length;
    return { from, to: from + 1, ideas: own.length, carried, ...summed(own.flatMap(({ made }) => made)) };
  }
}

const tenthsOf = (ideas: readonly IdeaLine[]): readonly number[] => {
  const counts = Array.from({ length: TENTHS }, () => 0);
  for (const { judged } of ideas) counts[Math.min(TENTHS - 1, Math.round(judged! * 10))]! += 1;
  return counts;
};

/** The share of pairs of one from each in which the first is higher; a tie counts half. Null without pairs. */
export const agreementOf = (first: ArrayLike<number>, second: ArrayLike<number>): number | null => {
  let [pairs, won, below, firsts] = [0, 0, 0, 0];
  for (let at = 0; at < first.length; at++) {
    won += first[at]! * (below + second[at]! / 2);
    below += second[at]!;
    firsts += first[at]!;
  }
  pairs = firsts * below;
  return pairs === 0 ? null : won / pairs;
};

type Ordered = { readonly line: PromptLine; /** Edits since the initial prompt. */ readonly depth: number };

/** `tree`: each prompt below the one that it was made from, the better first. */
export const promptOrder = (
  prompts: readonly PromptLine[],
  order: 'tree' | 'best' | 'helped' | 'programs' | 'newest',
  direction: 'maximise' | 'minimise',
): readonly Ordered[] => {
  const fit = ({ best }: PromptLine): number =>
    best === null ? -Infinity : direction === 'maximise' ? best.score : -best.score;
  // By infinities alone, a difference would be no number.
  const better = (a: PromptLine, b: PromptLine): number =>
    fit(a) === fit(b) ? a.place - b.place : fit(b) > fit(a) ? 1 : -1;
  // A prompt is made from one that was there, so that its depth is known when it comes.
  const depths: number[] = [];
  for (const { parent } of prompts) depths.push(parent === null || parent >= depths.length ? 0 : depths[parent]! + 1);
  const at = (line: PromptLine): Ordered => ({ line, depth: depths[line.place]! });
  switch (order) {
    case 'best':
      return prompts.toSorted(better).map(at);
    case 'helped':
      return prompts.toSorted((a, b) => b.helped / b.programs - a.helped / a.programs || better(a, b)).map(at);
    case 'programs':
      return prompts.toSorted((a, b) => b.programs - a.programs || better(a, b)).map(at);
    case 'newest':
      return prompts.toReversed().map(at);
    case 'tree': {
      const children = Map.groupBy(prompts, ({ place, parent }) =>
        parent === null || parent >= place ? null : parent,
      );
      const left = (children.get(null) ?? []).toSorted(better).reverse();
      const ordered: Ordered[] = [];
      for (let line = left.pop(); line !== undefined; line = left.pop()) {
        ordered.push(at(line));
        left.push(...(children.get(line.place) ?? []).toSorted(better).reverse());
      }
      return ordered;
    }
  }
};
