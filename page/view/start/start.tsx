// A new run or sweep: the few settings that most runs need first, all others on request. Everything is checked by the
// library before anything begins.
import { useEffect, useState } from 'preact/hooks';
import type { Done, Problem } from '../../api/actions/actions.ts';
import { METHOD_TITLES, type PlaceForm, type RunSettingsAnswer, type SettingsForm } from '../../api/actions/forms.ts';
import { asYaml, type Flat, flat, nested } from '../../api/actions/settings-values.ts';
import { EMPTY_SWEEP, formOf, sweepOf } from '../../api/actions/sweep-form.ts';
import type { Json } from '../../../evolution/types.ts';
import { ask } from '../actions/asking.ts';
import { TextField } from '../actions/fields.tsx';
import { Foreign, When } from '../base/parts.tsx';
import { linkTo, route, theSource, useAnswer } from '../base/state.ts';
import { shown } from '../base/text.ts';
import { AllSettings } from './all-settings.tsx';
import { Axes } from './axes.tsx';
import { Checked } from './checked.tsx';
import { baseOf, bodyOf, type FormState, setIn, withValue } from './form.ts';
import { Setting } from './setting.tsx';

const SIMPLE: readonly (readonly [key: string, label: string, help: string])[] = [
  ['task', 'Task', 'A problem that is shipped, or the path of a folder with one on the machine of the server.'],
  ['method', 'Method', 'How it is searched. Every other default comes from the method.'],
  ['model.name', 'Model', 'Its name at the endpoint; offline needs no key and is no language model.'],
  ['model.baseUrl', 'Endpoint', 'An address that speaks the OpenAI protocol.'],
  ['limits.steps', 'Steps', 'The run ends after so many steps.'],
  ['limits.programs', 'Programs', 'The run ends after so many programs.'],
  ['limits.costUsd', 'US dollars', 'The run ends before it costs more; needs the price of the model.'],
  ['limits.wallSeconds', 'Seconds', 'No step starts later than this after the beginning.'],
  ['seed', 'Seed', 'Every random choice of the run follows from it.'],
];

export const Start = () => {
  const { readOnly } = theSource().site;
  const form = useAnswer<SettingsForm>('forms/settings');
  const place = useAnswer<PlaceForm>('forms/place');
  const { query } = route.value;
  const sweeping = query.get('kind') === 'sweep';
  const from = query.get('from');
  const like = useAnswer<RunSettingsAnswer>(from === null ? null : `runs/${encodeURIComponent(from)}/settings`);
  return (
    <>
      <div class="title">
        <h1>{sweeping ? 'A new sweep' : 'A new run'}</h1>
      </div>
      <nav class="tabs" aria-label="What is started">
        <a href={linkTo(['start'], { from })} aria-current={sweeping ? undefined : 'page'}>
          One run
        </a>
        <a href={linkTo(['start'], { kind: 'sweep', from })} aria-current={sweeping ? 'page' : undefined}>
          A sweep of runs
        </a>
      </nav>
      {readOnly === null ? null : <p class="away">{shown(readOnly)}</p>}
      <When answer={form} what="the settings and what they mean">
        {(settings) => (
          <When answer={place} what="the tasks and models of this installation">
            {(here) =>
              from === null ? (
                <Form settings={settings} place={here} sweeping={sweeping} initial={{}} />
              ) : (
                <When answer={like} what="the settings of that run">
                  {(answer) => (
                    <>
                      <p class="soft">
                        This begins with what run <Foreign text={answer.run} /> has set.
                      </p>
                      <Form settings={settings} place={here} sweeping={sweeping} initial={setIn(answer)} />
                    </>
                  )}
                </When>
              )
            }
          </When>
        )}
      </When>
    </>
  );
};

const keyWords = ({ keysFor, keyInEnvironment, model }: PlaceForm): string =>
  [
    model.kind === 'offline'
      ? 'Where no model is named, the offline model answers: it is no language model, and costs nothing.'
      : `Where no model is named, ${model.name ?? 'the model'} at ${model.baseUrl ?? 'its endpoint'} is asked.`,
    keysFor.length === 0 && !keyInEnvironment
      ? 'No key of an endpoint is known here.'
      : `Keys are known for ${[...keysFor, ...(keyInEnvironment ? ['the endpoint of OPENAI_BASE_URL'] : [])].join(', ')}.`,
    'Keys are never settings: they come from OPENAI_API_KEY in the shell of “evolve up”, and never reach this page.',
  ].join(' ');

type FormProps = {
  readonly initial: Flat;
  readonly settings: SettingsForm;
  readonly place: PlaceForm;
  readonly sweeping: boolean;
};

