// The answers about evolved prompts and about ideas, summed up from programs as they come.
import type { Outcome, ProgramId } from '../../../evolution/types.ts';
import { REFUSED } from '../../../evolution/ideas/rounds.ts';
import { range } from '../../../evolution/schedule/slots.ts';

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

/** One idea of a group of programs, which come one after the other. */
class IdeaSum {
  readonly of: string;
  readonly idea: Idea;
  #best: JudgedProgram;
  programs = 0;
  valid = 0;
  helped = 0;
  gains = 0;
  gainSum = 0;

  constructor(first: JudgedProgram, idea: Idea) {
    this.of = IdeaSum.keyOf(first);
    this.idea = idea;
    this.#best = first;
  }

  static keyOf({ step, group }: JudgedProgram): string {
    return `${step} ${group}`;
  }

  add(one: JudgedProgram): void {
    if (REFUSED.has(one.outcome)) return;
    this.programs++;
    if (one.outcome === 'valid') this.valid++;
    if (one.fit !== null && one.fit > (this.#best.fit ?? -Infinity)) this.#best = one;
    if (one.gain === null) return;
    if (one.gain > 0) this.helped++;
    this.gains++;
    this.gainSum += one.gain;
  }

  line(): IdeaLine {
    const { program, outcome, score } = this.#best;
    const { idea, programs, valid, helped } = this;
    const { text, score: judged, would } = idea;
    return { text, judged, would, program, outcome, score, programs, valid, helped, meanGain: meanOf([this]) };
  }
}

const sum = (ideas: readonly IdeaSum[], of: 'programs' | 'valid' | 'helped' | 'gains' | 'gainSum'): number =>
  ideas.reduce((all, one) => all + one[of], 0);
const meanOf = (ideas: readonly IdeaSum[]): number | null =>
  sum(ideas, 'gains') === 0 ? null : sum(ideas, 'gainSum') / sum(ideas, 'gains');

export class IdeaSums {
  readonly #all: IdeaSum[] = [];

  add(asked: JudgedProgram, idea: Idea): void {
    if (this.#all.at(-1)?.of !== IdeaSum.keyOf(asked)) this.#all.push(new IdeaSum(asked, idea));
    this.#all.at(-1)!.add(asked);
  }

  answer({ gate, threshold }: Pick<IdeasAnswer, 'gate' | 'threshold'>): IdeasAnswer {
    const judged = this.#all.filter(({ idea: { score } }) => score !== null && score >= 0);
    const [helped, rest] = [true, false].map((wanted) =>
      judged.filter((one) => one.programs > 0 && one.helped > 0 === wanted),
    ) as [IdeaSum[], IdeaSum[]];
    const surprises = (ideas: readonly IdeaSum[], sign: 1 | -1): readonly IdeaLine[] =>
      ideas
        .toSorted((a, b) => sign * (b.idea.score! - a.idea.score!))
        .slice(0, SURPRISES)
        .map((one) => one.line());
    return {
      ideas: this.#all.length,
      programs: sum(this.#all, 'programs'),
      unjudged: this.#all.filter(({ idea }) => idea.score === null).length,
      unparsed: this.#all.filter(({ idea: { score } }) => score !== null && score < 0).length,
      bins: range(0, 10).map((from) => binOf(judged, from)),
      agreement: agreementOf(tenthsOf(helped), tenthsOf(rest)),
      gate,
      threshold,
      newest: this.#all
        .slice(-NEWEST)
        .reverse()
        .map((one) => one.line()),
      overrated: surprises(rest, 1),
      underrated: surprises(helped, -1),
    };
  }
}

const binOf = (judged: readonly IdeaSum[], from: number): Bin => {
  const own = judged.filter(({ idea }) => Math.min(9, Math.floor(idea.score!)) === from);
  return {
    ...{ from, to: from + 1, ideas: own.length, carried: own.filter(({ programs }) => programs > 0).length },
    ...{ programs: sum(own, 'programs'), valid: sum(own, 'valid'), helped: sum(own, 'helped'), meanGain: meanOf(own) },
  };
};

const tenthsOf = (ideas: readonly IdeaSum[]): readonly number[] => {
  const counts = Array.from({ length: TENTHS }, () => 0);
  for (const { idea } of ideas) counts[Math.min(TENTHS - 1, Math.round(idea.score! * 10))]! += 1;
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
