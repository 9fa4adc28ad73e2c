// What end-to-end tests of steering, replay and sweeps share: a home that is up for one file of tests, endpoints for
// one test, commands that must end well. For vitest only.
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { startEndpoint, type Endpoint, type EndpointOptions } from './endpoint.ts';
import { connectEngine, type TestEngine } from './engine.ts';
import { testHome, type TestHome } from './home.ts';

export type Live = {
  readonly home: TestHome;
  readonly engine: TestEngine;
  /** Runs `evolve ...`; fails the test unless it ends with 0. The standard output. */
  must(...args: string[]): Promise<string>;
  /** New connections, after the servers were killed. */
  reconnect(): Promise<void>;
};

/**
 * Call it in `describe`: the home is there when tests run, and gone after them. `before` runs first; what it gives is
 * the home's environment.
 */
export const liveHome = (name: string, before: () => Promise<NodeJS.ProcessEnv> = async () => ({})): Live => {
  const live: { home: TestHome; engine: TestEngine } = {} as never;
  const must = async (...args: string[]): Promise<string> => {
    const result = await live.home.evolve(args);
    expect(result.code, `${args.join(' ')}\n${result.stdout}${result.stderr}`).toBe(0);
    return result.stdout;
  };
  beforeAll(async () => {
    live.home = testHome(name, await before());
    await must('up');
    live.engine = await connectEngine(live.home);
  });
  afterAll(async () => {
    await live.engine?.close();
    await live.home?.remove();
  });
  const reconnect = async (): Promise<void> => {
    await live.engine.close();
    live.engine = await connectEngine(live.home);
  };
  return Object.assign(live, { must, reconnect });
};

/** An endpoint until the end of the test. */
export const endpointFor = async (options: EndpointOptions = {}): Promise<Endpoint> => {
  const endpoint = await startEndpoint(options);
  onTestFinished(() => endpoint.stop());
  return endpoint;
};

/** Whether no request was made twice. */
export const allDifferent = ({ asked }: Endpoint): boolean =>
  new Set(asked.map(({ prompt, seed }) => `${seed} ${prompt}`)).size === asked.length;
