// The versions of the model that a run has learned: the worth of each, and the figures of its training.
import { type Policies as Answer, type PolicyLine, policyLine } from '../../api/run/policies.ts';
import { Card, Moment, Nothing, Swatch, When } from '../base/parts.tsx';
import { stepLink, useRunAnswer } from '../base/state.ts';
import { type Column, Table } from '../base/tables.tsx';
import { amount, count, duration, percent, score, dollars } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';
import type { Line } from '../charts/types.ts';
import { Plot } from '../charts/plot.tsx';

const few = (value: number | null): string => score(value, 4);

type PlotOf = {
  readonly title: string;
  readonly lines: readonly (readonly [of: Parameters<typeof policyLine>[1], name: string, colour: string])[];
  readonly text: (value: number | null) => string;
  /** What the values are, with their unit. */
  readonly unit: string;
  readonly says: string;
  /** Shares and times begin at 0. */
  readonly from0?: true;
};
const PLOTS: readonly PlotOf[] = [
  {
    title: 'Reward',
    lines: [
      ['reward', 'mean', '--s0'],
      ['best', 'best', '--s2'],
    ],
    text: few,
    unit: 'reward',
    says: 'Of the programs of the step on which the version was trained.',
  },
  {
    title: 'Loss',
    lines: [['loss', 'loss', '--s1']],
    text: few,
    unit: 'loss',
    says: 'As the trainer says it, of the whole update. The loss of training on texts is another one, and stands in the table.',
  },
  {
    title: 'Clip shares',
    lines: [
      ['clipFraction', 'ratio clipped', '--s0'],
      ['isClipFraction', 'importance weight clipped', '--s3'],
    ],
    text: (value) => (value === null ? '–' : percent(value)),
    unit: 'share of tokens',
    from0: true,
    says: 'Of all tokens: those beyond the clip of the ratio, and of the importance weight.',
  },
  {
    title: 'Mismatch',
    lines: [['mismatch', 'mismatch', '--s4']],
    text: few,
    unit: 'nats',
    says: 'How far the logprobs of the trainer and of the sampler are apart, in nats, as a mean over tokens.',
  },
  {
    title: 'Norm of the gradient',
    lines: [['gradNorm', 'norm', '--s7']],
    text: few,
    unit: 'norm',
    says: 'Before it is clipped.',
  },
  {
    title: 'Time of an update',
    lines: [['seconds', 'time', '--s6']],
    text: (value) => (value === null ? '–' : duration(value)),
    unit: 'time',
    says: 'What the trainer needed.',
    from0: true,
  },
];

/** Where all is 0, the line lies at the bottom, and the axis has a height all the same. */
const LEAST_TOP = 0.01;
const rangeFrom0 = (values: readonly (number | null)[]): readonly [number, number] => [
  0,
  Math.max(LEAST_TOP, ...values.map((value) => value ?? 0)) * 1.08,
];

export const Policies = ({ run }: RunViewProps) => (
  <When answer={useRunAnswer<Answer>(run, 'policies')} what="the versions of the model">
    {({ chain, behind }) =>
      chain.length === 0 && behind.length === 0 ? (
        <Card title="Policies">
          <Nothing>The first version appears when the first update is made, after the first steps.</Nothing>
        </Card>
      ) : (
        <>
          <div class="grid-of-plots">
            {PLOTS.map((of) => (
              <Card title={of.title}>
                <PolicyPlot {...of} chain={chain} />
              </Card>
            ))}
          </div>
          <Versions run={run} rows={chain} title="Versions" />
          {behind.length === 0 ? null : (
            <Versions run={run} rows={behind} title="Left behind by a rewind; they can still be exported" />
          )}
        </>
      )
    }
  </When>
);

const PolicyPlot = ({
  title,
  lines,
  text,
  unit,
  says,
  from0,
  chain,
}: PlotOf & { readonly chain: readonly PolicyLine[] }) => {
  const drawn = lines.map(([of, name, colour]): Line & { readonly name: string } => ({
    ...{ name, colour, values: policyLine(chain, of), as: 'straight' },
  }));
  if (drawn.every(({ values }) => values.every((value) => value === null)))
    return <Nothing>No version has a value of it yet.</Nothing>;
  const textsAt = (index: number): readonly string[] => drawn.map(({ values }) => text(values[index] ?? null));
  return (
    <Plot
      title={`${title} over versions`}
      kind={title}
      x={chain.map(({ version }) => version)}
      lines={[...drawn, ...drawn.map((line) => ({ ...line, as: 'points' as const }))]}
      xText={String}
      xTitle="version"
      yText={text}
      yTitle={unit}
      height={170}
      {...(from0 ? { range: rangeFrom0(drawn.flatMap(({ values }) => values)) } : {})}
      textAt={(index) =>
        `version ${chain[index]!.version}: ${textsAt(index)
          .map((one, line) => `${drawn[line]!.name} ${one}`)
          .join(', ')}`
      }
      table={() => ({
        head: ['version', ...drawn.map(({ name }) => name)],
        rows: chain.map(({ version }, index) => [String(version), ...textsAt(index)]),
      })}
    >
      {says}
      {drawn.length < 2
        ? null
        : drawn.map(({ name, colour, values }) => (
            <span class="key">
              <Swatch colour={colour} />
              {name}: {text(values.findLast((value) => value !== null) ?? null)} now
            </span>
          ))}
    </Plot>
  );
};

/** The value of a figure that versions of these kinds have. */
const of =
  (kinds: readonly PolicyLine['kind'][], text: (row: PolicyLine) => string) =>
  (row: PolicyLine): string =>
    kinds.includes(row.kind) ? text(row) : '–';
const TRAINED = ['supervised', 'policy'] as const;
const LEARNED = ['policy'] as const;

const FIGURES: readonly Column<PolicyLine>[] = [
  ['reward', ({ reward }) => few(reward.mean), 'number'],
  ['best', ({ reward }) => few(reward.max), 'number'],
  ['loss', of(TRAINED, ({ loss }) => few(loss)), 'number'],
  ['clipped', of(LEARNED, ({ clipFraction }) => percent(clipFraction)), 'number'],
  ['mismatch', of(LEARNED, ({ mismatch }) => few(mismatch)), 'number'],
  ['used', of(TRAINED, ({ used }) => count(used)), 'number'],
  ['left out', of(TRAINED, ({ dropped }) => count(dropped)), 'number'],
  ['constant groups', of(TRAINED, ({ zeroVariance }) => count(zeroVariance)), 'number'],
  ['tokens', of(TRAINED, ({ tokens }) => amount(tokens)), 'number'],
  ['time', of(TRAINED, ({ seconds }) => duration(seconds)), 'number'],
  ['cost', of(TRAINED, ({ costUsd }) => dollars(costUsd)), 'number'],
  ['served', ({ servedAt }) => <Moment at={servedAt} />, 'number'],
];

type VersionsProps = { readonly run: string; readonly rows: readonly PolicyLine[]; readonly title: string };

const Versions = ({ run, rows, title }: VersionsProps) => (
  <Card title={title}>
    <Table
      label={title}
      class="tight policies"
      of={rows.toReversed()}
      columns={[
        ['version', ({ version }) => version],
        ['kind', ({ kind }) => kind],
        [
          'trained on',
          ({ kind, step }) =>
            kind === 'policy' ? (
              <a href={stepLink(run, step)}>step {step}</a>
            ) : (
              <span class="soft">{kind === 'start' ? 'nothing' : 'texts'}</span>
            ),
        ],
        ...FIGURES,
      ]}
    />
  </Card>
);
