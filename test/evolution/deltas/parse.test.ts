// From an answer to its delta (DeltaEvolve Figure 5; DeltaEvolve 1 to 5).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deltaOf, type Modification } from '../../../evolution/deltas/delta.ts';
import { parseDelta } from '../../../evolution/deltas/parse.ts';
import { applyBlocks } from '../../../evolution/edits/apply.ts';
import { parseBlocks } from '../../../evolution/edits/diff.ts';
import {
  PLAN_FORMAT,
  PLAN_INSTRUCTIONS,
  SUMMARY_FORMAT,
  SUMMARY_INSTRUCTIONS,
} from '../../../evolution/prompts/parts/delta-format.ts';
import {
  block,
  deltas,
  PLAN,
  plans,
  sentence,
  summaries,
  SUMMARY,
  writePlan,
  writeSummary,
} from '../../support/models/deltas-answers.ts';

const FULL = deltaOf(SUMMARY, PLAN);
const NONE = deltaOf(null, []);
const PATCH = block('x = 1', 'x = 2');
const apply = (answer: string): string =>
  applyBlocks('x = 1\n', parseBlocks(parseDelta(answer).rest), { enforceBlock: true, strict: false }).code;
const answerOf = (...parts: readonly string[]): string => parts.join('\n\n');

describe('a delta', () => {
  // Attempt: programs and scores.
  it('has its fields and its entries cut at a length that no honest one has, with a mark that says so', () => {
    const long = `${'y'.repeat(9_999)}\u{1f600}${'z'.repeat(200_000)}`;
    const { summary } = parseDelta(writeSummary({ from: 'x'.repeat(10_000), to: long })).delta;
    expect(summary).toEqual({ from: 'x'.repeat(10_000), to: `${'y'.repeat(9_999)}... [cut]` });
    const entries = Array.from({ length: 103 }, (_, index) => ({ ...PLAN[0]!, component: `c${index}` }));
    const { plan } = parseDelta(writePlan(entries)).delta;
    expect(plan.slice(0, 100)).toEqual(entries.slice(0, 100));
    expect(plan.slice(100)).toEqual([
      { component: '', oldLogic: '', newLogic: '[3 more modifications are cut]', hypothesis: '' },
    ]);
  });

  it('DeltaEvolve 1: a canonical reply yields L1, J modifications in order, and the patched parent as L3', () => {
    const answer = answerOf('I widen the search.', PATCH, writeSummary(SUMMARY), writePlan(PLAN));
    expect(parseDelta(answer).delta).toEqual({ summary: SUMMARY, plan: PLAN, status: 'full' });
    expect(apply(answer)).toBe('x = 2\n');
    fc.assert(
      fc.property(deltas, ({ summary, plan, status }) => {
        const written = answerOf(
          'Prose.',
          PATCH,
          ...(summary ? [writeSummary(summary)] : []),
          ...(plan.length > 0 ? [writePlan(plan)] : []),
        );
        expect(parseDelta(written).delta).toEqual({ summary, plan, status });
        expect(apply(written)).toBe('x = 2\n');
      }),
    );
  });

  it('DeltaEvolve 2: every delimiter and label variant of the parser rules yields the same node', () => {
    const joints = fc.constantFrom('-', '_', ' ', '  ', '\t', ' - ');
    const marks = fc.constantFrom(
      ['', ''],
      ['**', '**'],
      ['## ', ''],
      ['> ', ''],
      ['`', '`'],
      [' - ', ' '],
      ['### **', '** '],
      ['--- ', ' ---'],
      ['', ':'],
      ['__', '__'],
    );
    const cases = fc.constantFrom(
      (text: string) => text,
      (text: string) => text.toLowerCase(),
      (text: string) => text[0] + text.slice(1).toLowerCase(),
    );
    const labels = fc.constantFrom(
      (label: string) => `${label}:`,
      (label: string) => `**${label}:**`,
      (label: string) => `**${label}**:`,
      (label: string) => `- **${label}:**`,
      (label: string) => `* ${label}:`,
      (label: string) => `### ${label}:`,
      (label: string) => `  ${label} :`,
      (label: string) => `1. __${label}__:`,
      (label: string) => `\`${label}\`:`,
    );
    const headers = fc.constantFrom(
      (j: number) => `[Modification ${j}]`,
      (j: number) => `Modification ${j}`,
      (j: number) => `### Modification ${j}`,
      (j: number) => `**Modification ${j}:**`,
      (j: number) => `[MODIFICATION_${j}]`,
      (j: number) => `## [modification #${j}]`,
      (j: number) => `Modification ${j + 6}.`,
      () => '[Modification]',
      (j: number) => `[Modification ${j}] (if applicable)`,
    );
    const variant = fc.record({
      joints: fc.array(joints, { minLength: 3, maxLength: 3 }),
      hash: fc.boolean(),
      marks,
      cases,
      labels,
      headers,
      crlf: fc.boolean(),
      breaks: fc.boolean(),
    });
    fc.assert(
      fc.property(
        variant,
        ({
          joints: [first, second, third],
          hash,
          marks: [before, after],
          cases: inCase,
          labels: asLabel,
          headers: header,
          crlf,
          breaks,
        }) => {
          const delimiter = (...words: readonly string[]): string =>
            `${before}${hash ? '#' : ''}${inCase(words.map((word, index) => word + ([first, second, third].slice(0, words.length - 1)[index] ?? '')).join(''))}${after}`;
          const value = (text: string): string => (breaks ? `\n  ${text.replaceAll(' ', '\n   ')}\n` : ` ${text}`);
          const field = (label: string, text: string): string =>
            `${asLabel(inCase(label.replaceAll('_', second === '\t' ? ' ' : second!.trim() || ' ')))}${value(text)}`;
          const fields = ({ component, oldLogic, newLogic, hypothesis }: Modification, index: number): string =>
            [
              header(index + 1),
              field('COMPONENT', component),
              field('OLD_LOGIC', oldLogic),
              field('NEW_LOGIC', newLogic),
              field('HYPOTHESIS', hypothesis),
            ].join('\n');
          const answer = answerOf(
            PATCH,
            [
              delimiter('DELTA', 'SUMMARY', 'START'),
              field('FROM', SUMMARY.from),
              field('TO', SUMMARY.to),
              delimiter('DELTA', 'SUMMARY', 'END'),
            ].join('\n'),
            [
              delimiter('DELTA', 'PLAN', 'DETAILS', 'START'),
              ...PLAN.map(fields),
              delimiter('DELTA', 'PLAN', 'DETAILS', 'END'),
            ].join('\n'),
          );
          const parsed = parseDelta(crlf ? answer.replaceAll('\n', '\r\n') : answer);
          expect(parsed.delta).toEqual(FULL);
          expect(parsed.rest.trim().replaceAll('\r', '')).toBe(PATCH);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('DeltaEvolve 3: section order does not matter; of two summaries the last complete wins', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([PATCH, writeSummary(SUMMARY), writePlan(PLAN), 'Prose about it.'], { minLength: 4 }),
        (parts) => {
          expect(parseDelta(answerOf(...parts)).delta).toEqual(FULL);
          expect(apply(answerOf(...parts))).toBe('x = 2\n');
        },
      ),
    );
    const other = writeSummary({ from: 'a draft', to: 'another draft' });
    const summaryOf = (...parts: readonly string[]) => parseDelta(answerOf(...parts)).delta.summary;
    expect(summaryOf(other, PATCH, writeSummary(SUMMARY))).toEqual(SUMMARY);
    expect(summaryOf(writeSummary(SUMMARY), PATCH, SUMMARY_FORMAT)).toEqual(SUMMARY);
    expect(summaryOf(writeSummary(SUMMARY), PATCH, '#DELTA-SUMMARY-START\nTO: cut off here')).toEqual(SUMMARY);
    expect(summaryOf('#DELTA-SUMMARY-START\nTO: given up', PATCH, '#DELTA-SUMMARY-START\nTO: cut off here')).toEqual({
      from: '',
      to: 'cut off here',
    });
  });

  it('DeltaEvolve 4: a SEARCH block quoted in NEW_LOGIC leaves code unchanged', () => {
    const quoting = (newLogic: string) => writePlan([{ component: 'c', oldLogic: '', newLogic, hypothesis: '' }]);
    for (const quoted of [
      block('x = 1', 'x = 666'),
      `see\n${block('x = 2', 'x = 666')}\n`,
      `\n\`\`\`\n${block('x = 2', 'x = 666')}\n\`\`\``,
    ]) {
      for (const plan of [quoting(quoted), quoting(quoted).replace('#DELTA-PLAN-DETAILS-END', '')]) {
        expect(apply(answerOf(PATCH, writeSummary(SUMMARY), plan))).toBe('x = 2\n');
        expect(apply(plan)).toBe('x = 1\n');
      }
      expect(apply(answerOf(quoting(quoted), PATCH))).toBe('x = 2\n');
      expect(parseDelta(quoting(quoted)).delta.plan[0]!.newLogic).toContain('x = 666 >>>>>>> REPLACE');
    }
  });

  it('DeltaEvolve 5: a missing END keeps the text; template echo gives missing', () => {
    const [summary, plan] = [writeSummary(SUMMARY), writePlan(PLAN)].map((section) =>
      section.slice(0, section.lastIndexOf('\n')),
    );
    expect(parseDelta(answerOf(PATCH, summary!, plan!)).delta).toEqual(FULL);
    expect(parseDelta(answerOf(PATCH, summary!, writePlan(PLAN))).delta).toEqual(FULL);
    expect(apply(answerOf(PATCH, plan!, summary!))).toBe('x = 2\n');
    expect(parseDelta(answerOf(PATCH, SUMMARY_FORMAT, PLAN_FORMAT)).delta).toEqual(NONE);
    expect(parseDelta(answerOf(SUMMARY_INSTRUCTIONS, PLAN_INSTRUCTIONS)).delta).toEqual(NONE);
    expect(parseDelta('#DELTA-SUMMARY-START\nFROM: ...\nTO: …\n#DELTA-SUMMARY-END').delta).toEqual(NONE);
    expect(
      parseDelta('#DELTA-SUMMARY-START\nFROM: <old>\nTO: n < 5 and m > 3\n#DELTA-SUMMARY-END').delta.summary,
    ).toEqual({ from: '', to: 'n < 5 and m > 3' });
  });

  it('has a status: full, summary_only, plan_only or missing', () => {
    expect(parseDelta(PATCH)).toEqual({ delta: NONE, rest: PATCH });
    expect(parseDelta(writeSummary(SUMMARY)).delta.status).toBe('summary_only');
    expect(parseDelta(writePlan(PLAN)).delta.status).toBe('plan_only');
    expect(parseDelta('#DELTA-SUMMARY-START\nFROM: only the past\n#DELTA-SUMMARY-END').delta.status).toBe('missing');
  });
});

describe('a plan', () => {
  const planOf = (...lines: readonly string[]) =>
    parseDelta(['#DELTA-PLAN-DETAILS-START', ...lines, '#DELTA-PLAN-DETAILS-END'].join('\n')).delta.plan;
  const entry = (component: string, newLogic: string): Modification => ({
    component,
    oldLogic: '',
    newLogic,
    hypothesis: '',
  });

  it('opens an entry at a header and at a repeated COMPONENT; an entry without NEW_LOGIC is none', () => {
    expect(planOf('COMPONENT: a', 'NEW_LOGIC: b', 'COMPONENT: c', 'NEW_LOGIC: d')).toEqual([
      entry('a', 'b'),
      entry('c', 'd'),
    ]);
    expect(planOf('[Modification 1]', 'COMPONENT: a', 'OLD_LOGIC: b', '[Modification 2]', 'NEW_LOGIC: d')).toEqual([
      entry('', 'd'),
    ]);
    expect(planOf('Before all.', '[Modification 1]', 'NEW_LOGIC: a', 'which runs on,', 'and on')).toEqual([
      entry('', 'a which runs on, and on'),
    ]);
  });

  it('takes the title of a header where no component is named', () => {
    expect(
      planOf('### Modification 1: Step size', 'NEW_LOGIC: a', '**Modification 2: Start**', 'NEW_LOGIC: b'),
    ).toEqual([entry('Step size', 'a'), entry('Start', 'b')]);
    expect(
      planOf(
        '[Modification 1] Step size',
        'COMPONENT: Step',
        'NEW_LOGIC: a',
        '[Modification 2] (if applicable)',
        'NEW_LOGIC: b',
      ),
    ).toEqual([entry('Step', 'a'), entry('', 'b')]);
  });

  it('does not take prose for headers or labels', () => {
    expect(
      planOf(
        'COMPONENT: a',
        'NEW_LOGIC: the',
        'modification of the step to',
        'modification 3 of the list moves',
        'new logic in full, component by component',
      ),
    ).toEqual([
      entry(
        'a',
        'the modification of the step to modification 3 of the list moves new logic in full, component by component',
      ),
    ]);
  });

  it('and a summary on one line are read, too', () => {
    const line =
      '#DELTA-SUMMARY-START FROM: a TO: b #DELTA-SUMMARY-END #DELTA-PLAN-DETAILS-START [Modification 1] COMPONENT: c NEW_LOGIC: d [Modification 2] COMPONENT: e NEW_LOGIC: f #DELTA-PLAN-DETAILS-END';
    expect(parseDelta(`${PATCH}\n${line}`)).toEqual({
      delta: deltaOf({ from: 'a', to: 'b' }, [entry('c', 'd'), entry('e', 'f')]),
      rest: PATCH,
    });
    expect(parseDelta('#DELTA-SUMMARY-START\nTO: b #DELTA-SUMMARY-END\nmore')).toEqual({
      delta: deltaOf({ from: '', to: 'b' }, []),
      rest: 'more',
    });
  });

  it('loses the fences and rulers around it', () => {
    expect(planOf('```text', 'COMPONENT: a', 'NEW_LOGIC: b', '---', '[Modification 2]', 'NEW_LOGIC: c', '```')).toEqual(
      [entry('a', 'b'), entry('', 'c')],
    );
  });
});

describe('what is left of the answer', () => {
  it('is the answer, byte for byte, where it has no delta section', () => {
    const noise = fc.string({
      unit: fc.constantFrom(
        'a',
        '\n',
        '\r',
        ' ',
        '#',
        '-',
        'DELTA',
        'SUMMARY',
        'END',
        '<<<<<<< SEARCH\n',
        '#DELTA-SUMMARY-END',
        '\u2028',
      ),
    });
    fc.assert(
      fc.property(noise, (answer) => {
        expect(parseDelta(answer)).toEqual({ delta: NONE, rest: answer });
      }),
    );
  });

  it('keeps the patch where prose speaks of delimiters', () => {
    for (const prose of [
      'I will end with #DELTA-SUMMARY-START and so on.',
      'The delta summary start follows below.',
      'See #DELTA-SUMMARY-START',
    ]) {
      expect(apply(answerOf(prose, PATCH))).toBe('x = 2\n');
      expect(parseDelta(answerOf(prose, PATCH, writeSummary(SUMMARY))).delta.summary).toEqual(SUMMARY);
    }
  });

  it('never holds a line of a complete section (law)', () => {
    fc.assert(
      fc.property(summaries, plans, fc.array(sentence), (summary, plan, prose) => {
        const text = prose.join('\n');
        expect(parseDelta(`${text}\n${writeSummary(summary)}\n${text}\n${writePlan(plan)}\n${text}`).rest).toBe(
          `${text}\n${text}\n${text}`,
        );
      }),
    );
  });
});
