// Which answers a page of one run needs: what the server answers of a run as a whole, and of each of its programs. An
// answer that only the run names is found by itself; those with a query or another id are named here.
import type { Hono } from 'hono';
import { COLUMN_SETS } from '../data/columns.ts';

/** These need a server: what they answer is no function of their path. */
const LIVE: ReadonlySet<string> = new Set(['search', 'live']);

const ROUTE = /^\/runs\/:run\/([^:*]+)$/;

/** `api` is what is below `/api`. */
export const pathsOfRun = (api: Pick<Hono, 'routes'>, run: string): readonly string[] => {
  const of = (path: string): string => `runs/${encodeURIComponent(run)}/${path}`;
  const plain = api.routes
    .filter(({ method }) => method === 'GET')
    .flatMap(({ path }) => ROUTE.exec(path.replace(/^\/api/, ''))?.[1] ?? [])
    .filter((name) => !LIVE.has(name) && name !== 'columns');
  return [...new Set(plain)].map(of).concat(Object.keys(COLUMN_SETS).map((set) => of(`columns?set=${set}`)));
};

export const pathsOfProgram = (run: string, program: string): readonly string[] => [
  `runs/${encodeURIComponent(run)}/programs/${encodeURIComponent(program)}`,
];
