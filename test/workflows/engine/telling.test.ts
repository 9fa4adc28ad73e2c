// Texts for people and numbers for the engine's lists are made of anything, and fit.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunBrief } from '../../../activities/interface/run.ts';
import { counted, cut, digits, dollars, listed, moment, summary } from '../../../workflows/engine/telling.ts';
import { isObject, shown } from '../../../evolution/steering/base/check.ts';
import { RUN_STATES, type RunStatus } from '../../../evolution/run-states.ts';
import { runDetails, type Shown, stepSummaryLine } from '../../../workflows/run/page.ts';
import { stepDetails } from '../../../workflows/step/step-details.ts';
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

const BRIEF = {
  ...{ run: 'r', task: 't', method: 'theta', model: 'm', seed: 1, limits: {}, committedStep: 1, best: null },
  totals: { programs: 1, valid: 1, failures: {}, tokens: { in: 1, out: 1 }, costUsd: 0 },
  paid: { programs: 1, tokens: 9, costUsd: 1 },
};
const EXECUTION = { id: 'x', after: 'y', resetOf: 'z' };
const COUNTS = { total: 9, responses: 3, applied: 3, evaluated: 2, toEvaluate: 3 };

const anyShown = (status: RunStatus, text: string, value: never, brief: RunBrief | null) =>
  ({
    run: 'r',
    status,
    brief,
    attention: text,
    parked: null,
    paused: true,
    reason: text,
    left: null,
    refusals: Array.from({ length: 3 }, () => ({
      at: '2026-11-23T02:50:16.000Z',
      message: text,
      // Notes are cut where they are taken.
      why: cut(text, 900),
      times: value,
    })),
    nowMs: value,
  }) satisfies Shown & { readonly nowMs: number };

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
      fc.property(anyText, number, fc.constantFrom(...RUN_STATES), (text, value, status) => {
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
          configVersion: value,
          committedAtMs: value,
          improvedAtMs: value,
          best: { program: text, score: value, strictScore: value, step: value },
          totals: {
            programs: value,
            valid: value,
            failures: { [text]: value },
            tokens: { in: value, out: value },
            costUsd: value,
          },
        } as unknown as RunBrief;
        const shown = anyShown(status, text, value, brief);
        const counts = { total: value, responses: value, applied: value, evaluated: value, toEvaluate: value };
        const ofRun = runDetails(shown, { ...EXECUTION, nowMs: value });
        const ofStep = stepDetails({ ...shown, step: value, plan: null, counts, over: false, phases: value });
        for (const told of [
          ofRun,
          ofStep,
          runDetails({ ...shown, brief: null }, { ...EXECUTION, nowMs: value }),
          sweepDetails({
            reason: text,
            schedule: text,
            plan: {
              name: text,
              runs: Array.from({ length: 80 }, (_, index) => ({ run: `r${index}`, group: 0, summary: text })),
              page: { scoring: text, groups: [], task: text, method: text, model: text },
            } as never,
            status,
            rung: value,
            swept: new Map([
              [
                'r1',
                {
                  run: 'r1',
                  state: 'alive',
                  attention: true,
                  word: text,
                  programs: value,
                  best: value,
                  costUsd: value,
                  rung: null,
                },
              ],
            ]),
            out: new Set<number>(),
            attention: text,
            parked: null,
            refusals: [{ at: text, message: text, why: text, times: 1 }],
          }),
        ])
          expect(bytes(told)).toBeLessThanOrEqual(20_000);
        // Nothing is cut off at the end.
        for (const told of [ofRun, ofStep]) expect(told.split('\n').at(-1)).toMatch(/^As of .*newest execution/);
        for (const told of [summary(text), stepSummaryLine(brief, 3)]) expect(bytes(told)).toBeLessThanOrEqual(400);
      }),
    );
  });
});

it('the details of a stream say which steps it makes', () => {
  const shown = anyShown('running', '', 1 as never, null);
  const plan = { version: 2, stream: { first: 4 } } as never;
  expect(stepDetails({ ...shown, step: 7, plan, counts: COUNTS, phases: 0, over: false })).toContain(
    '**Stream of step 4, from step 7 on** of run `r`, under version 2 of the settings: 3 of 9 responses have come',
  );
});

