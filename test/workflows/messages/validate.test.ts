// What a wrong message is told before it reaches history: the key, what was expected, what came. The right ones pass.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messagesTo } from '../../../evolution/steering/verbs.ts';
import { Unreadable } from '../../../workflows/messages/unreadable.ts';
import { requireMessage } from '../../../workflows/messages/people.ts';
import { validateRunInput } from '../../../workflows/messages/validate-inputs.ts';

const MESSAGES = messagesTo('run');
const VALIDATORS: { readonly [message: string]: (request: never) => void } = {
  ...Object.fromEntries(
    MESSAGES.map((message) => [
      message,
      (request: unknown) => requireMessage(message, request === undefined ? {} : request),
    ]),
  ),
  evolutionRun: (input: never) => validateRunInput(input, 'run/demo'),
};
const said = (message: string, request: unknown): string => {
  try {
    VALIDATORS[message]!(request as never);
    return 'taken';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('messages', () => {
  it.each([
    ['extend', { steps: 20 }],
    ['extend', { steps: 5, programs: 100, add: true }],
    ['extend', { targetScore: -1 }],
    ['extend', { tokens: null }],
    ['extend', { noImprovementPrograms: 64, costUsd: 0.5, wallSeconds: 3.5 }],
    ['set', { patch: { batch: 3 } }],
    ['set', { patch: { diff: { maxCodeChars: 20_000 } } }],
    ['add-model', { name: 'm' }],
    ['add-model', { name: 'm', weight: 0.5, temperature: 0.2 }],
    ['remove-model', { name: 'm' }],
    ['inject', { program: 'x = 1' }],
    ['inject', { program: 'x = 1', island: 3 }],
    ['hint', { hint: 'try hexagons' }],
    ['hint', { hint: null, island: 0 }],
    ['rewind', { toStep: 0 }],
    ['rewind', { toStep: 5, resample: true }],
    ['pause', undefined],
    ['pause', {}],
    ['pause', { mode: 'now', reason: 'lunch' }],
    ['retry', undefined],
    ['retry', { resample: true }],
    ['evolutionRun', { run: 'demo' }],
    ['evolutionRun', { run: 'demo', config: { batch: 2 } }],
    ['evolutionRun', { run: 'demo', rewind: { toStep: 3 } }],
  ])('%s %j is taken', (message, request) => {
    expect(said(message, request)).toBe('taken');
  });

  it.each([
    ['extend', {}, 'at least one of steps'],
    ['extend', { add: true }, 'at least one of steps'],
    ['extend', { stepz: 3 }, 'unknown key "stepz"'],
    ['extend', { steps: 0 }, '"steps" expected a positive number, or null, got 0'],
    ['extend', { steps: '5' }, '"steps" expected a positive number, or null, got "5"'],
    ['extend', { steps: Number.NaN }, '"steps"'],
    ['extend', { steps: 1, add: 'yes' }, '"add" expected true or false, got "yes"'],
    ['extend', { steps: null, add: true }, '"steps" expected a number to add, got null'],
    ['extend', null, 'expected one JSON object such as {"steps":20,"add":true}, got null'],
    ['extend', [{ steps: 1 }], 'expected one JSON object'],
    ['set', {}, '"patch" expected a mapping of settings, got nothing'],
    ['set', { patch: {} }, '"patch" expected a mapping'],
    ['set', { patch: [1] }, '"patch"'],
    ['set', { batch: 3 }, 'unknown key "batch", expected patch'],
    ['add-model', {}, '"name" expected a text of 1 to 200 characters, got nothing'],
    ['add-model', { name: '  ' }, '"name"'],
    ['add-model', 'm', 'expected one JSON object'],
    ['remove-model', { name: 3 }, '"name" expected a text of 1 to 200 characters, got 3'],
    ['remove-model', { name: 'm', weight: 1 }, 'unknown key "weight"'],
    ['hint', {}, '"hint" expected a text of 1 to 2000 characters, or null, got nothing'],
    ['inject', { island: 1 }, '"program" expected a text'],
    ['inject', { program: 'x', hint: 'y' }, 'unknown key "hint"'],
    ['inject', { program: 'x', island: -1 }, '"island" expected a whole number of at least 0, got -1'],
    ['inject', { program: null }, '"program"'],
    ['hint', { hint: 'x'.repeat(2_001) }, '"hint" expected a text of 1 to 2000 characters, or null'],
    ['set', JSON.parse('{"__proto__": {"batch": 3}}'), 'unknown key "__proto__"'],
    ['pause', new Uint8Array(3), '3 bytes that are no JSON'],
    ['pause', new Unreadable('encoding binary/encrypted'), 'content that cannot be read (encoding binary/encrypted)'],
    ['rewind', {}, '"toStep" expected a whole number of at least 0, got nothing'],
    ['rewind', { toStep: -1 }, '"toStep"'],
    ['rewind', { toStep: 1.5 }, 'got 1.5'],
    ['rewind', { toStep: 2, resample: 1 }, '"resample" expected true or false, got 1'],
    ['pause', { mode: 'noww' }, '"mode" expected "step" or "now", got "noww"'],
    ['pause', 'now', 'expected one JSON object'],
    ['retry', { fresh: true }, 'unknown key "fresh"'],
    ['evolutionRun', undefined, 'expected one JSON object such as {"run":"demo"'],
    ['evolutionRun', { run: 'Demo' }, '"run" expected 1 to 60'],
    ['evolutionRun', { run: 'other' }, 'workflow id "run/other", got "run/demo"'],
    ['evolutionRun', { run: 'demo', settings: {} }, 'unknown key "settings"'],
    ['evolutionRun', { run: 'demo', rewind: { toStep: -1 } }, '"toStep"'],
  ])('%s %j is refused: %s', (message, request, words) => {
    expect(said(message, request)).toContain(words);
    expect(said(message, request)).toMatch(new RegExp(`^${message}\\b`));
  });

  it('a text that grows too long as JSON is refused by its size', () => {
    expect(said('inject', { program: '\u0001'.repeat(300_000) })).toBe(
      'inject: expected at most 1600000 bytes, got more',
    );
    expect(said('inject', { program: 'x'.repeat(300_000) })).toBe('taken');
  });

  it('a nesting that no stack holds is refused by its depth', () => {
    const deep = { patch: JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`) as unknown };
    expect(said('set', deep)).toBe('set: expected values nested at most 40 levels deep, got more');
  });

  it('whatever comes is taken or refused in one short line, and never breaks the workflow', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(VALIDATORS)), fc.jsonValue(), (message, request) => {
        const words = said(message, request);
        expect(words === 'taken' || words.startsWith(message)).toBe(true);
        expect(words.length).toBeLessThan(700);
      }),
    );
  });

  it('an unknown key is always refused by name, but for models, whose settings the run checks', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('extend', 'set', 'remove-model', 'hint', 'inject', 'rewind'),
        fc.string({ minLength: 1 }).filter((key) => !(key in {})),
        (message, key) => {
          fc.pre(
            ![
              'steps',
              'programs',
              'tokens',
              'costUsd',
              'wallSeconds',
              'targetScore',
              'noImprovementPrograms',
              'add',
              'patch',
              'name',
              'island',
              'program',
              'hint',
              'toStep',
              'resample',
            ].includes(key),
          );
          expect(said(message, { [key]: 1 })).toContain(`unknown key "${key}"`);
        },
      ),
    );
  });
});
