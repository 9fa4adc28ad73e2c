// evolve export: everything of a run as files that `evolve import` takes in again, or its page as one file to look at.
import { Option } from 'commander';
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../../../client/connect/errors.ts';
import { packageVersion, runsDirectory } from '../../../deploy/host/home.ts';
import { act, type Build, type Context, describe, RUN_ARGUMENT } from '../../flags/command.ts';
import { withRun } from '../../flags/open.ts';
import { answer, note } from '../../terminal/output.ts';
import { build as rewardModel } from '../papers/export-reward-model.ts';

type Options = {
  readonly to?: string;
  readonly page?: string | true;
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
    .addOption(
      new Option(
        '--programs <which>',
        'whose code, prompts and answers the page has: all, none, or best:<n> with their ancestors',
      ),
    )
    .option('--no-code', 'the same as --programs none')
    .action(
      act(async (context, options: Options, id: string) => {
        if (options.page !== undefined) return page(context, options, id);
        if (options.programs !== undefined || !options.code)
          throw new UsageError(
            '--programs and --no-code: expected --page beside them, for only a page can leave programs out',
          );
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
  if (options.to !== undefined)
    throw new UsageError('--to: expected a folder of files or a page, got both: --page takes a file');
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
