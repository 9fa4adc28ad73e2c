// Every file in experiments/: it can be read, planned and run in small, its rows differ in the ablated part and in
// nothing else, and no table of the papers that compares methods is missing (docs/experiments.md).
import { describe, expect, it } from 'vitest';
import { usableTask } from '../../../activities/task/usable-task.ts';
import { EXPERIMENTS, listExperiments, paperItems, readExperiment } from '../../../client/papers/experiments.ts';
import { canonicalJson } from '../../../evolution/canonical-json.ts';
import { type Choice, planOf, sweepOf } from '../../../evolution/experiments/plan.ts';
import { programsOf } from '../../../evolution/experiments/scale.ts';
import { AS_IT_IS, type TaskChoice, taskChoice } from '../../../evolution/task/task-choice.ts';
import { expandSweep } from '../../../evolution/sweep/expand.ts';
import { checkSweep } from '../../../evolution/sweep/spec.ts';
import { FULL } from '../../support/sizes.ts';

const URL = 'http://127.0.0.1:1/v1';
const ANSWERS: readonly Choice['answers'][] = [
  { kind: 'published', baseUrl: URL },
  { kind: 'one', name: 'a-model', baseUrl: URL },
  { kind: 'offline' },
];
/** Published answers at both scales first; `npm test` plans the others at one scale each. */
const SIZES: readonly (readonly [answers: Choice['answers'], scale: number])[] = [
  [ANSWERS[0]!, 1],
  [ANSWERS[0]!, 0.01],
  [ANSWERS[1]!, 0.01],
  [ANSWERS[2]!, 1],
  ...(FULL
    ? ([
        [ANSWERS[1]!, 1],
        [ANSWERS[2]!, 0.01],
      ] as const)
    : []),
];
const choice = (more: Partial<Choice> = {}): Choice => ({
  scale: 1,
  seeds: null,
  answers: ANSWERS[0]!,
  over: {},
  trainer: null,
  policy: null,
  ...more,
});
const all = listExperiments();
const named = all.map(({ paper, id }) => [paper, id] as const);
const PUBLISHED = new Map<string, ReturnType<typeof planOf>>();
/** The plan of the paper's own runs, made once. */
const published = (paper: string, id: string) => {
  const key = `${paper} ${id}`;
  const plan = PUBLISHED.get(key) ?? planOf(readExperiment(paper, id), choice());
  PUBLISHED.set(key, plan);
  return plan;
};

