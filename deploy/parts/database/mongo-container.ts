// Runs MongoDB in a container for as long as this process lives. It is the supervisor's child `database` when Docker
// gives the database. Usage: node mongo-container.ts <volume and container name> <home hash> <port>; DOCKER_HOST names
// the engine.
import Docker from 'dockerode';
import { MONGO_IMAGE, mongodFlags } from './mongo-image.ts';

const [name, homeHash, portText] = process.argv.slice(2);
if (!name || !homeHash || !portText) throw new Error('usage: node mongo-container.ts <name> <home hash> <port>');
const docker = new Docker();
const container = docker.getContainer(name);
const STOP_SECONDS = 12;
/** Labels of a container that may be taken over: our port, and the question for a password. */
const FORM = { 'evolve.port': portText, 'evolve.auth': 'yes' };
const isOurForm = (labels: Readonly<Record<string, string>>): boolean =>
  Object.entries(FORM).every(([name, value]) => labels[name] === value);

const create = (): Promise<unknown> =>
  docker.createContainer({
    name,
    Image: MONGO_IMAGE,
    Labels: { 'evolve.home': homeHash, 'evolve.role': 'database', ...FORM },
    Cmd: ['mongod', ...mongodFlags(portText)],
    // The host's network works on an engine without a bridge, too, and the server binds loopback alone.
    HostConfig: { NetworkMode: 'host', Binds: [`${name}:/data/db`], Init: true },
  });

const ignoreAbsent = (error: { statusCode?: number }): void => {
  if (error.statusCode !== 404 && error.statusCode !== 304 && error.statusCode !== 409) throw error;
};

/** A container of another form is removed. Its volume stays. */
const ensureStarted = async (): Promise<void> => {
  const present = await container.inspect().catch((error: { statusCode?: number }) => {
    ignoreAbsent(error);
    return null;
  });
  if (present && !isOurForm(present.Config.Labels)) {
    await container.stop({ t: STOP_SECONDS }).catch(ignoreAbsent);
    await container.remove({ force: true }).catch(ignoreAbsent);
  }
  if (!present || !isOurForm(present.Config.Labels)) await create();
  await container.start().catch(ignoreAbsent);
};

let stopping = false;
const stop = async (): Promise<void> => {
  stopping = true;
  await container.stop({ t: STOP_SECONDS }).catch(ignoreAbsent);
  await container.remove({ force: true }).catch(ignoreAbsent);
  process.exit(0);
};
process.on('SIGTERM', () => void stop());
process.on('SIGINT', () => void stop());

await ensureStarted();
const { StatusCode } = (await container.wait()) as { StatusCode: number };
if (!stopping) {
  console.error(`mongod ended with code ${StatusCode}`);
  process.exit(1);
}
