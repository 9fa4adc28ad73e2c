// Images for programs in other languages than Python, by the name that a task gives them. Called by isolation.ts and tests.
import { connectEngine, imageId } from '../deploy/image/engine.ts';
import { ensureNodeImage } from '../deploy/image/node.ts';
import { projectNode } from '../deploy/home.ts';

/** `node` is built when first asked for; any other name must be an image of the engine's. Throws with what to do. */
export const runtimeImages = ({ dockerHost, base }: { readonly dockerHost: string | undefined; readonly base: string }): ((name: string) => Promise<string>) => {
  const found = new Map<string, Promise<string>>();
  const find = async (name: string): Promise<string> => {
    if (name === 'node') return ensureNodeImage({ dockerHost, base, node: projectNode(), version: process.version });
    const id = await imageId(connectEngine(dockerHost), name);
    if (id === null) throw new Error(`the Docker engine has no image ${name}, which the task's runtime names: load or pull it`);
    return id;
  };
  return (name) => {
    const known = found.get(name) ?? find(name).catch((error: unknown) => { found.delete(name); throw error; });
    found.set(name, known);
    return known;
  };
};
