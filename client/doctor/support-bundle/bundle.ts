// One file with what a report of a fault needs, and without keys. Nothing is sent anywhere: a person looks through it
// first.
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { withUnanswered } from '../../../activities/store/steps/bookings.ts';
import { hideCredentials } from '../../../evolution/config/layers.ts';
import { openParts, type Place } from '../../connect/connection.ts';
import { UsageError } from '../../connect/errors.ts';
import { findRun } from '../../read/run-id.ts';
import * as sections from './sections.ts';
import { redactorOf } from './secrets.ts';
import { tarOf } from './tar.ts';

type Options = {
  /** A file that is not there yet. */
  readonly to: string;
  /** Null: the installation alone. */
  readonly run: string | null;
  /** Also programs of the last steps, what histories carry, and hints. */
  readonly code: boolean;
  readonly now: Date;
};

export type SupportBundle = {
  readonly file: string;
  readonly bytes: number;
  readonly files: readonly string[];
  /** The sections that could not be gathered, each with the reason. */
  readonly left: Readonly<Record<string, string>>;
};

const FOLDER = 'evolve-support';

/** Throws UsageError where there is no such run, or where the file is there already. */
export const writeSupportBundle = async (place: Place, { to, run: id, code, now }: Options): Promise<SupportBundle> => {
  const parts = openParts(place);
  const files: Record<string, unknown> = {};
  const left: Record<string, string> = {};
  const gather = async (name: string, work: () => sections.Section | Promise<sections.Section>): Promise<void> => {
    try {
      Object.assign(files, await work());
    } catch (error) {
      if (error instanceof UsageError) throw error;
      left[name] = (error as Error).message;
    }
  };
  try {
    const secret = await parts
      .store()
      .then((store) => store.readDrawSecret())
      .catch(() => null);
    const redact = redactorOf(place, secret === null ? [] : [secret]);
    // Addresses in settings may hold keys that are known to nobody but the run.
    const cleaned = (text: string): string => redact(hideCredentials(text));
    await gather('versions', sections.versions);
    await gather('processes', () => sections.processes(place));
    await gather('doctor', () => sections.findings(place));
    await gather('metrics', () => sections.metrics(place.home));
    await gather('logs', () => sections.logs(place.home));
    await gather('installation', async () => sections.installation(await parts.store()));
    if (id !== null)
      await gather('run', async () => {
        const store = await parts.store();
        const [run] = await withUnanswered(store, [await findRun(store, id)]);
        await gather('histories', async () => sections.histories(await parts.engine(), run!, code));
        await gather('doctor of the run', () => sections.findingsOfRun(parts, run!.run));
        return sections.ofRun(store, run!, code);
      });
    const manifest = {
      ...{ version: 1, at: now.toISOString(), run: id, code, left },
      without: code ? 'keys, prompts, answers' : 'keys, prompts, answers, programs, hints, what workflows carry',
    };
    const texts = Object.entries({ 'manifest.json': manifest, ...files }).map(
      ([name, content]) =>
        [name, cleaned(typeof content === 'string' ? content : `${JSON.stringify(content, null, 1)}\n`)] as const,
    );
    const archive = tarOf(
      texts.map(([name, text]) => ({ name: `${FOLDER}/${name}`, content: Buffer.from(text, 'utf8') })),
      now,
    );
    const packed = await promisify(gzip)(archive);
    write(to, packed);
    return { file: to, bytes: packed.length, files: texts.map(([name]) => name), left };
  } finally {
    await parts.close();
  }
};

const write = (file: string, content: Buffer): void => {
  try {
    writeFileSync(file, content, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(
      code === 'EEXIST'
        ? `--to: expected a file that is not there yet, got ${file}: name another one, or remove it`
        : `--to: ${file} cannot be written (${code ?? message}): name another file`,
    );
  }
};
