// What every arm of every experiment asks its models, whole: it tells the limits that are enforced, the score that ranks,
// the packages that are there and the paper's target, gives the paper's parts of advice and no others, and has no two lines that contradict.
import { describe, expect, it } from 'vitest';
import { initialPrompt } from '../../../activities/step/ask/prompts/evolved-prompts.ts';
import { firstPrompt } from '../../../activities/step/ask/prompts/first-prompt.ts';
import { loadTask } from '../../../activities/task/load-task.ts';
import { usableTask } from '../../../activities/task/usable-task.ts';
import { listedExperiments, PAPER_MODELS, readExperiment } from '../../../client/papers/experiments.ts';
import { canonicalJson } from '../../../evolution/canonical-json.ts';
import { PACKAGE_SETS } from '../../../evolution/config/settings/package-sets.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { planOf } from '../../../evolution/experiments/plan.ts';
import { initialIdea } from '../../../evolution/prompts/initial-idea.ts';
import { taskChoice } from '../../../evolution/task/task-choice.ts';
import { type Task, timeLimitTold } from '../../../evolution/task/task.ts';

const PARTS = { thetaevolve: 'theta', deltaevolve: 'delta', alpharesearch: 'research', codeevolve: 'code' } as const;

/** What each paper names as the value to reach, in every part; null: it names none. */
const TARGETS: { readonly [paper: string]: { readonly [task: string]: string | null } } = {
  theta: {
    'circle-packing-square-26': '2.635',
    'first-autocorrelation': null,
    'second-autocorrelation': '0.96',
    'third-autocorrelation': '1.4557',
    'hadamard-29': '0.935673',
  },
  code: {
    'circle-packing-square-26': '2.6358627564136983',
    'circle-packing-square-32': '2.937944526205518',
    'circle-packing-rect-21': '2.3658321334167627',
    'hexagon-packing-11': '3.930092',
    'hexagon-packing-12': '3.9419123',
    'max-min-distance-16-2': '12.889266112',
    'max-min-distance-14-3': '4.165849767',
    'first-autocorrelation': '1.50316',
    'second-autocorrelation': '0.96102',
  },
  research: { 'circle-packing-square-26': null, 'circle-packing-square-32': null },
  delta: { 'hexagon-packing-11': '0.2544' },
};

/** The problems for which CodeEvolve's requests offer numpy, or numpy and scipy, alone; for all others they offer packages. */
const WITHOUT_PACKAGES = ['online-bin-packing', 'tsp-gls', 'flow-shop'];

/** Two statements of which a request may hold one alone. */
const CONTRADICTIONS: readonly (readonly [RegExp, RegExp])[] = [
  [/ranked by `\w+_strict`/, /ranked by `(?!\w+_strict)\w+`/],
  [/do not rewrite the whole program/i, /(?:as a|in a whole new|the whole new) program\b/i],
  [/fine-tune parameters|minor adjustments/i, /a bold change of method is worth more/i],
  [/not an iterative search|write no search/i, /any search method|try any search/i],
  [/the last solution saved so counts/, /what it saved with `checkpoint\(solution\)` does not count/],
];

type Arm = { readonly paper: keyof typeof PARTS; readonly names: string[]; readonly config: RunConfig };

/** The arms that ask for different things, with the tables in which they stand. */
const arms = (): readonly Arm[] => {
  const found = new Map<string, Arm>();
  for (const { paper, id } of listedExperiments()) {
    const choice = { scale: 1, seeds: null, answers: PAPER_MODELS, over: {}, trainer: null, policy: null };
    for (const config of planOf(readExperiment(paper, id), choice).configs) {
      const { task, instance, initial, method, prompt, evaluation, exploration, ideation, diff } = config;
      const key = canonicalJson({ task, instance, initial, method, prompt, evaluation, exploration, ideation, diff });
      const arm = found.get(key) ?? { paper, names: [], config };
      if (!arm.names.includes(`${paper} ${id}`)) arm.names.push(`${paper} ${id}`);
      found.set(key, arm);
    }
  }
  return [...found.values()];
};

