// A batch as an Arrow IPC stream, which the trainer's worker reads (format evolve-batch/1): one row a rollout or a
// supervised example, with exact token ids. Numbers go over as the buffers that they are.
import type { Data, DataType, Int32 as Int32Of } from 'apache-arrow';
import type { Row } from '../../evolution/learning/rollouts.ts';

const FORMAT = 'evolve-batch/1';

/** A rollout of a batch. `logprobs` are the sampler's, in nats, one for each token of the response. */
export type BatchRow = Row & {
  readonly prompt: Int32Array;
  readonly response: Int32Array;
  readonly logprobs: Float32Array;
};

/** `messages` are the chat messages of a prompt, as JSON; `response` is the text to learn. */
export type Example = { readonly id: string; readonly messages: string; readonly response: string };

/** `total` is N of the mean over rollouts; `hyper` is JSON. */
type Metadata = { readonly total: number; readonly hyper: string };

/** Each of `parts` becomes a record batch of its own, so that no buffer holds the tokens of all. */
export const rolloutStream = async (
  parts: AsyncIterable<readonly BatchRow[]>,
  { total, hyper }: Metadata,
): Promise<Uint8Array> => {
  const arrow = await import('apache-arrow');
  const { Bool, Field, Float32, Float64, Int32, List, RecordBatch, RecordBatchStreamWriter, Schema, Struct, Utf8 } =
    arrow;
  const lists = new List(new Field('item', new Int32(), false));
  const floats = new List(new Field('item', new Float32(), false));
  const columns: readonly (readonly [keyof BatchRow, DataType])[] = [
    ['id', new Utf8()],
    ['group', new Utf8()],
    ['prompt', lists],
    ['response', lists],
    ['logprobs', floats],
    ['reward', new Float64()],
    ['advantage', new Float64()],
    ['truncated', new Bool()],
  ];
  const schema = new Schema(
    columns.map(([name, type]) => new Field(name, type, false)),
    new Map(Object.entries({ format: FORMAT, kind: 'policy', total: String(total), hyper })),
  );
  const listData = (type: typeof lists | typeof floats, values: readonly (Int32Array | Float32Array)[]): Data => {
    const offsets = new Int32Array(values.length + 1);
    for (const [index, { length }] of values.entries()) offsets[index + 1] = offsets[index]! + length;
    const joined = type === floats ? new Float32Array(offsets.at(-1)!) : new Int32Array(offsets.at(-1)!);
    for (const [index, value] of values.entries()) joined.set(value, offsets[index]);
    const child = arrow.makeData({ type: type.children[0]!.type as Int32Of, data: joined as Int32Array });
    return arrow.makeData({ type: type as typeof lists, length: values.length, valueOffsets: offsets, child });
  };
  const columnData = (rows: readonly BatchRow[], [name, type]: (typeof columns)[number]): Data => {
    const values = rows.map((row) => row[name]);
    return type === lists || type === floats
      ? listData(type as typeof lists, values as readonly Int32Array[])
      : arrow.vectorFromArray(values, type).data[0]!;
  };
  const writer = new RecordBatchStreamWriter();
  writer.reset(undefined, schema);
  for await (const rows of parts) {
    if (rows.length === 0) continue;
    const children = columns.map((column) => columnData(rows, column));
    const data = arrow.makeData({ type: new Struct(schema.fields), length: rows.length, children });
    writer.write(new RecordBatch(schema, data));
  }
  writer.finish();
  return writer.toUint8Array();
};

export const exampleStream = async (examples: readonly Example[], hyper: string): Promise<Uint8Array> => {
  const { RecordBatchStreamWriter, Schema, Table, Utf8, vectorFromArray } = await import('apache-arrow');
  const text = (values: readonly string[]) => vectorFromArray(values, new Utf8());
  const plain = new Table({
    id: text(examples.map(({ id }) => id)),
    messages: text(examples.map(({ messages }) => messages)),
    response: text(examples.map(({ response }) => response)),
  });
  const metadata = { format: FORMAT, kind: 'supervised', total: String(examples.length), hyper };
  const schema = new Schema(plain.schema.fields, new Map(Object.entries(metadata)));
  return RecordBatchStreamWriter.writeAll(new Table(schema, plain.batches)).toUint8Array();
};
