// The common frame of every style (docs/prompts.md): what was tried, the best program, all metrics, why a program
// failed; and no request of a run equals an earlier one.
import { describe, expect, it } from 'vitest';
import { askedIn } from '../../../../../deploy/offline-model/role.ts';
import type { Message } from '../../../../../evolution/types.ts';
import {
  changed,
  codeWorld,
  configOf,
  edit,
  isMeta,
  messagesOf,
  plansOf,
  SMALL,
  textOf,
} from '../../../../support/worlds/code-world.ts';
import { research } from '../../../../support/worlds/research-world.ts';
import { playWindows } from '../../../../support/worlds/window-world.ts';

const STEPS = 6;
/** Most answers fail in one way or another, so that the same parents are asked for again. */
const script = {
  program: ({ seed }: { readonly seed: number }, line: string): string =>
    seed % 3 === 0
      ? 'Only prose.'
      : seed % 3 === 1
        ? `The middle moves.\n${edit(line, changed(line, seed))}`
        : `Nothing.\n${edit(line, line)}`,
  score: (code: string): number | null => {
    const value = Number(/middle_x = 0?\.(\d+)/.exec(code)![1]);
    return value % 2 === 0 ? null : value;
  },
};
const small = { ...SMALL, exploration: { ...SMALL.exploration, schedule: 'none', metaPrompt: false } };
const STYLES = {
  code: { ...SMALL, population: { ...SMALL.population, islandSync: 'epoch' } },
  naive: { ...SMALL, method: 'naive' },
  theta: { ...small, method: 'theta' },
  delta: { ...small, method: 'delta' },
  static: { ...small, method: 'static' },
  openevolve: { ...small, method: 'openevolve' },
  'greedy-refine': { ...small, method: 'greedy-refine', population: { islands: 1 } },
  'theta, three answers each': { ...small, method: 'theta', responses: 3, batch: 3 },
  'conversation without evolved prompts': { ...small, prompt: { style: 'conversation' } },
  proposal: { ...small, method: 'theta', prompt: { style: 'proposal' } },
  'theta within a short limit': { ...small, method: 'theta', prompt: { maxTokens: 100 } },
} as const;

const PAPER = { ...STYLES.theta, prompt: { frame: 'paper' } };

const play = async (settings: object) => {
  const { store, ...world } = codeWorld(settings, script);
  await world.play(STEPS);
  const plans = await plansOf(store, STEPS, configOf(settings).batch);
  expect(plans).toHaveLength(STEPS * configOf(settings).batch);
  return {
    store,
    requests: await Promise.all(plans.map(async (plan) => ({ plan, messages: await messagesOf(store, plan) }))),
  };
};
const runs = new Map<object, ReturnType<typeof play>>();
/** Each run is played once, whatever is asked of it. */
const played = (settings: object): ReturnType<typeof play> => {
  const run = runs.get(settings) ?? play(settings);
  runs.set(settings, run);
  return run;
};
const asTexts = async (settings: object): Promise<readonly string[]> =>
  (await played(settings)).requests.map(({ messages }) => JSON.stringify(messages));
const repeated = (texts: readonly string[]): number => texts.length - new Set(texts).size;

