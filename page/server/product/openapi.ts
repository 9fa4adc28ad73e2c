// openapi.json, and the table of routes in the docs: made of the routes, the schemas and the verbs.
import { z } from 'zod';
import { type Field, meaningOf } from '../../../evolution/steering/base/fields.ts';
import { bodyFields, pathOf, titleOf, type VerbName, verbs } from '../../api/actions/actions.ts';
import { queryOf, type Route } from './route.ts';
import { ROUTES } from './routes.ts';
import { type SchemaName, SCHEMAS } from './schemas.ts';
import { CONTENT_TYPES, FORMATS } from './tables.ts';

type Schema = { readonly [key: string]: unknown };

const ref = (name: SchemaName): Schema => ({ $ref: `#/components/schemas/${name}` });
const list = (name: SchemaName): Schema => ({ type: 'array', items: ref(name) });

const contentOf = ({ as, answer }: Route): Schema => {
  if (as === 'events') return { 'text/event-stream': { schema: { type: 'string' }, itemSchema: ref(answer) } };
  if (as === 'one') return { 'application/json': { schema: ref(answer) } };
  return Object.fromEntries(
    FORMATS.map((format) => [
      CONTENT_TYPES[format].split(';')[0]!,
      format === 'json' ? { schema: list(answer) } : format === 'jsonl' ? { schema: ref(answer) } : {},
    ]),
  );
};

/** A path as OpenAPI and the docs have it. */
const told = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

const paramsIn = (path: string): readonly Schema[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

const queryParams = (route: Route): readonly Schema[] =>
  Object.entries(queryOf(route).shape as { readonly [name: string]: z.ZodType }).map(([name, schema]) => {
    const { $schema: _, description, ...json } = z.toJSONSchema(schema, { io: 'input' });
    return { name, in: 'query', description, schema: json };
  });

const operation = (tag: string, summary: string, rest: Schema, content: Schema): Schema => ({
  ...{ tags: [tag], summary, ...rest },
  responses: {
    200: { description: 'the answer', content },
    default: { description: 'one sentence', content: { 'application/json': { schema: ref('Refused') } } },
  },
});

const TYPES = { text: 'string', 'long-text': 'string', whole: 'integer', number: 'number', flag: 'boolean' } as const;

const fieldSchema = (field: Field): Schema => {
  const { type, min, max, pattern, options, orNull } = field;
  const plain = type === 'choice' ? 'string' : type === 'settings' ? 'object' : TYPES[type];
  const isText = plain === 'string';
  return {
    type: orNull ? [plain, 'null'] : plain,
    description: meaningOf(field),
    ...(options === undefined ? {} : { enum: Object.keys(options) }),
    ...(pattern === undefined ? {} : { pattern: pattern.source }),
    ...(min === undefined || isText || plain === 'object' ? {} : { minimum: min }),
    ...(max === undefined ? {} : isText ? { maxLength: max } : { maximum: max }),
  };
};

const verbOperation = (verb: VerbName): Schema => {
  const fields = Object.entries(bodyFields(verb)).filter(([name]) => !pathOf(verb).includes(`:${name}/`));
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: fields.flatMap(([name, { needed }]) => (needed ? [name] : [])),
    properties: Object.fromEntries(fields.map(([name, field]) => [name, fieldSchema(field)])),
  };
  const requestBody = { required: true, content: { 'application/json': { schema } } };
  const rest = { parameters: paramsIn(pathOf(verb)), requestBody };
  return operation('steer', titleOf(verb), rest, { 'application/json': { schema: ref('Done') } });
};

/** `served` are all paths of the server, by Hono; those of no route here serve its own page, which alone may count on them. */
export const openApi = (
  version: string,
  served: readonly { readonly method: string; readonly path: string }[],
): Schema => {
  const paths: { [path: string]: { [method: string]: Schema } } = {};
  const add = (method: string, path: string, schema: Schema): void => {
    (paths[told(path)] ??= {})[method] ??= schema;
  };
  for (const route of ROUTES)
    add(
      'get',
      route.path,
      operation(
        'read',
        route.summary,
        { parameters: [...paramsIn(route.path), ...queryParams(route)] },
        contentOf(route),
      ),
    );
  for (const verb of verbs) add('post', pathOf(verb), verbOperation(verb));
  for (const { method, path } of served)
    if (method === 'GET' && !path.includes('*'))
      add('get', path, operation('page', 'for the page of this version alone', { parameters: paramsIn(path) }, {}));
  return {
    openapi: '3.1.0',
    info: { title: 'DurableEvolve', version, description: 'docs/http.md says who may ask.' },
    servers: [{ url: '/api/v1' }],
    security: [{ page: [] }, { token: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(SCHEMAS).map(([name, schema]) => {
          const { $schema: _, ...json } = z.toJSONSchema(schema);
          return [name, json];
        }),
      ),
      securitySchemes: {
        page: {
          type: 'apiKey',
          in: 'header',
          name: 'x-evolve-page',
          description: 'any value, where no token is asked for',
        },
        token: { type: 'http', scheme: 'bearer' },
      },
    },
  };
};

/** One row for each route in docs/http.md. */
export const routesTable = (): string =>
  [
    '| `GET` | gives |',
    '| --- | --- |',
    ...ROUTES.map(({ path, query = [], summary, as }) => {
      const parameters = [...query, ...(as === 'rows' ? ['format'] : [])];
      return `| \`${told(path)}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}\` | ${summary} |`;
    }),
  ].join('\n');
