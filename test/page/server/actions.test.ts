// What reaches the page's server as an action: who may ask, what is refused before anything runs, that nothing is done
// twice; and what each verb does to a run.
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { resolveHome } from '../../../deploy/host/home.ts';
import type { DurableEvolve } from '../../../client/durable-evolve.ts';
import type { OpenParts, Place } from '../../../client/connect/connection.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { runWorkflowId } from '../../../evolution/ids.ts';
import type { RunStatus } from '../../../evolution/run-states.ts';
import type { Body, Done, VerbName } from '../../../page/api/actions/actions.ts';
import type { RunSettingsAnswer } from '../../../page/api/actions/forms.ts';
import { createApp } from '../../../page/server/app.ts';
import { ActionError, createActor } from '../../../page/server/actions/actor.ts';
import { carryOut } from '../../../page/server/actions/dispatch.ts';
import { problemOf } from '../../../page/server/actions/starting.ts';
import { WarmParts } from '../../../page/server/actions/warm-parts.ts';
import { engineHttp } from '../../../page/server/site/engine-http.ts';
import { engineStates } from '../../../page/server/site/engine-states.ts';
import type { Site } from '../../../page/server/site/site.ts';
import type { Store } from '../../../activities/store/store.ts';
import { listening } from '../../support/machine/listening.ts';
import { HOST, OURS, ownFolder } from '../../support/page/in-tests.ts';
import { runWith } from '../../support/engine/steered-run.ts';

const place: Place = { home: resolveHome({ EVOLVE_HOME: '/nowhere/of/a/test' }), env: {} };

const appOver = (store: Store | null, readOnly: string | null = null) => {
  const site = {
    place,
    store: async () => store!,
    looks: { run: async (id: string) => (await store!.readRun(id))!, all: async () => '' },
    about: () => ({ version: 'x', readOnly, docs: false, exported: null }),
    close: async () => undefined,
  } as unknown as Site;
  return createApp(site, {}, { token: null, readOnly });
};
const HEADERS = { ...OURS, 'content-type': 'application/json' };

describe('an action is refused', () => {
  const post = async (
    path: string,
    { headers = {}, body = '{}', readOnly = null }: { headers?: object; body?: string; readOnly?: string | null } = {},
  ) => {
    const all = Object.entries({ ...HEADERS, ...headers }).filter(([, value]) => value !== undefined);
    const response = await appOver(null, readOnly).request(`http://${HOST}/api/v1/${path}`, {
      method: 'POST',
      headers: Object.fromEntries(all) as Record<string, string>,
      body,
    });
    const { error } = (await response.json()) as { error: { kind: string; message: string } };
    return [response.status, error.message] as const;
  };

  test.each([
    ['of a page of another origin', { headers: { origin: 'http://evil.example' } }, 403, /another origin/],
    ['of another site', { headers: { 'sec-fetch-site': 'cross-site' } }, 403, /another site/],
    ['without the header', { headers: { 'x-evolve-page': undefined } }, 403, /x-evolve-page/],
    ['under a foreign name', { headers: { host: 'evil.example' } }, 403, /127\.0\.0\.1 or localhost/],
    ['where it is read-only', { readOnly: 'this page only reads' }, 403, /^this page only reads$/],
    ['as a form', { headers: { 'content-type': 'text/plain' } }, 415, /application\/json/],
    ['that is no JSON', { body: '{' }, 400, /one JSON object/],
    ['with a list', { body: '[]' }, 400, /one JSON object such as \{\}, got \[\]/],
    ['with an unknown key', { body: '{"request":"12345678","force":true}' }, 400, /pause: unknown key "force"/],
    ['with a wrong type', { body: '{"request":12345678}' }, 400, /"request" expected 8 to 64/],
    ['that names another run than its path', { body: '{"run":"b","request":"12345678"}' }, 400, /the path names it/],
    ['that is too long', { body: `{"run":"${'a'.repeat(3 << 20)}"}` }, 413, /at most 2 MB/],
  ] as const)('%s', async (_, given, status, message) => {
    const [came, said] = await post('runs/a/pause', given);
    expect(said).toMatch(message);
    expect(came).toBe(status);
  });

  test('that nobody knows', async () => {
    expect(await post('runs/a/terminate', { body: '{"request":"12345678"}' })).toEqual([
      404,
      expect.stringMatching(/no action "terminate"; there are pause, /),
    ]);
  });
});

