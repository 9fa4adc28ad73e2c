// evolve worker: one role in the foreground, on a machine that needs nothing but the package and the addresses of the
// Temporal server and the database.
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { rememberDefaultModel } from '../../../client/connect/default-model.ts';
import { databaseIn } from '../../../client/connect/elsewhere.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { withoutPassword } from '../../../deploy/servers/external-servers.ts';
import { type PageAsked, pageSettings } from '../../../deploy/supervisor/page-child.ts';
import type { HostRole } from '../../../deploy/stack/host-role.ts';
import { LABEL, LABEL_EXPECTED } from '../../../evolution/hosts/needs.ts';
import { act } from '../../flags/command.ts';
import { answer, line, note, sayer } from '../../terminal/output.ts';

const ROLES = ['engine', 'model', 'evaluation', 'learning', 'page'] as const satisfies readonly HostRole[];

const count =
  (least: number) =>
  (text: string): string => {
    if (!/^\d{1,5}$/.test(text) || Number(text) < least)
      throw new InvalidArgumentError(`Expected a whole number from ${least} to 99999.`);
    return text;
  };
const labels = (text: string): string => {
  if (!text.split(',').every((label) => LABEL.test(label)))
    throw new InvalidArgumentError(`Give words with commas between them; for each word: ${LABEL_EXPECTED}.`);
  return text;
};

type Options = {
  readonly temporal?: string;
  readonly mongodb?: string;
  readonly grace: string;
  readonly slots?: string;
  readonly labels?: string;
  readonly gpus?: string;
  readonly dedicated?: boolean;
  readonly offlineModel?: string;
} & PageAsked;

/** The flags that only some roles know. */
const ROLES_OF = {
  slots: ['engine', 'model', 'evaluation'],
  labels: ['evaluation'],
  gpus: ['evaluation'],
  dedicated: ['evaluation'],
  offlineModel: ['engine', 'model'],
  port: ['page'],
  host: ['page'],
  tokenFile: ['page'],
  allowActions: ['page'],
  frame: ['page'],
} as const satisfies { readonly [flag in keyof Options]?: readonly HostRole[] };
const SLOTS = { engine: 'EVOLVE_DB_SLOTS', model: 'EVOLVE_LLM_SLOTS', evaluation: 'EVOLVE_EVAL_CONCURRENCY' } as const;

export const build = (command: Command): Command =>
  command
    .addArgument(new Argument('<role>', 'what the process does').choices(ROLES))
    .option('--temporal <address>', 'host:port of the Temporal server (TEMPORAL_ADDRESS, or a profile)')
    .option('--mongodb <uri>', 'the database (MONGODB_URI, which no list of processes shows)')
    .addOption(
      new Option('--grace <seconds>', 'what running activities have to finish after SIGTERM')
        .default('30')
        .argParser(count(1)),
    )
    .addOption(new Option('--slots <n>', 'how much it does at once').argParser(count(1)))
    .addOption(new Option('--labels <words>', 'evaluation: labels that tasks may need').argParser(labels))
    .addOption(
      new Option('--gpus <n>', 'evaluation: GPUs of this machine that programs may be given').argParser(count(1)),
    )
    .option('--dedicated', 'evaluation: only programs of tasks that need labels, GPUs or memory')
    .option('--offline-model <url>', 'engine, model: an offline model that runs elsewhere')
    .option('--port <n>', 'page: port to listen on (default: 8235)')
    .option('--host <address>', 'page: address to listen on; one that others reach needs --token-file')
    .option('--token-file <file>', 'page: who looks must know what is in this file')
    .option('--allow-actions', 'page: whoever may look may also start and steer runs')
    .option('--frame <origin>', 'page: a site whose pages may show it in a frame')
    .addHelpText(
      'after',
      '\nThe process drains on SIGTERM and then ends with 0. It needs no shared folder. docs/operations/hosts.md',
    )
    .action(
      act(async (context, options: Options, role: string) => {
        const env = environmentOf(role as HostRole, options, context.env);
        const { prepareRole } = await import('../../../deploy/stack/host-role.ts');
        const print = context.json ? note : line;
        const started = await prepareRole(context.home, role as HostRole, sayer(print), env);
        if (role === 'engine' || role === 'model') {
          const refused = rememberDefaultModel({ home: context.home, env });
          if (refused !== null) note(`note: ${refused}`);
        }
        const database = withoutPassword(env['MONGODB_URI'] ?? '');
        const { temporal } = started;
        const home = context.home.root;
        answer(context, { role, temporal, database, home, pid: process.pid }, () => [
          `${role}: Temporal at ${temporal}; database ${database}; data in ${home}`,
        ]);
        // From here on this process is the worker: signals reach it, and nothing is left between it and its caller.
        process.removeAllListeners('warning');
        process.execve!(started.file, [started.file, ...started.args], { ...started.env });
      }),
    );

const environmentOf = (role: HostRole, options: Options, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  for (const [name, roles] of Object.entries(ROLES_OF)) {
    if (options[name as keyof typeof ROLES_OF] === undefined || (roles as readonly HostRole[]).includes(role)) continue;
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new UsageError(
      `--${flag}: expected with the role${roles.length === 1 ? '' : 's'} ${roles.join(', ')} alone, got ${role}`,
    );
  }
  if (options.dedicated && !options.labels && !options.gpus)
    throw new UsageError('--dedicated: expected together with --labels or --gpus, because the host would get no work');
  return {
    ...env,
    ...databaseIn(env),
    ...(options.temporal === undefined ? {} : { TEMPORAL_ADDRESS: options.temporal }),
    ...(options.mongodb === undefined ? {} : { MONGODB_URI: options.mongodb }),
    ...(options.slots === undefined ? {} : { [SLOTS[role as keyof typeof SLOTS]]: options.slots }),
    ...(options.offlineModel === undefined ? {} : { EVOLVE_OFFLINE_MODEL_URL: options.offlineModel }),
    ...(options.labels ? { EVOLVE_EVAL_LABELS: options.labels } : {}),
    ...(options.gpus ? { EVOLVE_EVAL_GPUS: options.gpus } : {}),
    ...(options.dedicated ? { EVOLVE_EVAL_DEDICATED: '1' } : {}),
    ...(role === 'page' ? pageSettings(options) : {}),
    EVOLVE_GRACE: options.grace,
  };
};
