// The interface for programs: each answer is as openapi.json says, in each format, and what is wrong gets one sentence.
import { tableFromIPC } from 'apache-arrow';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import type { Store } from '../../../../activities/store/store.ts';
import { createApp } from '../../../../page/server/app.ts';
import { ROUTES } from '../../../../page/server/product/routes.ts';
import { SCHEMAS } from '../../../../page/server/product/schemas.ts';
import { verbs } from '../../../../page/api/actions/actions.ts';
import type { Connected } from '../../../../page/server/access/visitor.ts';
import type { Site } from '../../../../page/server/site/site.ts';
import { programId } from '../../../../evolution/ids.ts';
import { newRun } from '../../../activities/store/fixtures.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import { asPage, grown, HOST, OURS, ownSite } from '../../../support/page/in-tests.ts';
import { learnedStore, recordedStore } from '../../../support/page/recorded.ts';
import { play } from '../../../support/worlds/world.ts';

/** Nothing here writes. */
const recorded = recordedStore();
const played = play(false);

const asking = (store: Store, parts: Partial<Site> = {}) => {
  const app = createApp({ ...ownSite(store), ...parts }, {});
  const get = (path: string, headers: object = {}, connected?: Connected) =>
    app.request(`http://${HOST}/api/v1/${path}`, { headers: { ...OURS, ...headers } }, connected);
  const said = async (path: string, headers: object = {}) => {
    const response = await get(path, headers);
    return [response.status, ((await response.json()) as { error?: { message: string } }).error?.message] as const;
  };
  return { app, get, said, json: async <T>(path: string) => (await (await get(path)).json()) as T };
};
type Row = { readonly [column: string]: unknown };

describe('each answer is as its schema says', () => {
  const of = async (store: Store) => {
    const { json } = asking(store);
    const run = (await json<readonly { readonly run: string }[]>('runs'))[0]!.run;
    const { program } = await json<{ readonly program: string }>(`runs/${run}/best`);
    for (const { path, as, answer } of ROUTES) {
      if (as === 'events') continue;
      const schema = as === 'one' ? SCHEMAS[answer] : z.array(SCHEMAS[answer] as z.ZodType);
      const given = await json(path.slice(1).replace(':run', run).replace(':program', program));
      expect([path, schema.safeParse(given).error?.issues ?? []]).toEqual([path, []]);
      expect([path, as === 'one' || (given as readonly unknown[]).length > 0]).toEqual([path, true]);
    }
    const more = await json<readonly Row[]>(`runs/${run}/programs?code=true&initial=true&step=1`);
    expect(z.array(SCHEMAS.Program).safeParse(more).error?.issues ?? []).toEqual([]);
    const elites = await json<readonly Row[]>(`runs/${run}/programs?elites=true`);
    expect(z.array(SCHEMAS.Program).safeParse(elites).error?.issues ?? []).toEqual([]);
  };
  test('of a run with ideas, deltas and metrics', async () => of((await played).store));
  test('of a run that grew in a test', async () => of(await grown(3)));
});

test('the task of a run holds nothing that programs must not know', async () => {
  const task = JSON.stringify(await asking((await played).store).json('runs/latest/task'));
  expect(task).toMatch(/"direction":"m..imise"/);
  expect(task).not.toMatch(/hidden|evaluatorSource|def evaluate/);
});

