// What the commands of verbs say, and that each reads its flags as the page writes them.
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { bodyOf, withFields } from '../../cli/flags/fields.ts';
import { sentence } from '../../cli/flags/many.ts';
import { isRunAct, type RunAct } from '../../client/act.ts';
import { commandLine } from '../../evolution/steering/base/command-line.ts';
import { type Body, verbNames, verbOf } from '../../evolution/steering/verbs.ts';
import { runWith } from '../support/engine/steered-run.ts';

const told = async (name: 'pause' | 'stop', stream: boolean | Error, body: Body<'pause'> = {}): Promise<string> => {
  const { run } = await runWith({ open: true });
  run.streams = async () => {
    if (stream instanceof Error) throw stream;
    return stream;
  };
  return sentence(name, 'demo', (await run.act(name, body)).text);
};

test('a stream waits for what is under way, any other run for its step, and with --now nothing is waited for', async () => {
  expect(await told('pause', true)).toBe(
    'demo: pauses when all that is under way is committed; `npx evolve resume demo` goes on',
  );
  expect(await told('stop', false)).toBe(
    'demo: stops after its current step; `npx evolve resume demo` continues it later',
  );
  expect(await told('stop', new Error('the database is away'))).toContain('stops after its current step');
  expect(await told('stop', true, { mode: 'now' })).toContain('demo: stops now');
});

test.each(
  verbNames
    .filter(isRunAct)
    .filter((name) => !['inject', 'set', 'hint', 'task-update'].includes(name))
    .flatMap((name) => (verbOf(name).message?.examples ?? []).map((body) => [name, body] as const)),
)('evolve %s is read as it is written: %j', (name: RunAct, example) => {
  const [, , , ...words] = commandLine(name, [], example as Body<RunAct>).split(' ');
  let read: object | null = null;
  const command = withFields(new Command(name).exitOverride(), name).action((...given: unknown[]) => {
    read = bodyOf(name, given.at(-2) as object, given.slice(0, -2) as string[]);
  });
  command.parse(
    words
      .join(' ')
      .replaceAll(/'([^']*)'/g, (_, text: string) => text.replaceAll(' ', '_'))
      .split(' ')
      .filter(Boolean),
    { from: 'user' },
  );
  const spaced = JSON.parse(JSON.stringify(read).replaceAll('_', ' ')) as object;
  expect(spaced).toMatchObject(example);
});
