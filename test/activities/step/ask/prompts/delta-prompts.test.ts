// What method `delta` asks, step after step, over the store in memory (DeltaEvolve 6, 7, 13, 17 and 19).
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../../../activities/sha256.ts';
import { attemptOf } from '../../../../../evolution/deltas/delta.ts';
import { programId } from '../../../../../evolution/ids.ts';
import { programsOf } from '../../../../support/worlds/conducted.ts';
import {
  configOf,
  deltaWorld,
  edit,
  initialProgram,
  lively,
  played,
  run,
  type World,
} from '../../../../support/worlds/delta-world.ts';

const ROOT = programId(run, 0, 0, 0);
const STEPS = 8;
const codesOf = async ({ store }: World): Promise<ReadonlyMap<string, string>> => {
  const all = await programsOf(store);
  const texts = await store.getTexts(all.flatMap(({ code }) => code ?? []));
  return new Map(all.map(({ _id, code }) => [_id, code === null ? '' : texts.get(code)!]));
};
const allPrompts = async (world: World, steps = STEPS) =>
  (await Promise.all(Array.from({ length: steps }, (_, index) => world.promptsOf(index + 1)))).flat();
/** Of each entry of the history section: its role, attempt, level. */
const entriesOf = (user: string) =>
  [...user.matchAll(/^### (Top|Diverse) Delta Plan \d+\n\[iter:( ?)(\d+)/gm)].map(([, role, blank, time]) => ({
    role,
    time: Number(time),
    level: blank === ' ' ? 'L1' : 'L2',
  }));
