// `function` evaluation on Docker: the contract, and what only Docker does.
import {
  createDockerGate,
  createDockerScorer,
  createDockerSandbox,
} from '../../../../activities/sandbox/levels/docker.ts';
import { dockerHost, testHome, testImage } from './docker.ts';
import { functionContract, OF_A_LEVEL } from './function-contract.ts';

functionContract(
  'docker',
  async () => {
    const options = { dockerHost, image: await testImage(), home: testHome(), log: () => undefined };
    return {
      sandbox: createDockerSandbox({ ...options, concurrency: 2 }),
      gate: createDockerGate(options),
      scorerFor: (task) => createDockerScorer({ ...options, task }),
    };
  },
  OF_A_LEVEL,
);
