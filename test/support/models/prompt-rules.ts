// What no prompt may say, as rules over its text: numbers of limits that nothing enforces, pairs of sentences that
// exclude each other, leftovers of templates, words of the engine's own.
import type { Task } from '../../../evolution/task/task.ts';
import type { Message } from '../../../evolution/types.ts';

/**
 * The words of a request: everything but code, which stands in fences, and answers that models wrote. Programs may name
 * any number.
 */
export const prose = (messages: readonly Message[]): string => {
  const kept: string[] = [];
  for (const { role, content } of messages) {
    if (role === 'assistant') continue;
    let fence: string | null = null;
    let edit = false;
    for (const line of content.split('\n')) {
      const ticks = /^(`{3,})/.exec(line)?.[1];
      if (fence !== null) {
        if (ticks !== undefined && ticks.length >= fence.length && line.trim() === ticks) fence = null;
        continue;
      }
      if (ticks !== undefined) fence = ticks;
      else if (/^<{7} SEARCH/.test(line)) edit = true;
      else if (/^>{7} REPLACE/.test(line)) edit = false;
      else if (!edit) kept.push(line);
    }
  }
  return kept.join('\n');
};

const UNITS: { readonly [unit: string]: string } = {
  s: 's',
  second: 's',
  seconds: 's',
  MiB: 'MiB',
  MB: 'MB',
  GiB: 'GiB',
  GB: 'GB',
  core: 'cores',
  cores: 'cores',
};

/** Every number with a unit of a limit, as `60 s`. */
export const numbersIn = (words: string): readonly { readonly key: string; readonly text: string }[] =>
  [...words.matchAll(/(?<![\w.])(\d+(?:\.\d+)?)\s?(s|seconds?|MiB|GiB|MB|GB|cores?)\b(?!\^)/g)].map(
    ([text, number, unit]) => ({
      key: `${Number(number)} ${UNITS[unit!]!}`,
      text: text!,
    }),
  );

const SHARE_TOLD = 6 / 7;

/** What the run enforces, in every way in which it may be said. */
export const enforcedNumbers = (task: Task): ReadonlySet<string> => {
  const { cpuSeconds, wallSeconds, memoryBytes, outputBytes } = task.limits;
  const told = cpuSeconds * SHARE_TOLD;
  const mib = memoryBytes / 2 ** 20;
  const output = outputBytes / 2 ** 20;
  return new Set([
    ...[
      cpuSeconds,
      wallSeconds,
      told,
      Math.floor(told),
      Math.round(told),
      Number(told.toFixed(1)),
      Number(told.toFixed(2)),
    ].map((n) => `${n} s`),
    ...[mib, output].map((n) => `${n} MiB`),
    ...[mib / 1024].map((n) => `${n} GiB`),
    // A call may have a limit of its own, which the evaluator enforces.
    ...[...task.evaluatorSource.matchAll(/^\w+_SECONDS\b.* = ([\d., ]+)$/gm)].flatMap(([, values]) =>
      values!.split(',').map((seconds) => `${Number(seconds)} s`),
    ),
    `${(task.limits as { cores?: number }).cores ?? 1} cores`,
  ]);
};

/** Two sentences of which a prompt may say one at most. */
const EXCLUDE: readonly (readonly [RegExp, RegExp])[] = [
  [/without any search/i, /use the time (?:there is|you have)/i],
  [/[Tt]une the search that is there/, /bold change of method/],
  [/Do not rewrite the whole program/, /as a whole program|whole new program/],
  [/changes nothing/, /rejects the (?:whole )?answer|no edit is (?:made|applied)/],
  [/reached a plateau|come to a plateau/, /initial program/],
  [/\bRefine the\b/, /\bExplore:/],
  [/go on in that direction|Keep what works|keep what worked|Take from them what helps the current/, /\bExplore:/],
  [
    /go on in that direction|Keep what works|keep what worked|\bRefine:|Refine the current/,
    /nothing of it has to stay/,
  ],
  [/do not copy them/, /\bRefine\b/],
  [/go on in that direction/, /longer by \d+ characters|take another direction/],
  [/The current program fails/, /\bRefine:|\bExplore:|Last change: it made the program better/],
  [/another basin is needed/, /which nothing can beat/],
  [/You are an expert/, /You are an expert[\s\S]*You are an expert/],
  [/\bto maximi[sz]e\b/, /\bto minimi[sz]e\b/],
  [/\braises? the fitness\b/, /\blowers? the fitness\b/],
];

const ASKS =
  /^(?:Refine: |Refine the current program|Explore: |Find what limits the current program|The current program is the one that|The current program fails\.)/gm;
/** What a request for a program or an idea asks for; one thing in the common frame. */
export const asksIn = (words: string): readonly string[] => words.match(ASKS) ?? [];

export const contradictions = (words: string): readonly string[] =>
  EXCLUDE.filter(([one, other]) => one.test(words) && other.test(words)).map(
    ([one, other]) => `says both ${String(one)} and ${String(other)}`,
  );

/** Names of settings and outcomes, which mean nothing to a model. */
const ENGINE =
  /\b(?:no_diff|no_change|no_solution|diff\.strict|diff\.accept|enforceBlock|lazyScope|admitFailures|PROMPT-BLOCK|timeout_cpu|timeout_wall|program_error|rm_failed|idea_failed)\b/g;
export const engineWords = (words: string): readonly string[] =>
  [...new Set(words.match(ENGINE))].map((word) => `uses the engine's word ${word}`);

/** Placeholders that were not filled, and values that are none. */
export const leftovers = (text: string, words: string): readonly string[] => [
  ...[...new Set(text.match(/\{\{\s*\w+\s*\}\}/g))].map((name) => `has the placeholder ${name} left`),
  ...[...new Set(words.match(/(?<![\w$`{])\{[a-z][A-Za-z]+\}(?!\})/g))].map(
    (name) => `has the placeholder ${name} left`,
  ),
  ...[/\bundefined\b/, /\[object Object\]/, /= NaN\b/, /<!-- section/, /\n{4,}/]
    .filter((wrong) => wrong.test(words))
    .map((wrong) => `has the leftover ${String(wrong)}`),
  ...(/^\s*#+ .+\n+\s*$/.test(words) ? ['ends with a heading'] : []),
];
