// What every prompt says of the problem (docs/prompts.md, The problem).
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  joined,
  limitsSection,
  problemOf,
  PYTHON,
  type Stated,
  statementOf as partsOf,
} from '../../../evolution/prompts/parts/statement.ts';

const task: Stated = {
  problem: 'Pack circles.\n',
  scoreName: 'sum_radii',
  kind: 'solution',
  direction: 'maximise',
  limits: { cpuSeconds: 70, wallSeconds: 210, memoryBytes: 1 << 30, outputBytes: 4 << 20, pids: 64, cores: 1 },
};
const common = { frame: 'common', acceptSavedOnTimeout: true } as const;
const statementOf = (...of: Parameters<typeof partsOf>): string => {
  const { problem, advice } = partsOf(...of);
  return joined(problem, advice);
};
const paper = { ...common, frame: 'paper' } as const;

describe('the statement', () => {
  it('is the problem, the limits and one part of advice, in both frames', () => {
    const text = statementOf(task, common, 'Try hexagons.\n');
    expect(text.split('\n').filter((line) => line.startsWith('# '))).toEqual(['# Limits', '# Advice']);
    expect(text.startsWith('Pack circles.\n\n# Limits\n')).toBe(true);
    expect(
      text.endsWith(
        '# Advice\n\nThis was written for the problem, not for the current program, which may do some of it already.\n\nTry hexagons.',
      ),
    ).toBe(true);
    expect(statementOf(task, paper, 'Try hexagons.\n')).toBe(text);
    expect(statementOf(task, common, '# PROMPT-BLOCK-START\n# PROMPT-BLOCK-END\n')).toBe(problemOf(task, common));
  });

  it('says what the metrics mean where programs are shown with them', () => {
    const measured = { ...task, metrics: { gap: 'the smallest distance' } };
    expect(statementOf(measured, common, 'A.')).not.toContain('smallest distance');
    expect(statementOf(measured, { ...common, metrics: true }, 'A.')).toContain(
      '# Metrics\n\nPrograms are shown with these numbers beside their score:\n\n- `gap`: the smallest distance\n\n# Limits',
    );
  });

  it('of a task without one is the part, with limits; in the form of the papers it is the part alone', () => {
    const old = { ...task, problem: null };
    expect(statementOf(old, common, 'Pack.')).toBe(`Pack.\n\n${limitsSection(old, common)}`);
    expect(statementOf(old, paper, 'Pack.')).toBe('Pack.');
    expect(problemOf(old, common)).toBe('');
  });

  it('of an evolved prompt shows no markers to a model that writes programs', () => {
    const evolved = 'Closed.\n# PROMPT-BLOCK-START\n  Open.  \n# PROMPT-BLOCK-END\nEnd.';
    expect(statementOf(task, common, evolved)).toContain(
      '# Advice\n\nThis was written for the problem, not for the current program, which may do some of it already.\n\nClosed.\n  Open.  \nEnd.',
    );
  });
});

describe('the limits', () => {
  it('are those that are enforced, each with its number, once', () => {
    const text = limitsSection(task, common);
    for (const said of [
      '70 s of CPU time',
      '`instance["time_limit_s"]` tells it 60',
      '210 s',
      '1 GiB',
      '4 MiB',
      'One core',
      '64 processes',
      'the last solution saved so counts',
    ])
      expect(text.split(said)).toHaveLength(2);
    expect(
      limitsSection({ ...task, limits: { ...task.limits, cpuSeconds: 7, cores: 4, memoryBytes: 300 << 20 } }, common),
    ).toMatch(/7 s of CPU[^]*tells it 6:[^]*300 MiB\. 4 cores\./);
  });

  it('say whether a checkpoint counts, and speak of results and checkpoints only where there are some', () => {
    expect(limitsSection(task, { acceptSavedOnTimeout: false })).toContain('does not count');
    const called = limitsSection({ ...task, kind: 'function', timed: true }, common);
    expect(called).not.toMatch(/checkpoint|Result|time_limit_s/);
    expect(called).toMatch(/over all calls together[^]*of its own while time is measured/);
  });

  it('name the language of the task, and for Python what the image holds', () => {
    expect(limitsSection({ ...task, world: { language: 'cpp' } }, common)).toMatch(
      /`\{"checkpoint": solution\}`[^]*Language: C\+\+20, g\+\+ 12 or newer with -std=c\+\+20/,
    );
    const wheels = readFileSync(
      new URL('../../../deploy/images/evaluator/python-3.12-wheels.txt', import.meta.url),
      'utf8',
    );
    for (const name of ['numpy', 'scipy'] as const) expect(wheels).toContain(`${name}==${PYTHON[name]}.`);
    expect(limitsSection(task, common)).toContain(`numpy ${PYTHON.numpy} and scipy ${PYTHON.scipy}`);
  });
});
