// What end-to-end tests share: a home that is up for one file of tests, or for all that break nothing, endpoints for
// one test, commands that must end well. For vitest only.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, onTestFinished } from 'vitest';
import { startEndpoint, type Endpoint, type EndpointOptions } from '../models/endpoint.ts';
import { connectEngine, type TestEngine } from '../engine/engine.ts';
import { homeAt, testHome, type TestHome } from './home.ts';
import type {} from '../../global-setup.ts';

export type Live = {
  readonly home: TestHome;
  readonly engine: TestEngine;
  /** Runs `evolve ...`; fails the test unless it ends with 0. The standard output. */
  must(...args: string[]): Promise<string>;
  /** New connections, after the servers were killed. */
  reconnect(): Promise<void>;
};

const liveIn = (open: (live: Live) => Promise<void>, close: (live: Live) => Promise<void>): Live => {
  const live: { home: TestHome; engine: TestEngine } = {} as never;
  const must = async (...args: string[]): Promise<string> => {
    const result = await live.home.evolve(args);
    expect(result.code, `${args.join(' ')}\n${result.stdout}${result.stderr}`).toBe(0);
    return result.stdout;
  };
  const reconnect = async (): Promise<void> => {
    await live.engine.close();
    live.engine = await connectEngine(live.home);
  };
  const whole = Object.assign(live, { must, reconnect });
  beforeAll(async () => {
    await open(whole);
    live.engine = await connectEngine(live.home);
  });
  afterAll(async () => {
    await live.engine?.close();
    await close(whole);
  });
  return whole;
};

/**
 * Call it in `describe`: the home is there when tests run, and gone after them. `before` runs first; what it gives is
 * the home's environment.
 */
export const liveHome = (name: string, before: () => Promise<NodeJS.ProcessEnv> = async () => ({})): Live =>
  liveIn(
    async (live) => {
      Object.assign(live, { home: testHome(name, await before()) });
      await live.must('up');
    },
    async ({ home }) => home?.remove(),
  );

/**
 * The one stack of all files that kill none of its parts and count none of its runs. Names of runs are unique over
 * all of them.
 */
export const sharedHome = (): Live =>
  liveIn(
    async (live) => {
      const home = homeAt(inject('sharedStack'), { EVOLVE_PAGE: 'on' });
      Object.assign(live, { home });
      const isUp = join(home.dir, 'is-up');
      // Files that come at the same time start it once: `up` waits for another that is under way.
      if (!existsSync(isUp)) await live.must('up');
      writeFileSync(isUp, '');
    },
    async () => undefined,
  );

/** An endpoint until the end of the test. */
export const endpointFor = async (options: EndpointOptions = {}): Promise<Endpoint> => {
  const endpoint = await startEndpoint(options);
  onTestFinished(() => endpoint.stop());
  return endpoint;
};

/** Whether no request was made twice. */
export const allDifferent = ({ asked }: Endpoint): boolean =>
  new Set(asked.map(({ prompt, seed }) => `${seed} ${prompt}`)).size === asked.length;
