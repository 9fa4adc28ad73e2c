// Small parts that all views are made of: a state's badge, a figure with its name, an answer that is not there yet, links.
import type { ComponentChildren } from 'preact';
import type { Answer } from './asker.ts';
import { shown } from './text.ts';

const TONES: { readonly [state: string]: string } = {
  running: 'good',
  finished: 'plain',
  stopped: 'plain',
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

export const Figure = ({
  name,
  children,
  title,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
  readonly title?: string;
}) => (
  <div class="figure" title={title}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** A text of a model, a candidate or a person. */
export const Foreign = ({ text }: { readonly text: string }) => <bdi>{shown(text)}</bdi>;

/** A text of the project itself: what stands between backticks is code. */
export const Words = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{shown(part)}</code> : shown(part)))}</>
);

type Children = { readonly children: ComponentChildren };

/** Draws an answer when it is there, and until then what is known of it: `what` is being read. */
export const When = <T,>({
  answer,
  what,
  children,
}: {
  readonly answer: Answer<T>;
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}) => {
  if (answer.value !== null)
    return (
      <>
        {answer.error === null ? null : (
          <p class="away">
            <Words text={answer.error.message} />
          </p>
        )}
        {children(answer.value)}
      </>
    );
  if (answer.error !== null)
    return (
      <Alert>
        <Words text={answer.error.message} />
      </Alert>
    );
  return answer.busy ? <Busy>Reading {what} …</Busy> : null;
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

type CardProps = Children & { readonly id: string; readonly title: ComponentChildren; readonly class?: string };

/** A card with a heading, by which a reader of the screen finds it. `id` is that of the heading. */
export const Card = ({ id, title, class: name = 'card', children }: CardProps) => (
  <section class={name} aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
);

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

/** A sentence for an empty view: what would fill it. */
export const Nothing = ({ children }: { readonly children: ComponentChildren }) => <p class="nothing">{children}</p>;

/** A sign of a legend in a colour of the stylesheet; the name beside it says what it stands for. */
export const Swatch = ({ form, colour }: { readonly form: string; readonly colour: string }) => (
  <span aria-hidden="true" style={{ color: `var(${colour})` }}>
    {form}
  </span>
);