test('openapi.json names every route and every verb, with schemas that are all there', async () => {
  const { json } = asking(memoryStore());
  const text = JSON.stringify(await json('openapi.json'));
  const { openapi, paths, components } = JSON.parse(text) as {
    readonly openapi: string;
    readonly paths: {
      readonly [path: string]: { readonly get?: { tags: string[] }; readonly post?: { tags: string[] } };
    };
    readonly components: { readonly schemas: object };
  };
  expect(openapi).toBe('3.1.0');
  for (const { path } of ROUTES)
    expect([path, paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.get?.tags]).toEqual([path, ['read']]);
  const posts = Object.values(paths).filter(({ post }) => post?.tags.includes('steer'));
  expect(posts).toHaveLength(verbs.length);
  expect(paths['/runs/{run}/columns']?.get?.tags).toEqual(['page']);
  for (const [, name] of text.matchAll(/#\/components\/schemas\/(\w+)/g))
    expect(components.schemas).toHaveProperty(name!);
});

describe('a table', () => {
  const rowsOf = async (response: Response): Promise<readonly Row[]> => (await response.json()) as readonly Row[];

  test.each(['programs', 'steps', 'usage', 'curve'])(
    '%s has the same rows and columns in each format',
    async (name) => {
      const { get } = asking((await played).store);
      const json = await rowsOf(await get(`runs/latest/${name}`));
      const lines = await (await get(`runs/latest/${name}?format=jsonl`)).text();
      expect(
        lines
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as Row),
      ).toEqual(json);
      const arrow = await get(`runs/latest/${name}`, { accept: 'application/vnd.apache.arrow.stream' });
      expect(arrow.headers.get('content-type')).toBe('application/vnd.apache.arrow.stream');
      const table = tableFromIPC(await arrow.bytes());
      expect(table.numRows).toBe(json.length);
      const csv = await get(`runs/latest/${name}`, { accept: 'text/html;q=0.5, text/csv' });
      expect(csv.headers.get('content-type')).toContain('text/csv');
      const [head, ...rows] = (await csv.text()).trimEnd().split('\r\n');
      expect(rows).toHaveLength(json.length);
      expect(table.schema.fields.map((field) => field.name).join(',')).toBe(head);
      for (const [column, value] of Object.entries(json.at(-1)!))
        if (typeof value === 'number') expect(table.getChild(column)!.at(-1)).toBe(value);
    },
  );

  test('of a run without programs has its columns all the same, and metrics as numbers', async () => {
    const { get } = asking(await grown(0));
    const empty = tableFromIPC(await (await get('runs/demo/programs?format=arrow')).bytes());
    expect(empty.numRows).toBe(0);
    expect(empty.schema.fields.map((field) => field.name)).toContain('score');
    expect(await (await get('runs/demo/programs')).json()).toEqual([]);
    const full = tableFromIPC(
      await (await asking((await played).store).get('runs/latest/programs?format=arrow')).bytes(),
    );
    expect(String(full.schema.fields.find(({ name }) => name === 'strictScore')?.type)).toBe('Float64');
    expect(String(full.schema.fields.find(({ name }) => name === 'step')?.type)).toBe('Int32');
  });

  test('that breaks while it is read is refused, or broken off, and never ends as if it were whole', async () => {
    const store = await grown(3);
    const broken = (after: number): Store => ({
      ...store,
      async *eachProgram(...asked) {
        let given = 0;
        for await (const program of store.eachProgram(...asked)) {
          if (given++ === after) throw Object.assign(new Error('no server'), { name: 'MongoNetworkError' });
          yield program;
        }
      },
    });
    for (const format of ['csv', 'arrow', 'json'])
      expect((await asking(broken(3)).get(`runs/demo/programs?format=${format}`)).status).toBe(503);
    const many: Store = {
      ...store,
      async *eachProgram(...asked) {
        for (let times = 0; times < 500; times += 1) yield* store.eachProgram(...asked);
        throw new Error('no server');
      },
    };
    const begun = await asking(many).get('runs/demo/programs?format=json');
    expect(begun.status).toBe(200);
    await expect(begun.text()).rejects.toThrow('no server');
  });

  test('that its reader leaves is read no further, and leaves no file', async () => {
    const files = () => readdirSync(tmpdir()).filter((name) => name.startsWith('evolve-rows-'));
    const before = files();
    const { store } = await recorded;
    let [read, ended] = [0, false];
    const slow: Store = {
      ...store,
      async *eachProgram(...asked) {
        try {
          for await (const program of store.eachProgram(...asked)) {
            if (read++ % 200 === 0) await sleep(1);
            yield program;
          }
        } finally {
          ended = true;
        }
      },
    };
    let leave: () => void = () => undefined;
    const connected = { address: undefined, whenGone: (then: () => void) => void (leave = then) } satisfies Connected;
    void asking(slow).get('runs/latest/programs?format=csv', {}, connected);
    await vi.waitFor(() => expect(read).toBeGreaterThan(0));
    leave();
    await vi.waitFor(() => expect([ended, files()]).toEqual([true, before]));
    expect(read).toBeLessThan((await store.readRun('recorded'))!.totals.programs);
  });
});

describe('the states of a run', () => {
  const eventsOf = async (response: Response) =>
    (await response.text()).split('\n\n').flatMap((text) => {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(text) ?? [];
      return name === undefined ? [] : [[name, JSON.parse(data!) as Row] as const];
    });

  test('come as they change, and end with the last', async () => {
    const store = await grown(1);
    const state = (await asking(store).json<readonly Row[]>('runs'))[0]!;
    const watch: Site['watch'] = async function* () {
      yield { ...state, steps: 1 } as never;
      return { ...state, steps: 2, state: 'finished' } as never;
    };
    const response = await asking(store, { watch }).get('runs/demo/watch');
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = await eventsOf(response);
    expect(events.map(([name, { steps }]) => [name, steps])).toEqual([
      ['state', 1],
      ['end', 2],
    ]);
    for (const [, data] of events) expect(SCHEMAS.Run.safeParse(data).error?.issues ?? []).toEqual([]);
  });

  test('that cannot be followed any more end with why; a reader who leaves ends the watching', async () => {
    const store = await grown(1);
    const failing: Site['watch'] = async function* () {
      yield { steps: 1 } as never;
      throw new Error('the workflow is gone');
    };
    const events = await eventsOf(await asking(store, { watch: failing }).get('runs/demo/watch'));
    expect(events.at(-1)).toEqual(['failed', { error: { kind: 'away', message: expect.stringContaining('is gone') } }]);
    let left = false;
    const waiting: Site['watch'] = async function* (_, signal) {
      yield { steps: 1 } as never;
      try {
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('left'))));
      } finally {
        left = true;
      }
      return null as never;
    };
    const { body } = await asking(store, { watch: waiting }).get('runs/demo/watch');
    const reader = body!.getReader();
    await reader.read();
    await reader.cancel();
    await vi.waitFor(() => expect(left).toBe(true));
  });
});

