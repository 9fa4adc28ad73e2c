// What is said at the end of a run, and the commands with which it goes on.
import { describe, expect, test } from 'vitest';
import { bodyOf } from '../../../cli/flags/fields.ts';
import { lastWords } from '../../../cli/terminal/last-words.ts';
import { alreadyReached } from '../../../activities/run/reached.ts';
import { changedConfig } from '../../../evolution/methods/change.ts';
import type { Json } from '../../../evolution/types.ts';
import { runDocument } from '../../support/domain/run-document.ts';

const NOW = new Date('2026-11-21T10:02:00Z');
const ended = runDocument({ status: 'finished', stopReason: 'steps', endedAt: NOW });
describe('the last words', () => {
  test('name the files and the commands to go on', () => {
    const text = lastWords(ended, '/r/demo', ['best.py'], NOW).join('\n');
    for (const part of [
      'Run demo finished: limits.steps reached (16)',
      '1.841297346 tolerant',
      'no language model',
      '/r/demo: best.py',
      'npx evolve extend demo --steps 13',
      '10 steps more, after the 3 that are made',
      'npx evolve down',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('page');
  });

  test('count one step as one', () => {
    expect(lastWords(runDocument({ ...ended, committedStep: 1 }), '/r/demo', [], NOW).join('\n')).toContain(
      '192 made in 1 step, ',
    );
  });

  test('name the page of the run where one is served', () => {
    const url = 'http://127.0.0.1:8235/#/run/demo';
    expect(lastWords(ended, '/r/demo', ['best.py'], NOW, null, url)).toContain(`  page      ${url}`);
  });

  test('do not make a run without a valid program look like success', () => {
    const text = lastWords(runDocument({ ...ended, totals: { ...ended.totals, valid: 0 } }), '/r/demo', [], NOW).join(
      '\n',
    );
    expect(text).toContain('NO SUCCESS');
    expect(text).toContain('not one new program was valid');
  });
});

describe('the command to go on with', () => {
  const { config } = ended;
  const NONE = {
    steps: null,
    programs: null,
    tokens: null,
    costUsd: null,
    wallSeconds: null,
    countPauses: true,
    targetScore: null,
    noImprovementPrograms: null,
    stagnantEpochs: null,
  };
  const endedBy = (stopReason: string, limits: Partial<typeof config.limits>, more: object = {}) =>
    runDocument({ ...ended, stopReason, config: { ...config, limits: { ...NONE, ...limits } }, ...more });

  test.each([
    ['steps', { steps: 3 }, '--steps 13'],
    ['programs', { programs: 192 }, '--programs 832'],
    ['tokens', { tokens: 1_280_245 }, '--tokens 2560490'],
    ['costUsd', { costUsd: 1.1, steps: 16 }, '--cost-usd 2.2'],
    ['wallSeconds', { wallSeconds: 100 }, '--wall-seconds 3720'],
    ['targetScore', { targetScore: 1.8, steps: 16 }, '--target-score none'],
    ['noImprovementPrograms', { noImprovementPrograms: 40, steps: 16 }, '--no-improvement-programs 80'],
    ['stagnantEpochs', { stagnantEpochs: 40, steps: 16 }, '--stagnant-epochs 40'],
    ['programs', { programs: 192, steps: 3 }, '--steps 13 --programs 832'],
    ['programs', { programs: 200 }, '--programs 832'],
  ] as const)('%s %j: %s, which is no limit that is reached already', (reason, limits, flags) => {
    const run = endedBy(reason, limits);
    const command = lastWords(run, '/r/demo', [], NOW, 'maximise').find((text) => text.includes('extend demo'))!;
    expect(command.trim().split('  ')[0]).toBe(`npx evolve extend demo ${flags}`);
    const given = Object.fromEntries(
      [...flags.matchAll(/--(\S+) (\S+)/g)].map(([, flag, value]) => [
        flag!.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
        value!,
      ]),
    );
    const { add: _, ...wanted } = bodyOf('extend', given);
    const after = changedConfig(run.config, { kind: 'extend', limits: wanted as Json, add: false });
    expect(alreadyReached(run, after.limits, 'maximise', NOW)).toBeNull();
  });

  test('the time after its end does not use up a limit on time, unless pauses count', () => {
    const lasted = (ended.endedAt!.getTime() - ended.createdAt.getTime()) / 1000;
    const later = new Date(ended.endedAt!.getTime() + 7_200_000);
    const reached = (pausedMs: number, countPauses: boolean) => {
      const run = endedBy('steps', { wallSeconds: lasted + 1, countPauses }, { pausedMs });
      return alreadyReached(run, run.config.limits, 'maximise', later);
    };
    expect([reached(0, false), reached(0, true)]).toEqual([null, 'wallSeconds']);
    const run = endedBy('wallSeconds', { wallSeconds: lasted - 10, countPauses: false });
    expect(alreadyReached(run, run.config.limits, 'maximise', later)).toBe('wallSeconds');
    expect(alreadyReached({ ...run, pausedMs: 11_000 }, run.config.limits, 'maximise', later)).toBeNull();
  });

  test('of a run that a person or a sweep stopped is resume; of one that has beaten people a change of that setting comes first', () => {
    const stopped = lastWords(
      runDocument({ ...ended, status: 'stopped', stopReason: 'stopped by a person' }),
      '/r/demo',
      [],
      NOW,
      'maximise',
    ).join('\n');
    expect(stopped).toContain('npx evolve resume demo');
    expect(stopped).not.toContain('extend');
    const human = lastWords(endedBy('human best beaten', { programs: 500 }), '/r/demo', [], NOW, 'maximise').join('\n');
    expect(human).toContain('npx evolve set demo ideation.stopAtHuman=false');
    expect(human).toContain('npx evolve extend demo --programs 500');
  });

  test('says reached only of what is reached', () => {
    const said = (reason: string, limits: Partial<typeof config.limits>) =>
      lastWords(endedBy(reason, limits), '/r/demo', [], NOW, 'maximise')[1];
    expect(said('programs', { programs: 192 })).toContain('limits.programs reached (192)');
    expect(said('programs', { programs: 200 })).toContain(
      'limits.programs (200): 192 are made, and another step would exceed it',
    );
    expect(said('tokens', { tokens: 1_280_300 })).toContain(
      'limits.tokens (1280300): 1280245 are paid for, and one more response is likely to exceed it',
    );
  });
});
