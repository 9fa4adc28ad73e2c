// The table of verbs: what is taken and refused, the command that does the same, and when an action makes sense.
import { describe, expect, test } from 'vitest';
import { RUN_STATES } from '../../../../evolution/run-states.ts';
import { commandOf, type RunVerb, verbOf, wordsOf } from '../../../../evolution/steering/verbs.ts';
import {
  actionsFor,
  bodyProblems,
  type Body,
  commandLine,
  type RunAction,
  type VerbName,
  verbs,
} from '../../../../page/api/actions/actions.ts';

/** A verb that is not in this table is tested with the examples of its message. */
const COMMANDS: { readonly [V in VerbName]?: readonly (readonly [body: Body<V>, command: string])[] } = {
  start: [
    [{ settings: {} }, 'npx evolve run --detach'],
    [
      {
        run: 'first',
        settings: { method: 'code', task: 'a', limits: { steps: 4 }, model: { price: { in: 0.1, out: 1 } } },
      },
      `npx evolve run --run first --task a --method code --set limits.steps=4 --set 'model.price={"in":0.1,"out":1}' --detach`,
    ],
  ],
  sweep: [[{ spec: { name: 'sizes', grid: { batch: [1, 2] } } }, 'npx evolve sweep sizes.yaml --detach']],
  pause: [
    [{ run: 'a' }, 'npx evolve pause a'],
    [{ run: 'a', mode: 'now', reason: "it's late" }, `npx evolve pause a --now --reason 'it'\\''s late'`],
  ],
  resume: [[{ run: 'a' }, 'npx evolve resume a']],
  stop: [[{ run: 'a', mode: 'step' }, 'npx evolve stop a']],
  extend: [
    [{ run: 'a', steps: 50, costUsd: null }, 'npx evolve extend a --steps 50 --cost-usd none'],
    [{ run: 'a', programs: 5, add: true }, 'npx evolve extend a --programs 5 --add'],
  ],
  set: [
    [{ run: 'a', patch: { selection: { kind: 'puct' }, batch: 4 } }, 'npx evolve set a selection.kind=puct batch=4'],
  ],
  hint: [
    [{ run: 'a', hint: 'try hexagons', island: 2 }, `npx evolve hint a 'try hexagons' --island 2`],
    [{ run: 'a', hint: null }, 'npx evolve hint a --remove'],
  ],
  inject: [[{ run: 'a', program: 'x = 1' }, 'npx evolve inject a program.py']],
  'add-model': [[{ run: 'a', name: 'm', weight: 0.5 }, 'npx evolve add-model a m --weight 0.5']],
  'remove-model': [[{ run: 'a', name: 'm' }, 'npx evolve remove-model a m']],
  retry: [[{ run: 'a', resample: true }, 'npx evolve retry a --resample']],
  rewind: [[{ run: 'a', toStep: 5 }, 'npx evolve rewind a --to-step 5']],
  fork: [[{ run: 'a', step: 5, as: 'b' }, 'npx evolve fork a --at-step 5 --run b --detach']],
  export: [[{ run: 'a' }, 'npx evolve export a']],
  mark: [
    [{ run: 'a', star: true, label: 'promising' }, 'npx evolve mark a --star --label promising'],
    [{ run: 'a', program: 'a:000001:0:000000', note: 'why?' }, `npx evolve mark a a:000001:0:000000 --note 'why?'`],
    [{ run: 'a', remove: true }, 'npx evolve mark a --remove'],
  ],
  'sweep-pause': [[{ sweep: 's' }, 'npx evolve sweep pause s']],
  'sweep-resume': [[{ sweep: 's' }, 'npx evolve sweep resume s']],
  'sweep-stop': [[{ sweep: 's', mode: 'now' }, 'npx evolve sweep stop s --now']],
};
const examplesOf = (verb: VerbName): readonly (readonly [body: object, command: string])[] =>
  COMMANDS[verb] ??
  verbOf(verb as RunVerb).message!.examples.map(
    (body) => [{ run: 'a', ...body }, `npx evolve ${commandOf(verb as RunVerb)} a`] as const,
  );
const examples = verbs.flatMap((verb) => examplesOf(verb).map(([body, command]) => [verb, body, command] as const));
const request = '0123456789ab';