/** Each request that the arm can begin with: one for each part, with an evolved prompt or a first idea as it has them. */
const requestsOf = async (task: Task, config: RunConfig): Promise<readonly string[]> => {
  if (config.ideation.kind !== 'none') return [initialIdea({ task, baseline: null, digits: config.ideation.digits })];
  const all: string[] = [];
  for (const part of task.prompts) {
    const messages = await firstPrompt({ ...task, prompts: [part] }, config);
    all.push(messages.map(({ content }) => content).join('\n\n'));
  }
  return all;
};

const ARMS = arms();

describe.each(ARMS.map((arm) => [`${arm.names.join(', ')}: ${arm.config.method} on ${arm.config.task}`, arm] as const))(
  '%s',
  (_, { paper, config }) => {
    it('asks for what the paper asks', async () => {
      const { task } = await usableTask(config.task, () => null, taskChoice(config));
      const own = await loadTask(config.task);
      const wanted = PARTS[paper];
      expect(task.partsOf).toBe(wanted);
      const target = TARGETS[wanted]?.[task.id];
      const packages = wanted === 'code' && !WITHOUT_PACKAGES.includes(task.id) ? PACKAGE_SETS.science : [];
      expect(config.evaluation.packages).toBe(packages.length === 0 ? null : 'science');
      for (const [index, text] of (await requestsOf(task, config)).entries()) {
        // The limits are those of the container.
        const { cpuSeconds } = task.limits;
        expect(cpuSeconds).toBe(config.evaluation.cpuSeconds ?? own.limits.cpuSeconds);
        expect([...text.matchAll(/stopped after ([\d.]+) s of CPU|it has ([\d.]+) seconds of CPU/g)].length).toBe(1);
        expect(text).toMatch(new RegExp(`(?:stopped after|it has) ${cpuSeconds} s`));
        for (const [, told] of text.matchAll(/tells it (\d+): plan/g))
          expect(Number(told)).toBe(timeLimitTold(task.limits));
        // What can be imported is what is told.
        for (const name of PACKAGE_SETS.science)
          expect(new RegExp(` ${name} \\d`).test(text), name).toBe(packages.includes(name));
        // What ranks is what is told.
        for (const [, ranking] of text.matchAll(/ranked by `(\w+)`/g))
          expect(ranking).toBe(config.evaluation.scoring === 'strict' ? `${task.scoreName}_strict` : task.scoreName);
        // The paper's part, whole, and nothing of our own advice or of what we know.
        const part = task.prompts[config.ideation.kind === 'none' ? index : 0]!;
        expect(text).toContain(part.text.trim());
        for (const { text: advice } of own.prompts)
          for (const line of advice.split('\n').filter((one) => one.length > 40)) expect(text).not.toContain(line);
        const best = own.references.find((reference) => reference.best === true)!;
        if (!part.text.includes(String(best.value))) expect(text).not.toContain(String(best.value).slice(0, 10));
        expect(text).not.toMatch(/This was written for the problem|Best value that this evaluator/);
        if (typeof target === 'string') expect(part.text).toContain(target);
        for (const [one, other] of CONTRADICTIONS)
          expect(one.test(text) && other.test(text), `${one} ${other}`).toBe(false);
      }
      if (config.exploration.metaPrompt) {
        // The whole prompt may be edited, as in the paper's appendix.
        const prompt = initialPrompt(task, config, 0);
        expect(prompt).toContain(task.problem!.trim().split('\n')[0]);
        expect(prompt).toContain('# Limits');
      }
    });
  },
);

it('goes over every experiment', () => {
  const covered = new Set(ARMS.flatMap(({ names }) => names));
  expect(listedExperiments().filter(({ paper, id }) => !covered.has(`${paper} ${id}`))).toEqual([]);
});
