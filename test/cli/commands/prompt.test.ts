// `evolve prompt` shows exactly what a model was sent, and `evolve replay-response` applies an answer again.
import { describe, expect, test } from 'vitest';
import { promptLines } from '../../../cli/commands/programs/prompt.ts';
import { diffFrom, replayLines } from '../../../cli/commands/programs/replay-response.ts';
import { promptOf } from '../../../client/read/requests/prompts.ts';
import { replayResponse } from '../../../client/read/requests/replay-response.ts';
import { programId, promptId } from '../../../evolution/ids.ts';
import type { Message } from '../../../evolution/types.ts';
import { lively, played } from '../../support/worlds/delta-world.ts';
import { play, run, world } from '../../support/worlds/world.ts';
import { configFrom } from '../../support/domain/asked-run.ts';
import { collect } from '../../activities/store/fixtures.ts';

const usage = { in: 1, out: 1 };
const document = async (store: ReturnType<typeof world>['store'], id: string = run) => (await store.readRun(id))!;

describe('evolve prompt', () => {
  test('shows the newest planned step, group 0, and its messages as they are stored', async () => {
    const { store } = await play(false);
    const report = await promptOf(store, await document(store), {});
    const stored = (await store.getPrompts([promptId(run, 2, 0, 0)])).get(promptId(run, 2, 0, 0))!;
    const texts = await store.getTexts([stored.system, stored.user]);
    expect(report).toMatchObject({
      run,
      step: 2,
      epoch: 0,
      group: 0,
      parent: stored.parent,
      part: stored.part,
      settings: 1,
    });
    expect(report.stages).toEqual([
      {
        stage: 'program',
        answer: null,
        messages: [
          { role: 'system', content: texts.get(stored.system) },
          { role: 'user', content: texts.get(stored.user) },
        ],
      },
    ]);
    const chars = report.stages[0]!.messages.reduce((sum, { content }) => sum + content.length, 0);
    const { shares, commonPrefix } = report as { shares: { readonly [share: string]: number }; commonPrefix: number };
    expect(Object.values(shares).reduce((sum, count) => sum + count, 0)).toBe(chars);
    for (const share of ['problem', 'rules', 'advice', 'parent', 'attempts', 'request'])
      expect(shares[share], share).toBeGreaterThan(50);
    expect(shares['parent']!).toBeGreaterThan(shares['request']!);
    // What stands the same in all requests is at the beginning; the program of the step before is another one.
    expect(commonPrefix).toBeGreaterThanOrEqual(shares['rules']!);
    expect(commonPrefix).toBeLessThan(chars);
    expect(report.programs.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5].map((slot) => programId(run, 2, 0, slot)));
    expect(report.programs.map(({ model }) => model)).toEqual(Array(6).fill('m'));
    const lines = promptLines(report);
    expect(lines).toContain('--- program: system');
    expect(lines).toContain(texts.get(stored.user));
  });

  test('says how much of which program a prompt of deltas disclosed', async () => {
    const one = await played({ answer: lively }, 8);
    const found = await promptOf(one.store, await document(one.store), {});
    const stored = (await one.store.getPrompts([promptId(run, 8, 0, 0)])).get(promptId(run, 8, 0, 0))!;
    expect(found.disclosed![0]).toMatchObject({ id: stored.parent, level: 'L3' });
    const nodes = found.disclosed!.slice(1);
    const { user } = Object.fromEntries(found.stages[0]!.messages.map(({ role, content }) => [role, content])) as {
      readonly user: string;
    };
    const plans = user.split(/^### (?:Top|Diverse) Delta Plan \d+\n/m).slice(1);
    expect(nodes).toHaveLength(plans.length);
    for (const [index, { level, tokens }] of nodes.entries()) {
      expect(level).toBe(plans[index]!.startsWith('[iter:0') ? 'L2' : 'L1');
      expect(tokens).toBeGreaterThan(10);
    }
    expect(nodes.map(({ id }) => id).every((id) => stored.context!.some((shown) => shown.id === id))).toBe(true);
    expect(promptLines(found)).toContain(
      `disclosed ${stored.parent}  L3 (code), about ${found.disclosed![0]!.tokens} tokens`,
    );
    const { store } = await play(false);
    expect((await promptOf(store, await document(store), {})).disclosed).toBeNull();
  });

  test('shows the open step once it is planned, and any step and group that is asked for', async () => {
    const { store, activities, call, step, open } = world();
    await open();
    await step(0, false);
    await step(1, false);
    expect((await promptOf(store, await document(store), {})).step).toBe(1);
    await call(activities.planStep, { run, step: 2, owner: 'first' });
    expect(await promptOf(store, await document(store), {})).toMatchObject({ step: 2, programs: [] });
    expect(await promptOf(store, await document(store), { step: 1, group: 1 })).toMatchObject({ step: 1, group: 1 });
  });

  test('says that a step is not planned yet, and what there is, and stores nothing', async () => {
    const { store } = await play(false);
    const before = await documents(store);
    await expect(promptOf(store, await document(store), { step: 3 })).rejects.toThrow(
      /step 3 of run r is not planned yet.*the newest is step 2/,
    );
    await expect(promptOf(store, await document(store), { step: 0 })).rejects.toThrow(/step 0 of run r asks no model/);
    await expect(promptOf(store, await document(store), { group: 2 })).rejects.toThrow(/--group: expected 0 to 1/);
    await expect(promptOf(store, await document(store), { stage: 'judge' })).rejects.toThrow(
      /asked for nothing in stage judge; expected program/,
    );
    expect(await documents(store)).toEqual(before);
    const fresh = world();
    await fresh.open();
    await expect(promptOf(fresh.store, await document(fresh.store), {})).rejects.toThrow(/it has planned none so far/);
  });

  test('shows a conversation of several turns whole', async () => {
    const { store, step, open } = world();
    await open();
    await step(0, false);
    const turns: readonly Message[] = [
      { role: 'system', content: 's' },
      { role: 'user', content: 'u1' },
      { role: 'assistant', content: 'a1' },
      { role: 'user', content: 'u2' },
    ];
    const refs = await store.putTexts(turns.map(({ content }) => content));
    const messages = turns.map(({ role }, index) => ({ role, content: refs[index]! }));
    await store.putPrompts([{ ...plan, system: refs[0]!, user: refs[1]!, messages, operator: 'exploit' }]);
    const report = await promptOf(store, await document(store), {});
    expect(report.operator).toBe('exploit');
    expect(report.stages[0]!.messages).toEqual(turns);
  });

  test('shows the request and the answer of each stage, and how the group ended', async () => {
    const { store, step, open } = world();
    await open();
    await step(0, false);
    const [ask, idea, thought, judge] = await store.putTexts([
      'Write an idea.',
      'An idea.',
      'Let me think.',
      'Judge it.',
    ]);
    await store.putPrompts([{ ...plan, system: '', user: '', first: 'idea' }]);
    const of = { run, step: 1, epoch: 0, group: 0 };
    await store.putRequests([
      { ...of, _id: `${plan._id}:idea`, stage: 'idea', messages: [{ role: 'user', content: ask! }] },
      { ...of, _id: `${plan._id}:judge`, stage: 'judge', messages: [{ role: 'user', content: judge! }] },
    ]);
    await store.putCalls([
      {
        ...of,
        _id: `${plan._id}:idea`,
        stage: 'idea',
        response: idea!,
        reasoning: thought!,
        model: 'writer',
        finishReason: 'stop',
        usage,
        costUsd: 0.5,
      },
    ]);
    const id = programId(run, 1, 0, 0);
    await store.putDeltas([
      {
        _id: id,
        run,
        step: 1,
        slot: 0,
        parent: plan.parent,
        outcome: 'rm_failed',
        reason: 'no judge',
        code: null,
        normHash: null,
        length: 0,
        blocks: 0,
        unmatched: [],
        duplicateOf: null,
      },
    ]);
    const report = await promptOf(store, await document(store), {});
    expect(report.stages).toEqual([
      {
        stage: 'idea',
        messages: [{ role: 'user', content: 'Write an idea.' }],
        answer: {
          text: 'An idea.',
          reasoning: 'Let me think.',
          model: 'writer',
          finishReason: 'stop',
          usage,
          costUsd: 0.5,
        },
      },
      { stage: 'judge', messages: [{ role: 'user', content: 'Judge it.' }], answer: null },
    ]);
    expect(report.programs).toEqual([
      { id, model: null, finishReason: null, outcome: 'rm_failed', reason: 'no judge' },
    ]);
    expect((await promptOf(store, await document(store), { stage: 'judge' })).stages.map(({ stage }) => stage)).toEqual(
      ['judge'],
    );
    expect(promptLines(report).filter((text) => text.startsWith('--- '))).toEqual([
      '--- idea: user',
      '--- idea: reasoning',
      '--- idea: answer of writer, finish reason stop',
      '--- judge: user',
      '--- judge: no answer',
      '--- programs (evolve show <program> --response shows an answer)',
    ]);
  });

  test('shows what a fork has from another run', async () => {
    const { store } = await play(false);
    await store.createFork({
      run: 'forked',
      from: run,
      step: 1,
      config: (await document(store)).config,
      createdAt: new Date(),
    });
    expect(await promptOf(store, await document(store, 'forked'), {})).toMatchObject({ run, step: 1 });
    await expect(promptOf(store, await document(store, 'forked'), { step: 2 })).rejects.toThrow(/not planned yet/);
  });
});

