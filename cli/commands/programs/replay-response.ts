// evolve replay-response: applies a stored answer, or another one, to its parent again and prints what the early checks
// say. It runs nothing.
import { Option } from 'commander';
import { withStore } from '../../../client/connect/connection.ts';
import { type Replay, replayResponse } from '../../../client/read/requests/replay-response.ts';
import { ConfigError } from '../../../evolution/config/config-error.ts';
import type { Json } from '../../../evolution/types.ts';
import { act, type Build } from '../../flags/command.ts';
import { assignments, collect, readText } from '../../flags/settings-flags.ts';
import { EXIT } from '../../terminal/exit.ts';
import { answer } from '../../terminal/output.ts';

type Options = { readonly response?: string; readonly set?: readonly string[]; readonly code?: boolean };

export const build: Build = (command) =>
  command
    .argument('<program>', 'id of the program, as `evolve programs` prints it')
    .option('--response <file>', 'another answer than the stored one')
    .addOption(
      new Option('--set <key=value>', 'a setting below diff, e.g. --set diff.strict=true; repeatable').argParser(
        collect,
      ),
    )
    .option('--code', 'also print the text of the resulting program')
    .action(
      act(async (context, { response, set = [], code = false }: Options, id: string) => {
        const query = {
          ...(set.length === 0 ? {} : { diff: diffFrom(set) }),
          ...(response === undefined ? {} : { response: readText(response, '--response', 'an answer') }),
        };
        const replay = await withStore(context, (store) => replayResponse(store, id, query));
        answer(context, replay, () => replayLines(replay, code), { whole: true });
        const differs = replay.response === 'stored' && replay.changed.length === 0 && replay.equal === false;
        return differs ? EXIT.bad : EXIT.well;
      }),
    );

/** Throws where another setting is named. */
export const diffFrom = (entries: readonly string[]): Json => {
  const { diff = {}, ...others } = assignments(entries, '--set ').settings as { readonly [key: string]: Json };
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new ConfigError([
      `--set ${other}: expected a setting below diff, such as diff.strict=true: no other setting decides what becomes of an answer.`,
    ]);
  return diff;
};

export const replayLines = (
  {
    program,
    parent,
    response,
    settings,
    changed,
    diff,
    blocks,
    delta,
    outcome,
    reason,
    length,
    code,
    equal,
    differences,
  }: Replay,
  withCode: boolean,
): readonly string[] => [
  `program   ${program}, from ${parent}`,
  `answer    ${response === 'stored' ? 'as it is stored' : 'the given one'}, settings ${settings}${changed.length === 0 ? '' : ` but ${changed.map((key) => `${key}=${String(diff[key.slice('diff.'.length) as keyof typeof diff])}`).join(', ')}`}`,
  ...(delta === null ? [] : [`delta     ${delta}`]),
  ...blocks.flatMap(({ block, search, replace, reason: why, ambiguous }) => [
    `block ${block}   ${why === null ? `matches${ambiguous === undefined ? '' : `, ${ambiguous}`}` : `does not apply: ${why}`}`,
    ...search.map((text) => `        - ${text}`),
    ...replace.map((text) => `        + ${text}`),
  ]),
  `outcome   ${outcome ?? 'passes the early checks: it would be evaluated'}${reason === null ? '' : ` (${reason})`}, ${length} characters`,
  `stored    ${equal === null ? 'nothing yet' : equal ? 'the same' : `differs in ${differences.map(({ what }) => what).join(', ')}`}`,
  ...differences
    .filter(({ what }) => what === 'outcome' || what === 'reason')
    .map(
      ({ what, stored, replayed }) => `          ${what}: ${String(stored)} is stored, ${String(replayed)} comes now`,
    ),
  ...(withCode ? ['', '--- code', (code ?? 'none').trimEnd()] : []),
];