describe('an asking', () => {
  const DONE: Done = { text: 'done', run: 'a', warnings: [], problems: [], plan: null };
  const held = () => {
    const orders: unknown[] = [];
    const ends: ((end: Done | Error) => void)[] = [];
    const actor = createActor(place, (_, order) => {
      orders.push(order);
      return new Promise((resolve, reject) => {
        ends.push((end) => (end instanceof Error ? reject(end) : resolve(end)));
      });
    });
    return { actor, orders, ends };
  };

  test('that comes twice acts once, and both get the answer', async () => {
    const { actor, orders, ends } = held();
    const both = [actor.act('pause', { run: 'a' }, 'same-name'), actor.act('pause', { run: 'a' }, 'same-name')];
    ends[0]!(DONE);
    expect(await Promise.all(both)).toEqual([DONE, DONE]);
    expect(await actor.act('pause', { run: 'a' }, 'same-name')).toBe(DONE);
    expect(orders).toHaveLength(1);
    void actor.act('pause', { run: 'a' }, 'other-name');
    expect(orders).toHaveLength(2);
  });

  test('of another run is another one, and one with another body is refused', async () => {
    const { actor, orders, ends } = held();
    const both = ['a', 'b'].map((run) => actor.act('pause', { run }, 'same-name'));
    expect(orders).toMatchObject([{ body: { run: 'a' } }, { body: { run: 'b' } }]);
    for (const end of ends) end(DONE);
    await Promise.all(both);
    await expect(actor.act('pause', { run: 'a', now: true }, 'same-name')).rejects.toThrow(
      'pause: "request" expected a new name, because same-name has named an asking with another body',
    );
    expect(orders).toHaveLength(2);
  });

  test('that was refused may come again; one of which nobody knows what became may not', async () => {
    const { actor, orders, ends } = held();
    const refused = actor.act('pause', { run: 'a' }, 'first-name');
    ends[0]!(new ActionError('refused', 'no'));
    await expect(refused).rejects.toThrow('no');
    const lost = actor.act('pause', { run: 'a' }, 'first-name');
    ends[1]!(new ActionError('fault', 'it was given up'));
    await expect(lost).rejects.toThrow('given up');
    await expect(actor.act('pause', { run: 'a' }, 'first-name')).rejects.toThrow('given up');
    expect(orders).toHaveLength(2);
  });

  test('waits where two are under way, and is refused where many wait', async () => {
    const { actor, orders, ends } = held();
    const asked = Array.from({ length: 10 }, (_, index) => actor.act('pause', { run: 'a' }, `name-${index}-x`));
    expect(orders).toHaveLength(2);
    await expect(actor.act('pause', { run: 'a' }, 'one-too-many')).rejects.toThrow(/ask again in a few seconds/);
    for (let index = 0; index < asked.length; index += 1) {
      ends[index]!(DONE);
      // oxlint-disable-next-line no-await-in-loop
      await asked[index];
      // oxlint-disable-next-line no-await-in-loop
      await Promise.resolve();
    }
    expect(orders).toHaveLength(10);
  });

  // Attempt: the page and the network.
  test('that halts a run waits for no check and no other action', async () => {
    const { actor, orders } = held();
    const asked = ['one', 'two', 'three'].flatMap((name) => [
      actor.act('start', { dry: true }, `check-${name}`),
      actor.act('fork', { run: 'a' }, `fork-${name}`),
    ]);
    expect(orders).toHaveLength(4);
    void actor.act('stop', { run: 'a' }, 'at-once');
    expect(orders.at(-1)).toMatchObject({ verb: 'stop' });
    expect(asked).toHaveLength(6);
  });

  // Attempt: the page and the network.
  test('has no key of a model, which would follow whoever names an endpoint', async () => {
    const keys: (string | undefined)[] = [];
    const endpoint = createServer((request, response) => {
      keys.push(request.headers.authorization);
      response.writeHead(404).end('{}');
    });
    const env = { ...process.env, EVOLVE_HOME: ownFolder(), OPENAI_API_KEY: 'sk-of-the-operator' };
    const baseUrl = `${await listening(endpoint)}/v1`;
    const actor = createActor({ home: resolveHome(env), env });
    await actor
      .act('start', { dry: true, settings: { model: { name: 'any', baseUrl } } }, 'a-check')
      .catch(() => undefined);
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((key) => key !== undefined && key.includes('sk-of'))).toEqual([]);
  });
});

