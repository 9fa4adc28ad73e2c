// evolve upgrade: the versions of the workflows, what `evolve up` would do to what is open, and the ways out.
import { InvalidArgumentError } from 'commander';
import { type Engine, withParts } from '../../../client/connect/connection.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { findRun } from '../../../client/read/run-id.ts';
import type { UpgradeCheck } from '../../../client/upkeep/upgrade.ts';
import type { VersionRow } from '../../../client/upkeep/upgrade-forecast.ts';
import { act, type Build, type Context } from '../../flags/command.ts';
import { EXIT } from '../../terminal/exit.ts';
import { answer } from '../../terminal/output.ts';

type Options = {
  readonly check?: boolean;
  readonly seconds: number;
  readonly current?: string;
  readonly pin?: string;
  readonly unpin?: boolean;
  readonly move?: string;
};

const ACTIONS = ['check', 'current', 'pin', 'unpin', 'move'] as const;

const seconds = (text: string): number => {
  if (!/^[1-9]\d{0,4}$/.test(text))
    throw new InvalidArgumentError('Expected a whole number of seconds from 1 to 99999.');
  return Number(text);
};

export const build: Build = (command) =>
  command
    .argument('[run]', 'id of the run, or latest; for --pin and --unpin')
    .option('--check', 'say what `evolve up` would do now to each open run, sweep and step; changes nothing')
    .option('--seconds <n>', '--check: how long histories are replayed at most', seconds, 60)
    .option('--current <version>', 'let new runs begin with this version, and others go over to it')
    .option('--pin <version>', 'bind the run and its open step to this version, if what it has done replays there')
    .option('--unpin', 'let the run go over to the current version again')
    .option('--move <version>', 'hand what is open on this version to the current one, as far as it replays there')
    .action(
      act(async (context, options: Options, run: string | undefined) => {
        const actions = ACTIONS.filter((name) => options[name] !== undefined);
        if (actions.length > 1)
          throw new UsageError(
            `expected at most one of ${ACTIONS.map((name) => `--${name}`).join(', ')}, got ${actions.map((name) => `--${name}`).join(' and ')}`,
          );
        const [action = 'list'] = actions;
        const ofRun = action === 'pin' || action === 'unpin';
        if (ofRun !== (run !== undefined))
          throw new UsageError(
            ofRun ? `--${action}: expected a run, got none` : 'a run is expected with --pin or --unpin alone',
          );
        return withParts(context, async (parts) => {
          const id = run === undefined ? '' : (await findRun(await parts.store(), run)).run;
          return DO[action](context, await parts.engine(), options, id);
        });
      }),
    );

/** Loaded when it is needed: it knows the workflows. */
const upkeep = () => import('../../../client/upkeep/upgrade.ts');

type Do = (context: Context, engine: Engine, options: Options, run: string) => Promise<number | void>;

const list: Do = async (context, engine) => {
  const versions = await (await upkeep()).listVersions(context, engine);
  answer(context, { versions }, () =>
    versions.length === 0
      ? ['no version of the workflows has worked here yet: `npx evolve up` starts one']
      : versions.map(versionLine),
  );
};

const versionLine = ({ build, release, current, open, polled, kept }: VersionRow): string =>
  [
    build,
    `release ${release ?? 'not known'}`,
    `${open} open`,
    ...(current ? ['new runs begin with it'] : []),
    ...(polled ? [] : [open > 0 ? 'NOT SERVED' : 'not served, because nothing is open on it']),
    ...(kept ? [] : ['its bundle is on another host']),
  ].join('  ');

const check: Do = async (context, engine, { seconds }) => {
  const { ensureBundle } = await import('../../../deploy/versions/bundle.ts');
  const { path } = await ensureBundle(context.home, () => undefined);
  const checked = await (await upkeep()).checkUpgrade(context, engine, { bundle: path, seconds });
  answer(context, checked, () => checkLines(checked));
  return checked.ok ? EXIT.well : EXIT.bad;
};

const checkLines = ({ build, release, current, executions, ok }: UpgradeCheck): readonly string[] => [
  current === build
    ? `version ${build} (release ${release}) is the current one already`
    : `\`npx evolve up\` would make version ${build} (release ${release}) the current one${current === null ? '' : ` in place of ${current}`}`,
  ...executions.flatMap(({ workflowId, outcome, detail, command }) => [
    `${outcome.padEnd(10)}  ${workflowId}  ${detail}`,
    ...(command === undefined ? [] : [`            ${command}`]),
  ]),
  executions.length === 0
    ? 'nothing is open'
    : ok
      ? `all ${executions.length} open runs, sweeps and steps go on`
      : 'not everything that is open would go on: see above',
];

const current: Do = async (context, engine, options) => {
  const build = options.current!;
  const routed = await (await upkeep()).makeVersionCurrent(context, engine, build);
  answer(context, { current: build, routed }, () => [
    routed
      ? `version ${build} is the current one until \`npx evolve up\` asks for another: what is open goes over to it before its next step`
      : `version ${build} is the current one until \`npx evolve up\` asks for another; the server still tells its queues, so that a step may begin with the one before`,
  ]);
};

const pin: Do = async (context, engine, options, run) => {
  const build = options.pin!;
  const workflows = await (await upkeep()).pinRun(context, engine, run, build);
  answer(context, { run, pinned: build, workflows }, () => [
    `${run}: bound to version ${build}; \`npx evolve upgrade --unpin ${run}\` lets it go`,
  ]);
};

const unpin: Do = async (context, engine, _options, run) => {
  const workflows = await (await upkeep()).unpinRun(engine, run);
  answer(context, { run, pinned: null, workflows }, () => [
    `${run}: goes over to the current version before its next step`,
  ]);
};

const move: Do = async (context, engine, options) => {
  const { to, moved, left } = await (await upkeep()).moveVersion(context, engine, options.move!);
  answer(context, { from: options.move, to, moved, left }, () => [
    `${moved.length} handed to version ${to}`,
    ...left.map(({ workflowId, why }) => `${workflowId}: stays where it is: ${why}`),
  ]);
  return left.length === 0 ? EXIT.well : EXIT.bad;
};

const DO: { readonly [action in (typeof ACTIONS)[number] | 'list']: Do } = { list, check, current, pin, unpin, move };
