// Records replay fixtures anew, once a workflow was changed on purpose and no run of the old code is to go on. Names of
// scenes on the command line record only these, which is how a new fixture is added and old ones stay as they are:
// node test/workflows/record-all.ts rested paused
import type { Scene } from './recording/fixture.ts';
import { brokenScenes } from './recording/broken.ts';
import { endedScenes } from './recording/ended.ts';
import { learningScenes, openPlayed, type Played } from './recording/learning.ts';
import { longScenes, SUGGEST_AT } from './recording/long.ts';
import { runScenes } from './recording/runs.ts';
import { openStack, type Stack } from './recording/stack.ts';
import { streamScenes } from './recording/streams.ts';
import { sweepScenes } from './recording/sweeps.ts';
import { openWorld, type World } from './recording/world.ts';

const wanted = ({ name }: Scene): boolean => process.argv.length < 3 || process.argv.slice(2).includes(name);
const all = async <Parts extends { close(): Promise<void> }>(
  open: () => Promise<Parts>,
  scenesOn: (parts: Parts) => readonly Scene[],
  before: (parts: Parts) => void,
): Promise<void> => {
  // Scenes say their names before there is anything to record them on.
  if (!scenesOn({} as Parts).some(wanted)) return;
  const parts = await open();
  try {
    for (const scene of scenesOn(parts).filter(wanted)) {
      before(parts);
      await scene();
    }
  } finally {
    await parts.close();
  }
};

const undisturbed = ({ world }: World): void => {
  world.hold(() => false);
  world.fail(() => false);
};
await all<World>(openWorld, (world) => [...endedScenes(world), ...sweepScenes(world)], undisturbed);
await all<World>(() => openWorld(SUGGEST_AT), longScenes, undisturbed);
await all<Played>(
  openPlayed,
  (played) => [...learningScenes(played), ...streamScenes(played)],
  () => undefined,
);
await all<Stack>(
  openStack,
  (stack) => [...runScenes(stack), ...brokenScenes(stack)],
  ({ endpoint }) => endpoint.be('answers'),
);
