// Runs beside the values of their papers: a table a task, and sums over all runs.
import type { Papers as Answer } from '../../api/run/compare.ts';
import { Card, Foreign, Items, Nothing, When } from '../base/parts.tsx';
import { linkTo, theSource, useAnswer } from '../base/state.ts';
import { type Column, Table } from '../base/tables.tsx';
import { count } from '../base/text.ts';

/** Columns of words; all others hold numbers. */
const WORDS: ReadonlySet<string> = new Set(['task', 'run', 'method', 'settings', 'state', 'worst problem']);
const kind = (title: string | undefined): string | undefined => (WORDS.has(title ?? '') ? undefined : 'number');

/** A cell of the command's table, with the signs of the page. */
const written = (title: string | undefined, text: string): string =>
  text === '-'
    ? '–'
    : kind(title) === undefined || title === 'seed'
      ? text
      : /^\d{4,}$/.test(text)
        ? count(Number(text))
        : text.replace(/^-/, '−').replace(/^\$0\.0+$/, '$0');

/** Columns of scores have their points below each other; what a paper prints stays as it is. */
const SCORES: ReadonlySet<string> = new Set(['start', 'best', 'best strict', 'mean', 'worst']);
const FRACTION = /^-?\d+\.(\d+)(?= |$)(?! ?%)/;

/** The lines with zeros at the ends of scores that have fewer digits than others of their column. */
const padded = (head: readonly string[], lines: readonly (readonly string[])[]): readonly (readonly string[])[] => {
  const digits = head.map((title, column) =>
    SCORES.has(title) ? Math.max(...lines.map((line) => FRACTION.exec(line[column]!)?.[1]!.length ?? 0)) : 0,
  );
  return lines.map((line) =>
    line.map((text, column) =>
      text.replace(
        FRACTION,
        (number, fraction: string) => number + '0'.repeat(Math.max(0, digits[column]! - fraction.length)),
      ),
    ),
  );
};

export const Papers = () => (
  <>
    <h1>Runs beside their papers</h1>
    <When answer={useAnswer<Answer>('papers')} what="all runs and what the papers say">
      {({ tables, sums, notes }) => (
        <>
          {tables.length === 0 ? (
            <Nothing>No run has scores yet. A run is here when its first step is committed.</Nothing>
          ) : null}
          {tables.map((table) => (
            <TaskRuns key={table.task} table={table} />
          ))}
          {sums.map(({ title, table: [head = [], ...lines] }) => (
            <Card key={title} title={title}>
              <Table
                label={title}
                stacked
                class="papers"
                of={padded(head, lines)}
                columns={head.map((name, at): Column<readonly string[]> => [
                  name,
                  (line) => <Text title={name} text={line[at]} />,
                  kind(name),
                ])}
              />
            </Card>
          ))}
          <Items class="soft" of={notes} />
        </>
      )}
    </When>
  </>
);

type TaskTable = Answer['tables'][number];

const TaskRuns = ({ table: { task, scoreName, direction, head, lines } }: { readonly table: TaskTable }) => (
  <Card
    title={
      <>
        <Foreign text={task} />
        {lines.length < 2 ? null : (
          <a class="times" href={linkTo(['compare'], { runs: lines.map(({ run }) => run).join(',') })}>
            Compare these {lines.length} runs
          </a>
        )}
      </>
    }
  >
    <p class="about">
      <Foreign text={scoreName} />, {direction === 'maximise' ? 'more' : 'less'} is better
    </p>
    <Table
      label={`Runs of ${task} stacked`}
      class="tight papers"
      stacked
      of={padded(
        head,
        lines.map(({ cells }) => cells),
      )}
      columns={head.map((name, at): Column<readonly string[]> => [
        name,
        (cells, index) =>
          at === 0 ? <Run {...lines[index]!} text={cells[at]} /> : <Text title={name} text={cells[at]} />,
        kind(name),
      ])}
    />
  </Card>
);

const Text = ({ title, text = '' }: { readonly title: string; readonly text: string | undefined }) => (
  <Foreign text={written(title, text)} />
);

type RunProps = Pick<TaskTable['lines'][number], 'run' | 'won'> & { readonly text: string | undefined };

const Run = ({ run, won, text = '' }: RunProps) => (
  <>
    {theSource().site.exported === null ? (
      <a href={linkTo(['run', run])}>
        <Foreign text={text} />
      </a>
    ) : (
      <Foreign text={text} />
    )}
    {won ? <span class="badge good">above the human best</span> : null}
  </>
);
