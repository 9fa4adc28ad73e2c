// TensorBoard: a folder for each run with one event file, whose TFRecords hold protocol buffers. The file is cut back to
// its remembered length before anything is added, so that a crash leaves no point twice and no half record.
import { closeSync, fsyncSync, ftruncateSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs/minimal.js';
import { firstPoints, hasNewBest, hasNow, type Point, type Sender } from './tracked.ts';

const MOST_POINTS = 2_000;

/** The table of CRC-32C (Castagnoli). */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0x82f63b78 : 0);
  return value;
});
/** CRC-32C, masked as the TFRecord format asks for. */
const maskedCrc = (bytes: Uint8Array): number => {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 255]! ^ (crc >>> 8);
  crc = ~crc >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
};

const tfRecord = (data: Uint8Array): Buffer => {
  const bytes = Buffer.alloc(data.length + 16);
  bytes.writeBigUInt64LE(BigInt(data.length));
  bytes.writeUInt32LE(maskedCrc(bytes.subarray(0, 8)), 8);
  bytes.set(data, 12);
  bytes.writeUInt32LE(maskedCrc(data), data.length + 12);
  return bytes;
};

/** The tag of a field. Wire types: 0 a varint, 1 eight bytes, 2 bytes behind their length, 5 four bytes. */
const tag = (field: number, wireType: 0 | 1 | 2 | 5): number => (field << 3) | wireType;
type Writer = protobuf.Writer;
type Fill = (writer: Writer) => Writer;
/** Writes a nested message as a field. */
const nested = (writer: Writer, field: number, fill: Fill): Writer =>
  fill(writer.uint32(tag(field, 2)).fork()).ldelim();

/** tensorflow.Event: wall_time, step, and file_version or summary. */
const event = (at: Date, step: number, fill: Fill): Buffer =>
  tfRecord(
    fill(
      protobuf.Writer.create()
        .uint32(tag(1, 1))
        .double(at.getTime() / 1000)
        .uint32(tag(2, 0))
        .int64(step),
    ).finish(),
  );

const VERSION: Fill = (writer) => writer.uint32(tag(3, 2)).string('brain.Event:2');
/** Summary.Value: tag, and simple_value, the one form of a number that TensorBoard's own server reads; it has 7 digits. */
const number = (writer: Writer, [name, value]: Point['values'][number]): Writer =>
  nested(writer, 1, (inner) => inner.uint32(tag(1, 2)).string(name).uint32(tag(2, 5)).float(value));

/** The type of a tensor of texts. */
const DT_STRING = 7;
/** Summary.Value: tag, tensor, and metadata that name the plugin. Indented lines are code in its Markdown. */
const text = (writer: Writer, [name, value]: readonly [string, string]): Writer =>
  nested(writer, 1, (inner) => {
    inner.uint32(tag(1, 2)).string(name);
    nested(inner, 8, (tensor) =>
      nested(tensor.uint32(tag(1, 0)).int32(DT_STRING), 2, (shape) => shape)
        .uint32(tag(8, 2))
        .string(value.replace(/^(?=.)/gm, '    ')),
    );
    return nested(inner, 9, (metadata) => nested(metadata, 1, (plugin) => plugin.uint32(tag(1, 2)).string('text')));
  });

const summary = <T>({ at, step }: Point, values: Iterable<T>, one: (writer: Writer, value: T) => Writer): Buffer =>
  event(at, step, (writer) => nested(writer, 5, (inner) => [...values].reduce(one, inner)));

export const tensorboard =
  (folder: string): Sender =>
  async (tracked) => {
    const { run, name, had, points } = tracked;
    const directory = join(folder, name);
    const file = join(directory, `events.out.tfevents.${Math.floor(run.createdAt.getTime() / 1000)}.evolve`);
    // A file that somebody removed or cut off is written from its beginning.
    const isWhole = had.step >= 0 && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) >= had.bytes;
    const added = await firstPoints(points(isWhole ? had.step + 1 : 0), MOST_POINTS);
    const last = added.at(-1);
    if (last === undefined) return had;
    const fresh = !isWhole || hasNewBest(tracked);
    const bytes = Buffer.concat([
      ...(isWhole ? [] : [event(run.createdAt, 0, VERSION)]),
      ...added.map((point) => summary(point, point.values, number)),
      ...(fresh ? [summary(last, await tracked.files(), text)] : []),
    ]);
    const start = isWhole ? had.bytes : 0;
    mkdirSync(directory, { recursive: true });
    const open = openSync(file, isWhole ? 'r+' : 'a+');
    try {
      ftruncateSync(open, start);
      writeSync(open, bytes, 0, bytes.length, isWhole ? start : null);
      fsyncSync(open);
    } finally {
      closeSync(open);
    }
    return hasNow(had, added, start + bytes.length);
  };