describe('no request for programs equals one of the run before', () => {
  it.each(Object.entries(STYLES))('%s', async (_, settings) => {
    expect(repeated(await asTexts(settings))).toBe(0);
  });

  it('edited prompts: nor does a request for one, also where none of the answers is an edit', async () => {
    const world = codeWorld(STYLES.code, { ...script, meta: () => 'No edit.' });
    await world.play(STEPS);
    const metas = world.asked.filter(isMeta).map(({ messages }) => JSON.stringify(messages));
    expect(metas.length).toBeGreaterThan(3);
    expect(repeated(metas)).toBe(0);
    expect(metas.some((text) => text.includes('# Attempts on this program'))).toBe(true);
  });

  it('research', async () => {
    const world = research({}, { batch: 2, population: { islands: 2 }, prompt: { frame: 'common' } });
    await world.play(STEPS);
    const programs = world.asked.filter(({ role }) => role === 'program');
    expect(repeated(programs.map((one) => JSON.stringify(one)))).toBe(0);
    for (const { system, user } of programs) {
      expect(system).toMatch(/Pack 26 circles[^]*\n# Limits\n[^]*300 s of CPU time/);
      expect(user).toContain('raises sum_radii');
    }
  });

  it("the papers' form is free of it", async () => {
    expect(repeated(await asTexts(PAPER))).toBeGreaterThan(0);
  });
});

it('islands that go on alone are asked the same as islands that wait', async () => {
  const texts = async (islandSync: string): Promise<readonly string[]> => {
    const settings = { ...SMALL, population: { ...SMALL.population, islandSync } };
    const world = codeWorld(settings, script);
    await world.open();
    if (islandSync === 'epoch') for (let n = 0; n <= STEPS; n++) await world.step(n);
    else {
      // The first island runs ahead as far as it can.
      const windows = await playWindows(world, settings, { steps: STEPS, turn: (can) => can[0]! });
      expect(windows.some((window) => window !== null && window[1] > window[0])).toBe(true);
    }
    const plans = await plansOf(world.store, STEPS, SMALL.batch);
    return Promise.all(plans.map(async (plan) => JSON.stringify(await messagesOf(world.store, plan))));
  };
  const waiting = await texts('epoch');
  expect(await texts('migration')).toEqual(waiting);
  expect(waiting.some((text) => /- Attempts? (?:\d+, )*3: /.test(text))).toBe(true);
});

it.each(Object.entries(STYLES))('the offline model finds the program to change: %s', async (_, settings) => {
  const { store, requests } = await played(settings);
  for (const { plan, messages } of requests) {
    const code = (await store.getPrograms([plan.parent])).get(plan.parent)!.code!;
    const asked = askedIn(messages);
    expect(asked).toMatchObject({
      kind: 'program',
      whole: false,
      programs: { parent: (await textOf(store, code)).trimEnd() },
    });
  }
});

it('a parent that failed is shown with its own failure, in every style', async () => {
  for (const style of ['theta', 'openevolve', 'delta', 'conversation', 'proposal']) {
    const settings = {
      ...small,
      method: 'theta',
      population: { islands: 1, admitFailures: true },
      selection: { kind: 'uniform' },
      prompt: { style },
    };
    const world = codeWorld(settings, { score: (code) => (code.includes('middle_x = 0.5\n') ? 1 : null) });
    await world.play(3);
    const plans = await plansOf(world.store, 3, SMALL.batch);
    const parents = await world.store.getPrograms(plans.map(({ parent }) => parent));
    let failed = 0;
    for (const plan of plans) {
      if (parents.get(plan.parent)!.outcome === 'valid') continue;
      failed += 1;
      const user = (await messagesOf(world.store, plan)).at(-1)!.content;
      expect(user.split('# Attempts on this program')[0], style).toContain('two discs meet');
    }
    expect(failed, style).toBeGreaterThan(0);
  }
});

it('how many programs share the best score, from three on', async () => {
  const world = codeWorld(STYLES['greedy-refine'], { score: () => 1 });
  await world.play(3);
  const plans = await plansOf(world.store, 3, SMALL.batch);
  const users = await Promise.all(plans.map(async (plan) => (await messagesOf(world.store, plan)).at(-1)!.content));
  const told = users.map((user) => Number(/(\d+) programs of this search share its best score/.exec(user)?.[1] ?? 0));
  expect(told[0]).toBe(0);
  expect(Math.max(...told)).toBeGreaterThan(2);
});

describe('what the frame says', () => {
  const userOf = (text: string): string => (JSON.parse(text) as readonly Message[]).at(-1)!.content;

  it('the last attempts with their outcome, what they said and changed; as many as are wanted', async () => {
    const users = (await asTexts({ ...STYLES['greedy-refine'], prompt: { attempts: 2 } })).map(userOf);
    const attempts = users.map((user) => user.match(/^- Attempt \d+: .*$/gm) ?? []);
    expect(attempts[0]).toEqual([]);
    expect(Math.max(...attempts.map(({ length }) => length))).toBe(2);
    const all = attempts.flat().join('\n');
    expect(all).toMatch(/: no SEARCH\/REPLACE block in the answer[^"]* It said: "Only prose\."/);
    expect(all).toMatch(/: [^"\n]*the program is unchanged[^"]* It said: "Nothing\."/);
    expect(all).toMatch(
      /: its result is not valid: two discs meet\. It said: "The middle moves\." It changes line \d+\./,
    );
    expect(users.join('\n')).toMatch(
      /answers to requests for this program have come so far\. What became of the last 2,/,
    );
    expect(users.join('\n')).not.toMatch(/no_diff|no_change|no_solution|diff\.strict|PROMPT-BLOCK/);
  });

  it('no score where scores are hidden, and no attempt where feedback is off', async () => {
    const masked = (await asTexts({ ...STYLES.openevolve, prompt: { scores: 'masked' } })).map(userOf);
    expect(masked.join('\n')).toMatch(/^- Attempt \d+: valid, (better|worse)/m);
    expect(masked.join('\n')).not.toMatch(/^- Attempt \d+: sum_radii/m);
    const off = (await asTexts({ ...STYLES.theta, prompt: { feedback: 'none' } })).map(userOf);
    expect(off.join('\n')).not.toMatch(/^- Attempt/m);
    expect(repeated(off)).toBe(0);
  });

  it('the best program, where it is not the parent', async () => {
    const users = (await asTexts(STYLES.theta)).map(userOf);
    expect(users.some((user) => /## Program 1, the best so far/.test(user))).toBe(true);
    const paper = (await asTexts(PAPER)).map(userOf);
    for (const user of paper) expect(user).not.toMatch(/the best so far|# Attempts|# Other requests/);
  });

  it('drops other programs first, then attempts, and keeps statement, limits and parent', async () => {
    const users = (await asTexts(STYLES['theta within a short limit'])).map(userOf);
    for (const user of users) {
      expect(user).toMatch(/# Limits\n[^]*# Current program\n/);
      expect(user).not.toMatch(/# Prior programs|^- Attempt/m);
    }
    expect(users.some((user) => user.includes('for this program have come so far.'))).toBe(true);
  });
});
