// Prompts that evolved in a run, with the worth of the programs that they asked for; and ideas with their judgement.
import { useState } from 'preact/hooks';
import { type PromptLine, promptOrder, type PromptsAnswer, type PromptText } from '../../api/program/prompts.ts';
import type { Traits } from '../../api/run/traits.ts';
import { Select } from '../base/controls.tsx';
import { Card, Foreign, Nothing, useFew, When } from '../base/parts.tsx';
import { programLink, runPath, useAnswer, useRunAnswer, useTraits } from '../base/state.ts';
import { count, percent, score } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';
import { Difference } from '../program/difference.tsx';
import { Ideas } from './ideas.tsx';

export const Prompts = ({ run }: RunViewProps) => (
  <When answer={useTraits(run)} what="what the run has">
    {({ has, direction }) => (
      <>
        {has.prompts || has.ideas ? null : (
          <Nothing>
            In this run no prompt evolves and no idea comes before a program. The settings exploration.metaPrompt and
            ideation.kind bring them: methods code and research have them.
          </Nothing>
        )}
        {has.ideas ? <Ideas run={run} sign={direction === 'maximise' ? 1 : -1} /> : null}
        {has.prompts ? <Evolved run={run} direction={direction} /> : null}
      </>
    )}
  </When>
);

const ORDERS = [
  ['tree', 'descent'],
  ['best', 'best program'],
  ['helped', 'share that helped'],
  ['programs', 'programs'],
  ['newest', 'newest first'],
] as const;
type Order = (typeof ORDERS)[number][0];
const FEW = 40;

type EvolvedProps = { readonly run: string; readonly direction: Traits['direction'] };

const Evolved = ({ run, direction }: EvolvedProps) => (
  <Card class="" title="Prompts that evolve">
    <When answer={useRunAnswer<PromptsAnswer>(run, 'prompts')} what="the prompts">
      {({ prompts }) =>
        prompts.length === 0 ? (
          <Nothing>The first prompts come with the first programs.</Nothing>
        ) : (
          <Lines run={run} prompts={prompts} direction={direction} />
        )
      }
    </When>
  </Card>
);

const Lines = ({ run, prompts, direction }: EvolvedProps & { readonly prompts: readonly PromptLine[] }) => {
  const [order, setOrder] = useState<Order>('best');
  const [open, setOpen] = useState(-1);
  const { listed, more } = useFew(promptOrder(prompts, order, direction), FEW, 'prompts');
  return (
    <>
      <div class="controls">
        <Select label="order by" value={order} options={ORDERS} onValue={(one) => setOrder(one as Order)} />
      </div>
      <ul class="prompts">
        {listed.map(({ line, depth }) => (
          <li
            key={line.place}
            class="card"
            style={order === 'tree' ? { marginInlineStart: `${Math.min(depth, 8) * 1.1}rem` } : {}}
          >
            <Line run={run} line={line} parent={line.parent === null ? null : prompts[line.parent]!} />
            <button
              type="button"
              aria-expanded={open === line.place}
              onClick={() => setOpen(open === line.place ? -1 : line.place)}
            >
              {open === line.place ? 'Close' : line.parent === null ? 'Read it' : 'Read it, and what was changed'}
            </button>
            {open === line.place ? <Text run={run} place={line.place} /> : null}
          </li>
        ))}
      </ul>
      {more}
    </>
  );
};

const islandsOf = ({ islands }: PromptLine): string =>
  `${islands.length === 1 ? 'island' : 'islands'} ${islands.join(', ')}`;
const nameOf = (line: PromptLine): string =>
  line.id === 'initial' ? `Initial prompt of ${islandsOf(line)}` : `Prompt ${line.place + 1}`;

type LineProps = { readonly run: string; readonly line: PromptLine; readonly parent: PromptLine | null };

const Line = ({ run, line, parent }: LineProps) => (
  <>
    <h3>
      {nameOf(line)} <span class="soft">{line.id === 'initial' ? '' : islandsOf(line)}</span>
    </h3>
    <p>
      {line.best === null ? (
        'No valid program yet'
      ) : (
        <>
          Best program <a href={programLink(run, line.best.program)}>{score(line.best.score)}</a>
        </>
      )}{' '}
      <span class="soft">
        · {line.programs === 1 ? 'one program' : `${count(line.programs)} programs`},{' '}
        {percent(line.valid / line.programs)} valid, {percent(line.helped / line.programs)} better than their parents ·
        since step {line.step}
        {parent === null ? '' : ` · made from ${nameOf(parent).toLowerCase()}`}
      </span>
    </p>
  </>
);

const Text = ({ run, place }: { readonly run: string; readonly place: number }) => (
  <When answer={useAnswer<PromptText>(runPath(run, `prompts/${place}`))} what="the prompt">
    {({ text, before }) =>
      before === null ? (
        <pre class="prompt" tabIndex={0} role="region" aria-label="The prompt">
          <Foreign text={text} />
        </pre>
      ) : (
        <Difference before={before} after={text} names={['its parent', 'this prompt']} language="text" />
      )
    }
  </When>
);