describe('every verb', () => {
  test.each(examples)('%s takes %j', (verb, body, command) => {
    expect(bodyProblems(verb, { ...body, request })).toEqual([]);
    expect(`${commandLine(verb, body as Body<VerbName>)} `).toContain(`${command} `);
  });

  test.each(verbs)('%s refuses what it does not know, and asks for a name', (verb) => {
    const [problem] = bodyProblems(verb, { ...examplesOf(verb)[0]![0], request, shell: 'rm' });
    expect(problem).toContain('unknown key "shell"');
    expect(bodyProblems(verb, examplesOf(verb)[0]![0])[0]).toContain('"request" expected 8 to 64');
    expect(bodyProblems(verb, [])).toEqual(['expected one JSON object such as {}, got []']);
  });
});

test.each([
  ['pause', { run: 7 }, /"run" expected 1 to 60 of the characters/],
  ['pause', {}, /"run" expected .*, got nothing/],
  ['pause', { run: '../etc' }, /"run" expected 1 to 60/],
  ['pause', { run: 'a', mode: 'soon' }, /"mode" expected "step" or "now", got "soon"/],
  ['pause', { run: 'a', raeson: 'x' }, /unknown key "raeson".* Did you mean "reason"/],
  ['rewind', { run: 'a', toStep: -1 }, /"toStep" expected a whole number of at least 0/],
  ['rewind', { run: 'a', toStep: '3' }, /"toStep" expected a whole number/],
  ['retry', { run: 'a', resample: 'yes' }, /"resample" expected true or false/],
  ['extend', { run: 'a', add: true }, /expected at least one of steps/],
  ['extend', { run: 'a', steps: 'many' }, /"steps" expected a positive number, or null/],
  ['stop', { run: 'a', sweep: 's' }, /unknown key "sweep"/],
  ['hint', { run: 'a', hint: ' ' }, /"hint" expected a text of 1 to 2000 characters, or null/],
  ['mark', { run: 'a' }, /expected either remove or at least one of star, label, note/],
  ['mark', { run: 'a', star: true, remove: true }, /expected either remove or/],
  ['mark', { run: 'a', label: 'x'.repeat(41) }, /"label" expected a label of 1 to 40 characters/],
  ['mark', { run: 'a', label: 'red \u001b[31m' }, /"label" expected a label .* without control characters/],
  ['mark', { run: 'a', label: 'two\nlines' }, /"label" expected/],
  ['mark', { run: 'a', note: 'from \u202e right' }, /"note" expected a note .* without control characters/],
  ['set', { run: 'a', patch: 'batch=4' }, /"patch" expected a mapping/],
  ['inject', { run: 'a', program: null }, /"program" expected a text/],
] as const)('%s refuses %j', (verb, body, problem) => {
  expect(bodyProblems(verb, { ...body, request }).join('\n')).toMatch(problem);
});

describe('actions of a run', () => {
  const at = (state: (typeof RUN_STATES)[number], steps = 3) =>
    actionsFor({
      ...{ run: 'a', state, steps, programs: steps * 4, best: steps > 0 ? {} : null, sweep: null, stopReason: null },
    });

  test('are those that make sense in its state', () => {
    expect(at('running').first).toEqual(['pause', 'stop']);
    expect(at('needs attention').first).toEqual(['retry', 'pause']);
    expect(at('needs attention').more).toContain('stop');
    expect(at('paused').first).toEqual(['resume', 'stop']);
    expect(at('finished').first).toEqual(['extend']);
    expect(at('needs attention').more).toEqual(expect.arrayContaining(['add-model', 'remove-model']));
    expect(at('stopped').first).toEqual(['resume', 'extend']);
    expect(at('opening', 0).more).not.toContain('rewind');
    for (const state of RUN_STATES) {
      const { first, more } = at(state);
      expect(new Set([...first, ...more]).size).toBe(first.length + more.length);
    }
  });

  test('say what happens to which run, whether it can be undone, and what it costs', () => {
    const run = {
      run: 'the-one',
      state: 'running',
      steps: 3,
      programs: 12,
      best: {},
      sweep: null,
      stopReason: null,
    } as const;
    for (const verb of verbs.filter((one): one is RunAction => one !== 'start' && !one.startsWith('sweep'))) {
      const words = wordsOf(verb, run);
      expect(words.what).toContain('the-one');
      for (const sentence of [words.what, words.undo, words.cost]) expect(sentence).toMatch(/^\S.*\.$/s);
    }
    expect(wordsOf('stop', { ...run, stream: true }).what).toContain('when all that is under way is committed');
  });
});
