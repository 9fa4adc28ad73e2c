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

export interface SampleStore {
  /** Insert-or-get by id: the first stored sample wins. Written before the rollout or the call that it belongs to. */
  putSamples(samples: readonly Sample[]): Promise<void>;
  /** Unknown ids are left out. */
  getSamples(ids: readonly string[]): Promise<ReadonlyMap<string, Sample>>;
  /** The samples of a committed step: of its responses by slot, then of its other calls, a few at a time. */
  eachSample(run: RunId, step: number): AsyncIterable<Sample>;
}

export const sampleStore = (collections: Collections, texts: Texts, readConfig: ReadConfig): SampleStore => {
  const getSamples = async (ids: readonly string[]): Promise<ReadonlyMap<string, Sample>> => {
    const samples = new Map<string, Sample>();
    for (const page of pagesOf(ids)) {
      const documents = await getByIds(collections.samples, page);
      const prompts = await texts.get([...new Set([...documents.values()].map(({ promptRef }) => promptRef))]);
      const tokens = new Map<BlobRef, Int32Array>();
      for (const id of page) {
        const document = documents.get(id);
        if (document === undefined) continue;
        const { promptRef } = document;
        const prompt = tokens.get(promptRef) ?? promptOf(document, prompts.get(promptRef));
        tokens.set(promptRef, prompt);
        samples.set(id, unpacked(document, prompt));
      }
    }
    return samples;
  };
  return {
    async putSamples(samples) {
      for (const page of pagesOf(samples)) {
        const refs = await texts.put(page.map(({ prompt }) => JSON.stringify([...prompt])));
        await collections.samples.insertAll(page.map((sample, index) => packed(sample, refs[index]!)));
      }
    },
    getSamples,
    async *eachSample(runId, step) {
      const run = await requireRun(collections, runId);
      if (step < 0 || step > run.committedStep)
        throw new RangeError(
          `expected a committed step of run '${runId}', from 0 to ${run.committedStep}, to read its samples, got ${step}`,
        );
      const marker = await committedMarker(collections, run, step);
      const config = await readConfig(marker.run, marker.configVersion);
      for (const page of pagesOf([...programsOf(marker), ...callIds(askedIn(marker, programsOf(marker)), config)])) {
        const samples = await getSamples(page);
        for (const id of page) if (samples.has(id)) yield samples.get(id)!;
      }
    },
  };
};

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
