// Writes a page with the answers at these paths. The server's own handlers answer, in this process; so an exported page
// and a served one cannot differ.
import type { Hono } from 'hono';
import { API } from '../server/access/gate.ts';
import type { Files } from '../bundle.ts';
import { withHeader } from '../api/rows/columns.ts';
import type { Refused, Site as SiteAnswer } from '../api/site/live.ts';
import type { FileIndex, PackedKind } from '../api/site/pack.ts';
import { createPacker } from './packer.ts';
import { createPageFile } from './page-file.ts';

type Answered = { readonly kind: PackedKind; readonly body: Uint8Array };

/** A path that a page asks for; `from` and `change` where its answer is another one. */
export type Wanted = { readonly path: string; readonly from?: string; readonly change?: (answer: unknown) => unknown };

export type Contents = {
  readonly title: string;
  readonly version: string;
  readonly exported: NonNullable<SiteAnswer['exported']>;
  readonly wanted: readonly Wanted[];
  /** Changes the JSON of each answer, of each refusal and of each header of columns, behind an answer's own change. */
  readonly changeAll: (json: string) => string;
  /** Paths that an answer leads to. */
  readonly after?: (path: string, body: Uint8Array) => readonly string[];
  /** Is told of the number of wanted answers that are written. */
  readonly tell?: (written: number) => void;
  /** The parts of the run that are not in the file, in words; null where all are. */
  readonly left: FileIndex['left'];
};

export type Written = {
  readonly bytes: number;
  /** Answers that were refused, with the words that the page shows in their places. */
  readonly refused: readonly { readonly path: string; readonly message: string }[];
};

export const writePage = async (
  app: Pick<Hono, 'request'>,
  files: Files,
  file: string,
  { title, version, exported, wanted, changeAll, after = () => [], tell = () => undefined, left }: Contents,
): Promise<Written> => {
  const page = await createPageFile(file, files, title);
  const refused: { path: string; message: string }[] = [];
  try {
    const packer = createPacker(page.pack);
    const all = [...wanted];
    for (const [index, { path, from = path, change }] of all.entries()) {
      tell(Math.min(index, wanted.length));
      const { kind, body } = await answerOf(app, from);
      const own =
        kind === 'json' && change !== undefined ? bytesOf(JSON.stringify(change(JSON.parse(textOf(body))))) : body;
      const changed = kind === 'bytes' ? withHeader(own, changeAll) : bytesOf(changeAll(textOf(own)));
      if (kind === 'refused') refused.push({ path, message: messageIn(changed) });
      await packer.add(path, kind, changed);
      if (kind === 'json') all.push(...after(path, changed).map((next) => ({ path: next })));
    }
    const bytes = await page.end({
      site: { version, readOnly: 'This page is a file, from which nothing can be done.', docs: false, exported },
      ...(await packer.end()),
      left,
    });
    return { bytes, refused };
  } finally {
    await page.cancel();
  }
};

const answerOf = async (app: Pick<Hono, 'request'>, path: string): Promise<Answered> => {
  const response = await app.request(`${API}/${path}`, { headers: { host: '127.0.0.1', 'x-evolve-page': '1' } });
  const body = new Uint8Array(await response.arrayBuffer());
  const json = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  if (response.ok) return { kind: json ? 'json' : 'bytes', body };
  if (!json) throw new Error(`${path}: expected an answer or a refusal as JSON, got ${response.status} without one`);
  return { kind: 'refused', body };
};

const textOf = (body: Uint8Array): string => new TextDecoder().decode(body);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const messageIn = (body: Uint8Array): string => (JSON.parse(textOf(body)) as Refused).error.message;
