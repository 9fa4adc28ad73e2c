// What people see of a sweep in the Temporal UI, from its start through a pause and a continue-as-new to its end, as the
// UI asks for it: the attributes of its row, its current details, and the rows that there are of it.
import { describe, expect, it } from 'vitest';
import { startSweepRest } from '../../../client/upkeep/rest.ts';
import { Caretaker, keptSweeps } from '../../../workers/roles/caretaker.ts';
import { until } from '../../support/machine/home.ts';
import { swept, sweepWorld } from '../../support/engine/sweep-world.ts';

const world = sweepWorld({ suggestAt: 80 });
const attributes = async (name: string) => (await world.sweep(name).describe()).searchAttributes;
const status = async (name: string) => (await world.sweep(name).query<{ status: string }>('progress')).status;
const saying = (name: string, word: string) =>
  until(`${name} to be ${word}`, 60_000, async () => (await attributes(name)).EvoStatus?.[0] === word);
/** An execution that has just taken over from another says only after a moment what it knows. */
const shows = (name: string, said: string) =>
  until(`the page of ${name} to say: ${said}`, 60_000, async () => (await world.page(`sweep/${name}`)).includes(said));

describe('the page of a sweep', () => {
  it('says how it stands and what can be done, through a pause, a continue-as-new and its end', async () => {
    const spec = swept('paged', { grid: { 'population.bins': [5, 10] }, maxParallel: 3 });
    world.hold((run, step) => run.startsWith('paged') && step === 2);
    await world.start(spec, 'sweep/paged');
    const runs = await world.runsOf('paged');
    await until('three runs at step 2', 60_000, () => runs.filter((run) => world.steps(run) > 2).length === 3);
    await saying('paged', 'running');
    await shows('paged', 'It waits for 3 runs under way, and 1 more wait for their turn.');
    const running = await world.page('sweep/paged');
    for (const said of [
      '**running**, 4 runs of 2 configurations, at most 3 at a time',
      'It waits for 3 runs under way, and 1 more wait for their turn.',
      'circle-packing-square-26, theta, no language model; ',
      'EvoSweepId = "paged" AND WorkflowType = "evolutionRun"',
      '`npx evolve sweep pause paged` | signal `pause` with `{"mode": "step"}`',
    ])
      expect(running).toContain(said);
    expect(await attributes('paged')).toMatchObject({
      EvoSweepId: ['paged'],
      EvoTask: ['circle-packing-square-26'],
      EvoModel: ['no language model'],
      EvoNeedsAttention: [false],
    });

    await world.sweep('paged').signal('pauze');
    await shows('paged', 'a sweep has no signal "pauze": nothing happened. Did you mean "pause"?');
    await world.sweep('paged').signal('pause', { reason: 'a look at the results' });
    await saying('paged', 'pausing');
    await shows('paged', 'It waits until 3 runs come to the end of the present step.');
    world.hold((run, step) => run.startsWith('paged') && step === 3);
    await saying('paged', 'paused');
    await until('the query to say paused', 60_000, async () => (await status('paged')) === 'paused');
    await shows('paged', '**paused** (a look at the results)');
    await shows('paged', '; 24 programs, ');

    // Messages make its history long enough, and the next execution knows all that the page needs.
    const { runId } = await world.sweep('paged').describe();
    await until('a continue-as-new', 60_000, async () => {
      await world.sweep('paged').signal('pauze');
      return (await world.sweep('paged').describe()).runId !== runId;
    });
    await until('the next execution to have looked', 60_000, async () => {
      const page = await world.page('sweep/paged');
      return (
        page.includes('; 24 programs, ') &&
        page.includes('**paused** (a look at the results), 4 runs of 2 configurations')
      );
    });
    world.hold(() => false);
    await world.sweep('paged').signal('resume', {});
    expect(await world.sweep('paged').result()).toMatchObject({ status: 'finished', runs: 4 });
    const ended = await world.page('sweep/paged');
    expect(ended).toContain('**finished**, 4 runs of 2 configurations');
    expect(ended).toContain('; 48 programs, 12.0000 USD.');
    expect(await attributes('paged')).toMatchObject({
      EvoStatus: ['finished'],
      EvoBestScore: [2.3],
      EvoSpend: [12],
      EvoEvaluations: [48],
      EvoNeedsAttention: [false],
    });
    const rows = async () => {
      const found: string[] = [];
      const query = 'WorkflowId = "sweep/paged" AND ExecutionStatus IN ("Running", "Completed")';
      for await (const row of world.client.workflow.list({ query })) found.push(row.status.name);
      return found;
    };
    await until('its row', 60_000, async () => (await rows()).join() === 'COMPLETED');
  });

  it('rests once the database is back, whatever is sent to it meanwhile', async () => {
    const { readSweep } = world.store;
    let tried = 0;
    Object.assign(world.store, {
      readSweep: async () => {
        tried += 1;
        throw new Error('the database is away');
      },
    });
    await startSweepRest(world.client, 'waited', 'by a person');
    await until('the end to be tried', 60_000, () => tried > 0);
    await world.sweep('waited').signal('pause', {});
    // A name that begins as the SDK's own do.
    await world.sweep('waited').signal('__temporal_nothing');
    Object.assign(world.store, { readSweep });
    expect(await world.sweep('waited').result()).toMatchObject({ status: 'terminated' });
  });

  it('says so when the sweep was terminated, and its runs go on', async () => {
    world.hold((run) => run.startsWith('ended'));
    await world.start(swept('ended'), 'sweep/ended');
    const runs = await world.runsOf('ended');
    await until('both runs to be open', 60_000, () => runs.every((run) => world.steps(run) > 0));
    const caretaker = new Caretaker(world.engine, [keptSweeps(world.store)]);
    const caring = caretaker.run(() => undefined);
    await world.sweep('ended').terminate('by a person');
    await saying('ended', 'terminated');
    caretaker.stop();
    await caring;
    expect(await world.sweep('ended').result()).toEqual({ sweep: 'ended', status: 'terminated', runs: 2 });
    expect(await world.store.readSweep('ended')).toMatchObject({ status: 'terminated' });
    await shows('ended', '**terminated**');
    expect((await world.run(runs[0]!).describe()).status.name).toBe('RUNNING');

    world.hold(() => false);
    const again = await world.start(swept('ended'), 'sweep/ended');
    expect(await again.result()).toMatchObject({ status: 'finished', runs: 2 });
  });
});
