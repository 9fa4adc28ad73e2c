// Every secret that a data directory and its processes hold, so that none of them is in what leaves the machine.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createKeyRing, secretsIn } from '../../../activities/llm/transport/key-ring.ts';
import { readJsonOrNull } from '../../../deploy/host/files.ts';
import { secretsOfDestination } from '../../../deploy/host/notify.ts';
import { PAGE_TOKEN_FILE } from '../../../deploy/host/page-token.ts';
import type { Plan, UpInfo } from '../../../deploy/supervisor/plan.ts';
import type { Place } from '../../connect/connection.ts';

/** Files of which each line is a secret, after `id:` where it has one. */
const FILES = ['database-password', 'payload-keys', 'secret', 'trial-secret'] as const;

const textIn = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

const linesOf = (file: string): readonly string[] =>
  textIn(file)
    .split('\n')
    .map((line) => line.slice(line.indexOf(':') + 1).trim());

/** Parameters of an address that are secrets: `?tlsCertificateKeyFilePassword=...`. */
const inQuery = (uri: string): readonly string[] =>
  [...uri.matchAll(/[?&][^=&]*(?:password|properties|token|secret)[^=&]*=([^&#]*)/gi)].map(([, value]) => value!);

/**
 * Keys in a profile of Temporal (`api_key = "..."`), also under a name of the user's own, and in a kubeconfig file
 * (`token: ...`, or as JSON). A text over several lines is a certificate's key, of which each line is a secret.
 */
const ASSIGNED =
  /[\w-]*(?:key|token|secret|password|authorization|key[_-]data)["']?\s*[=:]\s*(?:("""|''')([^]*?)\1|"([^"\n]+)"|'([^'\n]+)'|([^\s"',}#]+))/gi;
const SHORTEST_ASSIGNED = 8;
const assignedIn = (file: string): readonly string[] =>
  [...textIn(file).matchAll(ASSIGNED)].flatMap(([, , lines, ...values]) =>
    [...(lines?.split('\n') ?? []), ...values.flatMap((value) => value?.replace(/^(?:Bearer|Basic)\s+/i, '') ?? [])]
      .map((one) => one.trim())
      .filter((one) => one.length >= SHORTEST_ASSIGNED && !one.startsWith('-----')),
  );

/** The file in which the SDK looks for profiles that no variable names (@temporalio/envconfig). */
const profilesOf = (env: NodeJS.ProcessEnv): string =>
  env['TEMPORAL_CONFIG_FILE'] ||
  join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'temporalio', 'temporal.toml');

/** Takes every secret out of a text, and what looks like one of anybody. */
export const redactorOf = ({ home, env }: Place, further: readonly string[]): ((text: string) => string) => {
  const ring = createKeyRing({ home: home.root, env });
  const plan = readJsonOrNull<Plan>(home.planFile);
  const up = readJsonOrNull<UpInfo>(home.upFile);
  const environments = [env, ...(plan?.children ?? []).map((child) => child.env as NodeJS.ProcessEnv)];
  const named = (name: string): readonly string[] => environments.flatMap((one) => one[name] || []);
  const uris = [
    ...named('MONGODB_URI'),
    ...named('MONGODB_URI_FILE').map((file) => textIn(file).trim()),
    up?.database?.uri ?? '',
  ];
  const secrets = [
    ...environments.flatMap(secretsIn),
    ...secretsIn(Object.fromEntries(uris.map((uri, index) => [`URI_${index}`, uri]))),
    ...uris.flatMap(inQuery),
    ...FILES.flatMap((name) => linesOf(join(home.root, name))),
    ...named('EVOLVE_PAYLOAD_KEYS_FILE').flatMap(linesOf),
    ...named(PAGE_TOKEN_FILE).map((file) => textIn(file).trim()),
    ...named('EVOLVE_KEYS_FILE').flatMap((file) => Object.values(readJsonOrNull<Record<string, string>>(file) ?? {})),
    ...[...environments.map(profilesOf), ...named('EVOLVE_K8S_KUBECONFIG')].flatMap(assignedIn),
    ...environments.flatMap((one) => secretsOfDestination(home.root, one)),
    ...further,
  ];
  // As they are, and as JSON and addresses write them.
  for (const secret of secrets)
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())])
      ring.remember(form);
  return (text) => ring.report(text);
};
