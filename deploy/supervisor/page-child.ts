// The page of a home as a supervised process. Nothing else needs it: it may die, or not start, without anybody noticing.
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Home, PROJECT_ROOT, projectNode, runsDirectory } from '../host/home.ts';
import { pageToken } from '../host/page-token.ts';
import { hashSources } from '../versions/sources.ts';
import { baseEnvironment, type Environment, logOf, NETWORK, pick, temporalEnvironment, WORKERS } from './children.ts';
import { type ChildPlan, type Parts, withRole } from './plan.ts';

export const PAGE = 'page';
const PAGE_CODE = ['page', 'client', 'activities', 'evolution', 'deploy', 'package-lock.json'];

/** With the default young generation, which the server hardly uses, it would take 30 MB more. */
export const pageArgs = (): readonly string[] => [
  '--max-semi-space-size=1',
  join(PROJECT_ROOT, 'page', 'server', 'main.ts'),
];

const SETTINGS = /^EVOLVE_(PAGE_|PAYLOAD_KEYS|LEVELS$|ALLOW_NOOP$)/;

/** No key of a model: what it starts uses those of the workers. */
export const pageEnvironment = (
  home: Home,
  parts: Pick<Parts, 'temporal' | 'database'>,
  env: NodeJS.ProcessEnv,
): Environment => ({
  ...baseEnvironment(home, PAGE, env),
  EVOLVE_HOME: home.root,
  EVOLVE_PARTS: home.parts,
  MONGODB_URI: parts.database.uri,
  ...temporalEnvironment(parts.temporal, env),
  ...pick(env, (name) => SETTINGS.test(name) || NETWORK.has(name)),
  ...(env['EVOLVE_RUNS'] ? { EVOLVE_RUNS: runsDirectory(env) } : {}),
});

/** A text that differs after the file was written anew. */
const writtenAt = (file: string): string => {
  const { ino, size, mtimeMs } = statSync(file);
  return `${ino} ${size} ${mtimeMs}`;
};

type PageParts = {
  readonly home: Home;
  readonly parts: Parts;
  readonly ports: { readonly page: number };
  readonly env: NodeJS.ProcessEnv;
};

/** Starts after the workers, so that a first run need not share the processor with it. */
export const pageChild = ({ home, parts, ports, env }: PageParts): ChildPlan =>
  withRole(
    {
      name: PAGE,
      stage: WORKERS + 1,
      file: projectNode(),
      args: pageArgs(),
      env: {
        ...pageEnvironment(home, parts, env),
        // `evolve ui` is told where to listen; this one is for this machine.
        EVOLVE_PAGE_HOST: '127.0.0.1',
        // A port that a person demanded stands in EVOLVE_PAGE_PORT. Otherwise the page takes a free one where this one
        // was taken since it was chosen, and reports it.
        EVOLVE_PAGE_FIRST_PORT: String(ports.page),
        EVOLVE_PAGE_TOKEN_FILE: parts.page?.tokenFile ?? '',
      },
      cwd: PROJECT_ROOT,
      port: ports.page,
      log: logOf(home, PAGE),
      health: { kind: 'ready-line' },
      stopTimeoutMs: 5_000,
      optional: true,
    },
    // A token that was exchanged counts from the next start. The token itself is in no plan, from which it could be
    // guessed.
    hashSources(PAGE_CODE, parts.page ? [writtenAt(parts.page.tokenFile)] : []),
  );

const PATIENCE_MS = 5_000;

/** True where the page of this home answers at the address, and not that of another installation. */
export const pageAnswers = async (home: Home, url: string, tokenFile: string | null): Promise<boolean> => {
  try {
    const token = tokenFile === null ? null : pageToken(tokenFile, { setting: 'EVOLVE_PAGE_TOKEN_FILE' });
    const response = await fetch(`${url}/api/v1/site`, {
      headers: { 'x-evolve-page': '1', ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return ((await response.json()) as { readonly home?: { readonly id: string } }).home?.id === home.hash;
  } catch {
    return false;
  }
};

/** Flags of a page that is nobody's child; the environment says the rest. */
export type PageAsked = {
  readonly port?: string;
  readonly host?: string;
  readonly tokenFile?: string;
  readonly allowActions?: boolean;
  readonly readOnly?: boolean;
  readonly frame?: string;
};

/** The page's settings, as its process reads them. */
export const pageSettings = ({ port, host, tokenFile, allowActions, readOnly, frame }: PageAsked): Environment => ({
  ...(port === undefined ? {} : { EVOLVE_PAGE_PORT: port }),
  ...(host === undefined ? {} : { EVOLVE_PAGE_HOST: host }),
  ...(tokenFile === undefined ? {} : { EVOLVE_PAGE_TOKEN_FILE: resolve(tokenFile) }),
  ...(allowActions ? { EVOLVE_PAGE_ALLOW_ACTIONS: '1' } : {}),
  ...(readOnly ? { EVOLVE_PAGE_READ_ONLY: '1' } : {}),
  ...(frame === undefined ? {} : { EVOLVE_PAGE_FRAME: frame }),
});

/** The process of `evolve ui`, which takes the place of the command. */
export const pageProcess = (asked: PageAsked, env: NodeJS.ProcessEnv) => ({
  file: projectNode(),
  args: pageArgs(),
  env: {
    // The server starts faster, and smaller, where it need not load what strips types.
    NODE_COMPILE_CACHE: join(PROJECT_ROOT, 'node_modules', '.cache', 'evolve'),
    ...env,
    ...pageSettings(asked),
  } as Record<string, string>,
});
