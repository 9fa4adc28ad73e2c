// A new run or sweep: the few settings that most runs need first, all others on request. The library checks everything
// before anything begins.
import { useEffect, useState } from 'preact/hooks';
import type { Done } from '../../api/actions/actions.ts';
import { METHOD_TITLES, type PlaceForm, type RunSettingsAnswer, type SettingsForm } from '../../api/actions/forms.ts';
import type { Flat } from '../../api/actions/settings-values.ts';
import type { Json } from '../../../evolution/types.ts';
import { ask, useWork } from '../actions/asking.ts';
import { TextField, Tick } from '../base/controls.tsx';
import { Foreign, When } from '../base/parts.tsx';
import { linkTo, route, theSource, useAnswer } from '../base/state.ts';
import { shown } from '../base/text.ts';
import { AllSettings } from './all-settings.tsx';
import { Axes } from './axes.tsx';
import { Checked } from './checked.tsx';
import { baseOf, bodyOf, fileOf, firstState, type FormState, setIn, withFile, withValue } from './form.ts';
import { Setting, type SettingProps } from './setting.tsx';

const SIMPLE: readonly (readonly [key: string, label: string, help: string])[] = [
  ['task', 'Task', 'The problem that programs are made for.'],
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

/** The state of the form, and its check. Whatever is changed has to be checked again. */
const useForm = ({ initial, sweeping }: FormProps) => {
  const [state, setState] = useState(() => firstState(initial));
  const { progress, carryOut, reset } = useWork<Done>(null);
  const body = bodyOf(state, sweeping);
  useEffect(() => {
    // A checked run is no sweep.
    reset();
    setState((now) => ({ ...now, yaml: null }));
  }, [sweeping]);
  const change = (part: Partial<FormState>): void => {
    setState((now) => ({ ...now, ...part }));
    reset();
  };
  const check = (of: { readonly yaml: string } | typeof body = body): Promise<Done | null> =>
    carryOut(() => (sweeping ? ask('sweep', { ...of, dry: true }) : ask('start', { ...of, dry: true })));
  return {
    ...{ state, body, change, progress },
    problems: progress.kind === 'done' ? progress.done.problems : [],
    set: (key: string, value: Json | undefined): void => change({ values: withValue(state.values, key, value) }),
    setYaml: (yaml: string): void => setState((now) => ({ ...now, yaml })),
    check: () => void check(),
    /** Takes the text of a file into the form. */
    take: async (): Promise<void> => {
      const done = await check({ yaml: state.yaml ?? '' });
      if (done !== null) setState((now) => withFile(now, done, sweeping));
    },
  };
};

const Form = (props: FormProps) => {
  const { settings, place, sweeping } = props;
  const form = useForm(props);
  const { state, body, change, set, take, setYaml, problems, progress } = form;
  const { values, sweep, yaml } = state;
  const base = baseOf(values, settings, place);
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    form.check();
  };
  return (
    <form class="start" onSubmit={onSubmit}>
      <Simple {...{ settings, place, sweeping, form, base }} />
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
          value={fileOf(state, sweeping)}
          set={setYaml}
        />
        <p>
          <button type="button" disabled={yaml === null || progress.kind === 'busy'} onClick={() => void take()}>
            Take it into the form
          </button>
        </p>
      </details>
      <Checked
        key={String(sweeping)}
        verb={sweeping ? 'sweep' : 'start'}
        {...{ body, progress }}
        readOnly={theSource().site.readOnly !== null}
      />
    </form>
  );
};

type SimpleProps = Omit<FormProps, 'initial'> & {
  readonly form: ReturnType<typeof useForm>;
  readonly base: Flat;
};

/** The few settings that most runs need. */
const Simple = ({ settings, place, sweeping, form, base }: SimpleProps) => {
  const { change, set, problems } = form;
  const { values, run } = form.state;
  const suggestions = suggestionsAt(place);
  const task = place.tasks.find(({ id }) => id === (values['task'] ?? base['task']));
  return (
    <section class="card" aria-label="The run">
      <h2>{sweeping ? 'What all runs share' : 'The run'}</h2>
      <div class="simple">
        {SIMPLE.map(([key, label, help]) => {
          const setting: SettingProps = {
            field: settings.fields.find((field) => field.key === key)!,
            ...{ label, help, set, problems },
            base: base[key],
            value: values[key],
            ...(suggestions[key] === undefined ? {} : { list: suggestions[key] }),
            ...(key === 'method' ? { titles: METHOD_TITLES } : {}),
          };
          return key === 'task' ? (
            <TaskChoice key={key} {...setting} tasks={place.tasks} />
          ) : (
            <Setting key={key} {...setting} />
          );
        })}
        {sweeping ? null : (
          <TextField
            label="Id of the run (optional)"
            max={60}
            value={run}
            set={(text) => change({ run: text })}
            placeholder="first-try"
          />
        )}
      </div>
      {task === undefined ? null : (
        <p>
          {task.title}: {task.direction === 'maximise' ? 'more' : 'less'} is better.
        </p>
      )}
      <p class="soft">{shown(keyWords(place))}</p>
    </section>
  );
};

type TaskProps = SettingProps & { readonly tasks: PlaceForm['tasks'] };

/** The tasks that are shipped by their titles, or the path of another one. */
const TaskChoice = ({ tasks, ...setting }: TaskProps) => {
  const { field, value } = setting;
  const isOther = value !== undefined && !tasks.some(({ id }) => id === value);
  const [wanted, want] = useState(false);
  const byPath = wanted || isOther;
  return (
    <div>
      <Setting
        {...setting}
        field={byPath ? field : { ...field, type: 'choice', options: tasks.map(({ id }) => id) }}
        titles={Object.fromEntries(tasks.map(({ id, title }) => [id, title]))}
      />
      <Tick
        class="flag"
        checked={byPath}
        onValue={(on) => {
          want(on);
          if (!on && isOther) setting.set(field.key, undefined);
        }}
      >
        a folder on the machine of the server
      </Tick>
    </div>
  );
};

type Suggestions = { readonly [key: string]: readonly (readonly [value: string, title: string])[] };

const suggestionsAt = ({ model, keysFor }: PlaceForm): Suggestions => ({
  'model.name': [
    ['offline', 'no language model'],
    ...(model.name === null ? [] : [[model.name, 'of this installation'] as const]),
  ],
  'model.baseUrl': keysFor.map((url) => [url, 'its key is known']),
});
