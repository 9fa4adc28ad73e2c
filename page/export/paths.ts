// The answers that a page of one run needs: those about the run as a whole and those about each of its programs. An
// answer that only the run names is found by itself; those with a query or another id are named here.
import type { Hono } from 'hono';
import { columnSets } from '../api/rows/columns.ts';
import type { PromptsAnswer } from '../api/program/prompts.ts';
import type { RunReport } from '../api/run/runs.ts';
import { ROUTES } from '../server/product/routes.ts';

/** These need a server: what they answer is no function of their path. */
const LIVE: ReadonlySet<string> = new Set(['search', 'live', 'export']);
/** These are for programs: the page asks for the same in other forms. */
const OTHERS = new Set(ROUTES.map(({ path }) => path.replace('/runs/:run/', '')));

const ROUTE = /^(?:\/api\/v1)?\/runs\/:run\/([^:*]+)$/;

const PROGRAM = /^(runs\/[^/]+\/programs\/[^/]+\/)facts$/;

const of = (run: string, ...parts: readonly string[]): string =>
  ['runs', run, ...parts].map((part) => encodeURIComponent(part)).join('/');

export const reportOf = (run: string): string => of(run);
export const overviewOf = (run: string): string => of(run, 'overview');

/** The paths that a run's page needs once. `app` answers them. */
export const pathsOfRun = (app: Pick<Hono, 'routes'>, run: string): readonly string[] => {
  const names = app.routes
    .filter(({ method }) => method === 'GET')
    .flatMap(({ path }) => ROUTE.exec(path)?.[1] ?? [])
    .filter((name) => !LIVE.has(name) && !OTHERS.has(name) && name !== 'columns');
  return [
    // The fields that settings have, with their meaning.
    'forms/settings',
    reportOf(run),
    ...[...new Set(names)].map((name) => of(run, ...name.split('/'))),
    ...columnSets.map((set) => `${of(run, 'columns')}?set=${set}`),
  ];
};

/** Answers that name others: of an answer at a path those that a view asks for next. */
export const pathsAfter = (run: string, path: string, body: Uint8Array): readonly string[] => {
  const said = <T>(): T => JSON.parse(new TextDecoder().decode(body)) as T;
  if (path === of(run, 'prompts'))
    return said<PromptsAnswer>().prompts.map(({ place }) => of(run, 'prompts', String(place)));
  // Few programs have artifacts.
  if (PROGRAM.test(path))
    return Buffer.from(body).includes('"artifacts":[') ? [path.replace(PROGRAM, '$1artifacts')] : [];
  // The words of models about programs, which a lineage shows, step by step.
  if (path === reportOf(run))
    return Array.from({ length: said<RunReport>().steps + 1 }, (_, step) => of(run, 'told', String(step)));
  return [];
};

/**
 * The paths of programs, kind by kind: texts that are alike lie together, and a search, which needs the first kind
 * only, unpacks no other.
 */
export const pathsOfPrograms = (run: string, programs: readonly string[]): readonly string[] =>
  ['facts', 'asked', 'solution'].flatMap((kind) => programs.map((program) => of(run, 'programs', program, kind)));
