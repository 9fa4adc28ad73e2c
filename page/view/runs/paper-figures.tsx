// The tables and figures of a paper that are made of a sweep's runs, with the paper's numbers in them.
import type { Panel } from '../../../evolution/experiments/figure.ts';
import type { PaperFigure, PaperFigures } from '../../api/run/sweeps.ts';
import { Card, Items, When } from '../base/parts.tsx';
import { useAnswer } from '../base/state.ts';
import { type Column, Table } from '../base/tables.tsx';
import { score } from '../base/text.ts';
import { drawingOf } from '../charts/figure.ts';
import { Plot } from '../charts/plot.tsx';

export const Figures = ({ sweep }: { readonly sweep: string }) => (
  <When answer={useAnswer<PaperFigures>(`sweeps/${encodeURIComponent(sweep)}/figures`, 'runs')} what="the figures">
    {({ figures }) => figures.map((figure) => <OneFigure {...figure} />)}
  </When>
);

const OneFigure = ({ title, source, table: [head = [], ...rows], panels }: PaperFigure) => (
  <Card title={`${title} (${source})`}>
    {panels.map((panel) => (
      <PanelPlot panel={panel} />
    ))}
    <Table
      label={`${title}, as a table`}
      of={rows}
      columns={head.map((name, at): Column<readonly string[]> => [name, (cells) => cells[at]])}
    />
  </Card>
);

const PanelPlot = ({ panel }: { readonly panel: Panel }) => {
  const { x, lines, says } = panel;
  const { title, ...drawing } = drawingOf(panel);
  const valuesAt = (place: number): readonly string[] => lines.map(({ values }) => score(values[place], 7));
  return (
    <Plot
      title={title}
      {...drawing}
      textAt={(place) =>
        `${drawing.xText(x[place]!)}: ${valuesAt(place)
          .map((value, line) => `${lines[line]!.name} ${value}`)
          .join('; ')}`
      }
      table={() => ({
        head: [drawing.xTitle, ...lines.map(({ name }) => name)],
        rows: x.map((value, place) => [drawing.xText(value), ...valuesAt(place)]),
      })}
    >
      <Items of={says} />
    </Plot>
  );
};
