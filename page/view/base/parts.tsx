// Small parts that all views are made of: badges, figures, cards, legends, and an answer that is not there yet.
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Answer } from './asker.ts';
import { count, exactMoment, moment, shown } from './text.ts';

const TONES: { readonly [state: string]: string } = {
  running: 'good',
  terminated: 'bad',
  paused: 'wait',
  pausing: 'wait',
  stopping: 'wait',
  queued: 'wait',
  'needs attention': 'bad',
};
/** The word says it, and the colour only repeats it. */
export const State = ({ state }: { readonly state: string }) => (
  <span class={`badge ${TONES[state] ?? 'plain'}`}>{state}</span>
);

type Children = { readonly children: ComponentChildren };
type FigureProps = Children & { readonly name: string; readonly title?: string };

export const Figure = ({ name, children, title }: FigureProps) => (
  <div class="figure" title={title}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** A text of a model, a candidate or a person. */
export const Foreign = ({ text }: { readonly text: string }) => <bdi>{shown(text)}</bdi>;

/** A text of the project itself, with code between backticks. */
export const Words = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{shown(part)}</code> : shown(part)))}</>
);

type WhenProps<T> = {
  readonly answer: Answer<T>;
  /** The object of the sentence that it is being read. */
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
};

/** Draws an answer, and until it is there a sentence about it. */
export const When = <T,>({ answer: { value, error, busy }, what, children }: WhenProps<T>) => {
  const words = error === null ? null : <Words text={error.message} />;
  if (value !== null)
    return (
      <>
        {words === null ? null : <p class="away">{words}</p>}
        {children(value)}
      </>
    );
  if (words !== null) return <Alert>{words}</Alert>;
  return busy ? <Busy>Reading {what} …</Busy> : null;
};

/** A sentence that says what is wrong. With `lines` the text keeps its lines. */
export const Alert = ({ lines = false, children }: Children & { readonly lines?: boolean }) => (
  <p class={lines ? 'error many' : 'error'} role="alert">
    {children}
  </p>
);

/** A sentence about something that is on its way. */
export const Busy = ({ children }: Children) => (
  <p class="busy" role="status">
    {children}
  </p>
);

/** A sentence for an empty view: what would fill it. */
export const Nothing = ({ children }: Children) => <p class="nothing">{children}</p>;

type CardProps = Children & {
  /** The id of the heading, where something else names it. */
  readonly id?: string;
  readonly title: ComponentChildren;
  readonly class?: string;
  /** Fields beside the heading. */
  readonly tools?: ComponentChildren;
};

/** A card with a heading, by which a reader of the screen finds it. */
export const Card = ({ id, title, class: name = 'card', tools, children }: CardProps) => {
  const own = useId();
  const heading = <h2 id={id ?? own}>{title}</h2>;
  return (
    <section class={name} aria-labelledby={id ?? own}>
      {tools === undefined ? (
        heading
      ) : (
        <div class="title">
          {heading}
          <div class="controls inline">{tools}</div>
        </div>
      )}
      {children}
    </section>
  );
};

/** Texts of which each is an item of a list. */
export const Items = ({ class: name, of }: { readonly class?: string; readonly of: readonly string[] }) => (
  <ul class={name}>
    {of.map((text) => (
      <li>
        <Foreign text={text} />
      </li>
    ))}
  </ul>
);

/** The first `few` of a list, and the button that shows all of them. */
export const useFew = <T,>(list: readonly T[], few: number, name = '') => {
  const [all, setAll] = useState(false);
  if (all || list.length <= few) return { listed: list, more: null };
  const more = (
    <p>
      <button type="button" onClick={() => setAll(true)}>
        Show all {count(list.length)} {name}
      </button>
    </p>
  );
  return { listed: list.slice(0, few), more };
};

type CutProps = {
  readonly shown: number;
  readonly of: number;
  readonly unit: string;
  readonly onAll: () => void;
};

/** The sentence below something long of which a part is drawn. */
export const Cut = ({ shown: drawn, of, unit, onAll }: CutProps) =>
  drawn >= of ? null : (
    <p class="cut">
      Shown: {count(drawn)} of {count(of)} {unit}.{' '}
      <button type="button" onClick={onAll}>
        Show all
      </button>
    </p>
  );

type MomentProps = { readonly at: string | number | Date; readonly exact?: boolean; readonly title?: string };

/** A time in the time zone of whoever looks, which the foot of the page names; with that in UTC for who points at it. */
export const Moment = ({ at, exact = false, title = '' }: MomentProps) => {
  const iso = new Date(at).toISOString();
  const utc = `${iso.slice(0, 19).replace('T', ' ')} UTC`;
  return (
    <time dateTime={iso} title={title === '' ? utc : `${utc}. ${title}`}>
      {exact ? exactMoment(at) : moment(at)}
    </time>
  );
};

type SwatchProps = { readonly colour: string; readonly form?: string | undefined; readonly striped?: boolean };

/** A square, or a sign of another form, in a colour of the stylesheet. The name beside it says what it stands for. */
export const Swatch = ({ colour, form, striped = false }: SwatchProps) =>
  form === undefined ? (
    <span
      class={striped ? 'swatch striped' : 'swatch'}
      aria-hidden="true"
      style={{ backgroundColor: `var(${colour})` }}
    />
  ) : (
    <span aria-hidden="true" style={{ color: `var(${colour})` }}>
      {form}{' '}
    </span>
  );

type LegendProps = {
  readonly label?: string;
  readonly of: readonly (SwatchProps & { readonly name: string })[];
  /** Further items. */
  readonly children?: ComponentChildren;
};

export const Legend = ({ label, of, children }: LegendProps) => (
  <ul class="legend" aria-label={label}>
    {of.map(({ name, ...sign }) => (
      <li>
        <Swatch {...sign} />
        {name}
      </li>
    ))}
    {children}
  </ul>
);
