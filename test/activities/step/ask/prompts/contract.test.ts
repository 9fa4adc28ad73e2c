// The contract of prompts: what every request says, whatever the method, the task and the situation. A model acts on
// each sentence, so a number that is not enforced, two sentences that exclude each other, or a word of the engine's
// own costs answers that somebody pays for.
import { describe, expect, it } from 'vitest';
import { listTasks } from '../../../../../activities/task/load-task.ts';
import { promptTokens } from '../../../../../activities/llm/chat/usage.ts';
import { languageOf } from '../../../../../evolution/edits/language.ts';
import { FULL } from '../../../../support/sizes.ts';
import { surplus } from '../../../../../evolution/edits/reintroduced.ts';
import { showNumber } from '../../../../../evolution/prompts/parts/program-card.ts';
import { rankedScore } from '../../../../../evolution/scoring/ranking.ts';
import { commonPrefix, requestText as textOf } from '../../../../../evolution/prompts/shares.ts';
import {
  DRAWN,
  promptRun,
  type PromptRun,
  seenMetrics,
  type SentRequest,
} from '../../../../support/worlds/prompt-world.ts';
import {
  asksIn,
  contradictions,
  engineWords,
  enforcedNumbers,
  leftovers,
  numbersIn,
  prose,
} from '../../../../support/models/prompt-rules.ts';

const METHODS = ['theta', 'delta', 'research', 'code'] as const;
const CONTROLS = ['openevolve', 'greedy-refine', 'parallel-sampling', 'static', 'naive'] as const;
const SMALL = { batch: 4, responses: 1, seed: 7, limits: { steps: 6 }, population: { islands: 2 } } as const;
const FEW_FOUNDERS = { ...SMALL.population, initialisation: 2 };

const settingsOf = (method: string): object => ({
  method,
  ...SMALL,
  ...(['code', 'naive'].includes(method) ? { batch: 2, population: FEW_FOUNDERS } : {}),
  ...(['greedy-refine', 'parallel-sampling'].includes(method) ? { population: {} } : {}),
});

/** Each metric stands in the requests of its frame alone; where scores are masked, none does that says as much. */
const strayMetrics = ({ task, config: { prompt } }: PromptRun, text: string): readonly string[] =>
  Object.entries(seenMetrics(task)).flatMap(([name, value]) => {
    const own = prompt.scores === 'masked' ? 'paper' : prompt.frame;
    const isShown = text.includes(String(value));
    // It ranks, so it stands there as the score.
    if (name === `${task.scoreName}_strict` && own === 'common') return [];
    if ((task.frames?.[name] ?? own) !== own) return isShown ? [`shows the metric ${name} of another frame`] : [];
    const isWanted = text.includes('# Metrics\n') && text.includes('valid = yes');
    return isWanted && !isShown ? [`does not show the metric ${name}`] : [];
  });

/** Everything that the contract says of one request, as sentences; empty where it holds. */
const broken = (run: PromptRun, request: SentRequest): readonly string[] => {
  const { task, config } = run;
  const { messages, stage } = request;
  const text = textOf(messages);
  const words = prose(messages);
  const enforced = enforcedNumbers(task);
  return [
    ...numbersIn(words)
      .filter(({ key }) => !enforced.has(key))
      .map(({ text: said }) => `says "${said}", which no limit enforces: ${[...enforced].join(', ')}`),
    ...contradictions(words),
    ...leftovers(text, words),
    ...strayMetrics(run, text),
    // Whoever edits prompts is told where a prompt is open. The papers' own form keeps the short names of failures.
    ...(stage === 'meta' || config.prompt.frame === 'paper' ? [] : engineWords(words)),
    ...(config.prompt.maxTokens !== null && promptTokens(messages) > config.prompt.maxTokens
      ? [`is longer than prompt.maxTokens: ${promptTokens(messages)} tokens`]
      : []),
    ...(stage === 'program' &&
    config.prompt.frame === 'common' &&
    typeof task.problem === 'string' &&
    text.split(task.problem.trim()).length !== 2
      ? [`states the problem ${text.split(task.problem.trim()).length - 1} times`]
      : []),
  ];
};

const SEARCHING: ReadonlySet<SentRequest['stage']> = new Set(['program', 'idea', 'meta']);
/** As a request shows a line of what a program printed: control characters are escaped. */
const FIRST_LINE = /^tuned [\d.e-]+/;

