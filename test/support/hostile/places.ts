// Every place in which a run leaves texts: the history of its workflows, the database, the files of the home, and what
// commands print or pack.
import { MongoClient } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { TestEngine } from '../engine/engine.ts';
import type { TestHome } from '../machine/home.ts';
import { leaks, writtenForms } from './leaks.ts';

type Place = readonly [where: string, text: string];
type At = { readonly home: TestHome; readonly engine: TestEngine };

/** Where, of all places that these runs could write to, the key is found. Empty where none has it. */
export const placesWith = async (key: string, runs: readonly string[], at: At): Promise<readonly string[]> => [
  // In so much text, fewer letters would be found by chance.
  ...(
    await Promise.all(runs.map(async (run) => [...(await histories(at.engine, run)), ...(await printed(at.home, run))]))
  )
    .flat()
    .concat(await packed(at.home, runs[0]!))
    .flatMap(([where, text]) => leaks(text, key, 16).map((how) => `${where}: ${how}`)),
  ...(await collectionsWith(writtenForms(key), at.home)),
  ...filesWith(writtenForms(key), at.home.dir),
];

const histories = async ({ client, history }: TestEngine, run: string): Promise<readonly Place[]> => {
  const places: Place[] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query: `WorkflowId STARTS_WITH "run/${run}"` }))
    places.push([`history of ${workflowId}`, decoded(await history(workflowId, runId))]);
  if (places.length === 0) throw new Error(`the engine knows no workflow of run ${run}`);
  return places;
};

/** Payloads stand in a history as base64. */
const decoded = (text: string): string =>
  text.replace(/"data":\s?"([A-Za-z0-9+/=]+)"/g, (_, data: string) => Buffer.from(data, 'base64').toString('utf8'));

const collectionsWith = async (forms: readonly string[], home: TestHome): Promise<readonly string[]> => {
  const client = await MongoClient.connect(home.up().database.uri);
  try {
    const database = client.db('durable_evolve');
    const found: string[] = [];
    let documents = 0;
    for (const { name } of await database.listCollections().toArray())
      for await (const document of database.collection(name).find()) {
        documents += 1;
        const text = JSON.stringify(document);
        if (forms.some((form) => text.includes(form))) found.push(`collection ${name}: ${String(document._id)}`);
      }
    if (documents === 0) throw new Error('the database has no documents');
    return found;
  } finally {
    await client.close();
  }
};

/** `keys.json` is where keys are kept. The socket and links of the parts are no files of texts. */
const filesWith = (forms: readonly string[], root: string): readonly string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const file = join(root, name);
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found?.isFile() || relative(root, file) === 'keys.json' || found.size > MOST_BYTES) return false;
    try {
      const bytes = readFileSync(file);
      return forms.some((form) => bytes.includes(form));
    } catch (error) {
      // Some come and go while the stack is up.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  });

/** A file above this is a part that was installed. */
const MOST_BYTES = 256 * 1024 * 1024;

const COMMANDS: readonly (readonly string[])[] = [
  ['status'],
  ['status', '--json'],
  ['doctor'],
  ['usage'],
  ['settings'],
  ['programs', '--json'],
];

const printed = async (home: TestHome, run: string): Promise<readonly Place[]> => {
  const places: Place[] = [];
  for (const [command, ...flags] of COMMANDS) {
    const { stdout, stderr } = await home.evolve([command!, run, ...flags]);
    places.push([`evolve ${command} ${flags.join(' ')}`, `${stdout}\n${stderr}`]);
  }
  return places;
};

/** What a person would send of the run with a report of a fault. */
const packed = async (home: TestHome, run: string): Promise<readonly Place[]> => {
  const file = join(home.dir, `support-${randomUUID()}.tar.gz`);
  try {
    const { files, left } = await home.json(['support-bundle', run, '--with-code', '--to', file]);
    const lacking = ['run/document.json', 'run/history-run.json', 'runs.json'].filter((name) => !files.includes(name));
    if (lacking.length > 0 || Object.keys(left).length > 0)
      throw new Error(`the bundle of ${run} is without ${[...lacking, JSON.stringify(left)].join(', ')}`);
    return [[`evolve support-bundle ${run}`, decoded(gunzipSync(readFileSync(file)).toString('utf8'))]];
  } finally {
    rmSync(file, { force: true });
  }
};
