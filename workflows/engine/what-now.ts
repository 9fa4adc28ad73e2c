// The things that a person can do now with a run or a sweep: the verbs that make sense in its state, as commands and as messages.
import { hasEnded } from '../../evolution/run-states.ts';
import type { Situation } from '../../evolution/steering/base/verb.ts';
import { commandLine } from '../../evolution/steering/base/command-line.ts';
import {
  isSweepVerb,
  messageName,
  refusalOf,
  type VerbName,
  verbNames,
  verbOf,
} from '../../evolution/steering/verbs.ts';

/** Texts in a body hold none of the signs that are spaced here. */
const inOneLine = (body: object): string =>
  `\`${JSON.stringify(body).replaceAll('":', '": ').replaceAll(',"', ', "')}\``;

/** A closed run hears no message: *Start Workflow* takes these inputs. */
const INPUTS: { readonly [verb in VerbName]?: (run: string, body: object) => object } = {
  resume: (run) => ({ run }),
  extend: (run, extend) => ({ run, extend }),
  set: (run, patch) => ({ run, ...patch }),
  rewind: (run, rewind) => ({ run, rewind }),
};

const bodiesOf = (name: VerbName, { steps }: Situation): readonly object[] =>
  name === 'rewind' ? [{ toStep: Math.max(1, steps) }] : verbOf(name).message!.examples;

const row = (name: VerbName, now: Situation): string => {
  const { brief, message } = verbOf(name);
  const bodies = bodiesOf(name, now);
  const input = INPUTS[name];
  const sent = hasEnded({ status: now.state })
    ? inOneLine(input!(now.run, bodies[0]!))
    : `${message!.kind} \`${messageName(name)}\` with ${bodies.map(inOneLine).join(' or ')}`;
  return `| ${brief} | \`${commandLine(name, [now.run], bodies[0] as never)}\` | ${sent} |`;
};

/** Markdown: a sentence that says where to send it, and a table. */
export const whatNow = (of: 'run' | 'sweep', now: Situation): readonly string[] => {
  const hasClosed = hasEnded({ status: now.state });
  if (of === 'sweep' && hasClosed)
    return [
      '**What you can do now**: `npx evolve sweep resume`, or *Start Workflow* with the same input, goes on with what is left.',
    ];
  const verbs = verbNames.filter(
    (name) =>
      isSweepVerb(name) === (of === 'sweep') &&
      verbOf(name).message !== null &&
      (!hasClosed || INPUTS[name] !== undefined) &&
      refusalOf(name, now) === null,
  );
  const workflow = `\`${of}/${now.run}\``;
  return [
    hasClosed
      ? `**What you can do now**: a command, or *Start Workflow* with workflow id ${workflow}, task queue \`evolve-workflow\`, workflow type \`evolutionRun\` and the input.`
      : `**What you can do now**: a command, or a message to the workflow ${workflow} (*More Actions*).`,
    '',
    `| to | command | ${hasClosed ? 'input' : 'message'} |`,
    '| --- | --- | --- |',
    ...verbs.map((name) => row(name, now)),
  ];
};
