// A new run or sweep: the few settings that most runs need first, all others on request. Everything is checked by the
// library before anything begins.
import { useEffect, useState } from 'preact/hooks';
import type { Done, Problem } from '../../data/actions.ts';
import {
  defaultsOf,
  METHOD_TITLES,
  type PlaceForm,
  type RunSettingsAnswer,
  type SettingsForm,
} from '../../data/forms.ts';
import { asYaml, type Flat, flat, nested, same } from '../../data/settings-values.ts';
import { EMPTY_SWEEP, formOf, type SweepForm, sweepOf } from '../../data/sweep-form.ts';
import type { Json } from '../../../evolution/types.ts';
import { ask } from '../actions/asking.ts';
import { TextField } from '../actions/fields.tsx';
import { Foreign, When } from '../base/parts.tsx';
import { linkTo, route, theSource, useAnswer } from '../base/state.ts';
import { shown } from '../base/text.ts';
import { AllSettings } from './all-settings.tsx';
import { Axes } from './axes.tsx';
import { Checked } from './checked.tsx';
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
                <Form settings={settings} place={here} sweeping={sweeping} given={{}} />
              ) : (
                <When answer={like} what="the settings of that run">
                  {(answer) => (
                    <>
                      <p class="soft">
                        This begins with what run <Foreign text={answer.run} /> has set.
                      </p>
                      <Form settings={settings} place={here} sweeping={sweeping} given={setIn(answer)} />
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

const ALWAYS: readonly string[] = ['task', 'method', 'model.name'];
/** What a run has that is not as by default. */
const setIn = ({ values, defaults }: RunSettingsAnswer): Flat =>
  Object.fromEntries(
    Object.entries(values).filter(([key, value]) => ALWAYS.includes(key) || !same(value, defaults[key])),
  );

type FormProps = {
  readonly given: Flat;
  readonly settings: SettingsForm;
  readonly place: PlaceForm;
  readonly sweeping: boolean;
};

const Form = ({ settings, place, sweeping, given: begin }: FormProps) => {
  const [values, setValues] = useState<Flat>(begin);
  const [run, setRun] = useState('');
  const [sweep, setSweep] = useState<SweepForm>(EMPTY_SWEEP);
  const [yaml, setYaml] = useState<string | null>(null);
  const [checked, setChecked] = useState<Done | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    // What was checked as a run is no sweep.
    setChecked(null);
    setFailed(null);
    setYaml(null);
  }, [sweeping]);
  const change = (next: () => void): void => {
    next();
    // What was checked is no longer what would be started.
    setChecked(null);
  };
  const set = (key: string, value: Json | undefined): void =>
    change(() => {
      const { [key]: _, ...rest } = values;
      setValues(value === undefined ? rest : { ...rest, [key]: value });
    });
  const named = values['model.name'];
  const offline =
    named === 'offline' ||
    (named === undefined && values['model.baseUrl'] === undefined && place.model.kind === 'offline');
  const base: Flat = {
    ...defaultsOf(settings, String(values['method'] ?? 'theta'), offline ? 'offline' : 'openai'),
    ...(named === undefined && place.model.name !== null
      ? { 'model.name': place.model.name, 'model.baseUrl': place.model.baseUrl }
      : {}),
  };
  const problems: readonly Problem[] = checked?.problems ?? [];
  const given = nested(values);
  const body = sweeping
    ? { spec: sweepOf(sweep, values) }
    : { settings: given, ...(run.trim() === '' ? {} : { run: run.trim() }) };
  const check = async (as: { readonly yaml?: string } = {}): Promise<Done | null> => {
    setBusy(true);
    setFailed(null);
    try {
      const asked = as.yaml === undefined ? body : { yaml: as.yaml };
      const done = await (sweeping ? ask('sweep', { ...asked, dry: true }) : ask('start', { ...asked, dry: true }));
      setChecked(done);
      return done;
    } catch (error) {
      setFailed(error instanceof Error ? error.message : String(error));
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
      const { form, base: under } = formOf(file);
      setValues(under);
      setSweep(form);
    } else setValues(flat(file));
    if (done.problems.length === 0) setYaml(null);
  };
  const fieldOf = (key: string) => settings.fields.find((field) => field.key === key)!;
  const suggestions: { readonly [key: string]: readonly (readonly [string, string])[] } = {
    task: place.tasks.map(({ id, title }) => [id, title]),
    'model.name': [
      ['offline', 'no language model'],
      ...(place.model.name === null ? [] : [[place.model.name, 'of this installation'] as const]),
    ],
    'model.baseUrl': place.keysFor.map((url) => [url, 'its key is known']),
  };
  const task = place.tasks.find(({ id }) => id === (values['task'] ?? base['task']));
  return (
    <form
      class="start"
      onSubmit={(event) => {
        event.preventDefault();
        void check();
      }}
    >
      <section class="card" aria-label="The run">
        <h2>{sweeping ? 'What all runs share' : 'The run'}</h2>
        <div class="simple">
          {SIMPLE.map(([key, label, help]) => (
            <Setting
              key={key}
              field={fieldOf(key)}
              label={label}
              help={help}
              base={base[key]}
              value={values[key]}
              set={set}
              problems={problems}
              {...(suggestions[key] === undefined ? {} : { list: suggestions[key] })}
              {...(key === 'method' ? { titles: METHOD_TITLES } : {})}
            />
          ))}
          {sweeping ? null : (
            <TextField
              label="Id of the run (empty: one is chosen)"
              max={60}
              value={run}
              set={(text) => change(() => setRun(text))}
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
      {sweeping ? (
        <Axes form={sweep} set={(next) => change(() => setSweep(next))} fields={settings.fields} problems={problems} />
      ) : null}
      <details class="card">
        <summary>
          <h2>All settings</h2>
        </summary>
        <AllSettings fields={settings.fields} base={base} values={values} set={set} problems={problems} />
      </details>
      <details class="card">
        <summary>
          <h2>As a file (YAML)</h2>
        </summary>
        <TextField
          label="What the form says. Another file can be pasted here, and taken into the form."
          rows={12}
          value={yaml ?? asYaml(sweeping ? sweepOf(sweep, values) : given)}
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
        body={body}
        checked={checked}
        failed={failed}
        busy={busy}
        readOnly={theSource().site.readOnly !== null}
      />
    </form>
  );
};
