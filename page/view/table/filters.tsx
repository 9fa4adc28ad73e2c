// The filters, the search and the columns of the table of programs. All of them are in the address.
import { useMemo } from 'preact/hooks';
import { markChoices } from '../../api/rows/marks.ts';
import { columnOf, type Rows } from '../../api/rows/rows.ts';
import { TABLE_COLUMNS, type TableColumn } from '../../api/rows/order.ts';
import { MOST_SEARCHED, rangeText, SEARCHED, type Searched, type TableState } from '../../api/rows/table.ts';
import { Select, Tick, useTyped } from '../base/controls.tsx';
import { setQuery } from '../base/state.ts';
import { count, OUTCOMES, outcomeName, shown } from '../base/text.ts';
import { CELLS } from './cells.ts';

/** The number of rows with each value of a column of small numbers. */
const tally = (rows: Rows, name: string, values: number): Uint32Array => {
  const counts = new Uint32Array(values);
  const column = columnOf(rows, name);
  for (let row = 0; row < rows.rows; row++) counts[column[row]!]!++;
  return counts;
};

type FieldProps = {
  readonly title: string;
  readonly value: string;
  readonly wide?: boolean;
  readonly hint: string;
  readonly onValue: (value: string) => void;
};

/** A field that changes the address when one leaves it or presses Enter, not at every letter. */
const Field = ({ title, value, wide, hint, onValue }: FieldProps) => {
  const typed = useTyped(value, (text) => onValue(text.trim()));
  return (
    <label>
      {title}
      <input class={wide ? 'wide' : 'narrow'} placeholder={hint} maxLength={MOST_SEARCHED} {...typed} />
    </label>
  );
};

/** Buttons that are pressed or not, one for each outcome that the run has. */
const Outcomes = ({ rows, state }: { readonly rows: Rows; readonly state: TableState }) => {
  const { outcomes } = rows.names;
  const counts = useMemo(() => tally(rows, 'outcome', 256), [rows]);
  const chosen = state.outcomes ?? [];
  const toggle = (name: string): void => {
    const now = chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name];
    setQuery({ outcome: now.join(',') });
  };
  const placeOf = (name: string): number => OUTCOMES.findIndex(({ outcome }) => outcome === name);
  const inOrder = outcomes.map((name, index) => [name, index] as const).sort(([a], [b]) => placeOf(a) - placeOf(b));
  const unknown = chosen.filter((name) => !outcomes.includes(name));
  return (
    <div class="chips" role="group" aria-label="Outcome">
      {inOrder.map(([name, index]) =>
        counts[index] === 0 && !chosen.includes(name) ? null : (
          <button type="button" class="chip" aria-pressed={chosen.includes(name)} onClick={() => toggle(name)}>
            <span class={`outcome ${name.replaceAll('_', '-')}`}>{outcomeName(name)}</span> {count(counts[index]!)}
          </button>
        ),
      )}
      {unknown.map((name) => (
        <button type="button" class="chip" aria-pressed={true} onClick={() => toggle(name)}>
          {shown(name)} (not an outcome of this run)
        </button>
      ))}
    </div>
  );
};

const ONLY = [
  ['', 'all programs'],
  ['record', 'new bests'],
  ['helped', 'better than their parent'],
  ['change', 'with a delta'],
  ['idea', 'with an idea'],
  ['injected', 'injected by a person'],
  ['founder', 'seeds of an island'],
] as const;

type FiltersProps = { readonly rows: Rows; readonly state: TableState; readonly open: boolean };

/** On a phone they are behind a word, unless there are some. */
export const Filters = ({ rows, state, open }: FiltersProps) => {
  const islands = useMemo(() => {
    let most = 1;
    for (const island of columnOf(rows, 'island')) most = Math.max(most, island + 1);
    return most;
  }, [rows]);
  const models = rows.names.models.filter((model) => model !== '');
  const search = (one: Searched, checked: boolean): void => {
    const now = SEARCHED.filter((other) => (other === one ? checked : state.searched.includes(other)));
    setQuery({ in: now.length === SEARCHED.length ? null : now.join(',') });
  };
  return (
    <details class="filters" open={open}>
      <summary>Filter and search</summary>
      <Outcomes rows={rows} state={state} />
      <div class="controls">
        <Field
          title="steps"
          hint="all, or 12..20"
          value={rangeText(state.step) ?? ''}
          onValue={(step) => setQuery({ step })}
        />
        <Field
          title="scores"
          hint="all, or 2.6.."
          value={rangeText(state.score) ?? ''}
          onValue={(score) => setQuery({ score })}
        />
        {islands < 2 ? null : (
          <Select
            label="island"
            value={state.island ?? ''}
            options={[['', 'all'], ...Array.from({ length: islands }, (_, island) => island)]}
            onValue={(island) => setQuery({ island })}
          />
        )}
        {models.length < 2 ? null : (
          <Select
            label="model"
            value={state.models?.[0] ?? ''}
            options={[['', 'all'], ...models.map((model) => [model, shown(model)] as const)]}
            onValue={(model) => setQuery({ model })}
          />
        )}
        {!rows.names.marks?.length ? null : (
          <Select
            label="mark"
            value={state.mark ?? ''}
            options={[['', 'any or none'], ...markChoices(rows.names.marks)]}
            onValue={(mark) => setQuery({ mark })}
          />
        )}
        <Select label="only" value={state.flag ?? ''} options={ONLY} onValue={(only) => setQuery({ only })} />
        <Field title="search" hint="a text, as it stands" wide value={state.text} onValue={(q) => setQuery({ q })} />
        <fieldset class="searched">
          <legend>in</legend>
          {SEARCHED.map((one) => (
            <Tick checked={state.searched.includes(one)} onValue={(checked) => search(one, checked)}>
              {one}
            </Tick>
          ))}
        </fieldset>
      </div>
    </details>
  );
};

/** The columns that can be shown, ticked where they are. */
export const Chosen = ({ columns }: { readonly columns: readonly TableColumn[] }) => {
  const choose = (one: TableColumn, checked: boolean): void =>
    setQuery({
      columns: TABLE_COLUMNS.filter((other) => (other === one ? checked : columns.includes(other))).join(','),
    });
  return (
    <details class="chosen">
      <summary>Columns</summary>
      <div class="choices">
        {TABLE_COLUMNS.map((name) => (
          <Tick checked={columns.includes(name)} onValue={(checked) => choose(name, checked)}>
            {CELLS[name].title}
          </Tick>
        ))}
        <button type="button" onClick={() => setQuery({ columns: null })}>
          As many as fit
        </button>
      </div>
    </details>
  );
};
