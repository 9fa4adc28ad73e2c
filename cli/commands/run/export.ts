// evolve export: everything of a run as files that `evolve import` takes in again, its page as one file to look at, or its
// tables as Parquet.
import { Option } from 'commander';
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../../../client/connect/errors.ts';
import { packageVersion, runsDirectory } from '../../../deploy/host/home.ts';
import { act, type Build, type Context, describe, RUN_ARGUMENT } from '../../flags/command.ts';
import { withRun, withStoredRun } from '../../flags/open.ts';
import { answer, note } from '../../terminal/output.ts';
import { build as rewardModel } from '../papers/export-reward-model.ts';

type Options = {
  readonly to?: string;
  readonly page?: string | true;
  readonly parquet?: string | true;
  readonly code: boolean;
  readonly programs?: string;
};

export const build: Build = (command) =>
  command
    .argument(...RUN_ARGUMENT)
    .option('--to <directory>', 'new or empty directory (default: runs/<run>/export)')
    .option(
      '--page [file]',
      'write its page instead, as one HTML file that opens from disk (default: runs/<run>/page.html)',
    )
    .option(
      '--parquet [directory]',
      'write its programs with their code, steps and usage instead, a Parquet file each (default: runs/<run>/tables)',
    )
    .addOption(
      new Option(
        '--programs <which>',
        'whose code, prompts and answers the page has: all, none, or best:<n> with their ancestors',
      ),
    )
    .option('--no-code', 'the same as --programs none')
    .action(
      act(async (context, options: Options, id: string) => {
        if ([options.to, options.page, options.parquet].filter((way) => way !== undefined).length > 1)
          throw new UsageError('--to, --page, --parquet: expected one of them');
        if (options.page !== undefined) return page(context, options, id);
        if (options.programs !== undefined || !options.code)
          throw new UsageError(
            '--programs and --no-code: expected --page beside them, for only a page can leave programs out',
          );
        if (options.parquet !== undefined) return tables(context, options.parquet, id);
        return withRun(context, id, async (run) => {
          const directory = resolve(options.to ?? join(runsDirectory(context.env), run.id, 'export'));
          const manifest = await run.export(directory);
          answer(context, { directory, ...manifest }, () => [
            `${run.id}: exported to ${directory}`,
            ...manifest.runs
              .filter((one) => one !== run.id)
              .map((other) => `  with run ${other}, which it was forked off`),
            ...Object.entries(manifest.collections).map(([name, { documents }]) => `  ${name.padEnd(12)} ${documents}`),
          ]);
          if (context.json) return;
          if (manifest.notIncluded !== undefined) note(`note: this is without ${manifest.notIncluded}`);
          if (manifest.lostTexts > 0)
            note(`warning: the database has lost ${manifest.lostTexts} texts that documents name`);
        });
      }),
    )
    .addCommand(rewardModel(describe('reward-model', 'write training data and a training recipe for a reward model')));

/** What `evolve programs --all --code`, `evolve steps` and `evolve usage` write. */
const tables = async (context: Context, to: string | true, id: string): Promise<void> => {
  const run = await withStoredRun(context, id, async (document) => document.run);
  const directory = resolve(to === true ? join(runsDirectory(context.env), run, 'tables') : to);
  mkdirSync(directory, { recursive: true });
  const [programs, steps, usage] = await Promise.all([
    import('../programs/programs.ts'),
    import('../programs/steps.ts'),
    import('./usage.ts'),
  ]);
  for (const [name, build, ...flags] of [
    ['programs', programs.build, '--all', '--code'],
    ['steps', steps.build],
    ['usage', usage.build],
  ] as const)
    await (
      await build(describe(name), [])
    ).parseAsync([run, ...flags, '--parquet', join(directory, `${name}.parquet`)], { from: 'user' });
};

const TOLD_MS = 5_000;

/** A line every few seconds. */
const progressNote = () => {
  let toldMs = performance.now();
  return ({ done, of }: { readonly done: number; readonly of: number }): void => {
    if (performance.now() - toldMs < TOLD_MS) return;
    toldMs = performance.now();
    note(`${done} of ${of} programs are written`);
  };
};

const page = async (context: Context, options: Options, id: string): Promise<void> => {
  // Is loaded here, for the page's server and its bundler are large.
  const [{ exportPage, wholeFrom }, { bundle }, { openSite }, { pageFolder }, { findRun }] = await Promise.all([
    import('../../../page/export/export-page.ts'),
    import('../../../page/bundle.ts'),
    import('../../../page/server/site/site.ts'),
    import('../../../page/server/rows/row-files.ts'),
    import('../../../client/read/run-id.ts'),
  ]);
  const whole = wholeFrom(options.code ? (options.programs ?? 'all') : 'none');
  const site = openSite(context, { version: packageVersion(), readOnly: null });
  try {
    const { run } = await findRun(await site.store(), id);
    const file = resolve(options.page === true ? join(runsDirectory(context.env), run, 'page.html') : options.page!);
    mkdirSync(dirname(file), { recursive: true });
    const written = await exportPage(site, await bundle(pageFolder(context.home)), run, file, whole, progressNote());
    answer(context, written, () => [
      `${run}: its page is ${file} (${(written.bytes / 1e6).toFixed(1)} MB)`,
      written.whole === written.programs
        ? `  with code, prompts and answers of all ${written.programs} programs; --programs best:100 makes it smaller`
        : `  with code, prompts and answers of ${written.whole} of ${written.programs} programs`,
    ]);
    for (const { path, message } of context.json ? [] : written.refused) note(`note: without ${path}: ${message}`);
  } finally {
    await site.close();
  }
};