const plan = {
  _id: promptId(run, 1, 0, 0),
  run,
  step: 1,
  epoch: 0,
  group: 0,
  parent: programId(run, 0, 0, 0),
  island: 0,
  priorPrograms: [],
  part: 'main',
  configVersion: 1,
};

const documents = (store: ReturnType<typeof world>['store']): Promise<readonly unknown[]> =>
  collect(store.exportRun(run));

describe('evolve replay-response', () => {
  const edit = (search: string, replace: string): string =>
    `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE`;
  const good = edit('    middle_x = 0.5', '    middle_x = 0.41');
  const ANSWERS = [
    'only prose',
    good,
    `${good}\n${edit('    nowhere = 1', '    nowhere = 2')}`,
    edit('import numpy', 'import os'),
    edit('    middle_x = 0.5', '    middle_x = 0.5  # as before'),
    '<think>open',
  ];

  /** A run in which the answers of step 1's first group are these. */
  const answered = async (answers: readonly string[], settings: object = {}) => {
    const { store, activities, call, step } = world();
    const config = configFrom({
      batch: 2,
      responses: 6,
      limits: { steps: 2 },
      seed: 3,
      ...settings,
    });
    await call(activities.openRun, { run, owner: 'first', config });
    await step(0, false);
    const { epoch, version } = await call(activities.planStep, { run, step: 1, owner: 'first' });
    const refs = await store.putTexts(answers);
    await store.putRollouts(
      refs.map((response, slot) => ({
        _id: programId(run, 1, epoch, slot),
        run,
        step: 1,
        epoch,
        group: 0,
        slot,
        response,
        reasoning: null,
        model: 'm',
        finishReason: 'stop',
        usage,
        costUsd: 0,
      })),
    );
    const slots = refs.map((_, slot) => slot);
    await call(activities.applyResponses, { run, step: 1, epoch, version, slots, final: slots });
    return { store, ids: refs.map((_, slot) => programId(run, 1, epoch, slot)) };
  };

  test.each([
    ['edits', {}],
    ['edits, all or nothing', { diff: { strict: true } }],
    ['programs or edits', { diff: { accept: 'either' } }],
    ['deltas', { prompt: { style: 'delta' } }],
  ])('gives what the step stored: %s', async (_name, settings) => {
    const log = `#DELTA-SUMMARY-START\nFROM: a\nTO: b\n#DELTA-SUMMARY-END\n#DELTA-PLAN-DETAILS-START\n[Modification 1]\nCOMPONENT: c\nNEW_LOGIC: ${good}\n#DELTA-PLAN-DETAILS-END`;
    const { store, ids } = await answered([...ANSWERS.slice(0, 4), `${good}\n\n${log}`, log], settings);
    const before = await documents(store);
    for (const id of ids)
      expect(await replayResponse(store, id, {})).toMatchObject({
        program: id,
        response: 'stored',
        equal: true,
        differences: [],
        changed: [],
      });
    expect(await documents(store)).toEqual(before);
    if ('prompt' in settings) expect((await replayResponse(store, ids[4]!, {})).delta).toBe('full');
  });

  test('names each block and why one does not apply', async () => {
    const { store, ids } = await answered(ANSWERS);
    const replay = await replayResponse(store, ids[2]!, {});
    expect(replay.blocks).toEqual([
      { block: 1, search: ['    middle_x = 0.5'], replace: ['    middle_x = 0.41'], reason: null },
      {
        block: 2,
        search: ['    nowhere = 1'],
        replace: ['    nowhere = 2'],
        reason: 'no match: the program has none of these lines; line 1 of SEARCH is "    nowhere = 1"',
      },
    ]);
    expect(replay).toMatchObject({ outcome: null, reason: null });
    expect(replay.code).toContain('middle_x = 0.41');
    const lines = replayLines(replay, true);
    expect(lines).toContain('block 1   matches');
    expect(lines).toContain(
      'block 2   does not apply: no match: the program has none of these lines; line 1 of SEARCH is "    nowhere = 1"',
    );
    expect(lines).toContain('stored    the same');
    expect(await replayResponse(store, ids[0]!, {})).toMatchObject({ outcome: 'no_diff', blocks: [], code: null });
    expect(await replayResponse(store, ids[4]!, {})).toMatchObject({ outcome: 'no_change' });
  });

  test('tries other settings below diff, and says what would differ', async () => {
    const { store, ids } = await answered(ANSWERS);
    const replay = await replayResponse(store, ids[2]!, { diff: diffFrom(['diff.strict=true']) });
    expect(replay).toMatchObject({ changed: ['diff.strict'], outcome: 'no_change', equal: false });
    expect(replay.differences.map(({ what }) => what)).toEqual(expect.arrayContaining(['outcome', 'reason', 'code']));
    expect(replayLines(replay, false).join('\n')).toContain('settings 1 but diff.strict=true');
    expect((await replayResponse(store, ids[1]!, { diff: diffFrom(['diff.maxCodeChars=1000']) })).reason).toMatch(
      /at most 1000 are allowed/,
    );
    await expect(replayResponse(store, ids[1]!, { diff: diffFrom(['diff.strickt=true']) })).rejects.toThrow(
      /unknown key/,
    );
    expect(() => diffFrom(['batch=3'])).toThrow(/--set batch: expected a setting below diff/);
  });

  test('tries another answer', async () => {
    const { store, ids } = await answered(ANSWERS);
    expect(await replayResponse(store, ids[0]!, { response: good })).toMatchObject({
      response: 'given',
      outcome: null,
      equal: false,
    });
    expect(await replayResponse(store, ids[1]!, { response: good })).toMatchObject({ response: 'given', equal: true });
  });

  test('finds a duplicate as the step did, in committed runs too', async () => {
    const { store, programs } = await play(false);
    const made = programs.filter(({ step }) => step > 0);
    expect(made.some(({ outcome }) => outcome === 'duplicate')).toBe(true);
    for (const { _id } of made) expect((await replayResponse(store, _id, {})).equal).toBe(true);
  });

  test('says what has no response', async () => {
    const { store } = await play(false);
    await expect(replayResponse(store, 'r:nobody', {})).rejects.toThrow(/there is no program "r:nobody"/);
    await expect(replayResponse(store, programId(run, 0, 0, 0), {})).rejects.toThrow(
      /has no response: no model made it/,
    );
  });
});
