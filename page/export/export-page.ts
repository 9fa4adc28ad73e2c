// `evolve export <run> --page`: the page of one run as a file. The server's own handlers answer, in this process, every
// path that the run's views ask; so an exported page and a served one cannot differ.
import { UsageError } from '../../client/errors.ts';
import { findRun } from '../../client/run-id.ts';
import type { ProgramDocument } from '../../activities/store/step-documents.ts';
import type { Files } from '../bundle.ts';
import type { Refused } from '../data/live.ts';
import type { PackedKind } from '../data/pack.ts';
import { createApp } from '../server/app.ts';
import type { Site } from '../server/site/site.ts';
import { createPacker } from './packer.ts';
import { createPageFile } from './page-file.ts';
import { pathsAfter, pathsOfPrograms, pathsOfRun } from './paths.ts';

/** Of which programs the file has code, prompt, answer and logs: of all, of none, or of the best with their ancestors. */
export type Whole = 'all' | 'none' | { readonly best: number };

export type PageOptions = {
  readonly whole: Whole;
  /** Is told how many answers are written, of how many. */
  readonly progress?: (done: number, all: number) => void;
};

export type ExportedPage = {
  readonly run: string;
  readonly file: string;
  readonly bytes: number;
  readonly programs: number;
  /** Of so many programs the file has code, prompt, answer and logs. */
  readonly whole: number;
  /** Answers that the server refused, with its words. The page says the same in their places. */
  readonly refused: readonly { readonly path: string; readonly message: string }[];
};

export const exportPage = async (
  site: Site,
  files: Files,
  id: string,
  path: string,
  { whole, progress }: PageOptions,
): Promise<ExportedPage> => {
  const store = await site.store();
  const { run } = await findRun(store, id);
  const light: Light[] = [];
  for await (const { _id, parents, fit = -Infinity } of store.eachProgram(run)) light.push({ _id, parents, fit });
  const chosen = chosenOf(light, whole);
  const app = createApp(site, {});
  const ofRun = pathsOfRun(app, run);
  const ofPrograms = pathsOfPrograms(run, chosen);
  const file = await createPageFile(path, files, `${run} · DurableEvolve`);
  const refused: { path: string; message: string }[] = [];
  try {
    const packer = createPacker(file.pack);
    /** Adds the answer; gives the paths that it leads to. */
    const add = async (one: string): Promise<readonly string[]> => {
      const { kind, body } = await answerOf(app, one);
      if (kind === 'refused') refused.push({ path: one, message: messageIn(body) });
      await packer.add(one, kind, body);
      return kind === 'json' ? pathsAfter(run, one, body) : [];
    };
    const paths = [...ofRun];
    for (const one of paths) paths.push(...(await add(one)));
    for (const [done, one] of ofPrograms.entries()) {
      await add(one);
      progress?.(done + 1, ofPrograms.length);
    }
    const bytes = await file.end({
      site: {
        version: site.about().version,
        readOnly: 'This page is a file, from which nothing can be done.',
        temporal: null,
        exported: { run, at: new Date().toISOString() },
      },
      ...(await packer.end()),
      left: leftOut(whole, chosen.length, light.length),
    });
    return { run, file: path, bytes, programs: Math.max(0, light.length - 1), whole: chosen.length, refused };
  } finally {
    await file.cancel();
  }
};

const leftOut = (whole: Whole, chosen: number, all: number): string | null =>
  chosen === all
    ? null
    : whole === 'none'
      ? 'it was made without code, prompts and answers of programs'
      : `of ${all} programs it has code, prompts and answers of the ${chosen} that are best or their ancestors`;

type Light = Required<Pick<ProgramDocument, '_id' | 'parents' | 'fit'>>;

/** In the order in which they were committed. */
const chosenOf = (programs: readonly Light[], whole: Whole): readonly string[] => {
  if (whole === 'all') return programs.map(({ _id }) => _id);
  if (whole === 'none') return [];
  const byId = new Map(programs.map((program) => [program._id, program]));
  const chosen = new Set(
    programs
      .filter(({ fit }) => fit > -Infinity)
      .sort((a, b) => b.fit - a.fit)
      .slice(0, whole.best)
      .map(({ _id }) => _id),
  );
  for (const id of chosen) for (const parent of byId.get(id)?.parents ?? []) chosen.add(parent);
  return programs.flatMap(({ _id }) => (chosen.has(_id) ? [_id] : []));
};

/** `all`, `none` or `best:<n>`. */
export const wholeFrom = (text: string): Whole => {
  if (text === 'all' || text === 'none') return text;
  const best = /^best:([1-9]\d{0,6})$/.exec(text)?.[1];
  if (best === undefined) throw new UsageError(`--programs: expected all, none or best:<n> such as best:100, got "${text}"`);
  return { best: Number(best) };
};

const answerOf = async (
  app: ReturnType<typeof createApp>,
  path: string,
): Promise<{ readonly kind: PackedKind; readonly body: Uint8Array }> => {
  const response = await app.request(`/api/${path}`, { headers: { host: '127.0.0.1', 'x-evolve-page': '1' } });
  const body = new Uint8Array(await response.arrayBuffer());
  const json = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  if (response.ok) return { kind: json ? 'json' : 'bytes', body };
  if (!json) throw new Error(`${path}: expected an answer or a refusal as JSON, got ${response.status} without one`);
  return { kind: 'refused', body };
};

const messageIn = (body: Uint8Array): string =>
  (JSON.parse(new TextDecoder().decode(body)) as Refused).error.message;
