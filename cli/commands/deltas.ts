// evolve deltas: what the changes of a run were, in the models' words: along the best lineage, by component, at each
// new best.
import { UsageError } from '../../client/errors.ts';
import { type Momentum, momentumOf, withDelta } from '../../client/momentum.ts';
import { milestoneLine, momentumLines } from '../../evolution/reports/momentum.ts';
import { act, describe, RUN_ARGUMENT } from '../flags/command.ts';
import { withStoredRun } from '../flags/open.ts';
import { json, jsonLine, line, lines, score } from '../terminal/output.ts';
import { table } from '../terminal/table.ts';

type Options = { readonly json?: boolean; readonly program?: string; readonly search?: string };

export const deltasCommand = () =>
  describe('deltas')
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
            if (context.json) return json(momentum);
            lines(momentumText(momentum));
            return;
          }
          for await (const node of withDelta(store, run, search)) {
            if (context.json) jsonLine(node);
            else line(`${node.id}  ${score(node.score).padEnd(12)}  ${momentumLines([node]).join('')}`);
          }
        });
      }),
    );

export const momentumText = ({ run, program, lineage, components, milestones }: Momentum): readonly string[] => {
  const changes = momentumLines(lineage);
  const roots = lineage.filter(({ delta }) => delta === null).length;
  return [
    `${run}: from the root to ${program}`,
    ...(changes.length > 0
      ? changes.map((text) => `  ${text}`)
      : ['  no change is told: it is a root, or prompts do not ask for deltas (prompt.style delta)']),
    ...(changes.length > 0 && roots > 1 ? [`  ${roots - 1} of the lineage without a delta`] : []),
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
