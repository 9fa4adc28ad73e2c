// The delta parser against anything at all: it never throws, keeps its promises, and takes time in proportion to the
// input.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDelta } from '../../../evolution/deltas/parse.ts';
import { renderPlan, renderSummary } from '../../../evolution/deltas/render.ts';
import { parseBlocks } from '../../../evolution/edits/diff.ts';

const PARTS = [
  '#DELTA-SUMMARY-START',
  '#DELTA-SUMMARY-END',
  '#DELTA-PLAN-DETAILS-START',
  '#DELTA-PLAN-DETAILS-END',
  '**delta plan end**',
  '## Delta_Summary Start',
  'FROM:',
  'TO:',
  'to :',
  '**New Logic:**',
  'COMPONENT:',
  'OLD_LOGIC:',
  'NEW_LOGIC:',
  'HYPOTHESIS:',
  '[Modification 1]',
  'Modification 2:',
  '[Modification',
  '<<<<<<< SEARCH',
  '=======',
  '>>>>>>> REPLACE',
  '```',
  '---',
  '<text>',
  '...',
  'words',
  '**',
  '_',
  '`',
  '>',
  '- ',
  ' ',
  '\t',
  '\n',
  '\n',
  '\n',
  '\r\n',
  '\u2028',
  '\ud800',
];
const soup = fc.array(fc.constantFrom(...PARTS), { maxLength: 60 }).map((parts) => parts.join(''));

describe('any answer', () => {
  it('is parsed to a delta of one-line fields that keeps its status, and to lines of the answer', () => {
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: 'binary', maxLength: 200 })), (answer) => {
        const {
          delta: { summary, plan, status },
          rest,
        } = parseDelta(answer);
        for (const field of [
          summary?.from,
          summary?.to,
          ...plan.flatMap((modification) => Object.values(modification)),
        ])
          expect(field ?? '').not.toMatch(/[\r\n\u2028\u2029]|^\s|\s$/);
        expect(summary?.to).not.toBe('');
        expect(plan.every(({ newLogic }) => newLogic !== '')).toBe(true);
        expect(status).toBe(
          summary ? (plan.length > 0 ? 'full' : 'summary_only') : plan.length > 0 ? 'plan_only' : 'missing',
        );
        expect(rest.length).toBeLessThanOrEqual(answer.length);
        expect(parseBlocks(rest).length).toBeLessThanOrEqual(parseBlocks(answer).length + 1);
      }),
      { numRuns: 1000 },
    );
  });

  it('gives a delta that, rendered within its delimiters, is read back as itself', () => {
    fc.assert(
      fc.property(soup, (answer) => {
        const { delta } = parseDelta(answer);
        const fields = [
          delta.summary?.from,
          delta.summary?.to,
          ...delta.plan.flatMap((modification) => Object.values(modification)),
        ].join('\n');
        // Of what a field quotes, only that which is literally a delimiter, a label or a header, or begins like one, is
        // read otherwise.
        fc.pre(!/delta|from|to *:|[A-Z]+ *:|logic|modification|```|---|[*_`]|^[<.]/im.test(fields));
        const written = [
          ...(delta.summary === null
            ? []
            : [`#DELTA-SUMMARY-START\n${renderSummary(delta.summary)}\n#DELTA-SUMMARY-END`]),
          ...(delta.plan.length === 0
            ? []
            : [`#DELTA-PLAN-DETAILS-START\n${renderPlan(delta.plan)}\n#DELTA-PLAN-DETAILS-END`]),
        ].join('\n');
        expect(parseDelta(written).delta).toEqual(delta);
      }),
      { numRuns: 500 },
    );
  });
});

describe('huge answers (400,000 characters: anything but linear would hardly come back)', () => {
  const SIZE = 400_000;
  const filled = (unit: string): string => unit.repeat(Math.ceil(SIZE / unit.length));
  const inPlan = (text: string): string => `#DELTA-PLAN-DETAILS-START\nNEW_LOGIC: x${text}`;
  const monsters: { readonly [name: string]: string } = {
    blanks: filled(' '),
    tabs: filled('\t'),
    marks: filled('*'),
    hashes: filled('#'),
    'line ends': filled('\n'),
    dashes: filled('-'),
    underscores: filled('_'),
    'START lines': filled('#DELTA-SUMMARY-START\n'),
    'END lines': filled('#DELTA-SUMMARY-END\n'),
    'START and END': filled('#DELTA-SUMMARY-START\n#DELTA-SUMMARY-END\n'),
    'STARTs on a line': filled('#DELTA-SUMMARY-START '),
    'STARTs with labels on a line': filled('#DELTA-SUMMARY-START FROM: '),
    'ENDs on a line': filled('#DELTA-SUMMARY-END'),
    'pairs on a line': filled('#DELTA-SUMMARY-START TO: x #DELTA-SUMMARY-END y '),
    'half delimiters': filled('#DELTA-'),
    'delta and blanks': `delta${filled(' ')}x`,
    'plan and blanks': `delta plan${filled(' ')}x`,
    'a delimiter and marks': `#DELTA-SUMMARY-START${filled('*')}x`,
    ...Object.fromEntries(
      [
        ' ',
        '*',
        '`',
        '_',
        '\n',
        '\n```',
        '\n---',
        '\n- - ',
        '\nTO:',
        '\n**TO',
        '\nNEW_LOGIC: y',
        ' NEW_LOGIC: y',
        '\n[Modification 1]\nNEW_LOGIC: y',
        ' [Modification 1',
        '\nCOMPONENT: c\nNEW_LOGIC: y',
        '<',
        '<>',
        '.',
        ' .',
        '\nmodification ',
        '\n> ',
        '\n1. ',
        '* ',
      ].map((unit) => [`a plan full of ${JSON.stringify(unit)}`, inPlan(filled(unit))]),
    ),
    'blanks before no bracket': inPlan(`\n[modification${filled(' ')}x`),
    'marks before no colon': inPlan(`\n${filled('*')}NEW_LOGIC${filled('*')} x`),
    'blanks before no colon': inPlan(`\nNEW_LOGIC${filled(' ')}x`),
    'labels with blanks': inPlan(`\nNEW${filled(' ')}x`),
    'a title of marks': `${inPlan('')}\n[Modification 2] a${filled('*')}b\nNEW_LOGIC: y`,
    'a long word': inPlan(filled('ab')),
    'a fence and blanks': inPlan(`\n\`\`\`${filled(' ')}x y`),
  };
  it.each(Object.keys(monsters))('%s', (name) => {
    const answer = monsters[name]!;
    expect(parseDelta(`${answer}\n#DELTA-SUMMARY-START\nTO: the end\n#DELTA-SUMMARY-END`).delta.summary?.to).toBe(
      'the end',
    );
  });
});
