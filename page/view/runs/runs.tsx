// All runs, a card each, those of a sweep together.
import {
  type Group,
  grouped,
  type Order,
  ORDERS,
  type Overview,
  type StateFilter,
  STATES,
} from '../../api/run/runs.ts';
import { Select } from '../base/controls.tsx';
import { Foreign, Nothing, When } from '../base/parts.tsx';
import { linkTo, route, setQuery, useAnswer, useNews } from '../base/state.ts';
import { count } from '../base/text.ts';
import { Card } from './card.tsx';

const oneOf = <T extends string>(all: { readonly [name in T]: string }, text: string | null, otherwise: T): T =>
  text !== null && Object.hasOwn(all, text) ? (text as T) : otherwise;

const Cards = ({ group: { sweep, runs } }: { readonly group: Group }) => {
  const cards = (
    <ul class="cards">
      {runs.map((run) => (
        <Card key={run.run} run={run} level={sweep === null ? 'h2' : 'h3'} />
      ))}
    </ul>
  );
  return sweep === null ? (
    cards
  ) : (
    <section class="sweep">
      <h2>
        Sweep{' '}
        <a href={linkTo(['sweeps', sweep])}>
          <Foreign text={sweep} />
        </a>
        , {count(runs.length)} {runs.length === 1 ? 'run' : 'runs'}
      </h2>
      {cards}
    </section>
  );
};

export const Runs = () => {
  useNews(null);
  const { query } = route.value;
  const text = query.get('q') ?? '';
  const state: StateFilter = oneOf(STATES, query.get('state'), '');
  const order: Order = oneOf(ORDERS, query.get('order'), 'newest');
  const answer = useAnswer<Overview>('overview', 'runs');
  return (
    <>
      <h1>Runs</h1>
      <When answer={answer} what="all runs">
        {({ runs, notes }) => {
          const groups = grouped(runs, { text, state, order });
          const listed = groups.reduce((sum, group) => sum + group.runs.length, 0);
          return runs.length === 0 ? (
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
              <form class="wanted" role="search" onSubmit={(event) => event.preventDefault()}>
                <input
                  type="search"
                  aria-label="Words in names, tasks, methods and models"
                  placeholder="name, task, method, model …"
                  value={text}
                  onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
                />
                <Select
                  label="show"
                  value={state}
                  options={Object.entries<string>(STATES)}
                  onValue={(one) => setQuery({ state: one })}
                />
                <Select
                  label="order"
                  value={order}
                  options={Object.entries<string>(ORDERS)}
                  onValue={(one) => setQuery({ order: one })}
                />
                <span class="soft" role="status">
                  {listed === runs.length
                    ? `${count(listed)} ${listed === 1 ? 'run' : 'runs'}`
                    : `${count(listed)} of ${count(runs.length)} runs`}
                </span>
              </form>
              {groups.length === 0 ? (
                <Nothing>No run is like that: fewer words, or another choice, show more.</Nothing>
              ) : null}
              {groups.map((group) => (
                <Cards key={group.sweep ?? `${group.runs[0]!.run}`} group={group} />
              ))}
            </>
          );
        }}
      </When>
    </>
  );
};
