// The answers about evolved prompts and about ideas, summed up from programs as they come.
import type { Outcome, ProgramId } from '../../../evolution/types.ts';
import { keepBest } from './keep-best.ts';

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

/** The result of an idea. */
export type IdeaLine = {
  readonly program: ProgramId;
  readonly text: string;
  /** The judge's score; -1 for an answer without one, null where nobody judged. */
  readonly judged: number | null;
  /** The verdict of a gate that is on. */
  readonly would: string | null;
  readonly outcome: Outcome;
  readonly score: number | null;
  readonly gain: number | null;
};

/** Ideas whose judge's score is at least `from` and below `to` (the last one with 10 itself). */
export type Bin = {
  readonly from: number;
  readonly to: number;
  readonly ideas: number;
  /** Not stopped by the gate. */
  readonly carried: number;
  readonly valid: number;
  readonly helped: number;
  readonly meanGain: number | null;
};

/** GET runs/:run/ideas. */
export type IdeasAnswer = {
  readonly ideas: number;
  readonly unjudged: number;
  readonly unparsed: number;
  readonly bins: readonly Bin[];
  /**
   * The share of pairs of carried-out ideas, one that helped and one that did not, in which the judge gives the first
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

export class IdeaSums {
  #ideas = 0;
  #unjudged = 0;
  #unparsed = 0;
  readonly #bins = Array.from({ length: 10 }, () => ({
    ideas: 0,
    carried: 0,
    valid: 0,
    helped: 0,
    gains: 0,
    gainSum: 0,
  }));
  readonly #helped = new Float64Array(TENTHS);
  readonly #rest = new Float64Array(TENTHS);
  readonly #newest: IdeaLine[] = [];
  readonly #overrated: IdeaLine[] = [];
  readonly #underrated: IdeaLine[] = [];

  add({ program, outcome, score, gain }: JudgedProgram, { text, score: judged, would }: Idea): void {
    const line: IdeaLine = { program, text, judged, would, outcome, score, gain };
    this.#ideas++;
    this.#newest.unshift(line);
    if (this.#newest.length > NEWEST) this.#newest.pop();
    if (judged === null) return void this.#unjudged++;
    if (judged < 0) return void this.#unparsed++;
    const bin = this.#bins[Math.min(9, Math.floor(judged))]!;
    bin.ideas++;
    if (outcome === 'rejected') return;
    const helped = gain !== null && gain > 0;
    bin.carried++;
    if (outcome === 'valid') bin.valid++;
    if (helped) bin.helped++;
    if (gain !== null) {
      bin.gains++;
      bin.gainSum += gain;
    }
    (helped ? this.#helped : this.#rest)[Math.min(TENTHS - 1, Math.round(judged * 10))]! += 1;
    if (helped) keepBest(this.#underrated, line, SURPRISES, (one) => -one.judged!);
    else keepBest(this.#overrated, line, SURPRISES, (one) => one.judged!);
  }

  answer({ gate, threshold }: Pick<IdeasAnswer, 'gate' | 'threshold'>): IdeasAnswer {
    return {
      ideas: this.#ideas,
      unjudged: this.#unjudged,
      unparsed: this.#unparsed,
      bins: this.#bins.map(({ gains, gainSum, ...bin }, from) => ({
        from,
        to: from + 1,
        ...bin,
        meanGain: gains === 0 ? null : gainSum / gains,
      })),
      agreement: agreementOf(this.#helped, this.#rest),
      gate,
      threshold,
      newest: this.#newest,
      overrated: this.#overrated,
      underrated: this.#underrated,
    };
  }
}

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