const LINKS = { page: 'http://127.0.0.1:8235', workflows: 'http://127.0.0.1:8233/namespaces/default/workflows' };
const PLAN = { name: 's', maxParallel: 1, runs: [], page: { groups: [] } };
const SWEEP = {
  status: 'running',
  ...{ reason: null, rung: null, swept: new Map(), out: new Set<number>() },
  ...{ attention: null, parked: null, refusals: [], schedule: null },
} as const;

it('details link the page, the newest execution and the one with the steps, as far as addresses are known', () => {
  const brief = { ...BRIEF, links: LINKS } as unknown as RunBrief;
  const shown = { ...anyShown('finished', '', 1 as never, brief), attention: null, refusals: [] };
  const run = runDetails(shown, { id: 'last', after: 'before', resetOf: null, nowMs: 1 });
  for (const part of [
    `[The page](${LINKS.page}/#/run/r)`,
    `stand in the execution before this one: [\`before\`](${LINKS.workflows}/run%2Fr/before)`,
    `the newest execution of [\`run/r\`](${LINKS.workflows}/run%2Fr)`,
  ])
    expect(run).toContain(part);
  const step = { ...shown, step: 1, plan: null, counts: COUNTS, over: false, phases: 0, nowMs: 1 };
  expect(stepDetails({ ...step, links: LINKS })).toContain(`[The page](${LINKS.page}/#/run/r)`);
  expect(stepDetails({ ...step, links: LINKS })).toContain(`[\`run/r\`](${LINKS.workflows}/run%2Fr) says what`);
  const sweep = sweepDetails({ ...SWEEP, plan: { ...PLAN, links: LINKS } as never });
  expect(sweep).toContain(`[The page](${LINKS.page}/#/sweeps/s)`);
  expect(sweep).toContain(`[list](${LINKS.workflows}?query=EvoSweepId%20%3D%20%22s%22%20AND`);
  for (const told of [
    runDetails({ ...shown, brief: BRIEF as never }, { id: 'last', after: 'before', resetOf: null, nowMs: 1 }),
    stepDetails(step),
    sweepDetails({ ...SWEEP, plan: PLAN as never }),
  ]) {
    expect(told).toContain('`npx evolve ui` opens it');
    expect(told).not.toContain('](');
  }
});

it('an execution that is over says so first, and where messages go', () => {
  const shown = { ...anyShown('running', '', 1 as never, { ...BRIEF, links: LINKS } as never), left: 'it went on' };
  const newest = (id: string) =>
    `**This execution is over**: it went on. Messages go to the newest execution of [\`${id}\`](${LINKS.workflows}/${encodeURIComponent(id)}).`;
  expect(runDetails(shown, { ...EXECUTION, nowMs: 1 }).split('\n')[0]).toBe(newest('run/r'));
  const plan = { ...PLAN, links: LINKS } as never;
  expect(sweepDetails({ ...SWEEP, plan, left: 'it went on' }).split('\n')[0]).toBe(newest('sweep/s'));
});

// Attempt: messages and the terminal.
it('texts from outside draw no link, no image and no HTML in the Temporal UI', () => {
  const evil = '![x](http://127.0.0.1/x.png) <img src=x> | www.example.com `\x1b[31m\u202e\n# big';
  const brief = { ...BRIEF, task: evil, model: evil } as unknown as RunBrief;
  const shown = anyShown('needs attention', evil.repeat(500), 1 as never, brief);
  const execution = { ...EXECUTION, nowMs: 1 };
  const told = [
    runDetails(shown, execution),
    runDetails({ ...shown, brief: null }, execution),
    stepDetails({ ...shown, step: 1, plan: null, counts: COUNTS, over: false, phases: 1 }),
    sweepDetails({
      reason: evil,
      schedule: evil,
      plan: { name: 's', maxParallel: 1, runs: [{ run: 'r', group: 0, summary: evil }], page: { groups: [] } } as never,
      status: 'running',
      rung: null,
      swept: new Map(),
      out: new Set<number>(),
      attention: evil,
      parked: null,
      refusals: [{ at: evil, message: evil, why: evil, times: 1 }],
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
