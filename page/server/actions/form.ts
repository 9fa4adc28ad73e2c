// The parts of forms, read from the schema of settings, the methods' presets, the tasks and this installation.
import { z } from 'zod';
import { listTasks, loadTask } from '../../../activities/task/load-task.ts';
import type { Place } from '../../../client/connect/connection.ts';
import { rememberedKeys } from '../../../client/connect/keys.ts';
import { installationModel } from '../../../deploy/stack/installation-model.ts';
import { hideCredentials } from '../../../evolution/config/layers.ts';
import { METHOD_NAMES, type MethodName } from '../../../evolution/config/names.ts';
import { completeSchema } from '../../../evolution/config/settings.ts';
import { environmentLayer } from '../../../evolution/config/sources.ts';
import { changeOf } from '../../../evolution/methods/change.ts';
import { defaultsFor } from '../../../evolution/methods/defaults.ts';
import { type SchemaNode, typeText } from '../../../evolution/methods/reference.ts';
import type { PlaceForm, SettingField, SettingsForm } from '../../api/actions/forms.ts';
import { type Flat, flat, same } from '../../api/actions/settings-values.ts';

export const form = (of: 'settings' | 'place', place: Place): Promise<SettingsForm | PlaceForm> =>
  of === 'settings' ? Promise.resolve(settingsForm()) : placeForm(place);

const TYPES: { readonly [type: string]: SettingField['type'] } = {
  integer: 'whole',
  number: 'number',
  boolean: 'flag',
  array: 'list',
  object: 'mapping',
};

/** Links of the docs as their words alone. */
const words = (text: string): string => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');

const fieldOf = (key: string, section: string, node: SchemaNode): SettingField => {
  const orNull = node.anyOf?.some(({ type }) => type === 'null') ?? false;
  const [first] = (node.anyOf ?? [node]).filter(({ type }) => type !== 'null');
  const several = (node.anyOf ?? []).filter(({ type }) => type !== 'null').length > 1;
  const options = first?.enum?.map(String);
  return {
    key,
    section,
    type: several ? 'mapping' : options ? 'choice' : (TYPES[String(first?.type)] ?? 'text'),
    words: key === 'models' ? 'list of mappings with the keys of model' : typeText(node).replaceAll('`', ''),
    ...(options && !several ? { options } : {}),
    orNull,
    meaning: words(node.description ?? ''),
    change: changeOf(key),
  };
};

const settingsForm = (): SettingsForm => {
  const root = z.toJSONSchema(completeSchema, { io: 'input' }) as SchemaNode;
  const entries = Object.entries(root.properties ?? {});
  const plain = ([, { type }]: readonly [string, SchemaNode]): boolean => type !== 'object';
  const fields = [
    ...entries.filter(plain).map(([key, node]) => fieldOf(key, 'run', node)),
    ...entries
      .filter((entry) => !plain(entry))
      .flatMap(([section, node]) =>
        Object.entries(node.properties ?? {}).map(([key, inner]) => fieldOf(`${section}.${key}`, section, inner)),
      ),
  ];
  const of = (method: MethodName, kind: 'offline' | 'openai'): Flat =>
    flat(defaultsFor({ method, model: { kind } }) as object as Flat);
  const defaults = of('theta', 'openai');
  const differing = (values: Flat): Flat =>
    Object.fromEntries(Object.entries(values).filter(([key, value]) => !same(value, defaults[key])));
  return {
    fields,
    methods: METHOD_NAMES,
    defaults,
    presets: Object.fromEntries(
      METHOD_NAMES.map((method) => [
        method,
        { offline: differing(of(method, 'offline')), openai: differing(of(method, 'openai')) },
      ]),
    ),
  };
};

const placeForm = async ({ home, env }: Place): Promise<PlaceForm> => {
  const tasks = await Promise.all(
    (await listTasks()).map(async (id) => {
      const { title, direction } = await loadTask(id);
      return { id, title, direction };
    }),
  );
  const model = (
    environmentLayer({ ...env, ...installationModel(home.root, env) })?.settings as
      | { readonly model?: { readonly kind?: 'offline' | 'openai'; readonly name?: string; readonly baseUrl?: string } }
      | undefined
  )?.model;
  return {
    tasks,
    model: {
      kind: model?.kind ?? 'offline',
      name: model?.name ?? null,
      baseUrl: model?.baseUrl === undefined ? null : hideCredentials(model.baseUrl),
    },
    keysFor: Object.keys(rememberedKeys(home.root)).map(hideCredentials),
    keyInEnvironment: (env['OPENAI_API_KEY'] ?? '') !== '',
  };
};
