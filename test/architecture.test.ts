// The house's rules that no tool of `npm run check` looks at: what stays out of evolution and workflows, and one
// protobufjs. Which room may import which is in .dependency-cruiser.cjs, how long a file may be in .oxlintrc.json.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COLLECTIONS } from '../activities/store/documents/stored.ts';
import { program } from '../cli/program.ts';

const ROOT = join(import.meta.dirname, '..');

const files = (room: string): string[] =>
  readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(room, file));

const CLOCK_OR_CHANCE = /Math\.random|new Date\(\)|performance\.now|process\.|setTimeout|crypto\./g;
/** The SDK replaces Date.now inside workflows by the time of the history; the pure domain has none. */
const ANY_CLOCK = new RegExp(`${CLOCK_OR_CHANCE.source}|Date\\.now`, 'g');

describe('the house', () => {
  it.each([
    ['evolution', ANY_CLOCK],
    ['workflows', CLOCK_OR_CHANCE],
  ] as const)('%s has no clock and no chance', (room, words) => {
    const offences = files(room).flatMap((file) =>
      [
        ...readFileSync(join(ROOT, file), 'utf8')
          .replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '')
          .matchAll(words),
      ].map(([word]) => `${file}: ${word}`),
    );
    expect(offences).toEqual([]);
  });

  it('only cli/terminal/output.ts writes to the terminal, and makes visible what would act on it', () => {
    const offences = files('cli').flatMap((file) =>
      [
        ...readFileSync(join(ROOT, file), 'utf8')
          .replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '')
          .matchAll(/(?:stdout|stderr|terminal|stream)\.write\b|\bconsole\.|writeSync\(/g),
      ].map(([word]) => `${file}: ${word}`),
    );
    expect([...new Set(offences)]).toEqual([
      'cli/terminal/output.ts: stdout.write',
      'cli/terminal/output.ts: stderr.write',
    ]);
  });

  it('a path that a person or a folder from elsewhere names is read by activities/given-file.ts only', () => {
    // These read files of the project or of the data directory, or a descriptor that given-file.ts has checked.
    const own = [
      'activities/given-file.ts',
      'activities/llm/',
      'activities/step/ask/prompts/templates.ts',
      'activities/sandbox/',
      'activities/store/exchange/import.ts: createReadStream(path, { fd,',
      'activities/task/load-task.ts: readFile(RUNNER,',
      'cli/mcp/docs.ts',
      'cli/program.ts',
      'cli/write-docs.ts',
      'client/learning/export-policy.ts',
      'activities/task/script.ts: readFileSync(join(import.meta.dirname,',
      'activities/task/task-world.ts: readFile(join(import.meta.dirname,',
      'client/rows/row-table.ts: createReadStream(this.#scratch)',
      'client/connect/keys.ts',
      'client/doctor/support-bundle/',
      'client/tasks/task-folder.ts',
    ];
    const readings = ['cli', 'client', 'activities']
      .flatMap(files)
      .flatMap((file) =>
        [
          ...readFileSync(join(ROOT, file), 'utf8').matchAll(
            /\b(?:readFileSync|readFile|createReadStream|openSync|opendirSync|opendir)\((?!\)).{0,40}/g,
          ),
        ].map(([call]) => `${file}: ${call}`),
      );
    expect(readings.filter((one) => !own.some((known) => one.startsWith(known)))).toEqual([]);
  });

  it('every command has a row in docs/cli.md, and every collection one in docs/architecture.md', async () => {
    const [cli, architecture] = ['cli.md', 'architecture.md'].map((page) =>
      readFileSync(join(ROOT, 'docs', page), 'utf8'),
    );
    const commands = (await program([])).commands
      .map((command) => command.name())
      .filter((name) => !['help', 'complete', 'completion'].includes(name));
    expect(commands.filter((name) => !new RegExp(`^\\| (\`[^\`]*\`, )*\`${name}[ \`]`, 'm').test(cli!))).toEqual([]);
    const rows = [...architecture!.matchAll(/^\| (`.*?`) \|/gm)].map(([, names]) => names).join(' ');
    expect(COLLECTIONS.filter((name) => !rows.includes(`\`${name}\``))).toEqual([]);
  });

  it('one protobufjs serves the whole SDK, or replay of a JSON history dies', () => {
    const require = createRequire(join(ROOT, 'package.json'));
    const resolved = new Set(
      ['@temporalio/proto', '@temporalio/common', '@temporalio/worker'].map((name) =>
        createRequire(require.resolve(name)).resolve('protobufjs'),
      ),
    );
    expect(resolved.size).toBe(1);
  });
});
