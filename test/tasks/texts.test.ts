// What models read of every task: a problem statement that is true for any parent and any step, advice beside it, and
// an initial program whose imports a model can change.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importsOutside } from '../../activities/check/check-texts.ts';
import { listTasks, loadTask, readTask, TASKS_ROOT } from '../../activities/task/load-task.ts';
import { AS_IT_IS } from '../../evolution/task/task-choice.ts';
import type { Paper, PaperParts } from '../../evolution/task/task.ts';

const TASKS = await Promise.all((await listTasks()).map((id) => loadTask(id)));

/** Words that are false for some parent or step, or that a later part of the prompt contradicts. */
const FALSE_WORDS: readonly (readonly [RegExp, why: string])[] = [
  [/\byou are an?\b/i, 'a persona, which a prompt has once in its system message'],
  [/\b(?:program|function|code|formula|search|set|signs) below\b/i, 'some prompts show no program below'],
  [/\bimprove the (?:program|function)\b/i, 'the first step founds programs'],
  [/\bthe (?:present|current|existing|initial) (?!sequence)\w+/i, 'the parent is another program'],
  [/\bthe program(?:'s)? (?:takes|reaches|comes|starts|signs)/i, 'the parent is another program'],
  [/\b(?:has|have) (?:come to|led|reached) (?:a plateau|nowhere)/i, 'a claim about the state of the run'],
  [/\bwithout any search\b/i, 'the parent may search'],
  [/\b(?:tune|keep) the (?:search|idea) (?:that is|of)\b/i, 'the closing asks for bold changes'],
  [/EVOLVE-BLOCK|PROMPT-BLOCK|<{7}|>{7}/, 'a marker of ours'],
  [/—/, 'a dash that the house does not use'],
  [/\{\{|\}\}|\{[a-z]\w*\}(?!\})/i, 'a placeholder that was not filled in'],
];

describe.each(TASKS.map((task) => [task.id, task] as const))('%s', (_, task) => {
  test('its texts are true for any program and step', () => {
    const texts = [['problem.md', task.problem ?? ''], ...task.prompts.map(({ name, text }) => [name, text])];
    const found = texts.flatMap(([name, text]) =>
      FALSE_WORDS.flatMap(([words, why]) => {
        const got = words.exec(text!)?.[0];
        return got === undefined ? [] : [`${name}: expected no ${JSON.stringify(got)}: ${why}`];
      }),
    );
    expect(found).toEqual([]);
  });

  test('the problem names score, direction, call, answer and what is invalid, each once', () => {
    const problem = task.problem!;
    expect(problem).toContain(`\`${task.scoreName}\` (to ${task.direction})`);
    expect(problem.match(/\bto (?:maximise|minimise)\b/g)).toHaveLength(1);
    for (const label of ['- Program: ', '- Answer: ', '- Invalid: ']) expect(problem.split(label)).toHaveLength(2);
    expect(problem).toContain(`\`${task.entry}(`);
    expect(problem.length).toBeLessThan(4000);
  });

  test('its problem says that what ranks is what ranks', async () => {
    const { scoreName, metrics = {} } = task;
    for (const scoring of ['strict', 'tolerant'] as const) {
      const { problem } = await readTask(join(TASKS_ROOT, task.id), TASKS_ROOT, { ...AS_IT_IS, scoring });
      const told = [...problem!.matchAll(/ranked by `(\w+)`/g)].map(([, name]) => name);
      const both = Object.hasOwn(metrics, `${scoreName}_strict`);
      expect(told).toEqual(both ? [scoring === 'strict' ? `${scoreName}_strict` : scoreName] : []);
      expect(problem).not.toMatch(/by default/i);
    }
  });

  test('with the parts of a paper it keeps to what the paper tells', async () => {
    const best = task.references.find((reference) => reference.best === true)!;
    for (const [paper, { parts }] of Object.entries(task.paperParts ?? {}) as [Paper, PaperParts][]) {
      const told = await readTask(join(TASKS_ROOT, task.id), TASKS_ROOT, { ...AS_IT_IS, parts: [paper] });
      expect(told.prompts).toEqual(parts);
      expect(told.partsOf).toBe(paper);
      expect(told.problem).not.toContain(String(Number(best.value.toPrecision(10))));
      for (const words of [told.problem!, ...parts.map(({ text }) => text)])
        expect(words).not.toMatch(/\{own\}|\{[a-z]\w*\}|—|EVOLVE-BLOCK/);
      for (const { text } of parts) expect(text.length).toBeLessThan(2500);
    }
  });

  test('its advice is short and repeats nothing of the problem', () => {
    const lines = new Set(task.problem!.split('\n').filter((line) => line.length > 40));
    for (const { text } of task.prompts) {
      expect(text.length).toBeLessThan(2000);
      expect(text.split('\n').filter((line) => lines.has(line))).toEqual([]);
    }
  });

  test('the initial program imports inside its open block, and writes shapes as numpy does', () => {
    expect(task.initialProgram).not.toMatch(/\[[fi] x /);
    expect(importsOutside(task.initialProgram, 'initial.py')).toEqual([]);
  });

  test('its metrics are explained, and no axis of its archive is the score under another name', () => {
    expect(Object.keys(task.metrics ?? {}).length).toBeGreaterThan(0);
    const axes = (task.features ?? []).map((feature) => (typeof feature === 'string' ? feature : feature.name));
    expect(axes).not.toContain(`metric:${task.scoreName}`);
    const known = new Set(Object.keys(task.metrics ?? {}).map((name) => `metric:${name}`));
    expect(axes.filter((name) => !known.has(name))).toEqual([]);
  });
});
