// evolve support-bundle: packs what a report of a fault needs into one file, without keys.
import { resolve } from 'node:path';
import { act, describe } from '../../flags/command.ts';
import { json, line, note } from '../../terminal/output.ts';

type Options = { readonly json?: boolean; readonly to?: string; readonly withCode?: boolean };

export const supportBundleCommand = () =>
  describe('support-bundle')
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
        if (context.json) return json(bundle);
        line(`${bundle.file}: ${(bundle.bytes / 1024).toFixed(0)} KiB, ${bundle.files.length} files`);
        for (const [section, why] of Object.entries(bundle.left)) note(`left out: ${section}: ${why}`);
        line(
          'Keys and passwords are taken out. It names runs, hosts and settings: look through it before you send it.',
        );
      }),
    );
