// Every action on a real stack, clicked through its dialog in Chromium, and its effect in the run. Where there is no
// browser, the same is asked of the page's server.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programId } from '../../../evolution/ids.ts';
import { askingOf } from '../../../page/api/actions/actions.ts';
import type { AfterStep } from '../../../page/api/actions/forms.ts';
import { endpointFor, sharedHome } from '../../support/machine/live.ts';
import { findings, goTo, holds, launch, LOOKS, noBrowser, openPage, type Watched } from '../../support/page/browser.ts';
import { type Act, byDialogs, type Clicked } from '../../support/page/by-dialogs.ts';
import { pageOfHome } from '../../support/page/serve.ts';

describe('from the page', () => {
  const live = sharedHome();
  let url: string;
  let asked = 0;
  let watched: Watched | null = null;
  let act: Act;
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${url}/api/v1/${path}`, {
      headers: { 'x-evolve-page': '1', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { error?: { message: string } };
    if (answer.error !== undefined) throw new Error(answer.error.message);
    return answer;
  };
  beforeAll(async () => {
    url = (await pageOfHome(live.home)).url;
    act = (verb, given) => {
      const { path, body } = askingOf(verb, { ...given, request: `asking-${(asked += 1)}` });
      return ask(path, body) as Promise<Clicked>;
    };
    if (noBrowser() !== null) return;
    const browser = await launch();
    watched = await openPage(browser, url, LOOKS[0]!);
    act = byDialogs(watched.page, url);
  });
  afterAll(() => watched?.page.context().browser()?.close());
  const nothingWrong = async (): Promise<void> => {
    if (watched !== null) expect(await findings(watched, 'after all actions')).toEqual([]);
  };

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
    await act('extend', { run, steps: 1, add: true });
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
    await nothingWrong();
  });

  test('the page of a run is saved as a file that opens from disk', async ({ skip }) => {
    if (watched === null) return skip('no browser');
    const { page } = watched;
    await goTo(page, `${url}/`, '#/run/paged/events');
    await page.locator('.acts .menu > summary').click();
    await page.getByRole('button', { name: 'Save the page' }).click();
    await page.getByLabel('It has code, prompts').selectOption('best:100');
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the file' }).click();
    const file = join(live.home.dir, 'paged.html');
    await (await coming).saveAs(file);
    expect(await page.locator('dialog .did').textContent()).toMatch(/^paged\.html is saved: \d+\.\d MB\.$/);
    // Who closes the dialog before the end is told of it all the same.
    const again = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the file' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await again;
    await holds(
      page,
      `/paged.html is saved: /.test(document.querySelector('#page [role=status] .did')?.textContent ?? '')`,
    );
    await nothingWrong();
    const opened = await openPage(page.context().browser()!, null, LOOKS[1]!);
    await goTo(opened.page, pathToFileURL(file).href, '#/run/paged/programs');
    await holds(opened.page, `document.querySelector('.shown-count')?.textContent.includes('of 16 programs') === true`);
    expect(await findings(opened, 'the file')).toEqual([]);
    await opened.close();
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
    await nothingWrong();
  });
});