describe('the files of a start', () => {
  const env = () => ({ ...process.env, EVOLVE_HOME: ownFolder() });
  const asked = (files: Body<'start'>['files'], own: NodeJS.ProcessEnv, dry: boolean) =>
    carryOut({} as DurableEvolve, 'start', { dry, files: files!, settings: { limits: { steps: 'x' } } } as never, own);

  test.each([
    [{ 'a.py': '', 'a.py/b.py': '' }, 'files: a.py: expected a folder, because of a.py/b.py, got a file'],
    [{ '.git/config': '' }, 'files: expected names such as evaluator.py or data/a.json, got ".git/config"'],
    [{ 'data/../a': '' }, 'files: expected names such as evaluator.py or data/a.json, got "data/../a"'],
  ])('are refused by name: %o', async (files, message) => {
    await expect(asked(files, env(), false)).rejects.toThrow(new UsageError(message));
  });

  test('leave nothing where it is only checked, or refused', async () => {
    const own = env();
    const files = { 'evaluator.py': '# direction: maximise\n', 'initial.py': '' };
    expect((await asked(files, own, true)).problems.map(({ key }) => key)).toEqual(['limits.steps']);
    await expect(asked(files, own, false)).rejects.toThrow('limits.steps');
    expect(readdirSync(join(own.EVOLVE_HOME, 'given'))).toEqual([]);
  });
});

describe('the connections of actions', () => {
  test('stay for the next one, unless one failed or the installation has other addresses', async () => {
    const warm = new WarmParts();
    const seen: OpenParts[] = [];
    const use = (at: Place, fail?: Error): Promise<void> =>
      warm
        .use(at, async (parts) => {
          seen.push(parts);
          if (fail !== undefined) throw fail;
        })
        .catch(() => undefined);
    await use(place);
    await use(place, new UsageError('run a is finished'));
    await use(place, new Error('the connection was reset'));
    await use(place);
    await use({ ...place, env: { EVOLVE_MODEL: 'another' } });
    expect(seen.map((parts) => seen.indexOf(parts))).toEqual([0, 0, 0, 3, 4]);
  });

  test('are closed when the last one that uses them has ended', async () => {
    const warm = new WarmParts();
    let end: () => void = () => undefined;
    let closed = 0;
    const first = warm.use(place, async (parts) => {
      vi.spyOn(parts, 'close').mockImplementation(async () => void (closed += 1));
      await new Promise<void>((go) => (end = go));
    });
    await warm.use(place, async () => Promise.reject(new Error('reset'))).catch(() => undefined);
    expect(closed).toBe(0);
    end();
    await first;
    expect(closed).toBe(1);
  });
});

