// Rows as they are sent: JSON, JSON lines, CSV or an Arrow stream, a part at a time.
import type { Context } from 'hono';
import { z } from 'zod';
import { type Column, RowTable } from '../../../client/rows/row-table.ts';
import { whenGone } from '../access/visitor.ts';
import { type SchemaName, SCHEMAS } from './schemas.ts';

export const FORMATS = ['json', 'jsonl', 'csv', 'arrow'] as const;
export type Format = (typeof FORMATS)[number];
export const CONTENT_TYPES: { readonly [format in Format]: string } = {
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  arrow: 'application/vnd.apache.arrow.stream',
};

/** The one that a query names, or the first that the header Accept does. */
export const formatOf = (named: string | undefined, accept = ''): Format => {
  const wanted = accept.split(',').map((one) => one.split(';')[0]!.trim());
  const types = FORMATS.map((format) => [format, CONTENT_TYPES[format].split(';')[0]!] as const);
  return (
    FORMATS.find((format) => format === named) ??
    wanted.flatMap((one) => types.find(([, type]) => type === one)?.[0] ?? [])[0] ??
    'json'
  );
};

/** The columns that each row of a schema has. */
export const columnsOf = (schema: z.ZodType, before = ''): readonly Column[] => {
  if (schema instanceof z.ZodNullable) return columnsOf(schema.unwrap() as z.ZodType, before);
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape as { readonly [name: string]: z.ZodType }).flatMap(([name, inner]) =>
      columnsOf(inner, before === '' ? name : `${before}.${name}`),
    );
  // The names in a record are those of the rows, and an optional field need not be in any.
  if (schema instanceof z.ZodRecord || schema instanceof z.ZodExactOptional) return [];
  const type = schema instanceof z.ZodNumber ? 'DOUBLE' : schema instanceof z.ZodBoolean ? 'BOOLEAN' : 'STRING';
  return [{ name: before, type }];
};

const PART = 65_536;

/** As one list, or a line each. */
async function* inJson(rows: AsyncIterable<object>, lines: boolean): AsyncGenerator<string> {
  let text = lines ? '' : '[';
  let between = '';
  for await (const row of rows) {
    text += lines ? `${JSON.stringify(row)}\n` : `${between}${JSON.stringify(row)}`;
    between = ',\n';
    if (text.length < PART) continue;
    yield text;
    text = '';
  }
  yield lines ? text : `${text}]\n`;
}

/** `gone` ends the reading of rows. */
export const encoded = (rows: AsyncIterable<object>, format: Format, answer: SchemaName) =>
  async function* (gone: AbortSignal): AsyncGenerator<string | Uint8Array> {
    if (format === 'json' || format === 'jsonl') return yield* inJson(rows, format === 'jsonl');
    const table = new RowTable(columnsOf(SCHEMAS[answer]));
    try {
      for await (const row of rows) {
        if (gone.aborted) return;
        table.add(row);
      }
      yield* format === 'csv' ? table.csv() : table.arrow();
    } finally {
      table.remove();
    }
  };

type Body = ReadableStream<Uint8Array>;

/** The same body when its first part is there: what fails until then is an answer, and not a connection that breaks. */
export const begun = async (c: Context, body: Body): Promise<Body> => {
  const reader = body.getReader();
  whenGone(c, () => void reader.cancel().catch(() => undefined));
  let first: Awaited<ReturnType<typeof reader.read>> | null = await reader.read();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = first ?? (await reader.read());
        first = null;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => reader.cancel(),
    },
    { highWaterMark: 0 },
  );
};
