// A route of the interface: what it takes and gives, which the mount checks and openapi.json tells.
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { schemaProblems } from '../../../evolution/config/problems.ts';
import { OUTCOMES } from '../../../evolution/types.ts';
import { FairLimit, holderOf } from '../access/fair-limit.ts';
import { refuse } from '../site/refusal.ts';
import type { Site } from '../site/site.ts';
import { streamOf } from '../site/streamed.ts';
import type { SchemaName } from './schemas.ts';
import { begun, CONTENT_TYPES, encoded, FORMATS, formatOf } from './tables.ts';

const FLAG = ['true', 'false'] as const;
const flag = (meaning: string) =>
  z
    .enum(FLAG, { error: () => FLAG.join(' or ') })
    .optional()
    .describe(meaning);
const whole = 'a whole number';

/** The parameters of queries. */
export const QUERY = {
  format: z
    .enum(FORMATS, { error: () => FORMATS.join(', ') })
    .optional()
    .describe('the form of the rows; without it the header Accept says it, and else it is json'),
  step: z
    .string()
    .regex(/^\d{1,9}$/, { error: () => whole })
    .optional()
    .describe('only the programs of this step'),
  outcome: z
    .enum(OUTCOMES, { error: () => OUTCOMES.join(', ') })
    .optional()
    .describe('only the programs that ended so'),
  initial: flag('also the initial program, of step 0'),
  code: flag('also the text of each'),
  elites: flag('only those that hold a cell of the archive'),
  quarantined: flag('only those whose score was held back'),
  all: flag('first the steps that were rewound or reset'),
} as const;
type Query = { readonly [name in keyof typeof QUERY]?: string };

export type Asked = { readonly site: Site; readonly run: string; readonly program: string; readonly query: Query };

type Described = {
  readonly path: `/${string}`;
  readonly summary: string;
  readonly answer: SchemaName;
  readonly query?: readonly (keyof typeof QUERY)[];
};
export type Route = Described &
  (
    | { readonly as: 'one'; readonly give: (asked: Asked) => Promise<unknown> }
    /** Throws before the first row where there is no such run. */
    | { readonly as: 'rows'; readonly give: (asked: Asked) => Promise<AsyncIterable<object>> }
    /** Server-sent events. */
    | { readonly as: 'events'; readonly give: (asked: Asked) => Promise<(gone: AbortSignal) => AsyncGenerator<string>> }
  );

export const queryOf = ({ query = [], as }: Pick<Route, 'query' | 'as'>): z.ZodObject =>
  z.strictObject(
    Object.fromEntries([...query, ...(as === 'rows' ? (['format'] as const) : [])].map((name) => [name, QUERY[name]])),
  );

const checkedQuery = (c: Context, schema: z.ZodObject): Query => {
  const given = c.req.query();
  const { data, error } = schema.safeParse(given);
  return data === undefined ? refuse(schemaProblems(error.issues, given, () => 'query', schema).join(' ')) : data;
};

/** So many tables are read, and runs followed, at a time. */
const MOST = { rows: 8, events: 100 } as const;

/** `streams` must not keep answers: tables and events are as long as they are. */
export const mount = (
  routes: readonly Route[],
  { answers, streams }: { readonly answers: Hono; readonly streams: Hono },
  site: Site,
): void => {
  const limits = { rows: new FairLimit(MOST.rows), events: new FairLimit(MOST.events) };
  for (const route of routes) {
    const schema = queryOf(route);
    const askedBy = (c: Context): Asked => {
      const { run = '', program = '' } = c.req.param() as { readonly [name: string]: string };
      return { site, run, program, query: checkedQuery(c, schema) };
    };
    const { as, path } = route;
    if (as === 'one') {
      answers.get(path, async (c) => c.json((await route.give(askedBy(c))) as object));
      continue;
    }
    streams.get(path, async (c) => {
      const asked = askedBy(c);
      const format = formatOf(asked.query.format, c.req.header('accept'));
      const made = await route.give(asked);
      const chunks =
        as === 'rows'
          ? encoded(made as AsyncIterable<object>, format, route.answer)
          : (made as () => AsyncGenerator<string>);
      const body =
        limits[as].stream(holderOf(c), () => streamOf(chunks)) ??
        refuse(`expected at most ${MOST[as]} such answers at a time: ask again in a few seconds`, 429);
      const type = as === 'rows' ? CONTENT_TYPES[format] : 'text/event-stream';
      return c.body(as === 'rows' ? await begun(c, body) : body, 200, {
        'Content-Type': type,
        'Cache-Control': 'no-store, no-transform',
        'X-Accel-Buffering': 'no',
      });
    });
  }
};
