// The tables of verbs in the docs.
import { flagMeaning } from '../../evolution/steering/base/fields.ts';
import type { Verb } from '../../evolution/steering/base/verb.ts';
import { commandLine } from '../../evolution/steering/base/command-line.ts';
import {
  type Body,
  commandOf,
  isSweepVerb,
  messageName,
  messagesTo,
  type VerbName,
  verbNames,
  verbOf,
} from '../../evolution/steering/verbs.ts';

const code = (text: string): string => `\`${text}\``;

const flagsOf = ({ fields }: Verb): string =>
  Object.values(fields)
    .flatMap((field) => (field.flag?.startsWith('--') ? [`${code(field.flag)} ${flagMeaning(field)}`] : []))
    .join('; ');
const usageOf = (name: VerbName): string => {
  const { many, fields } = verbOf(name);
  const target = isSweepVerb(name) ? '<name>' : many ? '[runs]' : '<run>';
  const words = Object.values(fields).flatMap(({ flag }) =>
    flag === undefined || flag.startsWith('--') ? [] : [flag],
  );
  return [commandOf(name), target, ...words].join(' ');
};

/** Rows for docs/cli.md: each command with its flags. */
export const commandsTable = (): string =>
  [
    '| command | what it does | flags |',
    '| --- | --- | --- |',
    ...verbNames
      .filter((name) => verbOf(name).group !== 'A run')
      .map((name) => `| ${code(usageOf(name))} | ${verbOf(name).brief} | ${flagsOf(verbOf(name))} |`),
  ].join('\n');

/** Rows for docs/steering.md: each verb of a run that is a message, as command and as message. */
export const steeringTable = (): string =>
  [
    '| what | command | message to `run/<id>` | body |',
    '| --- | --- | --- | --- |',
    ...verbNames.flatMap((name) => {
      const { brief, message } = verbOf(name);
      if (message === null || isSweepVerb(name)) return [];
      const [first] = message.examples;
      const command = commandLine(name, ['demo'], first as Body<VerbName>).replace(/^npx /, '');
      return `| ${brief} | ${code(command)} | ${message.kind} ${code(messageName(name))} | ${message.examples.map((body) => code(spaced(body))).join(', ')} |`;
    }),
  ].join('\n');

const spaced = (body: object): string => JSON.stringify(body).replaceAll('":', '": ').replaceAll(',"', ', "');

/** Rows for docs/temporal-ui.md: the messages that each workflow takes from people. */
export const messagesTable = (): string => {
  const named = (of: 'run' | 'sweep', kind: 'signal' | 'update'): string =>
    messagesTo(of)
      .filter((name) => verbOf(name).message!.kind === kind)
      .map((name) => code(messageName(name)))
      .join(', ');
  return [
    '| to | signals | updates | queries |',
    '| --- | --- | --- | --- |',
    `| \`run/<id>\` | ${named('run', 'signal')} | ${named('run', 'update')} | \`status\` |`,
    '| `run/<id>/step/<n>` | `retry` | | `inStep` |',
    '| `run/<id>/update/<n>` | `retry` | | `inUpdate` |',
    `| \`sweep/<name>\` | ${named('sweep', 'signal')} | | \`progress\` |`,
  ].join('\n');
};
