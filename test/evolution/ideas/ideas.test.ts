// Ideas of `research`: what the two prompts hold, what becomes of an idea, how rounds add up (AlphaResearch Appendix
// B; AlphaResearch).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBlocks } from '../../../evolution/edits/diff.ts';
import { baseIn, decideGate, GATE_DEFAULTS, parseIdea } from '../../../evolution/ideas/idea.ts';
import { carriedOutcome, rollupOf, ROUND_OUTCOMES, type RoundOutcome } from '../../../evolution/ideas/rounds.ts';
import { metricsOf, metricsText } from '../../../evolution/prompts/parts/metrics-text.ts';
import { buildIdeaProgramPrompt, buildIdeaPrompt } from '../../support/models/prompts.ts';
import { roundsReport } from '../../../client/read/report.ts';
import { sumOf } from '../../../evolution/statistics.ts';

const code =
  '# EVOLVE-BLOCK-START\ndef construct(instance):\n    """```fenced```"""\n    return 1\n# EVOLVE-BLOCK-END\n';
const metrics = { sum_radii: 2.63598308, valid: true };
const settings = { enforceBlock: true, maxCodeChars: 100_000 };
const headings = (user: string): readonly string[] =>
  [...user.matchAll(/^# .*$/gm)].map(([line]) => line).filter((line) => !line.includes('EVOLVE'));

it('an idea may name its base in its first line', () => {
  expect(baseIn('Base: best\nUse a grid.')).toEqual({ base: 'best', idea: 'Use a grid.' });
  expect(baseIn('**Base:** current\n\nUse a grid.')).toEqual({ base: 'current', idea: 'Use a grid.' });
  for (const idea of ['Use a grid.', 'Base: best', 'A base: best of all.', 'Use a grid.\nBase: best'])
    expect(baseIn(idea)).toEqual({ base: null, idea });
});

describe('the idea', () => {
  it('is the answer, trimmed, without fence lines', () => {
    expect(parseIdea('\n```text\nA lattice start.\n\n  Then descent.\n```\n\n')).toBe(
      'A lattice start.\n\n  Then descent.',
    );
    expect(parseIdea('````\r\na\r\n````')).toBe('a');
    expect(parseIdea('~~~md\na `b` c\n~~~')).toBe('a `b` c');
  });
  it('is empty where there is nothing else', () => {
    for (const answer of ['', ' \n ', '```\n```', '```']) expect(parseIdea(answer)).toBe('');
  });
  it('is never cut, and reading it again changes nothing (law)', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (answer) => {
        expect(parseIdea(parseIdea(answer))).toBe(parseIdea(answer));
      }),
    );
    expect(parseIdea('x'.repeat(3702))).toHaveLength(3702);
  });
});

describe('the idea prompt', () => {
  it('has the sections of Appendix B in their order, and shows nothing else unless it is set', () => {
    const { system, user } = buildIdeaPrompt({ proposal: 'First idea.', code, metrics });
    expect(headings(user)).toEqual(['# Current Proposal', '# Current Program', '# Current Metrics', '# Your task']);
    expect(user).toContain('sum_radii=2.6359831, valid=true');
    expect(system).toContain('research advisor');
    const more = buildIdeaPrompt({
      proposal: 'First idea.',
      code,
      metrics,
      inspirations: [{ proposal: 'Another.', metrics: {} }],
      hints: ['Try hexagons.'],
    }).user;
    expect(headings(more)).toEqual([
      '# Current Proposal',
      '# Current Program',
      '# Current Metrics',
      '# Earlier Proposal 1',
      '# Hint from a person',
      '# Your task',
    ]);
  });
  it('shows eight significant digits, another number of them when set', () => {
    expect(metricsText({ small: 0.00102, n: 26, big: 123456789, none: Number.NaN })).toBe(
      'small=0.00102, n=26, big=123456790, none=NaN',
    );
    expect(metricsText({ x: 2.6359831 }, 4)).toBe('x=2.636');
    expect(metricsText({})).toBe('none');
    expect(
      metricsOf(
        { code, outcome: 'valid', score: 2.5, metrics: { runtime_s: 1.23, sum_radii: 2.5, gaps: 3 } },
        'sum_radii',
      ),
    ).toEqual({ sum_radii: 2.5, valid: true, gaps: 3 });
    expect(metricsText(metricsOf({ code, outcome: 'invalid', score: null, metrics: {} }, 'c3'))).toBe(
      'c3=none, valid=false',
    );
  });
});

