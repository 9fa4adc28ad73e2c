// What an evaluator shows beside its numbers (docs/tasks.md, Artifacts): texts, tables and pictures of bounded size, and
// the part of them that a request shows.
import { visible } from '../visible.ts';

export const ARTIFACT_KINDS = ['text', 'table', 'png', 'jpeg', 'svg'] as const;

export type Artifact = {
  readonly name: string;
  readonly kind: (typeof ARTIFACT_KINDS)[number];
  /** A table is lines of cells between tabs, the names of the columns first; PNG and JPEG are base64. */
  readonly text: string;
};

export const isBinary = ({ kind }: Pick<Artifact, 'kind'>): boolean => kind === 'png' || kind === 'jpeg';
export const isPicture = ({ kind }: Pick<Artifact, 'kind'>): boolean => kind === 'svg' || isBinary({ kind });

export const typeOf = ({ kind }: Pick<Artifact, 'kind'>): string =>
  isPicture({ kind }) ? `image/${kind === 'svg' ? 'svg+xml' : kind}` : 'text/plain';
/** The rows of a table, the names of its columns first. */
export const rowsOf = ({ text }: Pick<Artifact, 'text'>): readonly (readonly string[])[] =>
  text.split('\n').map((line) => line.split('\t'));

/**
 * Texts and tables for a request, in at most so many characters, and the names of pictures. What is short is whole; the
 * longer ones share the rest evenly, and each shows its beginning and its end.
 */
export const artifactsText = (artifacts: readonly Artifact[], most: number): string => {
  const parts = new Map<Artifact, string>();
  const byLength = artifacts
    .map(
      (artifact) =>
        [artifact, isPicture(artifact) ? `(a picture, ${artifact.kind})` : visible(artifact.text.trim())] as const,
    )
    .sort(([, a], [, b]) => a.length - b.length);
  let left = most;
  for (const [index, [artifact, text]] of byLength.entries()) {
    const part = shortened(text, Math.floor(left / (byLength.length - index)) - artifact.name.length - 2);
    if (part === null) continue;
    parts.set(artifact, `${visible(artifact.name)}:${part.includes('\n') ? '\n' : ' '}${part}`);
    left -= parts.get(artifact)!.length + 1;
  }
  return artifacts.flatMap((artifact) => parts.get(artifact) ?? []).join('\n');
};

/** Room for the words that stand in place of what is left out. */
const WORDS = 60;

/** Whole lines from both ends where there are any, because half a number is another number. Null: it does not fit. */
const shortened = (text: string, most: number): string | null => {
  if (text.length <= most) return text;
  const half = Math.floor((most - WORDS) / 2);
  if (half <= 0) return null;
  const [before, after] = [text.slice(0, half), text.slice(-half)];
  const head = before.includes('\n') ? before.slice(0, before.lastIndexOf('\n')) : before;
  const tail = after.includes('\n') ? after.slice(after.indexOf('\n') + 1) : after;
  return `${head}\n[${text.length - head.length - tail.length} of ${text.length} characters left out]\n${tail}`.toWellFormed();
};
