// The source of a page that was exported to a file: its answers lie in the file, compressed, by their paths.
import { type FileIndex, partsOf, plainPath, withTexts } from '../../api/site/pack.ts';
import type { Refused } from '../../api/site/live.ts';
import { type Source, SourceError } from './source.ts';

/** Packs of texts that stay unpacked: some megabytes. */
const MOST_KEPT = 12;

const unpacked = async (tag: HTMLElement): Promise<Uint8Array<ArrayBuffer>> => {
  const text = tag.textContent;
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Null where this page is one of a server. */
export const exportedSource = (): Promise<Source> | null => {
  const index = document.getElementById('index');
  return index === null ? null : open(index);
};

const open = async (tag: HTMLElement): Promise<Source> => {
  const { site, answers, texts, left } = JSON.parse(textOf(await unpacked(tag))) as FileIndex;
  const kept = new Map<number, Promise<readonly Uint8Array<ArrayBuffer>[]>>();
  const pack = (number: number): Promise<readonly Uint8Array<ArrayBuffer>[]> => {
    const parts = kept.get(number) ?? unpacked(document.getElementById(`pack-${number}`)!).then(partsOf);
    // The pack that was used last is kept longest.
    kept.delete(number);
    kept.set(number, parts);
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
    return parts;
  };
  const find = async (path: string) => {
    const place = answers[plainPath(path)];
    if (place === undefined)
      throw new SourceError(
        'missing',
        left === null
          ? 'This is not in the exported file. A page of a server has it.'
          : `This is not in the exported file: ${left}.`,
      );
    const [number, part, kind] = place;
    return { bytes: (await pack(number))[part]!, kind };
  };
  const json = async <T>(path: string): Promise<T> => {
    const { bytes, kind } = await find(path);
    const text = textOf(bytes);
    const read = new Map<number, readonly Uint8Array<ArrayBuffer>[]>();
    for (;;) {
      const lacking = new Set<number>();
      const answer = withTexts(text, (number) => {
        const place = texts.findLast(([, first]) => first <= number)!;
        const parts = read.get(place[0]);
        if (parts !== undefined) return JSON.parse(textOf(parts[number - place[1]]!)) as string;
        lacking.add(place[0]);
        return null;
      });
      if (answer !== null) {
        if (kind !== 'refused') return answer.value as T;
        const { error } = answer.value as Refused;
        throw new SourceError(error.kind, error.message);
      }
      for (const number of lacking) read.set(number, await pack(number));
    }
  };
  return {
    site,
    json,
    async bytes(path) {
      const { bytes, kind } = await find(path);
      if (kind === 'refused') await json(path);
      return bytes.slice().buffer;
    },
    async lines() {
      throw new SourceError('refused', 'This needs a server. The page of the run has it: `npx evolve ui`.');
    },
    follow: () => () => undefined,
    async act() {
      throw new SourceError(
        'refused',
        'This page is a file: nothing can be done from it. `npx evolve ui` opens the page of the run.',
      );
    },
  };
};
