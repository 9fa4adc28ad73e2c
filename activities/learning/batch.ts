// The batch of a policy update, made of what a committed step has stored. The same stored answers and hyperparameters
// give the same hash, whoever assembles them and how often: so an update has one id, and its checkpoint is found again.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../evolution/canonical-json.ts';
import { type Row, type Rows, rowsOf } from '../../evolution/learning/rollouts.ts';
import type { LearningSettings } from '../../evolution/config/run-config.ts';
import type { RunId } from '../../evolution/types.ts';
import { missing } from '../run/step-summary.ts';
import { sha256 } from '../sha256.ts';
import type { BatchOfUpdate, UpdateDocument } from '../store/documents/learning-documents.ts';
import type { Store } from '../store/store.ts';
import { type BatchRow, type Example, exampleStream, rolloutStream } from './arrow.ts';
import { rewardedOf } from './rewarded.ts';

/** The settings of an update besides its rows. `hyper` is the JSON of all hyperparameters. */
type MadeWith = Pick<UpdateDocument, 'base' | 'seed' | 'hyper'>;

/** The rows and their hash, and the tokens of prompts and responses. */
type Assembled = Rows & { readonly hash: string; readonly tokens: number };

/** At most so many rollouts have their tokens in memory beside the batch itself. */
const AT_ONCE = 32;

const partsOf = async function* (store: Store, rows: readonly Row[]): AsyncGenerator<readonly BatchRow[]> {
  for (let first = 0; first < rows.length; first += AT_ONCE) {
    const part = rows.slice(first, first + AT_ONCE);
    const samples = await store.getSamples(part.map(({ id }) => id));
    yield part.map((row): BatchRow => {
      const sample = samples.get(row.id);
      if (sample === undefined) throw missing(`sample ${row.id}`);
      const { prompt, response, logprobs } = sample;
      return { ...row, prompt, response, logprobs };
    });
  }
};

const head = (kind: UpdateDocument['kind'], { base, seed, hyper }: MadeWith, total: number): string =>
  canonicalJson({ kind, base, seed, hyper: JSON.parse(hyper) as object, total });

/** Reads what the step stored; nothing is written. */
export const assembled = async (
  store: Store,
  { run, step }: { readonly run: RunId; readonly step: number },
  madeWith: MadeWith,
): Promise<Assembled> => {
  const settings = JSON.parse(madeWith.hyper) as Pick<LearningSettings, 'advantage' | 'sendConstant'>;
  const rows = rowsOf(await rewardedOf(store, run, step), settings);
  const hash = createHash('sha256').update(head('policy', madeWith, rows.total));
  let tokens = 0;
  for await (const part of partsOf(store, rows.rows))
    for (const { prompt, response, logprobs, id, group, reward, advantage, truncated } of part) {
      hash.update(canonicalJson([id, group, reward, advantage, truncated, prompt.length, response.length]));
      for (const numbers of [prompt, response, logprobs])
        hash.update(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
      tokens += prompt.length + response.length;
    }
  return { ...rows, hash: hash.digest('hex'), tokens };
};

/** Stores the rows as the bytes that the trainer reads. */
export const storedRollouts = async (
  store: Store,
  run: RunId,
  { rows, total, hash, tokens }: Assembled,
  hyper: string,
): Promise<BatchOfUpdate> => {
  const bytes = await rolloutStream(partsOf(store, rows), { total, hyper });
  return { ...(await store.putBatch(run, bytes)), hash, rows: rows.length, tokens };
};

/** The hash of a supervised batch. */
export const examplesHash = (examples: readonly Example[], madeWith: MadeWith): string =>
  sha256([head('supervised', madeWith, examples.length), ...examples.map((one) => canonicalJson(one))].join('\n'));

/** About four characters a token: how many it trains on, the trainer says. */
const CHARACTERS = 4;

export const storedExamples = async (
  store: Pick<Store, 'putBatch'>,
  run: RunId,
  examples: readonly Example[],
  madeWith: MadeWith,
): Promise<BatchOfUpdate> => ({
  ...(await store.putBatch(run, await exampleStream(examples, madeWith.hyper))),
  hash: examplesHash(examples, madeWith),
  rows: examples.length,
  tokens: Math.ceil(
    examples.reduce((sum, { messages, response }) => sum + messages.length + response.length, 0) / CHARACTERS,
  ),
});

/** The hash that the stored answers of a policy update give now: another one where an answer was lost or changed. */
export const rebuiltHash = async (store: Store, run: RunId, update: UpdateDocument): Promise<string> =>
  (await assembled(store, { run, step: update.step }, update)).hash;
