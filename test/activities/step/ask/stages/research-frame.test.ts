// What the models of AlphaResearch read in the common frame: problem and limits in every request, the judge as well, and
// each of them once (docs/prompts.md, The common frame).
import { describe, expect, it } from 'vitest';
import { askedIn } from '../../../../../deploy/offline-model/role.ts';
import { initialIdea } from '../../../../../evolution/prompts/initial-idea.ts';
import type { Task } from '../../../../../evolution/task/task.ts';
import { research } from '../../../../support/worlds/research-world.ts';

const PROBLEM = '# Problem\n\nPack 26 circles into the unit square. The score is the sum of the radii.';
const common = (more: object = {}) => ({ prompt: { frame: 'common' }, ...more });
const times = (text: string, part: string): number => text.split(part).length - 1;

describe('requests about ideas', () => {
  it('state problem and limits once, for the first parent and for later ones', async () => {
    const world = research({ problem: PROBLEM }, common());
    await world.play(3);
    expect(world.asked.filter(({ role }) => role !== 'judge').length).toBeGreaterThan(3);
    for (const { role, system, user } of world.asked) {
      expect(times(`${system}\n${user}`, 'Pack 26 circles into the unit square'), role).toBe(1);
      expect(times(`${system}\n${user}`, 's of CPU time, counted'), role).toBe(1);
    }
    const [first] = world.asked;
    expect(first!.user.startsWith(PROBLEM)).toBe(true);
    expect(first!.user).toContain('# Current Proposal\n\nNo proposal was written for this program');
    expect(first!.user).toContain('raises sum_radii');
    expect(askedIn([{ role: 'user', content: first!.user }]).kind).toBe('idea');
    expect(first!.user).not.toMatch(/# Current Proposal\n\nYou are/);
  });

  it('a prompt-only judge reads problem and score; one that was trained reads the idea alone', async () => {
    const judged = async (ideation: object) => {
      const world = research({ problem: PROBLEM, idea: () => 'Use a grid.' }, common({ ideation }));
      await world.play(1);
      return world.asked.find(({ role }) => role === 'judge')!.user;
    };
    const prompted = await judged({});
    expect(prompted).toContain('> Pack 26 circles into the unit square.');
    expect(prompted).toMatch(/The program that it changes has sum_radii_strict=\d/);
    expect(prompted.endsWith('The proposal:\n\n\nUse a grid.')).toBe(true);
    // The offline model takes it for a judgement of this idea, whatever the problem says.
    expect(askedIn([{ role: 'user', content: prompted }])).toEqual({ kind: 'judge', idea: 'Use a grid.' });
    const trained = await judged({ judge: 'trained' });
    expect(trained).not.toContain('Pack 26 circles');
    expect(trained).not.toContain('The program that it changes');
    expect(trained.endsWith('The proposal:\n\n\nUse a grid.')).toBe(true);
  });

  it('a judge is told no scores where they are masked', async () => {
    const world = research({ problem: PROBLEM }, common({ prompt: { frame: 'common', scores: 'masked' } }));
    await world.play(1);
    expect(world.asked.find(({ role }) => role === 'judge')!.user).not.toMatch(/sum_radii(?:_strict)?=/);
  });
});

describe('the idea of the initial program', () => {
  const task: Parameters<typeof initialIdea>[0]['task'] = {
    title: 'T',
    problem: 'State it.',
    prompts: [{ name: 'role', weight: 1, text: 'You are an expert. Improve the program below.' }],
    references: [],
    direction: 'maximise',
    scoreName: 'points',
    entry: 'solve',
    limits: {
      cpuSeconds: 60,
      wallSeconds: 180,
      memoryBytes: 1 << 30,
      outputBytes: 1 << 20,
      pids: 64,
    } as Task['limits'],
  };
  const reference = (name: string, value: number, more: object = {}) => ({
    name,
    value,
    source: name,
    strict: true,
    ...more,
  });

  it('is made of the problem statement, not of a part that speaks of a program below', () => {
    const text = initialIdea({ task, baseline: 1 });
    expect(text).toContain('State it.');
    expect(text).not.toContain('below');
    expect(initialIdea({ task: { ...task, problem: null }, baseline: 1 })).toContain('below');
  });

  it('names no value that a program of this form cannot reach, and none twice', () => {
    const references = [
      reference('claimed in another form', 9),
      reference('human', 3),
      reference('ours', 5, { best: true }),
    ];
    const text = initialIdea({ task: { ...task, references }, baseline: 1 });
    expect(text).toContain('Best by human hands: points=3');
    expect(text).toContain('Best known: points=5');
    expect(text).not.toContain('9');
    expect(initialIdea({ task: { ...task, references: [references[0]!] }, baseline: 1 })).not.toContain('Best');
    expect(initialIdea({ task: { ...task, references, problem: 'The best known is 5.' }, baseline: 1 })).not.toContain(
      'points=5',
    );
  });
});

describe('the base of an idea', () => {
  it('is the best program where the idea says so: judge and program model get that one', async () => {
    const world = research(
      {
        problem: PROBLEM,
        idea: ({ user }, k) => `${user.includes('Base: best') ? 'Base: best\n' : ''}Idea number ${k}.`,
        result: (number) => ({ score: number === 10 ? 9 : 1, strictScore: number === 10 ? 9 : 1 }),
      },
      common({ selection: { exploration: 1, exploitation: 0 }, population: { islands: 1 } }),
    );
    await world.play(8);
    const programs = await world.programs();
    const best = programs.find(({ step }) => step === 1)!;
    const based = programs.filter(({ step, idea }) => step > 2 && idea !== undefined);
    expect(based.length).toBeGreaterThan(2);
    const others = world.asked.filter(({ role, user }) => role === 'idea' && user.includes('# Best Program So Far'));
    expect(others.length).toBeGreaterThan(0);
    for (const { parents } of based) expect(parents).toEqual([best._id]);
    for (const { role, user } of world.asked.filter(({ role }) => role !== 'idea'))
      expect(user, role).not.toContain('Base: best');
  });
});

describe('what was tried', () => {
  it('stands in the next request for the same program, refused ideas too, so that no request comes twice', async () => {
    const world = research(
      {
        problem: PROBLEM,
        idea: (_, k) => `Idea number ${k} moves the middle.`,
        judge: (_, k) => `\\boxed{${k === 0 ? 3 : 8}}`,
        result: (number) =>
          number === 11
            ? { outcome: 'invalid', score: null, strictScore: null, reasons: ['circle 3 leaves the square by 0.25'] }
            : { score: 1, strictScore: 1 },
      },
      common({ selection: { kind: 'initial' }, population: { islands: 1, archive: 10 } }),
    );
    await world.play(4);
    const ideas = world.asked.filter(({ role }) => role === 'idea').map(({ user }) => user);
    expect(new Set(ideas).size).toBe(ideas.length);
    expect(ideas[1]).toContain('"Idea number 0 moves the middle."');
    expect(ideas[3]).toContain('circle 3 leaves the square by 0.25');
    const judged = world.asked.filter(({ role }) => role === 'judge').map(({ user }) => user);
    expect(judged[1]).toContain('> - "Idea number 0 moves the middle.": not carried out');
    // A program is written from the idea that passed; what was refused is not put before its model.
    for (const { user } of world.asked.filter(({ role }) => role === 'program'))
      expect(user).not.toContain('Idea number 0');
  });

  it("the parent's own failure is said", async () => {
    const world = research(
      {
        problem: PROBLEM,
        result: (number) =>
          number < 10
            ? { score: 1, strictScore: 1 }
            : { outcome: 'invalid', score: null, strictScore: null, reasons: ['two circles overlap by 0.5'] },
      },
      common({
        population: { islands: 1, admitFailures: 'evaluated' },
        selection: { exploration: 1, exploitation: 0 },
      }),
    );
    await world.play(8);
    const programs = await world.programs();
    const failed = new Set(programs.filter(({ outcome }) => outcome === 'invalid').map(({ _id }) => _id));
    const fromFailed = programs.findIndex(({ parents }) => failed.has(parents[0] ?? ''));
    expect(fromFailed).toBeGreaterThan(0);
    const asked = world.asked.filter(({ role }) => role === 'idea')[fromFailed - 1]!;
    expect(asked.user).toMatch(/# Current Metrics[^#]*two circles overlap by 0\.5/);
    expect(asked.user).toContain('The current program fails.');
  });
});
