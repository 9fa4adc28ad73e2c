// Runs one candidate program in JavaScript inside its own single-use container, where it is sent as `node
// --input-type=module -e`. It speaks the same frames as runner.py: R ready, C checkpoint, S solution. The candidate
// shares this process, so whatever comes out is a claim.
import { readSync, writeFileSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const MAX_DEPTH = 8;
const CHECKPOINT_BUDGET_FRAMES = 3;

const readExactly = (count) => {
  const bytes = Buffer.alloc(count);
  for (let at = 0; at < count;) {
    const read = readSync(0, bytes, at, count - at);
    if (read === 0) process.exit(0);
    at += read;
  }
  return bytes;
};

const emit = (kind, payload) => {
  const head = Buffer.alloc(5);
  head.write(kind, 'latin1');
  head.writeUInt32BE(payload.length, 1);
  const frame = Buffer.concat([head, payload]);
  for (let at = 0; at < frame.length;) {
    try {
      at += writeSync(1, frame, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
};

/**
 * Takes arrays, numbers, strings, booleans, null and plain objects. Typed arrays become arrays, and whole numbers
 * beyond 2^53 become strings.
 */
const plain = (value, depth = 0) => {
  if (depth > MAX_DEPTH) throw new Error(`nested deeper than ${MAX_DEPTH} levels`);
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'bigint') return value >= -(2n ** 53n) && value <= 2n ** 53n ? Number(value) : String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Error(`expected finite numbers, got ${value}`);
    return value;
  }
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView)))
    return Array.from(value, (item) => plain(item, depth + 1));
  if (typeof value === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(value))) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item, depth + 1)]));
  }
  throw new Error(`expected arrays, numbers, strings and plain objects, got ${typeof value}`);
};

const encode = (solution) => Buffer.from(JSON.stringify(plain(solution)));

// Output of the program goes to stderr, because it is no result.
Object.defineProperty(process, 'stdout', { get: () => process.stderr });
emit('R', Buffer.alloc(0));
const job = JSON.parse(readExactly(readExactly(4).readUInt32BE(0)).toString('utf8'));
Object.assign(process.env, job.env);
let budget = job.output_bytes * CHECKPOINT_BUDGET_FRAMES;
globalThis.checkpoint = (solution) => {
  const payload = encode(solution);
  if (budget < payload.length) return;
  budget -= payload.length;
  emit('C', payload);
};

let solution;
try {
  const file = `${process.env.TMPDIR ?? '/tmp'}/program.mjs`;
  writeFileSync(file, job.code);
  const program = await import(pathToFileURL(file).href);
  if (typeof program[job.entry] !== 'function') throw new Error(`expected an exported function ${job.entry}`);
  solution = await program[job.entry](job.instance);
} catch (error) {
  // The first line names what went wrong, the last one is what a model is shown.
  console.error(error?.stack ?? error);
  console.error(`${error?.name ?? 'Error'}: ${error?.message ?? error}`);
  process.exit(1);
}
let payload;
try {
  payload = encode(solution);
} catch (error) {
  console.error(`solution refused: ${error.message}`);
  process.exit(0);
}
emit('S', payload);
process.exit(0);
