// evolve support-bundle: packs what a report of a fault needs into one file, without keys.
import { resolve } from 'node:path';
import { act, type Build } from '../../flags/command.ts';
import { answer, note } from '../../terminal/output.ts';

type Options = { readonly to?: string; readonly withCode?: boolean };

export const build: Build = (command) =>
  command
    .argument('[run]', 'id of the run that the report is about, or latest; without it the installation alone')
    .option('--with-code', 'also programs of the last steps, hints, and what histories carry')
    .option('--to <file>', 'the file to write (default: evolve-support-<time>.tar.gz here)')
    .action(
      act(async (context, { to, withCode = false }: Options, run: string | undefined) => {
        const { writeSupportBundle } = await import('../../../client/doctor/support-bundle/bundle.ts');
        const now = new Date();
        const stamp = now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
        const bundle = await writeSupportBundle(context, {
          ...{ to: resolve(to ?? `evolve-support-${stamp}.tar.gz`), run: run ?? null, code: withCode, now },
        });
        for (const [section, why] of context.json ? [] : Object.entries(bundle.left))
          note(`left out: ${section}: ${why}`);
        answer(context, bundle, () => [
          `${bundle.file}: ${(bundle.bytes / 1024).toFixed(0)} KiB, ${bundle.files.length} files`,
          'Keys and passwords are taken out. It names runs, hosts and settings: look through it before you send it.',
        ]);
      }),
    );