/** The engine as its UI tells it: one run that is open, in the state that it has at the moment. */
test('the state of a run follows an action at once, although the engine is asked rarely', async () => {
  const { store } = await runWith({ status: 'running' });
  let state = 'running';
  const engine = createServer((_, response) => {
    const EvoStatus = { data: Buffer.from(JSON.stringify(state)).toString('base64') };
    const execution = {
      ...{ execution: { workflowId: runWorkflowId('demo') }, status: 'WORKFLOW_EXECUTION_STATUS_RUNNING' },
      searchAttributes: { indexedFields: { EvoStatus } },
    };
    response.end(JSON.stringify({ executions: [execution] }));
  });
  const base = await listening(engine);
  const states = engineStates(engineHttp(() => ({ base, namespace: 'default' })));
  const now = async (): Promise<string> => (await states.asTheyStand([(await store.readRun('demo'))!])).runs[0]!.status;
  expect(await now()).toBe('running');
  state = 'pausing';
  expect(await now()).toBe('running');
  states.acted();
  expect(await now()).toBe('pausing');
  // The engine may be a moment behind.
  state = 'paused';
  await new Promise((go) => setTimeout(go, 600));
  expect(await now()).toBe('paused');
});

/**
 * Each verb through the library, on a run whose workflow is closed (the store is changed) or open (a message is sent).
 */
const world = async (given: { open?: boolean; status?: RunStatus }) => {
  const { run, store, sent } = await runWith(given);
  const evolve = { run: async () => run } as unknown as DurableEvolve;
  const act = async <V extends VerbName>(verb: V, body: Omit<Body<V>, 'run'>): Promise<string> =>
    (await carryOut(evolve, verb, { run: 'demo', ...body } as unknown as Body<V>, {})).text;
  return { act, store, sent, run };
};

describe('a verb', () => {
  test('changes a closed run through the store', async () => {
    const { act, store, sent } = await world({ status: 'finished' });
    expect(await act('set', { patch: { batch: 3 }, dry: true })).toBe('demo: can be changed so');
    expect((await store.readRun('demo'))?.configVersion).toBe(1);
    expect(await act('set', { patch: { batch: 3 } })).toContain('version 2 of the settings changes batch');
    expect(await act('set', { patch: { batch: 3 } })).toContain('have these values already');
    expect(await act('hint', { hint: 'try hexagons' })).toContain('for all islands is in the prompts');
    expect(await act('hint', { hint: null })).toContain('is removed');
    await expect(act('set', { patch: { seed: 9 } })).rejects.toThrow(/seed: cannot change/);
    await expect(act('resume', {})).rejects.toThrow(/is finished/);
    await expect(act('rewind', { toStep: 1 })).rejects.toThrow(/committed no step/);
    await expect(act('fork', { step: 1 })).rejects.toThrow(/committed no step/);
    expect(sent).toEqual([]);
    expect(await act('extend', { steps: 6, add: true })).toBe('demo: limits are now steps 10; it goes on');
    expect(sent).toEqual([{ kind: 'start', name: 'evolutionRun', body: { run: 'demo' } }]);
    const document = (await store.readRun('demo'))!;
    expect(document.config.batch).toBe(3);
    expect(document.config.limits.steps).toBe(10);
    expect(document.config.prompt.hints).toEqual([]);
  });

  test('is the same message to an open run as that of the command', async () => {
    const { act, sent, store } = await world({ open: true });
    expect(await act('pause', { mode: 'now', reason: 'lunch' })).toBe('demo: pauses now');
    expect(await act('resume', {})).toBe('demo: goes on');
    await act('hint', { hint: 'x', island: 1 });
    await act('inject', { program: 'y', island: 2 });
    await store.setStatus('demo', 'needs attention', { reason: 'x' });
    expect(await act('retry', { resample: true })).toContain('asking the model again');
    expect(await act('stop', {})).toBe('demo: stops after its current step');
    expect(sent).toEqual([
      { kind: 'signal', name: 'pause', body: { mode: 'now', reason: 'lunch' } },
      { kind: 'signal', name: 'resume', body: {} },
      { kind: 'update', name: 'hint', body: { hint: 'x', island: 1 } },
      { kind: 'update', name: 'inject', body: { program: 'y', island: 2 } },
      { kind: 'signal', name: 'retry', body: { resample: true } },
      { kind: 'signal', name: 'stop', body: {} },
    ]);
  });
});