describe('the program prompt', () => {
  const build = (proposal: string) =>
    buildIdeaProgramPrompt({ previous: { proposal: 'Old idea.', code, metrics }, proposal, settings });
  it('has the sections of Appendix B in their order, one example of an edit, and no score of the idea', () => {
    const { system, user } = build('New idea.');
    expect(headings(user)).toEqual([
      '# Previous Proposal',
      '# Previous Program',
      '# Previous Performance Metrics',
      '# Current Proposal',
      '# Task',
      '# How to edit',
    ]);
    expect(parseBlocks(user)).toHaveLength(1);
    expect(user).toContain('Do not rewrite the whole program');
    expect(user).toContain(`\`\`\`\`python\n${code}\`\`\`\`\n`);
    expect(`${system}${user}`).not.toMatch(/boxed|reviewer|undefined/);
  });
});

describe('the gate', () => {
  it('AlphaResearch 2: a score of 5.5 passes', () => {
    expect(decideGate(5.5, GATE_DEFAULTS)).toEqual({ verdict: 'pass', would: 'pass' });
    expect(decideGate(10, GATE_DEFAULTS).verdict).toBe('pass');
    expect(decideGate(5.4999, GATE_DEFAULTS).verdict).toBe('rejected');
  });
  it('tells what it cannot read from what it rejects', () => {
    expect(decideGate(-1, GATE_DEFAULTS).verdict).toBe('unparsed');
    expect(decideGate(0, GATE_DEFAULTS).verdict).toBe('rejected');
    expect(decideGate(Number.NaN, GATE_DEFAULTS).verdict).toBe('unparsed');
    expect(decideGate(-1, { gate: 'on', threshold: -5 }).verdict).toBe('unparsed');
  });
  it('off asks nobody; shadow lets everything pass and remembers what it would have done', () => {
    for (const score of [null, -1, 3, 8]) {
      expect(decideGate(score, { gate: 'off', threshold: 5.5 })).toEqual({ verdict: 'pass', would: null });
      expect(decideGate(score, { gate: 'shadow', threshold: 5.5 })).toEqual({
        verdict: 'pass',
        would: decideGate(score, GATE_DEFAULTS).would,
      });
    }
  });
});

describe('rounds', () => {
  it('AlphaResearch 4: outcome counts, and the three rollups, sum to rounds; unparsed counted apart', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...ROUND_OUTCOMES), { maxLength: 60 }), (outcomes) => {
        const totals: { [outcome in RoundOutcome]?: number } = {};
        for (const outcome of outcomes) totals[outcome] = (totals[outcome] ?? 0) + 1;
        const { counts, rollup } = roundsReport({ counts: totals, ideas: {} })!;
        expect(sumOf(Object.values(counts))).toBe(outcomes.length);
        expect(sumOf(Object.values(rollup))).toBe(outcomes.length);
        expect([rollup.scrapped, rollup.success]).toEqual([counts.rejected + counts.unparsed, counts.evaluated]);
        expect(counts.unparsed).toBe(outcomes.filter((outcome) => outcome === 'unparsed').length);
      }),
    );
    expect(ROUND_OUTCOMES.map(rollupOf)).toEqual([
      'scrapped',
      'scrapped',
      'failure',
      'failure',
      'failure',
      'failure',
      'success',
      'failure',
      'failure',
    ]);
  });
  it('have one outcome each, whatever became of the program', () => {
    const of = (change: Partial<Parameters<typeof carriedOutcome>[0]>) =>
      carriedOutcome({ outcome: 'valid', length: 10, maxCodeChars: 100, execution: 'ok', ...change });
    expect(of({})).toBe('evaluated');
    for (const outcome of ['no_diff', 'no_change', 'duplicate'] as const)
      expect(of({ outcome, execution: null })).toBe('patch_failed');
    expect(of({ outcome: 'no_solution', length: 101, execution: null })).toBe('too_long');
    expect(of({ outcome: 'no_solution', execution: null })).toBe('evaluation_failed');
    expect(of({ outcome: 'no_solution', execution: 'timeout_cpu' })).toBe('timeout');
    expect(of({ outcome: 'no_solution', execution: 'timeout_wall' })).toBe('timeout');
    expect(of({ outcome: 'no_solution', execution: 'memory' })).toBe('evaluation_failed');
    expect(of({ outcome: 'invalid' })).toBe('evaluation_failed');
  });
});
