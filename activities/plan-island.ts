// Activity `planIsland`: plans the groups of one island's next step within a window, as soon as its own step before is evaluated, whatever the other
// islands are at (CodeEvolve, section 3, lock-step). The island is as the commits of its steps will leave it, so the plan is the same as ever.
import { ApplicationFailure } from '@temporalio/activity';
import { promptId } from '../evolution/ids.ts';
import { commitStep } from '../evolution/insertion.ts';
import { islandView } from '../evolution/island-view.ts';
import { applyChangeSet } from '../evolution/population.ts';
import { groupsOn } from '../evolution/ties.ts';
import { createAhead, type AheadDeps } from './ahead.ts';
import { childOf } from './child-of.ts';
import type { StoreActivities } from './interface.ts';
import { planGroups, preludesOf } from './plan-groups.ts';

export const createPlanIsland = (deps: AheadDeps): Pick<StoreActivities, 'planIsland'> => {
  const { store, loadTask } = deps;
  const aheadOf = createAhead(deps);
  return {
    async planIsland(at) {
      const { run, step, epoch, version, island } = at;
      const config = await store.readConfig(run, version);
      const groups = groupsOn(island, step, config);
      const ids = groups.map((group) => promptId(run, step, epoch, group));
      if ((await store.getPrompts(ids)).size < ids.length) {
        const { ahead, document, store: over } = await aheadOf(at);
        const [population, committed] = await store.readPopulation(run, (whole, after) => [islandView(whole, island), after] as const);
        if (committed < ahead.committed || committed >= step) throw ApplicationFailure.create({ message: `step ${step} of run ${run} was planned while the run went from step ${ahead.committed} to ${committed}`, type: 'Moved' });
        for (const { step: before, programs } of ahead.steps) {
          if (before > committed) applyChangeSet(population, commitStep({ population, children: programs.map(childOf), step: before, settings: config }));
        }
        await planGroups({ store: over, task: await loadTask(config.task), run: document, step, epoch, config, version, population, groups, ahead });
      }
      return { groups, preludes: await preludesOf(store, { config, run, step, epoch, groups }) };
    },
  };
};
