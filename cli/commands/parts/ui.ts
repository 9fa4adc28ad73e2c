// evolve ui: the page where people look. It says where `evolve up` serves it, or serves it in the foreground.
import { answeringPage, pageProcessOf, pageText } from '../../../client/connect/page-address.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import type { PageAsked } from '../../../deploy/supervisor/page-child.ts';
import { act, type Build } from '../../flags/command.ts';
import { answer, note } from '../../terminal/output.ts';

type Options = PageAsked & { readonly json?: boolean };

const PAGE_MS = 10_000;

export const build: Build = (command) =>
  command
    .option('--port <n>', 'port to listen on; 0 takes a free one (default: 8235, or a free one)')
    .option('--host <address>', 'address to listen on; one that others reach needs --token-file (default: 127.0.0.1)')
    .option('--token-file <file>', 'who looks must know what is in this file')
    .option('--allow-actions', 'whoever may look may also start and steer runs, from any address')
    .option('--read-only', 'nobody may do more than look')
    .option('--frame <origin>', 'a site whose pages, such as notebooks, may show it in a frame, where it only shows')
    .action(
      act(async (context, { json: _, ...asked }: Options) => {
        if (asked.allowActions && asked.readOnly)
          throw new UsageError('--allow-actions: expected without --read-only, because each undoes the other');
        const kept = Object.values(asked).every((value) => value === undefined) ? pageProcessOf(context) : undefined;
        const served = kept === undefined ? null : await answeringPage(context, PAGE_MS);
        if (served !== null) {
          return answer(context, { url: served.url, pid: served.pid }, () => [
            `the page is on ${pageText(served)}; \`npx evolve down\` stops it with the rest`,
          ]);
        }
        if (kept !== undefined)
          note(`note: the page of \`evolve up\` does not answer (log: ${kept.log}), so this one is served here`);
        const { pageProcess } = await import('../../../deploy/supervisor/page-child.ts');
        const { listeningOf } = await import('../../../page/server/access/options.ts');
        const { file, args, env } = pageProcess(asked, { ...context.env, EVOLVE_PAGE_JSON: context.json ? '1' : '' });
        // Impossible flags are refused here, in the words of a command, before anything exists.
        listeningOf(env, { ownOnly: true });
        const { prepareHome } = await import('../../../deploy/host/home.ts');
        prepareHome(context.home);
        // From here on this process is the page's server: signals reach it, and nothing is left between it and its
        // caller.
        process.removeAllListeners('warning');
        process.execve!(file, [file, ...args], env);
      }),
    );
