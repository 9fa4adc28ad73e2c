// The check that every part is there that runs need, before they begin.
import { setTimeout as sleep } from 'node:timers/promises';
import { engineRuntime, runtimeMissing } from '../../activities/sandbox/launchers/runtimes.ts';
import { canAsk, engineAnswers, engineRuntimes, engineSilence } from '../../deploy/parts/docker/engine-address.ts';
import { refusalOf } from '../../deploy/supervisor/health.ts';
import { missedIn, type UpInfo } from '../../deploy/supervisor/plan.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { OciRuntime } from '../../evolution/types.ts';
import { type Place, START, upOf, withStore } from '../connect/connection.ts';
import { isElsewhere, requireEngine } from '../connect/elsewhere.ts';
import { MissingError } from '../connect/errors.ts';
import { ensureLearning } from './learning-parts.ts';
import { levelOf } from '../../evolution/config/levels.ts';

/** Within this time the supervisor starts a dead part again and sees that it is well. */
const RESTART_MS = 10_000;

/** Sets up what only runs that learn need, and throws unless every part that these runs need is there. */
export const checkParts = async (place: Place, configs: readonly RunConfig[]): Promise<void> => {
  const up = upOf(place);
  await ensureLearning(place, configs, (use) => withStore(place, use));
  if (isElsewhere(up)) return withStore(place, requireEngine);
  for (const one of up.processes) {
    const refused = one.healthy || one.optional ? null : refusalOf(one.log, one);
    if (refused !== null) throw new MissingError(`${one.name} does not start: ${refused}`);
  }
  const deadline = performance.now() + RESTART_MS;
  const away = (): UpInfo['processes'] => missedIn(upOf(place));
  while (away().length > 0 && performance.now() < deadline) await sleep(200);
  const dead = away();
  if (dead.length > 0)
    throw new MissingError(`not running: ${dead.map(({ name, log }) => `${name} (log: ${log})`).join(', ')}: ${START}`);
  const info = upOf(place);
  const contained = configs.filter(
    ({ evaluation: { sandbox } }) => levelOf(sandbox === 'auto' ? info.docker.level : sandbox)?.engine === true,
  );
  if (contained.length > 0) await checkDocker(info, new Set(contained.map(({ evaluation }) => evaluation.runtime)));
};

const checkDocker = async ({ docker }: UpInfo, wanted: ReadonlySet<OciRuntime>): Promise<void> => {
  if (docker.host === null)
    throw new MissingError(
      'no Docker engine is known, and candidates run in containers only: `npx evolve doctor` says how to get one',
    );
  if (canAsk(docker.host) && !(await engineAnswers(docker.host))) {
    throw new MissingError(
      `the Docker engine at ${docker.host} does not answer (${await engineSilence(docker.host)}): start it, or set DOCKER_HOST and run \`npx evolve up\``,
    );
  }
  const named = [...wanted].filter((runtime) => runtime !== 'engine');
  if (named.length === 0 || !canAsk(docker.host)) return;
  const listed = await engineRuntimes(docker.host);
  const lacking = named.find((runtime) => engineRuntime(runtime, listed) === null);
  if (lacking !== undefined) throw new MissingError(runtimeMissing(lacking, listed));
};
