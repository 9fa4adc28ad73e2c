// What a table of programs is narrowed down by. All of it is in the address.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Rows } from '../../data/rows.ts';
import { columnOf } from '../../data/rows.ts';
import {
  MOST_SEARCHED,
  rangeText,
  SEARCHED,
  TABLE_COLUMNS,
  type TableColumn,
  type TableState,
} from '../../data/table.ts';
import { setQuery } from '../base/state.ts';
import { count, shown } from '../base/text.ts';
import { outcomeName } from '../run/outcome-names.ts';
import { CELLS } from './cells.ts';

/** How many rows have each value of a column of small numbers. */
const tally = (rows: Rows, name: string, values: number): Uint32Array => {
  const counts = new Uint32Array(values);
  const column = columnOf(rows, name);
  for (let row = 0; row < rows.rows; row++) counts[column[row]!]!++;
  return counts;
};

/** A field that changes the address when one leaves it or presses Enter, not at every letter. */
const Field = ({
  title,
  value,
  wide,
  hint,
  onValue,
}: {
  readonly title: string;
  readonly value: string;
  readonly wide?: boolean;
  readonly hint?: string;
  readonly onValue: (value: string) => void;
}) => {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const done = (): void => {
    if (text.trim() !== value) onValue(text.trim());
  };
  return (
    <label>
      {title}
      <input
        class={wide ? 'wide' : 'narrow'}
        value={text}
        placeholder={hint}
        maxLength={MOST_SEARCHED}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onBlur={done}
        onKeyDown={({ key }) => key === 'Enter' && done()}
      />
    </label>
  );
};

/** Buttons that are pressed or not, one for each outcome that the run has. */
const Outcomes = ({ rows, state }: { readonly rows: Rows; readonly state: TableState }) => {
  const { outcomes } = rows.names;
  const counts = useMemo(() => tally(rows, 'outcome', 256), [rows]);
  const toggle = (name: string): void => {
    const before = state.outcomes ?? [];
    const now = before.includes(name) ? before.filter((one) => one !== name) : [...before, name];
    setQuery({ outcome: now.join(',') });
  };
  const unknown = (state.outcomes ?? []).filter((name) => !outcomes.includes(name));
  return (
    <div class="chips" role="group" aria-label="Outcome">
      {outcomes.map((name, index) =>
        counts[index] === 0 && !(state.outcomes?.includes(name) ?? false) ? null : (
          <button
            type="button"
            class="chip"
            aria-pressed={state.outcomes?.includes(name) ?? false}
            onClick={() => toggle(name)}
          >
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

/** On a phone they are behind a word, unless there are some. */
export const Filters = ({
  rows,
  state,
  open,
}: {
  readonly rows: Rows;
  readonly state: TableState;
  readonly open: boolean;
}) => {
  const islands = useMemo(() => {
    let most = 1;
    for (const island of columnOf(rows, 'island')) most = Math.max(most, island + 1);
    return most;
  }, [rows]);
  const models = rows.names.models.filter((model) => model !== '');
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
          <label>
            island
            <select
              value={state.island ?? ''}
              onChange={({ currentTarget }) => setQuery({ island: currentTarget.value })}
            >
              <option value="">all</option>
              {Array.from({ length: islands }, (_, island) => (
                <option value={island}>{island}</option>
              ))}
            </select>
          </label>
        )}
        {models.length < 2 ? null : (
          <label>
            model
            <select
              value={state.models?.[0] ?? ''}
              onChange={({ currentTarget }) => setQuery({ model: currentTarget.value })}
            >
              <option value="">all</option>
              {models.map((model) => (
                <option value={model}>{shown(model)}</option>
              ))}
            </select>
          </label>
        )}
        <label>
          only
          <select value={state.flag ?? ''} onChange={({ currentTarget }) => setQuery({ only: currentTarget.value })}>
            <option value="">all programs</option>
            <option value="record">new bests</option>
            <option value="helped">better than their parent</option>
            <option value="change">with a delta</option>
            <option value="idea">with an idea</option>
            <option value="injected">injected by a person</option>
            <option value="founder">seeds of an island</option>
          </select>
        </label>
        <Field title="search" hint="a text, as it stands" wide value={state.text} onValue={(q) => setQuery({ q })} />
        <fieldset class="searched">
          <legend>in</legend>
          {SEARCHED.map((one) => (
            <label>
              <input
                type="checkbox"
                checked={state.searched.includes(one)}
                onChange={({ currentTarget }) => {
                  const now = SEARCHED.filter((other) =>
                    other === one ? currentTarget.checked : state.searched.includes(other),
                  );
                  setQuery({ in: now.length === SEARCHED.length ? null : now.join(',') });
                }}
              />
              {one}
            </label>
          ))}
        </fieldset>
      </div>
    </details>
  );
};

/** Which columns are shown. */
export const Chosen = ({ columns }: { readonly columns: readonly TableColumn[] }) => (
  <details class="chosen">
    <summary>Columns</summary>
    <div class="choices">
      {TABLE_COLUMNS.map((name) => (
        <label>
          <input
            type="checkbox"
            checked={columns.includes(name)}
            onChange={({ currentTarget }) =>
              setQuery({
                columns: TABLE_COLUMNS.filter((other) =>
                  other === name ? currentTarget.checked : columns.includes(other),
                ).join(','),
              })
            }
          />
          {CELLS[name].title}
        </label>
      ))}
      <button type="button" onClick={() => setQuery({ columns: null })}>
        As many as fit
      </button>
    </div>
  </details>
);
