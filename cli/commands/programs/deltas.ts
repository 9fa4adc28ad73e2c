// evolve deltas: what the changes of a run were, as the models described them: along the best lineage, by component, at
// each new best.
import { UsageError } from '../../../client/connect/errors.ts';
import { hasDeltas, type Momentum, momentumOf, withDelta } from '../../../client/read/momentum.ts';
import { milestoneLine, momentumLines } from '../../../evolution/reports/momentum.ts';
import { act, type Build, RUN_ARGUMENT } from '../../flags/command.ts';
import { withStoredRun } from '../../flags/open.ts';
import { json, jsonLine, line, lines, note, score } from '../../terminal/output.ts';
import { table } from '../../terminal/table.ts';

type Options = { readonly program?: string; readonly search?: string };

export const build: Build = (command) =>
  command
    .argument(...RUN_ARGUMENT)
    .option('--program <id>', 'along the lineage of another program')
    .option(
      '--search <text>',
      'instead list the programs whose delta holds the text; one JSON object a line with --json',
    )
    .action(
      act(async (context, { program, search }: Options, id: string) => {
        if (program !== undefined && search !== undefined)
          throw new UsageError('expected either --program or --search, got both');
        return withStoredRun(context, id, async (run, store) => {
          if (search === undefined) {
            const momentum = await momentumOf(store, run, program);
            return context.json ? json(momentum) : lines(momentumText(momentum));
          }
          if (!(await hasDeltas(store, run))) note(withoutDeltas(run.run, run.config.prompt.style));
          for await (const node of withDelta(store, run, search)) {
            if (context.json) jsonLine(node);
            else line(`${node.id}  ${score(node.score).padEnd(12)}  ${momentumLines([node]).join('')}`);
          }
        });
      }),
    );

/** The reason for an empty result, so that nobody takes it for a search without a change. */
const withoutDeltas = (run: string, style: Momentum['style']): string =>
  style === 'delta'
    ? `run ${run} has no deltas yet: no program with a parent is committed`
    : `run ${run} has no deltas: its prompts, of style ${style}, do not ask for them (prompt.style delta does)`;

export const momentumText = ({
  run,
  program,
  deltas,
  style,
  lineage,
  components,
  milestones,
}: Momentum): readonly string[] => {
  const changes = momentumLines(lineage);
  const roots = lineage.filter(({ delta }) => delta === null).length;
  return [
    ...(deltas === 0 ? [withoutDeltas(run, style), ''] : []),
    `${run}: from the root to ${program}`,
    ...(changes.length > 0
      ? changes.map((text) => `  ${text}`)
      : ['  no change is described: no program of this lineage has a delta']),
    ...(changes.length > 0 && roots > 1 ? [`  ${roots - 1} programs of the lineage have no delta`] : []),
    '',
    'new bests',
    ...milestones.map((one) => `  ${milestoneLine(one)}`),
    ...(components.length === 0
      ? []
      : [
          '',
          ...table([
            ['improved', 'degraded', 'component'],
            ...components.map(({ component, improved, degraded }) => [String(improved), String(degraded), component]),
          ]),
        ]),
  ];
};
