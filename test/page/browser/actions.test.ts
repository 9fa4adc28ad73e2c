// Every action through the page's server on a real stack, and its effect in the run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { programId } from '../../../evolution/ids.ts';
import type { Body, Done, VerbName } from '../../../page/data/actions.ts';
import type { AfterStep } from '../../../page/data/forms.ts';
import { createApp } from '../../../page/server/app.ts';
import { openSite, type Site } from '../../../page/server/site/site.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { endpointFor, sharedHome } from '../../support/live.ts';

const HOST = '127.0.0.1:1';

describe('from the page', () => {
  const live = sharedHome();
  let site: Site | null = null;
  let asked = 0;
  const ask = async (path: string, body?: object): Promise<unknown> => {
    site ??= openSite({ home: resolveHome(live.home.env), env: live.home.env }, { version: 'x', readOnly: null });
    const response = await createApp(site, {}).request(`http://${HOST}/api/${path}`, {
      headers: { host: HOST, 'x-evolve-page': '1', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { error?: { message: string } };
    if (answer.error !== undefined) throw new Error(answer.error.message);
    return answer;
  };
  const act = <V extends VerbName>(verb: V, body: Body<V>): Promise<Done> =>
    ask(`actions/${verb}`, { ...body, request: `asking-${(asked += 1)}` }) as Promise<Done>;
  afterAll(() => site?.close());

  test('a run is started, changed, extended, rewound, forked, paused, resumed, stopped and exported', async () => {
    const endpoint = await endpointFor();
    const settings = {
      batch: 2,
      responses: 2,
      limits: { steps: 2 },
      population: { islands: 2 },
      evaluation: { sandbox: 'noop' },
      model: { name: 'small', baseUrl: endpoint.url },
    };
    const run = 'paged';
    expect((await act('start', { run, settings })).run).toBe(run);
    await live.engine.ended(run);

    await act('set', { run, patch: { responses: 3 } });
    await act('hint', { run, hint: 'try hexagons', island: 1 });
    const code = readFileSync(join('tasks', 'circle-packing-square-26', 'initial.py'), 'utf8');
    await act('inject', { run, program: code.replace('EVOLVE-BLOCK-START', 'EVOLVE-BLOCK-START\n# by a person') });
    await act('extend', { run, limits: { steps: 1 }, add: true });
    const extended = await live.engine.ended(run);
    expect(extended).toMatchObject({ committedStep: 3, config: { responses: 3, limits: { steps: 3 } } });
    expect(extended.config.prompt.hints).toEqual([{ island: 1, text: 'try hexagons' }]);
    // Two groups of three answers, and the program of the person.
    expect(await ask(`runs/${run}/after/2`)).toMatchObject({ steps: 1, programs: 7 } satisfies Partial<AfterStep>);

    await act('rewind', { run, toStep: 3 });
    const rewound = await live.engine.ended(run);
    expect(rewound.generation).toBeGreaterThan(extended.generation);
    expect(rewound.committedStep).toBe(3);

    endpoint.setLatency(300);
    const fork = await act('fork', { run, step: 2, as: 'paged-fork', yaml: 'limits:\n  steps: 400\n' });
    expect(fork.run).toBe('paged-fork');
    expect((await live.engine.document('paged-fork')).origin).toMatchObject({ run, step: 2 });
    await live.engine.seen('paged-fork', 'its own step', ({ committedStep }) => committedStep >= 3);
    await act('pause', { run: 'paged-fork', reason: 'a look' });
    const paused = await live.engine.seen('paged-fork', 'paused', ({ status }) => status === 'paused');
    expect(paused.statusReason).toBe('a look');
    endpoint.be('refuses');
    await act('resume', { run: 'paged-fork' });
    await live.engine.seen('paged-fork', 'in need of attention', ({ status }) => status === 'needs attention');
    endpoint.be('answers');
    expect((await act('retry', { run: 'paged-fork' })).text).toContain('tries again now');
    await live.engine.seen('paged-fork', 'going on', ({ committedStep }) => committedStep > paused.committedStep);
    await act('stop', { run: 'paged-fork', mode: 'now', reason: 'enough' });
    const stopped = await live.engine.ended('paged-fork');
    expect(stopped).toMatchObject({ status: 'stopped', stopReason: 'stopped by a person: enough' });

    const first = await act('export', { run });
    expect(first.text).toContain(join(live.home.runs, run, 'export'));
    expect(await live.home.programs(run)).toContainEqual(expect.objectContaining({ id: programId(run, 3, 0, 6) }));
  });

  test('a sweep is started from a form and stopped', async () => {
    const endpoint = await endpointFor({ latencyMs: 500 });
    const spec = {
      name: 'paged-sweep',
      base: {
        batch: 2,
        responses: 1,
        limits: { steps: 300 },
        evaluation: { sandbox: 'noop' },
        model: { name: 'small', baseUrl: endpoint.url },
      },
      grid: { 'population.islands': [1, 2] },
      maxParallel: 1,
    };
    await act('sweep', { spec });
    await act('sweep-stop', { sweep: 'paged-sweep', mode: 'now' });
    const { runs, status } = await live.home.json(['sweep', 'status', 'paged-sweep']);
    expect(runs).toHaveLength(2);
    expect(['stopping', 'stopped']).toContain(status ?? 'stopped');
  });
});
