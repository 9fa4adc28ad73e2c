// The token ids and logprobs of responses, packed. A step of 512 responses with 16,384 tokens each is 67 MB, so samples
// are written and read a few at a time.
import type { BlobRef, RunId } from '../../../evolution/types.ts';
import { callIds } from '../content/calls.ts';
import { askedIn, programsOf } from '../documents/step-ids.ts';
import { getByIds } from '../documents/collection.ts';
import type { Sample, SampleDocument } from '../documents/learning-documents.ts';
import { committedMarker } from '../steps/markers.ts';
import { type ReadConfig, requireRun } from '../documents/run-documents.ts';
import type { Collections } from '../documents/stored.ts';
import { RESTORE, type Texts } from '../content/texts.ts';

const SAMPLES_PER_PAGE = 16;

type Parts = { readonly collections: Collections; readonly texts: Texts };

export const putSamples = async ({ collections, texts }: Parts, samples: readonly Sample[]): Promise<void> => {
  for (const page of pagesOf(samples)) {
    const refs = await texts.put(page.map(({ prompt }) => JSON.stringify([...prompt])));
    await collections.samples.insertAll(page.map((sample, index) => packed(sample, refs[index]!)));
  }
};

export const getSamples = async (
  { collections, texts }: Parts,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Sample>> => {
  const found = new Map<string, Sample>();
  for (const page of pagesOf(ids)) {
    const documents = await getByIds(collections.samples, page);
    const prompts = await texts.get([...new Set([...documents.values()].map(({ promptRef }) => promptRef))]);
    const read = new Map<BlobRef, Int32Array>();
    for (const id of page) {
      const document = documents.get(id);
      if (document === undefined) continue;
      const { promptRef } = document;
      const prompt = read.get(promptRef) ?? promptOf(document, prompts.get(promptRef));
      read.set(promptRef, prompt);
      found.set(id, unpacked(document, prompt));
    }
  }
  return found;
};

export async function* eachSample(
  parts: Parts,
  readConfig: ReadConfig,
  runId: RunId,
  step: number,
): AsyncGenerator<Sample> {
  const run = await requireRun(parts.collections, runId);
  if (step < 0 || step > run.committedStep)
    throw new RangeError(
      `expected a committed step of run '${runId}', from 0 to ${run.committedStep}, to read its samples, got ${step}`,
    );
  const marker = await committedMarker(parts.collections, run, step);
  const config = await readConfig(marker.run, marker.configVersion);
  const ids = [...programsOf(marker), ...callIds(askedIn(marker), config)];
  for (const page of pagesOf(ids)) {
    const found = await getSamples(parts, page);
    for (const id of page) if (found.has(id)) yield found.get(id)!;
  }
}

function* pagesOf<V>(all: readonly V[]): Generator<readonly V[]> {
  for (let from = 0; from < all.length; from += SAMPLES_PER_PAGE) yield all.slice(from, from + SAMPLES_PER_PAGE);
}

const packed = ({ id, prompt: _, response, logprobs, ...rest }: Sample, promptRef: BlobRef): SampleDocument => ({
  _id: id,
  ...rest,
  promptRef,
  response: bytesOf(response),
  logprobs: bytesOf(logprobs),
});

const unpacked = ({ _id, promptRef: _, response, logprobs, ...rest }: SampleDocument, prompt: Int32Array): Sample => ({
  ...rest,
  id: _id,
  prompt,
  response: new Int32Array(aligned(response)),
  logprobs: new Float32Array(aligned(logprobs)),
});

/** Both kinds of machines that Node runs on are little-endian. */
const bytesOf = (numbers: Int32Array | Float32Array): Buffer =>
  Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);

/** Bytes that come out of a larger message need not begin at a multiple of four. */
const aligned = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

const promptOf = ({ _id, promptRef }: SampleDocument, text: string | undefined): Int32Array => {
  if (text === undefined)
    throw new Error(
      `expected the prompt's token ids ${promptRef} of sample ${_id} as a stored text, but there is none: the database has lost a blob. ${RESTORE}`,
    );
  return Int32Array.from(JSON.parse(text) as readonly number[]);
};
