// All runs, as a table or as cards, and what is done with those that are selected.
import { useState } from 'preact/hooks';
import {
  columnOf,
  COLUMNS,
  columnsFor,
  listed,
  oneOf,
  type RunColumnName,
  STATES,
  type Wanted,
} from '../../api/run/run-columns.ts';
import type { Overview, RunCard } from '../../api/run/runs.ts';
import { ManyActions } from '../actions/many.tsx';
import { Select } from '../base/controls.tsx';
import { Cut, Nothing, When } from '../base/parts.tsx';
import { remember, remembered } from '../base/save.ts';
import { linkTo, route, setQuery, useAnswer, useNews } from '../base/state.ts';
import { count, counted } from '../base/text.ts';
import { Card } from './card.tsx';
import { NotifyMe } from './notify.tsx';
import { tick, ticks } from './selection.ts';
import { RunTable, sortBy, sortedIn } from './table.tsx';

const LAYOUTS = { table: 'a table', cards: 'cards' } as const;
type Layout = keyof typeof LAYOUTS;
const LAYOUT = 'evolve-runs-as';

/** A narrow window has no room for a table. Whoever chooses gets the choice again. */
const useLayout = () => {
  const [layout, set] = useState<Layout>(() =>
    oneOf(LAYOUTS, remembered(LAYOUT), matchMedia('(max-width: 640px)').matches ? 'cards' : 'table'),
  );
  const choose = (text: string): void => {
    remember(LAYOUT, text);
    set(oneOf(LAYOUTS, text, 'table'));
  };
  return [layout, choose] as const;
};

/** More rows than anybody reads are drawn when somebody asks for them. */
const FIRST = 100;

export const Runs = () => {
  useNews(null);
  const answer = useAnswer<Overview>('overview', 'runs');
  return (
    <>
      <h1>Runs</h1>
      <When answer={answer} what="all runs">
        {({ runs, notes }) =>
          runs.length === 0 ? (
            <Nothing>
              There are no runs yet. <code>npm start</code> begins one, and so does{' '}
              <a href={linkTo(['start'])}>this form</a>.
            </Nothing>
          ) : (
            <>
              {notes.map((note) => (
                <p class="away" key={note}>
                  {note}
                </p>
              ))}
              <List runs={runs} />
            </>
          )
        }
      </When>
    </>
  );
};

const List = ({ runs }: { readonly runs: readonly RunCard[] }) => {
  const { query } = route.value;
  const [layout, choose] = useLayout();
  const [all, showAll] = useState(false);
  const wanted = { text: query.get('q') ?? '', state: oneOf(STATES, query.get('state'), ''), ...sortedIn(query) };
  const found = listed(runs, wanted);
  const drawn = all ? found : found.slice(0, FIRST);
  return (
    <>
      <Wanting {...wanted} layout={layout} choose={choose} numbers={[found.length, runs.length]} />
      <Selected runs={found.filter(({ run }) => ticks.value.has(run))} />
      {found.length === 0 ? (
        <Nothing>No run is like that: fewer words, or another choice, show more.</Nothing>
      ) : layout === 'table' ? (
        <RunTable runs={drawn} columns={columnsFor(runs)} />
      ) : (
        <ul class="cards">
          {drawn.map((run) => (
            <Card key={run.run} run={run} />
          ))}
        </ul>
      )}
      <Cut shown={drawn.length} of={found.length} unit="runs" onAll={() => showAll(true)} />
    </>
  );
};

type WantingProps = Pick<Wanted, 'text' | 'state' | 'sort'> & {
  readonly layout: Layout;
  readonly choose: (layout: string) => void;
  readonly numbers: readonly [found: number, all: number];
};

/** The fields that say which runs are listed, and how. A table is sorted by its titles. */
const Wanting = ({ text, state, layout, choose, numbers: [found, all], sort }: WantingProps) => (
  <form class="controls wanted" role="search" onSubmit={(event) => event.preventDefault()}>
    <input
      type="search"
      aria-label="Words in names, tasks, methods and models"
      placeholder="name, task, model …"
      value={text}
      onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
    />
    <Select
      label="show"
      value={state}
      options={Object.entries<string>(STATES)}
      onValue={(one) => setQuery({ state: one })}
    />
    <Select label="as" value={layout} options={Object.entries(LAYOUTS)} onValue={choose} />
    {layout === 'table' ? null : (
      <Select
        label="sorted by"
        value={sort}
        options={(Object.keys(COLUMNS) as RunColumnName[]).flatMap((name) =>
          columnOf(name).unsorted ? [] : [[name, columnOf(name).title] as const],
        )}
        onValue={(name) => sortBy(name as RunColumnName)}
      />
    )}
    <span class="soft" role="status">
      {found === all ? counted(all, 'run') : `${count(found)} of ${count(all)} runs`}
    </span>
    <NotifyMe />
  </form>
);

const Selected = ({ runs }: { readonly runs: readonly RunCard[] }) => {
  if (runs.length === 0) return null;
  const names = runs.map(({ run }) => run);
  return (
    <div class="acts selected" role="group" aria-label="Actions on the selected runs">
      <span role="status">{count(runs.length)} selected</span>
      {runs.length < 2 ? null : (
        <a class="button" href={linkTo(['compare'], { runs: names.join(',') })}>
          Compare
        </a>
      )}
      <ManyActions runs={runs} />
      <button type="button" onClick={() => tick([...ticks.value], false)}>
        Select none
      </button>
    </div>
  );
};
