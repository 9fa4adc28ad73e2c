// evolve task fetch: brings the downloads that task.yaml names, once, before any run.
import { taskFolder } from '../../../client/tasks/task-folder.ts';
import { fetchDownloads } from '../../../client/tasks/world.ts';
import { act, type Build } from '../../flags/command.ts';
import { EXIT } from '../../terminal/exit.ts';
import { answer } from '../../terminal/output.ts';

export const build: Build = (command) =>
  command.argument('<task>', 'id of the task, or its folder').action(
    act(async (context, _options: object, named: string) => {
      const files = await fetchDownloads(context, await taskFolder(named));
      answer(context, { files }, () => [`${files.length} downloads are here`]);
      return EXIT.well;
    }),
  );