/** What a program prints is told to be shown and is shown, but never drawn data; and the rest of the run is told briefly. */
const teaching = (
  { task, config }: PromptRun,
  { messages, stage, printed, parent }: SentRequest,
): readonly string[] => {
  const text = textOf(messages);
  const { frame, feedback, style } = config.prompt;
  if (frame === 'paper' || style === 'task-only' || !SEARCHING.has(stage)) return [];
  const told = feedback === 'full' && config.prompt.scores === 'shown';
  const shows = (what: string): boolean => text.includes(FIRST_LINE.exec(what)?.[0] ?? '');
  const notes = /# Elsewhere in this search\n\n(?:- .*\n?)+/.exec(text)?.[0] ?? '';
  return [
    ...(text.includes('is shown to whoever changes it next') ? [] : ['does not say that what is printed is shown']),
    ...(told && !shows(printed.parent) ? ['does not show what the parent printed'] : []),
    ...(told && config.population.islands === 1 && stage !== 'meta' && !shows(printed.best)
      ? ['does not show what the best program printed']
      : []),
    ...(printed.parent !== '' && told && !text.includes('What it printed') ? ['has no heading for it'] : []),
    ...(text.includes('\u001b') ? ['holds a control character'] : []),
    ...(task.data === 'drawn' && text.includes(DRAWN) ? ['shows drawn data'] : []),
    ...(told && notes.includes(` = ${showNumber(rankedScore(parent) ?? -1)}\n`)
      ? ['tells of the program itself as elsewhere']
      : []),
    ...(notes.trim().length > 320 ? [`tells more than 80 tokens of the rest of the run: ${notes}`] : []),
  ];
};

/** One mode a request, and nothing of the initial program to keep. */
const oneMode = ({ config }: PromptRun, { messages, stage, parent, operator }: SentRequest): readonly string[] => {
  const { frame, style } = config.prompt;
  const carriesOut = config.ideation.kind === 'proposal' && stage === 'program';
  if (frame === 'paper' || style === 'task-only' || (stage !== 'program' && stage !== 'idea')) return [];
  const asks = asksIn(prose(messages));
  const draws = config.selection.kind === 'mixture' && operator === null;
  return [
    ...(asks.length === 1 || (carriesOut && asks.length === 0)
      ? []
      : [`asks for ${asks.length} things: ${asks.join(', ')}`]),
    ...(parent.step === 0 && asks.some((ask) => /Refine/.test(ask)) ? ['refines the initial program'] : []),
    ...(draws && config.selection.exploration === 0 && asks.some((ask) => /Explore/.test(ask))
      ? ['calls a draw by score exploring']
      : []),
  ];
};

/** What stands the same in a run comes first, then what is drawn, then the state of the search (docs/prompts.md). */
const ORDER = [
  /^# Limits$/m,
  /^# How to edit$/m,
  /^# Advice$/m,
  /^# (?:Current program|Parent Program|Previous Program)$/m,
];
const unordered = ({ config: { prompt } }: PromptRun, { messages, stage }: SentRequest): readonly string[] => {
  if (stage !== 'program' || prompt.frame === 'paper' || prompt.style === 'task-only') return [];
  const text = textOf(messages);
  const places = [0, ...ORDER.map((one) => text.search(one))].filter((place) => place >= 0);
  return places.some((place, index) => place < (places[index - 1] ?? 0))
    ? [`does not say problem, limits, rules, advice, program in this order: ${places.join(', ')}`]
    : [];
};

/** What is told is told once: advice (where prompts do not evolve) to whoever writes the idea, and of each quantity one best value. */
const once = ({ task, config }: PromptRun, { messages, stage, operator }: SentRequest): readonly string[] => {
  if (config.prompt.frame === 'paper' || task.problem == null) return [];
  const words = prose(messages);
  const best = task.references.find((reference) => reference.best === true)?.value;
  const others = task.references.filter(({ value }) => value !== best && String(value).length > 4);
  return [
    ...(config.ideation.kind === 'proposal' && stage === 'program' && operator === null && words.includes('# Advice')
      ? ['gives advice to the request that carries an idea out']
      : []),
    ...others.flatMap(({ name, value }) =>
      new RegExp(`(?<![\\d.])${String(value).replace('.', '\\.')}(?!\\d)`).test(words)
        ? [`names ${value} (${name}) beside the best value known`]
        : [],
    ),
    ...(best === undefined ? [] : roundingsOf(best, words).slice(1)).map(
      (text) => `says the best value known again, as ${text}`,
    ),
  ];
};

