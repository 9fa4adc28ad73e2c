// The advice on a run follows from its data: when each rule speaks, what it says, and the verbs that it proposes.
import { describe, expect, test } from 'vitest';
import { codeDefaults } from '../../evolution/methods/code.ts';
import { thetaDefaults } from '../../evolution/methods/theta.ts';
import { inStepText } from '../../evolution/reports/in-step.ts';
import { aheadText, improvementText } from '../../evolution/reports/spending.ts';
import { adviceLines, adviceOn, type Facts } from '../../evolution/steering/advice/advice.ts';
import { reasonOf } from '../../evolution/steering/advice/reasons.ts';
import { bodyProblems } from '../../page/api/actions/actions.ts';

const MODEL = { ...thetaDefaults.model, kind: 'openai', temperature: 0.7 } as const;
const facts = (changes: Partial<Facts> = {}): Facts => ({
  config: { ...thetaDefaults, model: MODEL },
  steps: 30,
  sinceBest: { step: 29, programs: 8, seconds: 60 },
  recent: { programs: 160, failures: { invalid: 8 }, reasons: {} },
  limits: [{ limit: 'costUsd', of: 10, spent: 2 }],
  ...changes,
});
const told = (changes: Partial<Facts>): string =>
  adviceOn(facts(changes))
    .flatMap((one) => adviceLines('demo', one))
    .join('\n');

test('a run that goes well is told nothing', () => expect(adviceOn(facts())).toEqual([]));

const still = { step: 12, programs: 300, seconds: 7_500 };
const since = (steps: number, step: number, seconds = 9): Partial<Facts> => ({
  steps,
  sinceBest: { step, programs: 9, seconds },
});
const failed = (outcome: string, reasons = {}): Partial<Facts> => ({
  recent: { programs: 160, failures: { duplicate: 3, [outcome]: 35 }, reasons },
});
const exploring = (exploration: object): Partial<Facts> => ({
  sinceBest: still,
  config: { ...codeDefaults, model: MODEL, exploration: { ...codeDefaults.exploration, ...exploration } },
});
const repair = { rounds: 0 };

test.each<[string, Partial<Facts>, string | RegExp]>([
  ['no gain for a quarter of the steps', { sinceBest: still }, /^No new best since step 12: 300 programs, 2 h 5 min\n/],
  ['which gets a hint', { sinceBest: still }, "npx evolve hint demo 'Try an approach"],
  ['or exploration', { sinceBest: still }, /npx evolve set demo \S+=[\d.]+/],
  ['or an end', { sinceBest: still }, 'npx evolve stop demo'],
  ['by the rate of exploration', exploring({ schedule: 'constant', start: 0.2 }), 'exploration.start=0.4'],
  ['by its lowest rate', exploring({ schedule: 'plateau', min: 0.1, max: 0.5 }), 'exploration.min=0.2'],
  ['no gain for two hours of a slow run', since(4, 3, 7_300), '9 programs, 2 h 1 min'],
  ['not so soon', since(4, 3, 900), /^$/],
  ['nor after ten steps of a long run', since(1_000, 980), /^$/],
  ['which is told after a quarter of it', since(1_000, 700), /./],
  ['many failures with no known reason', failed('invalid'), /^22 % of the last 160 programs are invalid$/],
  ['with the most frequent one', failed('invalid', { invalid: 'no name' }), 'invalid, mostly “no name”'],
  ['in a hint', failed('invalid', { invalid: 'no name' }), /npx evolve hint demo .*no name/],
  [
    'answers that cannot be taken',
    { ...failed('no_diff'), config: { ...thetaDefaults, repair, model: MODEL } },
    'rounds=1',
  ],
  ['programs that were there before', failed('duplicate'), 'npx evolve set demo'],
  ['few programs, which say nothing', { recent: { programs: 8, failures: { invalid: 8 }, reasons: {} } }, /^$/],
])('advice on %s', (_, changes, text) => expect(told(changes)).toMatch(text));

test('limits on what is paid warn at 80 %; the one that is nearest is named', () => {
  const limits = [
    { limit: 'costUsd', of: 10, spent: 8.2 },
    { limit: 'tokens', of: 1_000_000, spent: 900_000 },
    { limit: 'steps', of: 10, spent: 9 },
  ] as const;
  expect(told({ limits })).toBe(
    '90 % of its limit on tokens is spent, 900 k of 1 M; then the run ends\nnpx evolve extend demo --tokens 2000000',
  );
  expect(told({ limits: [{ limit: 'costUsd', of: 10, spent: 7.9 }, limits[2]] })).toBe('');
});

test('every proposal is a body that its verb takes', () => {
  const all = adviceOn(
    facts({
      sinceBest: { step: 2, programs: 300, seconds: 9_000 },
      recent: { programs: 100, failures: { no_solution: 70 }, reasons: { no_solution: 'timeout' } },
      limits: [{ limit: 'wallSeconds', of: 100, spent: 90 }],
    }),
  );
  expect(all.map(({ about }) => about)).toEqual(['limit', 'gain', 'failures']);
  for (const { verb, body } of all.flatMap(({ moves }) => moves))
    expect(bodyProblems(verb as never, { run: 'a', request: '0123456789ab', ...body })).toEqual([]);
});

describe('the reason of a parked phase', () => {
  test.each([
    [
      'generate: ModelUnavailable: http://m/v1 answered 500: oh.',
      'The model does not answer: http://m/v1 answered 500: oh',
    ],
    [
      'generate: Unanswered: the same request went to m 5 times; it is not sent again before `npx evolve retry a`. The last time: 500',
      'The model does not answer: the same request went to m 5 times. The last time: 500',
    ],
    [
      'evaluate: timeout: activity took too long',
      'Programs cannot be evaluated: no answer in time: activity took too long',
    ],
    ['commitStep: the disk is full', 'The activity commitStep fails: the disk is full'],
    ['the endpoint refuses its key', 'the endpoint refuses its key'],
  ])('%s', (attention, text) => expect(reasonOf(attention).text).toBe(text));
});

test('counts of a step and costs are told in words, and nothing where nothing is known', () => {
  const counts = { total: 8, responses: 5, applied: 5, toEvaluate: 4, evaluated: 1 };
  expect(inStepText(counts, false)).toBe('5 of 8 answered, 3 evaluating, 2 done');
  expect(inStepText(counts, true)).toBe('8 under way: 3 requested, 3 to be evaluated, 2 to be committed');
  expect(aheadText({ paid: 1, perHour: 0.5, seconds: 7_200 })).toBe('$0.50 an hour, about $2.00 when it ends');
  expect(aheadText({ paid: 1, perHour: 0, seconds: 7_200 })).toBeNull();
  expect(improvementText([0, 0.1, 0.35], 0.5)).toBe('The last improvement cost $0.25; since then $0.15 was paid.');
  expect(improvementText([0], 0.5)).toBeNull();
  expect(improvementText([0, 0], 0)).toBeNull();
});
