// evolve policies: the versions of the model that a run has learned, one line each.
import { policiesOf, type PoliciesReport, policyLine } from '../../../client/learning/policies.ts';
import type { PolicyDocument } from '../../../activities/store/documents/learning-documents.ts';
import { type Build, RUN_ARGUMENT } from '../../flags/command.ts';
import { onStore } from '../../flags/open.ts';
import { amount, clock } from '../../../evolution/reports/number-text.ts';
import { answer, secondText, zoneText } from '../../terminal/output.ts';
import { table } from '../../terminal/table.ts';

export const build: Build = (command) =>
  command
    .argument(...RUN_ARGUMENT)
    .option('--all', 'also those that a rewind or a reset left behind')
    .action(
      onStore(async (context, { all = false }: { readonly all?: boolean }, store, id: string) => {
        const report = await policiesOf(store, id);
        const policies = all ? [...report.behind, ...report.chain] : report.chain;
        answer(context, policies.map(policyLine), (width) => policyLines(report, all, width));
      }),
    );

export const policyLines = (
  { run, chain, behind, learns }: PoliciesReport,
  all: boolean,
  width = Infinity,
): readonly string[] => {
  const left = behind.length === 0 || all ? [] : [`${behind.length} more, which were left behind: --all shows them`];
  if (chain.length === 0 && (behind.length === 0 || !all))
    return [
      learns
        ? `${run} has no policy yet: its first update is not made`
        : `${run} does not learn: \`npx evolve run --learn\` starts a run that does`,
      ...left,
    ];
  const current = chain.at(-1)?._id;
  const rows = [
    ...(all ? behind.map((policy) => row(policy, 'left behind')) : []),
    ...chain.map((policy) => row(policy, noteOf(policy, run, current))),
  ];
  return [
    ...table([HEAD, ...rows], {
      width,
      drop: [SERVED_AT, 'grad norm', 'dropped', 'time', 'tokens', 'used', 'constant', 'trainer', 'kind', 'name'],
      cut: { name: 20, served: 16 },
    }),
    ...left,
  ];
};

const SERVED_AT = `served at (${zoneText()})`;
const HEAD = [
  ...['version', 'step', 'kind', 'reward', 'best', 'loss', 'clipped', 'IS clipped', 'mismatch', 'grad norm', 'used'],
  ...['dropped', 'constant', 'tokens', 'time', 'trainer', 'name', 'served', SERVED_AT, 'note'],
];

const noteOf = (policy: PolicyDocument, run: string, current: string | undefined): string =>
  [...(policy._id === current ? ['current'] : []), ...(policy.run === run ? [] : [`of ${policy.run}`])].join(', ');

/** A start is trained on nothing, so it has no numbers. */
const row = (policy: PolicyDocument, note: string): readonly string[] => {
  const { version, step, kind, result, reward, zeroVariance, trainer, model, baseUrl, servedAt } = policy;
  const trained = kind !== 'start';
  const learned = kind === 'policy';
  return [
    String(version),
    String(step),
    kind,
    short(reward?.mean),
    short(reward?.max),
    trained ? short(result.loss) : '-',
    learned ? percent(result.clipFraction) : '-',
    learned ? percent(result.isClipFraction) : '-',
    learned ? short(result.mismatch) : '-',
    trained ? short(result.gradNorm) : '-',
    trained ? amount(result.used) : '-',
    trained ? amount(result.dropped) : '-',
    learned ? amount(zeroVariance) : '-',
    trained ? amount(result.tokens) : '-',
    trained ? clock(result.seconds) : '-',
    trainer,
    model,
    baseUrl ?? 'here',
    secondText(servedAt),
    note,
  ];
};

const short = (value: number | undefined): string => (value === undefined ? '-' : String(Number(value.toPrecision(4))));
const percent = (share: number): string => `${short(100 * share)} %`;
