// The house's rules as tests: which room may import which, what stays out of workflows and evolution, and file sizes.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
type Import = { readonly from: string; readonly target: string; readonly typeOnly: boolean };

const files = (room: string): string[] =>
  readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(room, file));

const importsOf = (file: string): Import[] => {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return [
    ...source.matchAll(
      /^\s*(?:import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm,
    ),
  ].map((match) => {
    const specifier = match[2] ?? match[3]!;
    const target = specifier.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(file), specifier)) : specifier;
    return { from: file, target, typeOnly: match[1] !== undefined };
  });
};

const ROOMS = ['evolution', 'workflows', 'activities', 'workers', 'cli', 'deploy', 'tasks', 'test'];
const roomOf = (target: string): string =>
  ROOMS.find((room) => target === room || target.startsWith(`${room}/`)) ?? 'package';
const all = (room: string): Import[] => files(room).flatMap(importsOf);
const wrong = (room: string, allowed: (one: Import) => boolean): string[] =>
  all(room)
    .filter((one) => !allowed(one))
    .map((one) => `${one.from} imports ${one.target}`);

describe('the house', () => {
  it('evolution imports nothing outside itself but small pure libraries', () => {
    expect(
      wrong(
        'evolution',
        ({ from, target }) =>
          roomOf(target) === 'evolution' ||
          (/^evolution\/(config|methods|sweep)\//.test(from) && ['zod', 'yaml'].includes(target)) ||
          (from.startsWith('evolution/measures/') && target === '@lezer/python'),
      ),
    ).toEqual([]);
  });

  it('workflows import evolution, types of activities and the SDK, nothing of the outside world', () => {
    expect(
      wrong(
        'workflows',
        ({ target, typeOnly }) =>
          ['evolution', 'workflows'].includes(roomOf(target)) ||
          (roomOf(target) === 'activities' && typeOnly) ||
          ['@temporalio/workflow', '@temporalio/common'].includes(target),
      ),
    ).toEqual([]);
    expect(
      wrong('workflows', ({ target }) => !target.startsWith('evolution/config/') || target.endsWith('run-config.ts')),
    ).toEqual([]);
  });

  it('activities import evolution and themselves', () => {
    expect(
      wrong('activities', ({ target }) => ['evolution', 'activities', 'package'].includes(roomOf(target))),
    ).toEqual([]);
  });

  it('the command line imports no activity but the store, task and key files and the steering verbs, and no worker', () => {
    expect(
      wrong(
        'cli',
        ({ target, typeOnly }) =>
          roomOf(target) !== 'workers' &&
          roomOf(target) !== 'test' &&
          (roomOf(target) !== 'activities' ||
            typeOnly ||
            /^activities\/((store|task|llm|steering|stages)\/|whole-file\.ts)/.test(target)),
      ),
    ).toEqual([]);
  });

  it('deploy imports nothing from the other rooms', () => {
    expect(wrong('deploy', ({ target }) => ['deploy', 'package'].includes(roomOf(target)))).toEqual([]);
  });

  it('evolution and workflows have no clock, no chance and no Node built-ins', () => {
    const offences = ['evolution', 'workflows'].flatMap(files).flatMap((file) => {
      const source = readFileSync(join(ROOT, file), 'utf8').replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '');
      const found = [
        ...source.matchAll(/Math\.random|new Date\(\)|performance\.now|process\.|setTimeout|crypto\./g),
      ].map((match) => `${file}: ${match[0]}`);
      // The SDK replaces Date.now inside workflows by the time of the history; the pure domain has none.
      if (file.startsWith('evolution') && /Date\.now/.test(source)) found.push(`${file}: Date.now`);
      return [
        ...found,
        ...importsOf(file)
          .filter((one) => isBuiltin(one.target))
          .map((one) => `${file}: ${one.target}`),
      ];
    });
    expect(offences).toEqual([]);
  });

  it('files stay small: one idea each', () => {
    const long = ROOMS.filter((room) => room !== 'test' && room !== 'tasks')
      .flatMap(files)
      .map((file) => [file, readFileSync(join(ROOT, file), 'utf8').split('\n').length] as const)
      .filter(([, lines]) => lines > 320);
    expect(long).toEqual([]);
  });

  it('one protobufjs serves the whole SDK, or replay of a JSON history dies', () => {
    const require = createRequire(join(ROOT, 'package.json'));
    const resolved = new Set(
      ['@temporalio/proto', '@temporalio/common', '@temporalio/worker'].map((name) =>
        createRequire(require.resolve(name)).resolve('protobufjs'),
      ),
    );
    expect(resolved.size).toBe(1);
  });
});
