// The image in which programs in JavaScript run: the evaluator image with the project's own Node in it. The engine
// builds it from what is on this machine, once for each base image and version.
import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage, connectEngine, imageId } from './engine.ts';
import { sha256 } from '../../host/sha256.ts';

const REPOSITORY = 'durable-evolve-node';

export type NodeImageOptions = {
  readonly dockerHost: string | undefined;
  /** Id of the evaluator image. */ readonly base: string;
  /** Path of the Node binary. */ readonly node: string;
  readonly version: string;
};

/** Resolves to the image's id, and throws where the engine cannot build it. */
export const ensureNodeImage = async ({ dockerHost, base, node, version }: NodeImageOptions): Promise<string> => {
  const docker = connectEngine(dockerHost);
  const tag = sha256(JSON.stringify([base, version])).slice(0, 12);
  const name = `${REPOSITORY}:${tag}`;
  const present = await imageId(docker, name);
  if (present !== null) return present;
  const context = await mkdtemp(join(tmpdir(), 'evolve-node-image-'));
  try {
    await copyFile(node, join(context, 'node'));
    await chmod(join(context, 'node'), 0o755);
    await writeFile(
      join(context, 'Dockerfile'),
      `FROM ${await nameOf(docker, base)}\nCOPY node /usr/local/bin/node\nCMD ["node"]\n`,
    );
    return await buildImage(docker, { folder: context, tag: name, labels: { 'evolve.image': 'node' } });
  } finally {
    await rm(context, { recursive: true, force: true });
  }
};

/** A Dockerfile has to name its base by a tag, because the engine would look for an id in a registry. */
export const nameOf = async (docker: ReturnType<typeof connectEngine>, base: string): Promise<string> => {
  const { RepoTags: tags } = await docker.getImage(base).inspect();
  if (tags?.[0] !== undefined) return tags[0];
  const [repo, tag] = [`${REPOSITORY}-base`, base.replace(/^sha256:/, '').slice(0, 12)];
  await docker.getImage(base).tag({ repo, tag });
  return `${repo}:${tag}`;
};
