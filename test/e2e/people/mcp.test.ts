// A coding agent over the Model Context Protocol: it makes a task, starts a run, watches it and explains the winner, and
// is refused what the command line refuses. Also the skills: each of their commands is carried out.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../support/models/agent.ts';
import { sharedHome } from '../../support/machine/live.ts';

const SKILLS = join(import.meta.dirname, '..', '..', '..', 'docs', 'skills');

/** As step 3 of making a task says. */
const edit = (file: string, from: RegExp, to: string): void =>
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));

describe('a coding agent', () => {
  const live = sharedHome();
  const folder = mkdtempSync(join(tmpdir(), 'evolve-agent-'));
  let agent: Agent;
  beforeAll(async () => {
    agent = await Agent.start(live.home.env, '--allow', 'start,steer,tasks');
  });
  afterAll(() => agent.close());

  const told = async (name: string, input: object): Promise<string> => {
    const { text, isError } = await agent.call(name, input);
    expect(isError, text).toBe(false);
    return text;
  };

  it('makes a task, starts a run, watches it and explains the winner', async () => {
    const task = join(folder, 'by-agent');
    await told('init', { folder: task });
    expect(await told('task_score', { task })).toContain('"outcome": "valid"');
    await told('run', { task, run: 'by-agent', model: 'offline', steps: 3, set: ['batch=2', 'responses=2'] });
    let seen = '';
    while (!seen.includes('"state":"finished"')) seen = await told('watch', { run: 'by-agent', seconds: 10 });
    const { best } = await live.home.json(['status', 'by-agent']);
    expect(await told('best', { run: 'by-agent', code: true })).toContain('def construct(instance)');
    expect(await told('show', { program: best.program, prompt: true, response: true })).toContain('EVOLVE-BLOCK');
    expect(await told('prompt', { run: 'by-agent', step: 2 })).toContain('--- program: user');
    expect(await told('programs', { run: 'by-agent', step: 1 })).toContain('"outcome"');
    await told('mark', { run: 'by-agent', label: 'promising', star: true });
    await told('extend', { runs: ['by-agent'], steps: 4 });
    expect(await live.must('settings', 'by-agent', '--json')).toContain('"steps": 4');
  });

  it('is refused in the words of the command line', async () => {
    for (const [name, input, words] of [
      ['pause', { runs: ['no-such-run'] }, ['pause', 'no-such-run']],
      ['run', { task: 'no-such-task' }, ['run', '--task', 'no-such-task']],
      ['run', { steps: 'many' }, ['run', '--steps', 'many']],
      ['set', { runs: ['by-agent', 'population.islands=9'] }, ['set', 'by-agent', 'population.islands=9']],
      ['hint', { run: 'by-agent', text: 'x', island: 99 }, ['hint', 'by-agent', 'x', '--island', '99']],
    ] as const) {
      const [{ isError, text }, refused] = [await agent.call(name, input), await live.home.evolve(words)];
      expect([isError, refused.code], text).toEqual([true, 2]);
      expect(text).toContain(refused.stderr.trim());
    }
  });

  it('learns from skills whose commands work', async () => {
    for (const skill of ['make-a-task', 'watch-a-run', 'explain-a-result']) {
      const text = readFileSync(join(SKILLS, skill, 'SKILL.md'), 'utf8');
      for (const [, line] of text.matchAll(/^ *npx evolve (.+)$/gm)) {
        const words = line!.split(' ').map((word) => word.replace(/^\.(?=$|\/)/, folder));
        const { code, stdout, stderr } = await live.home.evolve(words);
        if (words[0] === 'init') edit(join(words[1]!, 'task.yaml'), /Say here[^\n]*/, 'Seek a large x.');
        // The doctor ends with 1 where something is to be done.
        expect([0, ...(words[0] === 'doctor' ? [1] : [])], `${line}\n${stdout}${stderr}`).toContain(code);
      }
      if (skill === 'make-a-task') await live.must('watch', 'my-run');
    }
  });
});
