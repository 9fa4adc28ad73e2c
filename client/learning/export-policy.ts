// A policy as a folder that vLLM and `transformers` load: its weights, settings and tokenizer, without the state of its
// optimizer. Its weights are checked against the hash that the store has.
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { writeWhole } from '../../activities/whole-file.ts';
import type { PolicyDocument } from '../../activities/store/documents/learning-documents.ts';
import type { Home } from '../../deploy/host/home.ts';
import { policiesOf } from '../../deploy/supervisor/learning-children.ts';
import { MissingError, UsageError } from '../connect/errors.ts';

const CARD = 'policy.json';
const WEIGHTS = 'model.safetensors';
/** The folder that only further training needs: the optimizer's state, and the base under low-rank adapters. */
const TRAINING_ONLY = 'training/';

export type PolicyExport = {
  readonly policy: string;
  readonly folder: string;
  readonly files: readonly string[];
  readonly bytes: number;
  readonly weightsHash: string;
};

type Card = { readonly weightsHash: string; readonly files: { readonly [path: string]: number } };

/** The folder appears whole or not at all. Throws UsageError where it is there already, with nothing changed. */
export const exportPolicy = async (home: Home, policy: PolicyDocument, to: string): Promise<PolicyExport> => {
  // A link that leads nowhere is there, too.
  if (onDisk(to, () => lstatSync(to, { throwIfNoEntry: false })) !== undefined)
    throw new UsageError(`--to: expected a folder that is not there yet, got ${to}, which is`);
  const from = join(policiesOf(home), policy._id);
  const card = cardOf(from, policy);
  const files = Object.keys(card.files).filter((path) => !path.startsWith(TRAINING_ONLY));
  const part = `${to}.${randomUUID()}.part`;
  try {
    for (const path of files) {
      onDisk(to, () => mkdirSync(dirname(join(part, path)), { recursive: true }));
      await copyFile(join(from, path), join(part, path)).catch((error: unknown) => notWritten(to, error));
    }
    const hash = await weightsHash(join(part, WEIGHTS)).catch(() => 'none, because it is no safetensors file');
    if (hash !== policy.weightsHash)
      throw new MissingError(
        `${join(from, WEIGHTS)}: expected the weights of ${policy._id}, whose hash is ${policy.weightsHash}, got ${hash}: the file was changed or is damaged. Put the folder back from a copy`,
      );
    const kept = Object.fromEntries(files.map((path) => [path, card.files[path]!]));
    onDisk(to, () => {
      writeWhole(join(part, CARD), `${JSON.stringify({ ...card, files: kept }, null, 2)}\n`);
      renameSync(part, to);
    });
    const bytes = Object.values(kept).reduce((sum, size) => sum + size, 0);
    return { policy: policy._id, folder: to, files: [...files, CARD], bytes, weightsHash: hash };
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
};

const notWritten = (to: string, error: unknown): never => {
  throw new UsageError(
    `--to: ${to} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)}): name a folder in a place that you may write to and that has room`,
  );
};

const onDisk = <T>(to: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    return notWritten(to, error);
  }
};

/** Throws where this machine has no whole folder of the policy. */
const cardOf = (folder: string, { _id, weightsHash: expected, trainer, samplerState }: PolicyDocument): Card => {
  if (!existsSync(folder))
    throw new MissingError(
      trainer === 'reference' || trainer === 'trl'
        ? `expected the weights of ${_id} in ${folder}, but there is no such folder: it was removed (learning.keep), or made on another machine. Copy the folder here, or rewind the run behind its step, which trains it again`
        : `the weights of ${_id} are at its trainer (${trainer}), which calls them ${samplerState}, and not on this machine: fetch them with that trainer's own client${trainer === 'tinker' ? `, for example \`tinker checkpoint download ${samplerState}\`` : ''}`,
    );
  const card = readCard(join(folder, CARD));
  const unwhole = card === null ? CARD : Object.entries(card.files).find((file) => !isWhole(folder, ...file))?.[0];
  if (card === null || unwhole !== undefined)
    throw new MissingError(
      `${folder}: expected a complete policy, but ${unwhole} is missing, damaged or half written: put the folder back from a copy, or remove it and rewind the run behind its step, which trains it again`,
    );
  if (card.weightsHash !== expected)
    throw new MissingError(
      `${join(folder, CARD)}: expected the weights ${expected} of ${_id}, got ${card.weightsHash}: the folder is another one of this name`,
    );
  return card;
};

const readCard = (path: string): Card | null => {
  try {
    const card = JSON.parse(readFileSync(path, 'utf8')) as Card;
    const whole = typeof card.weightsHash === 'string' && Object.hasOwn(card.files, WEIGHTS);
    return whole ? card : null;
  } catch {
    return null;
  }
};

/** A path that leads out of the folder is none of its files. */
const isWhole = (folder: string, path: string, size: number): boolean => {
  const stat =
    path === normalize(path) && !/^(\.\.|\/)/.test(path) && lstatSync(join(folder, path), { throwIfNoEntry: false });
  return stat !== false && stat?.isFile() === true && stat.size === size;
};

/** The longest header that the format of safetensors allows. */
const MOST_HEADER_BYTES = 100_000_000;

type Tensor = {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [from: number, to: number];
};

const TYPES: { readonly [dtype: string]: string } = {
  ...{ F64: 'float64', F32: 'float32', F16: 'float16', BF16: 'bfloat16' },
  ...{ I64: 'int64', I32: 'int32', I16: 'int16', I8: 'int8', U8: 'uint8', BOOL: 'bool' },
};

/**
 * SHA-256 over name, type, shape and bytes of each tensor of a safetensors file, in the order of the names: the same as
 * that of deploy/trainer (reference/checkpoint.py), which writes type and shape as PyTorch prints them.
 */
const weightsHash = async (path: string): Promise<string> => {
  const file = await open(path, 'r');
  try {
    const size = Number((await file.read(Buffer.alloc(8), 0, 8, 0)).buffer.readBigUInt64LE());
    if (size > MOST_HEADER_BYTES) throw new Error(`a header of ${size} bytes`);
    const header = (await file.read(Buffer.alloc(size), 0, size, 8)).buffer.toString('utf8');
    const { __metadata__: _, ...tensors } = JSON.parse(header) as { readonly [name: string]: Tensor };
    const hash = createHash('sha256');
    for (const name of Object.keys(tensors).sort()) {
      const { dtype, shape, data_offsets: at } = tensors[name]!;
      hash.update(`${name} torch.${TYPES[dtype] ?? dtype} (${shape.join(', ')}${shape.length === 1 ? ',' : ''})\n`);
      if (at[1] > at[0])
        for await (const chunk of createReadStream(path, { start: 8 + size + at[0], end: 8 + size + at[1] - 1 }))
          hash.update(chunk as Buffer);
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
};
