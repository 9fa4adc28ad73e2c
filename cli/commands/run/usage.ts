// evolve usage: what the tokens and dollars of a run went to, by model, by role and by step.
import { type UsageReport, usageRows, type UsageSum } from '../../../client/read/usage.ts';
import { type Build, RUN_ARGUMENT } from '../../flags/command.ts';
import { onRun } from '../../flags/open.ts';
import { amount, dollars } from '../../../evolution/reports/number-text.ts';
import { answer } from '../../terminal/output.ts';
import { estimatedText, requestsText, unansweredText } from '../../terminal/progress.ts';
import { RowFile, type RowFileOptions, withRowFile } from '../../terminal/row-file.ts';
import { table } from '../../terminal/table.ts';

type Options = RowFileOptions & { readonly steps?: boolean };

export const build: Build = (command) =>
  withRowFile(command)
    .argument(...RUN_ARGUMENT)
    .option('--steps', 'also print one line for each step')
    .action(
      onRun(async (context, { steps = false, ...options }: Options, run) => {
        const report = await run.usage();
        if (await RowFile.write(options, usageRows(report))) return;
        answer(context, report, (width) => usageLines(report, steps, width));
      }),
    );

export const usageLines = (
  {
    run,
    total,
    estimated,
    models,
    roles,
    steps,
    rewound,
    reused,
    inherited,
    unanswered,
    training,
    listed,
    unpriced,
  }: UsageReport,
  withSteps: boolean,
  width = Infinity,
): readonly string[] => {
  // What has no price costs nothing as far as it is known.
  const cost = (usd: number): string => (usd === 0 && unpriced.length > 0 ? 'unknown' : dollars(usd));
  const row = (name: string, { answers, tokens, costUsd }: UsageSum): readonly string[] => [
    name,
    amount(answers),
    amount(tokens.in),
    counted(tokens.cached),
    amount(tokens.out),
    counted(tokens.reasoning),
    cost(costUsd),
  ];
  const sections: (readonly [string, readonly (readonly [string, UsageSum])[]])[] = [
    ['model', models.map((one) => [one.model, one])],
    ['role', roles.map((one) => [one.role, one])],
    ...(withSteps ? [['step', steps.map((one) => [String(one.step), one] as const)] as const] : []),
  ];
  return [
    `${run}: ${amount(total.answers)} answers in ${Math.max(0, steps.length - 1)} steps`,
    ...table(
      [
        ['', 'answers', 'tokens in', 'cached', 'tokens out', 'reasoning', 'cost'],
        ...sections.flatMap(([title, rows]) => [[title], ...rows.map(([name, sum]) => row(`  ${name}`, sum))]),
        row('total', total),
      ],
      { width, drop: ['cached', 'reasoning', 'answers'] },
    ),
    ...(estimated.answers > 0 ? [estimatedText(estimated)] : []),
    ...(rewound.tokens > 0
      ? [`besides, in rewound steps: ${amount(rewound.tokens)} tokens, ${dollars(rewound.costUsd)}`]
      : []),
    ...(reused.tokens > 0
      ? [
          `of the total, used again after a rewind and paid once: ${amount(reused.tokens)} tokens, ${dollars(reused.costUsd)}`,
        ]
      : []),
    ...(inherited === null || inherited.answers === 0
      ? []
      : [
          `of the total, paid by the run that this one was forked off: ${amount(inherited.tokens.in + inherited.tokens.out)} tokens, ${dollars(inherited.costUsd)}`,
        ]),
    ...unansweredLines(unanswered, withSteps),
    ...(training === undefined
      ? []
      : [`besides, for training its policies: ${amount(training.tokens)} tokens, ${dollars(training.costUsd)}`]),
    ...listed.map(
      (price) => `price of ${price.model}: ${price.in} in, ${price.out} out a million tokens (${price.from})`,
    ),
    ...(unpriced.length > 0
      ? [`the price of ${unpriced.join(', ')} is not known (model.price): its tokens count as free`]
      : []),
  ];
};

/** Requests without an answer, which limits count, by model, role and step. */
const unansweredLines = (
  { requests, models, roles, steps, waiting, ...sum }: UsageReport['unanswered'],
  withSteps: boolean,
): readonly string[] => [
  ...(requests === 0
    ? []
    : [
        unansweredText({ requests, ...sum }),
        ...[
          ...models.map(({ model, ...one }) => [model, one] as const),
          ...roles.map(({ role, ...one }) => [role, one] as const),
          ...(withSteps ? steps.map(({ step, ...one }) => [`step ${step}`, one] as const) : []),
        ].map(([name, one]) => `  ${name}: ${requestsText(one)}`),
      ]),
  ...(waiting === 0 ? [] : [`on their way: ${amount(waiting)} ${waiting === 1 ? 'request' : 'requests'}`]),
];

/** Tokens that no endpoint named are unknown, which is not the same as none. */
const counted = (tokens: number | undefined): string => (tokens === undefined ? '-' : amount(tokens));