describe('prompts of a run of method delta', () => {
  it('eliteExcludesParent leaves the parent out; the next rank moves up', async () => {
    const world = await played({ config: configOf({ delta: { eliteExcludesParent: true } }), answer: lively }, STEPS);
    for (const { parent, context = [] } of await allPrompts(world))
      expect(context.map(({ id }) => id)).not.toContain(parent);
    expect(
      (await world.promptsOf(STEPS)).every(
        ({ context = [] }) => context.filter(({ role }) => role === 'elite').length === 3,
      ),
    ).toBe(true);
  });

  it('DeltaEvolve 13: the root is never rendered, were it the best of all; nor is an injected program', async () => {
    const world = deltaWorld({
      answer: (asked) => lively(asked),
      scoreOf: (code) =>
        code.includes('value = 1.0\n') || code.includes('value = 99')
          ? 1000
          : Number(/value = ([\d.]+)\n/.exec(code)?.[1] ?? 'x') || null,
    });
    await world.open();
    await world.step(0);
    const [code] = await world.store.putTexts([initialProgram().replace('value = 1.0', 'value = 99')]);
    await world.store.inject({ _id: `${run}:inject:a`, run, island: 0, code: code!, at: new Date(0), place: null });
    for (let step = 1; step <= 6; step++) await world.step(step);
    const roots = (await world.programs()).filter(({ parents }) => parents.length === 0).map(({ _id }) => _id);
    expect(roots).toHaveLength(1);
    const prompts = await allPrompts(world, 6);
    for (const { context = [] } of prompts)
      for (const root of [ROOT, ...roots]) expect(context.map(({ id }) => id)).not.toContain(root);
    expect(prompts.at(-1)!.context!.filter(({ role }) => role === 'elite')).toHaveLength(3);
    expect(prompts.some(({ parent }) => parent === ROOT || roots.includes(parent))).toBe(true);
  });

  it('DeltaEvolve 7: recent nodes show their plan, older ones their summary; w = 0 all L1, w > t all L2', async () => {
    for (const [window, disclosure] of [
      [6, 'window'],
      [0, 'window'],
      [1000, 'window'],
      [0, 'l2-selected'],
    ] as const) {
      const config = configOf({ delta: { window, disclosure } });
      const world = await played({ config, answer: lively }, 8);
      const seen = new Set<string>();
      for (const { step, group, texts } of await allPrompts(world, 8)) {
        const t = attemptOf({ step, slot: group }, config);
        for (const { time, level } of entriesOf(texts.user)) {
          expect(level).toBe(disclosure === 'l2-selected' || time > t - window ? 'L2' : 'L1');
          seen.add(level);
        }
      }
      expect([...seen].sort()).toEqual(
        window === 6 ? ['L1', 'L2'] : [window === 0 && disclosure === 'window' ? 'L1' : 'L2'],
      );
    }
  });

  it('each slot of a step takes its own t, and an initial program is attempt 0 (law)', () => {
    const sizes = { batch: 4, responses: 2 };
    const all = [1, 2, 3].flatMap((step) => Array.from({ length: 8 }, (_, slot) => attemptOf({ step, slot }, sizes)));
    expect(all).toEqual(Array.from({ length: 24 }, (_, index) => index + 1));
    expect(attemptOf({ step: 0, slot: 0 }, sizes)).toBe(0);
  });

  it('DeltaEvolve 6: a valid program without delta is stored, evaluated, may be elite, and renders by fallback', async () => {
    const silent = await played(
      { answer: (asked) => edit(asked.parentCode, (2 + asked.step / 10 + asked.slot / 1000).toFixed(4)) },
      3,
    );
    const stored = await silent.programs();
    expect(
      stored.every(
        ({ outcome, change }) => outcome === 'valid' && change?.status === 'missing' && change.plan.length === 0,
      ),
    ).toBe(true);
    expect(stored[0]!.change!.summary).toEqual({
      from: 'initial program',
      to: 'unlabelled change, 1 block, +1/-1 lines',
    });
    const [prompt] = await silent.promptsOf(3);
    expect(prompt!.context!.filter(({ role }) => role === 'elite')).toHaveLength(3);
    expect(prompt!.texts.user).toMatch(
      /### Top Delta Plan 1\n\[iter: \d{3} \| improved\]\nFROM: .*\nTO: unlabelled change, 1 block, \+1\/-1 lines\n- Feedback: \{"points":2\.\d+\}/,
    );
    const skipping = await played(
      {
        config: configOf({ delta: { missing: 'skip' } }),
        answer: (asked) =>
          asked.slot === 0 ? lively(asked) : edit(asked.parentCode, (9 + asked.step + asked.slot / 10).toFixed(2)),
      },
      3,
    );
    const told = new Set(
      (await skipping.programs()).filter(({ change }) => change!.status === 'full').map(({ _id }) => _id),
    );
    const shown = (await allPrompts(skipping, 3)).flatMap(({ context = [] }) => context.map(({ id }) => id));
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.every((id) => told.has(id))).toBe(true);
  });

  it('DeltaEvolve 19: masked prompts contain no score; labels and error text stay', async () => {
    const world = await played(
      {
        config: configOf({ prompt: { scores: 'masked' }, population: { admitFailures: true } }),
        answer: lively,
        scoreOf: (code) => {
          const value = Number(/value = (\S+)/.exec(code)![1]);
          return Number.isFinite(value) ? value * 7 + 0.123456 : null;
        },
      },
      8,
    );
    const scores = (await world.programs()).flatMap(({ score }) => score ?? []);
    const prompts = await allPrompts(world, 8);
    for (const { texts } of prompts) {
      expect(texts.user).not.toContain('points from');
      for (const score of scores) expect(texts.user).not.toContain(String(Number(score.toPrecision(10))));
    }
    const text = prompts.map(({ texts }) => texts.user).join('\n');
    expect(text).toContain('scores are hidden');
    expect(text).toMatch(/\| (?:improved|degraded)\]|:(?:improved|degraded)\]/);
    expect(text).toContain('the value is no number');
  });

  it('DeltaEvolve 19: under random context, permuting scores leaves chosen context unchanged', async () => {
    const config = configOf({ prompt: { draw: 'random' }, selection: { kind: 'initial' } });
    const contexts = async (scoreOf: (code: string) => number) => {
      const world = await played({ config, answer: lively, scoreOf }, 8);
      return (await allPrompts(world, 8)).map(({ context = [] }) => context);
    };
    const hash =
      (salt: string) =>
      (code: string): number =>
        parseInt(sha256(`${salt}${code}`).slice(0, 6), 16);
    const [one, other] = [await contexts(hash('a')), await contexts(hash('b'))];
    expect(one).toEqual(other);
    expect(one.at(-1)!.map(({ role }) => role)).toEqual(['elite', 'elite', 'elite', 'diverse', 'diverse']);
    expect(new Set(one.at(-1)!.map(({ id }) => id)).size).toBe(5);
    expect(one.flat().map(({ id }) => id)).not.toContain(ROOT);
  });

  it('feedback: the word alone, or nothing', async () => {
    const [words, nothing] = await Promise.all(
      (['label-only', 'none'] as const).map((feedback) =>
        played({ config: configOf({ prompt: { feedback } }), answer: lively }, 4),
      ),
    );
    const [first] = await words!.promptsOf(4);
    expect(
      first!.texts.user
        .match(/- Feedback: .*/g)!
        .every((line) => /^- Feedback: (improved|degraded|unchanged|failed|no earlier change)$/.test(line)),
    ).toBe(true);
    for (const { texts } of await nothing!.promptsOf(4)) expect(texts.user).not.toContain('Feedback');
  });

  it('beyond prompt.maxTokens deltas are dropped whole, the last first; the parent stays', async () => {
    const full = await played({ answer: lively }, 5);
    const [whole] = await full.promptsOf(5);
    const tokens = Math.ceil((whole!.texts.system.length + whole!.texts.user.length) / 4);
    const cut = await played({ config: configOf({ prompt: { maxTokens: tokens - 1 } }), answer: lively }, 5);
    const [short] = await cut.promptsOf(5);
    expect(entriesOf(short!.texts.user)).toEqual(entriesOf(whole!.texts.user).slice(0, -1));
    const least = await played({ config: configOf({ prompt: { maxTokens: 100 } }), answer: lively }, 3);
    for (const { texts } of await least.promptsOf(3)) {
      expect(entriesOf(texts.user)).toEqual([]);
      expect(texts.user).toContain('# Parent Program');
    }
  });

  it('prior programs and ancestors of other methods are shown as changes too', async () => {
    const world = await played(
      {
        config: configOf({
          prompt: { elites: 1, diverse: 0, priorPrograms: 2, ancestors: 2, bestEver: true, inspirations: 1 },
        }),
        answer: lively,
      },
      8,
    );
    const codes = await codesOf(world);
    for (const { parent, texts, context = [], priorPrograms } of await world.promptsOf(8)) {
      expect(priorPrograms).toEqual([]);
      expect(texts.user.match(/^```python$/gm)).toHaveLength(1);
      expect(texts.user).toContain(codes.get(parent)!.trimEnd());
      expect(entriesOf(texts.user).length).toBe(new Set(context.map(({ id }) => id).filter((id) => id !== ROOT)).size);
    }
  });
});

/** The change in words, as long as those of the paper's figures. */
const realistic = ({
  step,
  slot,
  parentCode,
}: {
  readonly step: number;
  readonly slot: number;
  readonly parentCode: string;
}): string =>
  [
    edit(parentCode, (1 + ((step * 37 + slot * 11) % 50) / 17 + step / 1000 + slot / 100_000).toFixed(7)),
    '',
    '#DELTA-SUMMARY-START',
    `FROM: Multi-start local search from uniformly drawn points with a fixed step size, variant ${step}.${slot}`,
    `TO: Latin hypercube starts with an adaptive pattern search whose step size shrinks after failures, variant ${step}.${slot}`,
    '#DELTA-SUMMARY-END',
    '#DELTA-PLAN-DETAILS-START',
    ...['Starting points', 'Step size control'].flatMap((component, index) => [
      `[Modification ${index + 1}]`,
      `COMPONENT: ${component}`,
      'OLD_LOGIC: 10 uniform random points in the box, each refined by 100 coordinate moves of fixed length 0.1 of the span',
      'NEW_LOGIC: 40 points of a Latin hypercube with centred strata; each is refined by a pattern search whose step begins at 0.2 of the span, is halved after 5 failures in a row and multiplied by 1.5 after a success; stops below 1e-6',
      'HYPOTHESIS: Even coverage of the box finds more basins, and the shrinking step reaches the precision that the score rewards',
    ]),
    '#DELTA-PLAN-DETAILS-END',
  ].join('\n');

describe('token saving', () => {
  it('DeltaEvolve 17: on one scripted run with programs of 200 lines delta uses at least 37 % fewer input tokens than full code at k = 3, m = 2', async () => {
    const steps = 25;
    const run25 = async (style: 'delta' | 'theta' | 'openevolve') => {
      const world = await played(
        {
          config: configOf({ prompt: { style, elites: 3, diverse: 2, frame: 'paper' } }),
          program: initialProgram(200),
          answer: realistic,
        },
        steps,
      );
      const { totals } = (await world.store.readRun(run))!;
      return { tokens: totals.tokens.in, codes: [...(await codesOf(world)).values()] };
    };
    const delta = await run25('delta');
    expect(delta.codes[0]!.trimEnd().split('\n')).toHaveLength(200);
    for (const style of ['theta', 'openevolve'] as const) {
      const full = await run25(style);
      expect(full.codes).toEqual(delta.codes);
      const saving = 1 - delta.tokens / full.tokens;
      expect(saving).toBeGreaterThanOrEqual(0.37);
    }
  });
});