describe('what is wrong gets one sentence', () => {
  test.each([
    ['runs/no-such-run', 404, /there is no run "?no-such-run/],
    ['runs/no-such-run/programs?format=arrow', 404, /there is no run/],
    ['runs/no-such-run/watch', 404, /there is no run/],
    ['runs/demo/programs/demo:9:9:9', 404, /there is no program "demo:9:9:9"/],
    ['runs/demo/programs?format=xml', 400, /^query: format: expected json, jsonl, csv, arrow, got "xml"/],
    ['runs/demo/programs?step=-1', 400, /^query: step: expected a whole number, got "-1"/],
    ['runs/demo/programs?outcome=good', 400, /^query: outcome: expected .*valid.*, got "good"/],
    ['runs/demo/programs?steps=1', 400, /^query: steps: unknown key.*Did you mean "step"/],
    ['runs/demo?full=1', 400, /^query: full: unknown key/],
    ['runs/demo/nothing', 404, /nothing at this address/],
  ] as const)('%s', async (path, status, message) => {
    const [came, said] = await asking(await grown(1)).said(path);
    expect(said).toMatch(message);
    expect(came).toBe(status);
  });

  test('a program of another run', async () => {
    const store = await grown(1);
    await store.createRun(newRun('other'));
    const { program } = (await store.readRun('demo'))!.best!;
    const { said } = asking(store);
    for (const part of ['', '/facts', '/asked', '/artifacts', '/solution']) {
      expect(await said(`runs/demo/programs/${program}${part}`)).toEqual([200, undefined]);
      expect(await said(`runs/other/programs/${program}${part}`)).toEqual([
        404,
        `there is no program "${program}" in run other: it is of run demo`,
      ]);
    }
    // A fork has the programs of the steps that it was forked off after, and no later ones.
    const { config } = newRun('fork');
    await store.createFork({ run: 'fork', from: 'demo', step: 0, config, createdAt: new Date() });
    const first = programId('demo', 0, 0, 0);
    for (const part of ['', '/facts']) {
      expect(await said(`runs/fork/programs/${first}${part}`)).toEqual([200, undefined]);
      expect((await said(`runs/fork/programs/${program}${part}`))[0]).toBe(404);
    }
  });

  test('another version of the interface', async () => {
    const ask = asPage(memoryStore());
    for (const path of ['/api/v2/runs', '/api/runs', '/api/overview']) {
      const response = await ask(path);
      expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('answers below /api/v1')]);
    }
  });

  test('a wrong token, and none; a right one needs no other header', async () => {
    const ask = asPage(memoryStore(), { token: 'a token of many characters', readOnly: null });
    const from = async (headers: object) => (await ask('/api/v1/runs', { host: 'lab.example', ...headers })).status;
    expect(await from({ authorization: 'Bearer a token of many characters' })).toBe(200);
    expect(await from({ authorization: 'Bearer another' })).toBe(401);
    expect(await from({ 'x-evolve-page': '1' })).toBe(401);
    expect(await from({})).toBe(403);
  });

  test('more tables than are read at a time', async () => {
    const { get } = asking(await grown(1));
    const open: Response[] = [];
    for (let one = 0; one < 8; one += 1) open.push(await get('runs/demo/programs?format=csv'));
    onTestFinished(async () => {
      for (const { body } of open.slice(1)) await body?.cancel();
    });
    expect((await get('runs/demo/programs?format=csv')).status).toBe(429);
    expect(await open[0]!.text()).toContain('score');
    expect((await get('runs/demo/programs?format=csv')).status).toBe(200);
  });
});

test('a run that learned has its policy in the list', async () => {
  const { store } = await learnedStore();
  const runs = await asking(store).json<unknown>('runs');
  expect(z.array(SCHEMAS.Run).safeParse(runs).error?.issues ?? []).toEqual([]);
});