describe('a check', () => {
  const env = { EVOLVE_HOME: '/nowhere/of/a/test', EVOLVE_ALLOW_NOOP: '1' };
  const nobody = {} as unknown as DurableEvolve;
  const check = <V extends 'start' | 'sweep'>(verb: V, body: Body<V>) =>
    carryOut(nobody, verb, { ...body, dry: true } as Body<V>, env);

  test('of a run starts nothing, and says how large it is', async () => {
    const { plan, problems } = await check('start', { settings: { batch: 2, responses: 3, limits: { steps: 5 } } });
    expect(problems).toEqual([]);
    expect(plan?.lines).toContain('A step makes 6 programs: 2 parents, 3 answers each.');
    expect(plan?.lines).toContain('So it makes at most 30 programs.');
    expect(plan?.cost).toBe('This run costs nothing: the price of its model is 0.');
    expect(plan?.config).toMatchObject({ batch: 2, method: 'theta' });
  });

  test('of a run tells each mistake with its key, from a form and from a file', async () => {
    const settings = { batch: 0, speed: 1, population: { islands: 'many' }, task: 'no-such-task' };
    const wrong = await check('start', { settings });
    expect(wrong.problems.map(({ key }) => key).sort()).toEqual(['batch', 'population.islands', 'speed']);
    for (const { message } of wrong.problems) expect(message).not.toMatch(/form§|^batch/);
    const { problems, plan } = await check('start', { yaml: 'seed: 3\nbatch: none\n' });
    expect(problems).toEqual([{ key: null, message: expect.stringMatching(/^run\.yaml:2:1: batch: expected/) }]);
    expect(plan?.given).toEqual({ seed: 3, batch: 'none' });
    const [task] = (await check('start', { settings: { task: 'no-such-task' } })).problems;
    expect(task).toMatchObject({ key: 'task', message: expect.stringContaining('no-such-task') });
  });

  test('of a sweep says how many runs it makes, and of its base what is wrong', async () => {
    const base = { limits: { steps: 3 } };
    const { plan } = await check('sweep', { spec: { name: 's', base, grid: { batch: [2, 4] }, seeds: [1, 2] } });
    expect(plan?.lines.slice(0, 2)).toEqual(['Sweep s: 4 runs of 2 configurations.', 'batch=2 (2 runs)']);
    const { problems } = await check('sweep', { spec: { base: { batch: 0 }, grid: { batsh: [1] } } });
    expect(problems.map(({ key }) => key)).toEqual(expect.arrayContaining(['batch', 'name']));
  });
});

test('the settings of a run are told with their defaults and with what each version changed', async () => {
  const { act, store } = await world({ status: 'finished' });
  await act('set', { patch: { batch: 3, model: { temperature: 0.5 } } });
  const response = await appOver(store).request(`http://${HOST}/api/v1/runs/demo/settings`, { headers: HEADERS });
  const { values, defaults, versions, version } = (await response.json()) as RunSettingsAnswer;
  expect(version).toBe(2);
  expect(values['batch']).toBe(3);
  expect(defaults['batch']).not.toBe(3);
  expect(
    Object.keys(values)
      .filter((key) => JSON.stringify(values[key]) !== JSON.stringify(defaults[key]))
      .sort(),
  ).toEqual(['batch', 'limits.steps', 'model.temperature']);
  expect(versions.map(({ changes }) => changes.map(({ key }) => key))).toEqual([[], ['batch', 'model.temperature']]);
  expect(versions.map(({ step }) => step)).toEqual([null, null]);
});

test.each([
  ['form§batch: batch: expected a whole number, got "x".', 'batch', 'expected a whole number, got "x".'],
  ['form§limits.step: limits.step: unknown key.', 'limits.step', 'unknown key.'],
  ['form§batch: population.islands: too many.', 'batch', 'population.islands: too many.'],
  ['population.islands: too many for 3 programs.', 'population.islands', 'too many for 3 programs.'],
  ['no model answers at http://a', null, 'no model answers at http://a'],
])('a mistake %j stands beside its field', (text, key, message) => {
  expect(problemOf(text)).toEqual({ key, message });
});
