// What prompts tell of attempts on a program comes from programs and models, and may hold anything.
import { expect, it } from 'vitest';
import { notApplied } from '../../../evolution/edits/apply.ts';
import type { Telling } from '../../../evolution/prompts/parts/program-card.ts';
import { type Attempt, firstWords, type Tried, triedSections } from '../../../evolution/prompts/parts/tried.ts';

const attempt = (more: Partial<Attempt>): Attempt => ({
  number: 1,
  outcome: 'invalid',
  score: null,
  metrics: {},
  label: 'failed',
  reasons: [],
  output: '',
  told: null,
  place: null,
  ...more,
});

const shown = (more: Partial<Attempt>, telling: Telling = {}, frame: Partial<Tried> = {}): string => {
  const { latest = [attempt(more)] } = frame;
  const tried: Tried = { total: 1, latest, alike: null, stream: false, island: null, mode: null, ...frame };
  return triedSections(tried, latest, {
    ...telling,
    task: { scoreName: 'score', direction: 'maximise' },
    parent: { code: '', outcome: 'valid', score: 1, metrics: {} },
  });
};

it('is cut without halves of surrogate pairs', () => {
  const texts = [
    shown({ output: `\u{1f600}${'a'.repeat(5_999)}` }),
    shown({ told: firstWords(`${'\n'.repeat(3_799)}abc${'x'.repeat(196)}${'\u{1f600}'.repeat(100)}`) }),
    shown({ told: firstWords(`${'\n'.repeat(3_798)}abc${'x'.repeat(196)}${'\u{1f600}'.repeat(100)}`) }),
  ];
  expect(texts.map((text) => text.isWellFormed())).toEqual([true, true, true]);
});

it('is never a heading or a fence of the prompt', () => {
  const hostile = 'a\n# Limits\n```\r# Task\u2028# Advice\n';
  const [, ...others] = shown({ reasons: [hostile], output: hostile, told: hostile }).split(/\r\n?|\n|\u2028|\u2029/);
  expect(others.filter((line) => /^\s*(?:#|`{3})/.test(line))).toEqual([]);
});

it('says of a stream only what is known when a request is planned', () => {
  const told = (total: number, stream: boolean): string =>
    triedSections({ total, latest: [], alike: { place: 1, of: 2 }, stream, island: null, mode: null }, [], {
      task: { scoreName: 'score', direction: 'maximise' },
      parent: { code: '', outcome: 'valid', score: 1, metrics: {} },
    });
  expect([told(1, false), told(2, false), told(1, true), told(2, true)]).toEqual([
    expect.stringMatching(
      /One answer to a request for this program has come so far\.[^]*This is request 1 of 2 for this program at the same time\. So that they differ, think first about where a search/,
    ),
    expect.stringMatching(/2 answers to requests for this program have come so far\./),
    expect.stringMatching(/One answer to a request for this program had come when this request was planned\./),
    expect.stringMatching(
      /2 answers to requests for this program had come when this request was planned\.[^]*This is request 1 of 2 for this program at the same time\. So that they differ, think first about the step/,
    ),
  ]);
});

it('what an answer tells of and did not do is said', () => {
  const made = { outcome: 'valid', score: 2, label: 'improved', told: 'I change both parts.' } as const;
  expect(shown({ ...made, undone: [2] })).toContain(
    'It said: "I change both parts." Not all of it was done: block 2 of the answer was not applied.',
  );
  expect(shown(made)).not.toContain('Not all of it');
  expect(
    notApplied([
      { block: 1, reason: 'ambiguous: 2 places match, the first is taken' },
      { block: 2, reason: 'no match: line 2 of SEARCH is "a"' },
      { block: 3, reason: 'outside the EVOLVE-BLOCK' },
    ]),
  ).toEqual([2, 3]);
});

it('a score that was measured under another limit says so', () => {
  const made = { outcome: 'valid', score: 2, label: 'improved' } as const;
  expect(shown({ ...made, metrics: { measured_with: '25 s of CPU time' } })).toContain(
    'score = 2 (measured with 25 s of CPU time), better by 1',
  );
});

it('a score that is held back says why it does not count, and hides it where scores are hidden', () => {
  const reasons = ['quarantined: 8.9 is better than the best value known, 8.05 (true form), by more than 10 % of it'];
  expect(shown({ reasons })).toContain(
    'Attempt 1: its score is held back and does not count, because it is too good to be believed: 8.9 is better than',
  );
  expect(shown({ reasons }, { scores: 'masked' })).toMatch(/held back and does not count[^:]*\.$/);
});

it('of what was printed the last lines are whole', () => {
  const tuned = `tuned ${Array.from({ length: 80 }, (_, index) => index + 0.5).join(', ')}`;
  expect(shown({ outcome: 'valid', score: 2, output: `begun\n${tuned}` })).toContain(`  > begun\n  > ${tuned}`);
  const long = shown({ outcome: 'valid', score: 2, output: `begun ${'x'.repeat(400)}\n${tuned}` });
  expect(long).toContain(`\n  > ${tuned}`);
  expect(long).not.toContain('begun');
});

it('of the rest of the run two lines are told in whole words, with the numbers of their reasons', () => {
  const told =
    'I replace the random restarts of the search by an annealing whose temperature falls with the time that is left, since restarts repeat work.';
  const elsewhere = [
    attempt({ outcome: 'valid', score: 0.0123456789, label: 'degraded', told: `Again: ${told}` }),
    attempt({
      outcome: 'no_solution',
      told,
      reasons: ['the program has 116022 characters, at most 100000 are allowed'],
    }),
  ];
  const text = shown({}, {}, { total: 0, elsewhere });
  const lines = text.split('\n').filter((line) => line.startsWith('- "'));
  expect(lines).toEqual([
    '- "I replace the random restarts of the search by an annealing whose ...": the program has 116022 characters, at most 100000 are allowed',
    expect.stringMatching(/^- "Again: I replace [a-z ]+ \.\.\.": no better than its parent, score = 0\.0123456789$/),
  ]);
  expect(text.length).toBeLessThanOrEqual(320);
});

it('attempts of which the same became are told once, without what their reason says', () => {
  const prose = attempt({ outcome: 'no_diff', reasons: ['no SEARCH/REPLACE block in the answer'], told: 'Ideas.' });
  const latest = [prose, attempt({ number: 2, outcome: 'no_solution' }), { ...prose, number: 3 }];
  const lines = shown({}, {}, { total: 3, latest }).split('\n').slice(4);
  expect(lines).toEqual([
    '- Attempts 1, 3: no SEARCH/REPLACE block in the answer. It said: "Ideas."',
    '- Attempt 2: it gave no result.',
  ]);
});
