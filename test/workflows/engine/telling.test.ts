// Texts for people and numbers for the engine's lists are made of anything, and fit.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Refusal } from '../../../evolution/run-states.ts';
import type { RunBrief } from '../../../activities/interface/run.ts';
import { counted, cut, digits, dollars, listed, moment, summary } from '../../../workflows/engine/telling.ts';
import { isObject, shown } from '../../../workflows/messages/shape.ts';
import { openingDetails, runDetails, runTable, stepSummaryLine } from '../../../workflows/run/legible.ts';
import { sweepDetails } from '../../../workflows/sweep/sweep-details.ts';

const bytes = (text: string): number => new TextEncoder().encode(text).length;
const number = fc.constantFrom(
  0,
  1,
  1e308,
  -1e308,
  Infinity,
  -Infinity,
  Number.NaN,
  null,
  undefined,
) as fc.Arbitrary<never>;
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.constantFrom('x'.repeat(60_000), '\u20ac'.repeat(60_000), '\ud800', '\n'.repeat(1_000)),
);

const refused = (why: string): Refusal => ({ at: '2026-11-23T02:50:16.000Z', message: 'pause', why, times: 2 });

describe('texts', () => {
  it('are cut to their bytes and stay well-formed', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 8, max: 2_000 }), (text, most) => {
        const told = cut(text, most);
        expect(bytes(told)).toBeLessThanOrEqual(most);
        expect(told.isWellFormed()).toBe(true);
        if (bytes(text) <= most) expect(told).toBe(text.toWellFormed());
      }),
    );
  });

  it('of a run, a step and a sweep fit what the engine takes, whatever the numbers and names are', () => {
    fc.assert(
      fc.property(anyText, number, (text, value) => {
        const brief = {
          run: 'r',
          task: text,
          method: text,
          model: text,
          seed: value,
          batch: value,
          responses: value,
          sweep: text,
          limits: { steps: value, costUsd: value },
          paid: { programs: value, tokens: value, costUsd: value },
          committedStep: value,
          best: { program: text, score: value, strictScore: value, step: value },
          totals: {
            programs: value,
            valid: value,
            failures: { [text]: value },
            tokens: { in: value, out: value },
            costUsd: value,
          },
        } as unknown as RunBrief;
        const hidden = { program: text, score: value, outcome: text } as never;
        for (const told of [
          runTable(brief),
          runDetails(brief, {
            ...{ status: 'running', attention: text, parked: null, reason: text, hidden },
            refusals: [refused(text), refused(text), refused(text)],
          }),
          openingDetails({ run: 'r', status: 'opening', attention: text, parked: null, refusals: [refused(text)] }),
          sweepDetails({
            reason: text,
            schedule: text,
            plan: {
              name: text,
              runs: Array.from({ length: 80 }, (_, index) => ({ run: `r${index}`, group: 0, summary: text })),
            } as never,
            status: text,
            rung: value,
            swept: new Map([
              ['r1', { run: 'r1', state: 'alive', attention: true, programs: value, best: value, rung: null }],
            ]),
            out: new Set<number>(),
            attention: text,
            refusal: text,
          }),
        ])
          expect(bytes(told)).toBeLessThanOrEqual(20_000);
        for (const told of [summary(text), stepSummaryLine(brief, 3)]) expect(bytes(told)).toBeLessThanOrEqual(400);
      }),
    );
  });
});

it('texts from outside draw no link, no image and no HTML in the Temporal UI', () => {
  const evil = '![x](http://127.0.0.1/x.png) <img src=x> | www.example.com `\x1b[31m\u202e\n# big';
  const brief = {
    run: 'r',
    task: evil,
    method: 'theta',
    model: evil,
    seed: 1,
    limits: {},
    committedStep: 1,
    best: null,
    totals: { programs: 1, valid: 1, failures: {}, tokens: { in: 1, out: 1 }, costUsd: 0 },
  } as unknown as RunBrief;
  const told = [
    runTable(brief),
    runDetails(brief, {
      ...{ status: 'running', attention: evil, parked: null, reason: evil, hidden: null },
      refusals: [refused(evil)],
    }),
    openingDetails({
      ...{ run: 'r', status: 'opening', attention: evil.repeat(500), parked: null },
      refusals: [refused(evil.repeat(500))],
    }),
    sweepDetails({
      reason: evil,
      schedule: evil,
      plan: { name: 's', maxParallel: 1, runs: [{ run: 'r', group: 0, summary: evil }] } as never,
      status: 'running',
      rung: null,
      swept: new Map(),
      out: new Set<number>(),
      attention: evil,
      refusal: evil,
    }),
    summary(evil),
    summary(evil.repeat(40)),
    stepSummaryLine(brief, 0),
  ];
  for (const text of told) {
    // What stands between two backticks of one line is code, and is drawn as it is.
    const drawn = text.replaceAll(/`[^`\n]*`/g, '');
    expect(drawn, text).not.toMatch(/\]\(|<|:\/\/|www\.|`|# big/);
    expect(text, text).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
    expect(text, text).toContain('![x](http');
  }
});

describe('numbers', () => {
  it('are told and listed, or said to be unknown', () => {
    for (const value of [Infinity, Number.NaN, null, undefined, 'x', {}, 1e308, -3, 2.5]) {
      expect(typeof digits(value)).toBe('string');
      expect(typeof dollars(value)).toBe('string');
      expect(Number.isFinite(listed(value))).toBe(true);
      expect(Number.isSafeInteger(counted(value))).toBe(true);
      expect(() => moment(value)?.toISOString()).not.toThrow();
    }
    expect([digits(2.63586), dollars(0.5), digits(null), dollars(Infinity)]).toEqual([
      '2.63586',
      '0.5000',
      'unknown',
      'unknown',
    ]);
  });
});

it('whatever a message holds is shown in one short line', () => {
  fc.assert(
    fc.property(fc.anything({ withTypedArray: true, withBigInt: true, withDate: true }), (value) => {
      expect(shown(value).length).toBeLessThanOrEqual(200);
      expect(typeof isObject(value)).toBe('boolean');
    }),
  );
});