describe('experiments', () => {
  it('every table and figure of the papers has an experiment, or a line that says why not', () => {
    const items = paperItems();
    const numbered = (paper: string, kind: string): readonly string[] =>
      items.flatMap((one) => (one.paper === paper && one.item.match(`^${kind} \\d+$`) ? [one.item] : []));
    const PRINTED = { thetaevolve: [10, 11], deltaevolve: [4, 14], alpharesearch: [4, 8], codeevolve: [8, 16] };
    for (const [paper, [tables, figures]] of Object.entries(PRINTED)) {
      expect(numbered(paper, 'Table')).toEqual(Array.from({ length: tables! }, (_, at) => `Table ${at + 1}`));
      expect(numbered(paper, 'Figure')).toEqual(Array.from({ length: figures! }, (_, at) => `Figure ${at + 1}`));
    }
    for (const { item, file, why, differs } of items)
      expect(file === null ? [typeof why, differs] : [why, differs.length > 0], item).toEqual(
        file === null ? ['string', []] : [null, true],
      );
    // No file is left out of the list.
    const files = items.flatMap(({ paper, file }) => (file === null ? [] : [`${paper} ${file}`]));
    expect(files.toSorted()).toEqual(named.map((one) => one.join(' ')).toSorted());
    expect(items.find(({ paper, item }) => paper === 'deltaevolve' && item === 'Table 2')!.incomparable).toContain(
      'symbolic-regression: ',
    );
    expect(() => readExperiment('thetaevolve', 'table-4')).toThrow(
      /^there is no experiment table-4 .*: It lists settings/,
    );
  });

  it('each has runs', () => {
    for (const { runs, programs, title } of all) {
      expect(runs, title).toBeGreaterThan(0);
      expect(programs, title).toBeGreaterThanOrEqual(runs);
    }
    expect(all.filter(({ needsLearning }) => needsLearning).map(({ id }) => id)).toEqual(
      expect.arrayContaining('table-2 table-3 table-5 table-7 table-9 table-10 figure-3 figure-4'.split(' ')),
    );
  });

  it.each(named.filter(([paper, id]) => readExperiment(paper, id).experiment.reads === undefined))(
    '%s %s becomes a sweep, whole and in small, whoever answers; its rows differ in the ablated part alone',
    (paper, id) => {
      const file = readExperiment(paper, id);
      expect(file.experiment).toMatchObject({ paper, id });
      const plans = SIZES.map(([answers, scale]) => planOf(file, choice({ answers, scale })));
      for (const plan of plans) {
        const { name, runs } = expandSweep(checkSweep(sweepOf(plan, 2)), new Date(0));
        expect(name).toBe(plan.name);
        expect(runs).toHaveLength(plan.groups.length * plan.seeds.length);
        // What the sweep runs is what was planned.
        plan.configs.forEach((config, group) => {
          const { seed: _, ...own } = config;
          const { seed: __, ...swept } = runs.find((run) => run.group === group)!.config;
          expect(canonicalJson(swept)).toBe(canonicalJson(own));
        });
      }
      const [whole, small] = plans.map(({ configs }) => configs.map(programsOf));
      expect(small).toHaveLength(whole!.length);
      whole!.forEach((programs, index) => {
        // A run keeps at least four programs.
        expect(small![index]!).toBeLessThanOrEqual(Math.max(6, programs! * 0.016));
        expect(small![index]!).toBeGreaterThanOrEqual(Math.min(programs!, Math.max(4, programs! * 0.008)));
      });
    },
  );

  it('a row that learns has a group to compare answers in, however small it is made', () => {
    for (const answers of ANSWERS) {
      const plan = planOf(readExperiment('thetaevolve', 'table-3'), choice({ answers, scale: 0.00001 }));
      const learning = plan.configs.filter(({ learning: { trainer } }) => trainer !== 'none');
      expect(learning.map(({ responses }) => responses)).toEqual([2, 2]);
    }
  });

  it('runs show, take and count what their papers do, and not what is better by default', () => {
    for (const [paper, id] of named)
      for (const { prompt, diff, repair, evaluation } of published(paper, id).configs)
        expect({ frame: prompt.frame, accept: diff.accept, repair, ...evaluation }, `${paper} ${id}`).toMatchObject({
          frame: 'paper',
          accept: 'edits',
          repair: { rounds: 0 },
          scoring: 'tolerant',
          acceptSavedOnTimeout: false,
        });
  });

  it('numbers of a paper agree with each other: seeds with mean and best, one table with another', () => {
    const valuesOf = (id: string) =>
      readExperiment('thetaevolve', id).experiment.rows.map(({ name, values }) => [name, values] as const);
    const main = new Map(valuesOf('table-2'));
    for (const [name, values] of valuesOf('table-9'))
      for (const [of, { seeds, mean, best }] of Object.entries(values)) {
        expect({ mean, best }, `${name} ${of}`).toEqual({
          mean: main.get(name)![of]!.mean,
          best: main.get(name)![of]!.best,
        });
        if (seeds === undefined) continue;
        const all = Object.values(seeds);
        expect(all.reduce((sum, one) => sum + one, 0) / all.length, `${name} ${of}`).toBeCloseTo(mean!, 3);
        // The paper has 0.5733 for the best of 0.5244, 0.5524 and 0.5734.
        expect(Math.min(...all.map((one) => Math.abs(one - best!))), `${name} ${of}`).toBeLessThan(1.5e-4);
      }
  });

  it('scores best programs on instances for which the paper has the numbers of its row', async () => {
    let held = 0;
    for (const [paper, id] of named) {
      const { cases, rows } = readExperiment(paper, id).experiment;
      for (const one of cases.filter(({ scores }) => scores !== undefined)) {
        const { task } = await usableTask(one.task, () => null, AS_IT_IS);
        const table = task.instances?.find(({ name }) => name === one.instance)?.table;
        const { mean, best } = rows.find(({ name }) => name === 'CodeEvolve')!.values[one.id]!;
        expect(table?.values, `${id} ${one.id}`).toMatchObject({
          'CodeEvolve mean': mean,
          'CodeEvolve best': best,
        });
        held += 1;
      }
    }
    expect(held).toBe(6 + 3 + 11);
  });

  it('names only tasks, instances and starts that are there', async () => {
    const chosen = new Map<string, readonly [task: string, choice: TaskChoice]>();
    const note = (task: string, choice: TaskChoice): void =>
      void chosen.set(canonicalJson([task, choice]), [task, choice]);
    for (const [paper, id] of named) {
      const file = readExperiment(paper, id);
      for (const config of published(paper, id).configs) note(config.task, taskChoice(config));
      for (const { task, instance = null } of file.experiment.cases) note(task, { ...AS_IT_IS, instance });
    }
    const choices = [...chosen.values()].map(([, choice]) => choice);
    expect(choices.filter(({ instance }) => instance !== null).length).toBeGreaterThan(10);
    expect(choices.filter(({ initial }) => initial !== null).length).toBeGreaterThan(4);
    for (const [task, choice] of chosen.values())
      expect((await usableTask(task, () => null, choice)).task.id).toBe(task);
  });

  it('says which papers and experiments there are', () => {
    expect(() => readExperiment('deltaevolv', 'table-1')).toThrow(
      /expected one of the papers .*, got "deltaevolv"\. Did you mean "deltaevolve"\?/,
    );
    expect(() => readExperiment('deltaevolve', 'table-5')).toThrow(
      /expected an experiment of deltaevolve \(ablations, figure-2, .*, table-2\), got "table-5"/,
    );
    expect(() => listExperiments(`${EXPERIMENTS}/nowhere`)).not.toThrow();
  });
});