/** The state of the form, and the check of it. Whatever is changed has to be checked again. */
const useForm = ({ initial, sweeping }: FormProps) => {
  const [state, setState] = useState<FormState>({ values: initial, run: '', sweep: EMPTY_SWEEP });
  const [yaml, setYaml] = useState<string | null>(null);
  const [checked, setChecked] = useState<Done | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const body = bodyOf(state, sweeping);
  useEffect(() => {
    // What was checked as a run is no sweep.
    setChecked(null);
    setError(null);
    setYaml(null);
  }, [sweeping]);
  const change = (part: Partial<FormState>): void => {
    setState((now) => ({ ...now, ...part }));
    setChecked(null);
  };
  const check = async (of: { readonly yaml: string } | typeof body = body): Promise<Done | null> => {
    setBusy(true);
    setError(null);
    try {
      const done = await (sweeping ? ask('sweep', { ...of, dry: true }) : ask('start', { ...of, dry: true }));
      setChecked(done);
      return done;
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
      return null;
    } finally {
      setBusy(false);
    }
  };
  /** Takes the text of a file into the form. */
  const take = async (text: string): Promise<void> => {
    const done = await check({ yaml: text });
    if (done === null || done.plan === null) return;
    const file = done.plan.given;
    if (sweeping) {
      const { form, base } = formOf(file);
      setState((now) => ({ ...now, values: base, sweep: form }));
    } else setState((now) => ({ ...now, values: flat(file) }));
    if (done.problems.length === 0) setYaml(null);
  };
  const set = (key: string, value: Json | undefined): void => change({ values: withValue(state.values, key, value) });
  return { ...state, body, change, set, check, take, yaml, setYaml, checked, error, busy };
};

const Form = (props: FormProps) => {
  const { settings, place, sweeping } = props;
  const form = useForm(props);
  const { values, sweep, body, change, set, check, take, yaml, setYaml, checked, error, busy } = form;
  const base = baseOf(values, settings, place);
  const problems: readonly Problem[] = checked?.problems ?? [];
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    void check();
  };
  return (
    <form class="start" onSubmit={onSubmit}>
      <Simple {...{ settings, place, sweeping, form, base, problems }} />
      {sweeping ? (
        <Axes form={sweep} set={(next) => change({ sweep: next })} fields={settings.fields} problems={problems} />
      ) : null}
      <details class="card">
        <summary>
          <h2>All settings</h2>
        </summary>
        <AllSettings fields={settings.fields} {...{ base, values, set, problems }} />
      </details>
      <details class="card">
        <summary>
          <h2>As a file (YAML)</h2>
        </summary>
        <TextField
          label="What the form says. Another file can be pasted here, and taken into the form."
          rows={12}
          value={yaml ?? asYaml(sweeping ? sweepOf(sweep, values) : nested(values))}
          set={setYaml}
        />
        <p>
          <button type="button" disabled={yaml === null || busy} onClick={() => void take(yaml ?? '')}>
            Take it into the form
          </button>
        </p>
      </details>
      <Checked
        key={String(sweeping)}
        verb={sweeping ? 'sweep' : 'start'}
        {...{ body, checked, error, busy }}
        readOnly={theSource().site.readOnly !== null}
      />
    </form>
  );
};

type SimpleProps = Omit<FormProps, 'initial'> & {
  readonly form: ReturnType<typeof useForm>;
  readonly base: Flat;
  readonly problems: readonly Problem[];
};

/** The few settings that most runs need. */
const Simple = ({ settings, place, sweeping, form, base, problems }: SimpleProps) => {
  const { values, run, change, set } = form;
  const suggestions = suggestionsAt(place);
  const task = place.tasks.find(({ id }) => id === (values['task'] ?? base['task']));
  return (
    <section class="card" aria-label="The run">
      <h2>{sweeping ? 'What all runs share' : 'The run'}</h2>
      <div class="simple">
        {SIMPLE.map(([key, label, help]) => (
          <Setting
            key={key}
            field={settings.fields.find((field) => field.key === key)!}
            {...{ label, help, set, problems }}
            base={base[key]}
            value={values[key]}
            {...(suggestions[key] === undefined ? {} : { list: suggestions[key] })}
            {...(key === 'method' ? { titles: METHOD_TITLES } : {})}
          />
        ))}
        {sweeping ? null : (
          <TextField
            label="Id of the run (empty: one is chosen)"
            max={60}
            value={run}
            set={(text) => change({ run: text })}
            placeholder="first-try"
          />
        )}
      </div>
      {task === undefined ? null : (
        <p>
          {task.title}. The score is to {task.direction === 'maximise' ? 'become large' : 'become small'}.
        </p>
      )}
      <p class="soft">{shown(keyWords(place))}</p>
    </section>
  );
};

type Suggestions = { readonly [key: string]: readonly (readonly [value: string, title: string])[] };

const suggestionsAt = ({ tasks, model, keysFor }: PlaceForm): Suggestions => ({
  task: tasks.map(({ id, title }) => [id, title]),
  'model.name': [
    ['offline', 'no language model'],
    ...(model.name === null ? [] : [[model.name, 'of this installation'] as const]),
  ],
  'model.baseUrl': keysFor.map((url) => [url, 'its key is known']),
});