const FENCE = /^(`{3,})([\w+-]*)\n([^]*?)\n\1$/gm;
const linesOf = (code: string): readonly string[] => code.split('\n').filter((line) => line.trim() !== '');
const shared = (code: string, other: string): number =>
  1 - surplus(linesOf(code), linesOf(other)).length / linesOf(code).length;

/** No program stands twice, and one that is much like the program to change is a difference against it. */
const codeTwice = ({ task, config: { prompt } }: PromptRun, { messages, stage }: SentRequest): readonly string[] => {
  if (prompt.frame === 'paper' || !SEARCHING.has(stage)) return [];
  const said = textOf(messages.filter(({ role }) => role !== 'assistant'));
  const fences = [...said.matchAll(FENCE)].map(([, , language, code]) => ({ language, code: code!.trimEnd() }));
  const codes = fences.flatMap(({ language, code }) =>
    language === languageOf(task.initialProgram).fence && code.includes('EVOLVE-BLOCK-START') ? [code] : [],
  );
  const current =
    /^# (?:Current program|Parent Program|Previous Program|Current Program)$[^]*?^`{3,}\w*\n([^]*?)\n`{3,}$/m
      .exec(textOf(messages.slice(-1)))?.[1]
      ?.trimEnd();
  return [
    ...(new Set(codes).size < codes.length ? ['shows the same program twice'] : []),
    ...(stage !== 'meta' && (current === undefined || !codes.includes(current))
      ? ['does not show the program to change']
      : []),
    ...(codes.some((code) => code !== current && shared(code, current ?? '') > 0.75)
      ? ['shows a program whole that is much like the program to change']
      : []),
    ...fences.flatMap(({ language, code }) =>
      language === 'diff' && !/^@@ [^]*$/.test(code) ? ['has a difference without places'] : [],
    ),
  ];
};

/** Every form in which a number of many digits stands in the words. */
const roundingsOf = (value: number, words: string): readonly string[] => [
  ...new Set(
    (words.match(/\d+\.\d{4,}/g) ?? []).filter(
      (text) => Number(value.toPrecision(text.replace('.', '').replace(/^0+/, '').length)) === Number(text),
    ),
  ),
];

/** Under strict ranking the score has the name of what ranks, and the other value stands beside it. */
const named = ({ task, config }: PromptRun, { messages, stage }: SentRequest): readonly string[] => {
  const { frame, scores, feedback } = config.prompt;
  const strict = `${task.scoreName}_strict`;
  if (frame === 'paper' || task.metrics?.[strict] === undefined || config.evaluation.scoring !== 'strict') return [];
  if (stage === 'judge' || stage === 'idea' || scores === 'masked' || feedback !== 'full') return [];
  const text = textOf(messages);
  const isShown = /valid = yes/.test(text);
  return [
    ...(isShown && !text.includes(`${strict} = `) ? [`does not show the score as ${strict}`] : []),
    ...(new RegExp(`(?:raises|lowers) ${task.scoreName}\\b`).test(text) ? ['asks for what does not rank'] : []),
  ];
};

/** What endpoints can read from their caches: the beginning that a request shares with earlier ones of its run. */
const uncached = ({ config: { prompt, method }, requests }: PromptRun): readonly string[] => {
  const before: string[] = [];
  return requests.flatMap(({ stage, step, messages }) => {
    if (stage !== 'program' || prompt.frame === 'paper') return [];
    const text = textOf(messages);
    const share = Math.max(0, ...before.map((other) => commonPrefix(text, other))) / text.length;
    const isFirst = before.length === 0;
    before.push(text);
    return isFirst || share >= 1 / 3
      ? []
      : [`${method}, step ${step}: shares ${Math.round(100 * share)} % of its beginning with earlier requests`];
  });
};

/** A request for a program asks for what `diff.accept` takes, and for nothing else. */
const form = ({ config: { diff } }: PromptRun, { messages, stage }: SentRequest): readonly string[] => {
  if (stage !== 'program') return [];
  const words = prose(messages);
  const edits = /SEARCH|REPLACE|\bblocks?\b|all edits|precise edits|no block is taken/.test(words);
  const whole = (
    diff.accept === 'program' ? /whole (?:new )?program|whole files|new version/ : /whole new program|whole files/
  ).test(words);
  return [
    ...(edits === (diff.accept !== 'program') ? [] : [`says ${edits ? 'something' : 'nothing'} of edits`]),
    ...(whole === (diff.accept !== 'edits') ? [] : [`says ${whole ? 'something' : 'nothing'} of whole programs`]),
  ];
};

const RULES = [broken, form, teaching, oneMode, once, named, unordered, codeTwice];

const check = (run: PromptRun): readonly string[] =>
  run.requests.flatMap((request) =>
    RULES.flatMap((rule) => rule(run, request)).map(
      (fault) => `${run.config.method}, ${run.task.id}, step ${request.step}, ${request.stage}: ${fault}`,
    ),
  );

/** Requests for programs that were asked before in the same words. */
const repeated = ({ requests, config, task }: PromptRun): readonly string[] => {
  const seen = new Set<string>();
  return requests.flatMap(({ stage, step, group, messages }) => {
    if (stage !== 'program' && stage !== 'idea') return [];
    const text = textOf(messages);
    const again = seen.has(text);
    seen.add(text);
    return again ? [`${config.method}, ${task.id}, step ${step}, group ${group}: the same ${stage} request again`] : [];
  });
};

describe('the contract of prompts', async () => {
  const tasks = await listTasks();

  // What a task says and what a method says are joined by the same code: theta meets all tasks, the others a third each.
  it.each(METHODS)('method %s, its tasks', async (method) => {
    const faults: string[] = [];
    const nth = METHODS.indexOf(method);
    for (const task of tasks.filter((_, index) => FULL || nth === 0 || index % 3 === nth - 1)) {
      // Answers of a task are much like another task's; the situations below have them for every method.
      const run = await promptRun({ task, settings: settingsOf(method), steps: method === 'theta' ? 2 : 1 });
      faults.push(...check(run), ...repeated(run), ...uncached(run));
    }
    expect([...new Set(faults)]).toEqual([]);
  });

  it.each(CONTROLS)('control %s', async (method) => {
    for (const task of ['circle-packing-square-26', 'online-bin-packing', 'golomb-ruler-12', 'no-three-in-line-12']) {
      const run = await promptRun({ task, settings: settingsOf(method), steps: 3 });
      expect([...new Set([...check(run), ...uncached(run)])]).toEqual([]);
    }
  });

  const SITUATIONS: { readonly [name: string]: object } = {
    'other limits': { evaluation: { cpuSeconds: 11 } },
    'a failed parent': {
      population: { ...FEW_FOUNDERS, admitFailures: true },
      selection: { exploration: 1, exploitation: 0 },
    },
    'drawn by score': { selection: { exploration: 0, exploitation: 0.2, rest: 'weighted' } },
    'one island': { population: { islands: 1 } },
    'a hint': { prompt: { hints: [{ text: 'Try hexagons.' }] } },
    'several answers a prompt': { responses: 3 },
    'whole programs': { diff: { accept: 'program' } },
    'edits alone': { diff: { accept: 'edits' } },
    "whole programs in the papers' own form": { diff: { accept: 'program' }, prompt: { frame: 'paper' } },
    "edits alone in the papers' own form": { diff: { accept: 'edits' }, prompt: { frame: 'paper' } },
    'strict edits': { diff: { strict: true } },
    'masked scores': { prompt: { scores: 'masked' } },
    'exploring only': { exploration: { schedule: 'constant', start: 1 } },
    'ideas first': { ideation: { kind: 'proposal' } },
    "the papers' own form": { prompt: { frame: 'paper' } },
  };
  it.each(Object.keys(SITUATIONS))('situation: %s', async (name) => {
    for (const method of METHODS) {
      const { population: base, ...settings } = settingsOf(method) as { population?: object };
      const { population, ...more } = SITUATIONS[name]! as { population?: object };
      const run = await promptRun({
        task: 'circle-packing-square-26',
        settings: { ...settings, ...more, population: { ...base, ...population } },
        steps: 3,
      });
      expect([...new Set([...check(run), ...uncached(run)])]).toEqual([]);
      if (!name.endsWith("papers' own form")) expect(repeated(run)).toEqual([]);
    }
  });

  it('whoever edits a prompt is told what other prompts led to', async () => {
    const { requests } = await promptRun({
      task: 'circle-packing-square-26',
      settings: {
        ...settingsOf('code'),
        population: { islands: 1, initialisation: 2 },
        exploration: { schedule: 'constant', start: 1 },
      },
      steps: 5,
    });
    const asked = requests.filter(({ stage }) => stage === 'meta').map(({ messages }) => textOf(messages));
    expect(asked.join('\n')).toMatch(
      /# Other prompts of this search\n\n.*\n\n- sum_radii_strict = [\d.]+: "- Think of symmetry \(\d+_\d+_\d+\)\."/,
    );
  });
});
