// What a reward model is asked and how its answer is read (AlphaResearch Appendix B,
// AlphaResearch 3).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseVerdict } from '../../../evolution/ideas/idea.ts';
import { accuracyOf } from '../../../evolution/ideas/reward-records.ts';
import { buildJudgePrompt } from '../../support/models/prompts.ts';

describe('the verdict', () => {
  it('AlphaResearch 3: the last valid box counts; anything else is -1', () => {
    const expected: readonly (readonly [string, number])[] = [
      ['\\boxed{6}', 6],
      ['\\boxed{.5}', 0.5],
      ['\\boxed{10.1}', -1],
      ['\\boxed{-3}', -1],
      ['\\boxed{6/10}', -1],
      ['\\boxed{}', -1],
      ['none', -1],
      ['\\boxed{} then \\boxed{7}', 7],
      ['', -1],
      ['\\boxed{0}', 0],
      ['\\boxed{10}', 10],
      ['\\boxed{10.0}', 10],
      ['\\boxed{ 7.5\n}', 7.5],
      ['\\boxed{4} no, \\boxed{6}', 6],
      ['\\boxed{6} of \\boxed{10.5}', 6],
      ['\\boxed{6', -1],
      ['boxed{6}', -1],
      ['\\boxed{six}', -1],
      ['\\boxed{6.}', -1],
      ['\\boxed{1e1}', -1],
      ['\\boxed{NaN}', -1],
      ['$\\boxed{5.5}$', 5.5],
      ['\\boxed{{6}}', -1],
      ['6', -1],
    ];
    for (const [answer, score] of expected) expect([answer, parseVerdict(answer)]).toEqual([answer, score]);
  });
  it('is -1 or 0 .. 10, whatever the answer (law)', () => {
    const piece = fc.constantFrom('\\boxed{', '}', '6', '.', '-', '10', ' ', '\n', 'text', '{');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const score = parseVerdict(pieces.join(''));
        expect(score === -1 || (score >= 0 && score <= 10)).toBe(true);
      }),
    );
  });
});

describe('the judge prompt', () => {
  it('names the four criteria, both sides of the borderline and the box; then title, line end, idea', () => {
    const prompt = buildJudgePrompt({ title: 'A title', idea: 'An idea.\nTwo lines.' });
    for (const word of [
      'reviewer',
      'clarity',
      'novelty',
      'technical rigor',
      'potential impact',
      'from 1 to 10',
      '\\boxed{}',
    ])
      expect(prompt).toContain(word);
    expect(prompt.endsWith('\n\nA title\nAn idea.\nTwo lines.')).toBe(true);
    expect(buildJudgePrompt({ idea: 'x' }).endsWith(':\n\n\nx')).toBe(true);
  });
  it('echoed whole, it is no verdict', () => {
    expect(parseVerdict(buildJudgePrompt({ idea: 'x' }))).toBe(-1);
  });
});

describe('the accuracy of a reward model', () => {
  it('counts what is not parsed as wrong in the headline, and reports the rest apart', () => {
    const report = accuracyOf([
      { score: 6, rating: 7 },
      { score: 5.5, rating: 5 },
      { score: 6, rating: 5.5 },
      { score: -1, rating: 8 },
    ]);
    expect(report).toEqual({
      count: 4,
      unparsed: 1,
      accuracy: 0.5,
      accuracyParsed: 2 / 3,
      mae: (1 + 0.5 + 0.5) / 3,
      mse: (1 + 0.25 + 0.25) / 3,
    });
    expect(accuracyOf([])).toEqual({
      count: 0,
      unparsed: 0,
      accuracy: null,
      accuracyParsed: null,
      mae: null,
      mse: null,
    });
    expect(accuracyOf([{ score: -1, rating: 3 }])).toMatchObject({ accuracy: 0, accuracyParsed: null, mae: null });
  });
});
