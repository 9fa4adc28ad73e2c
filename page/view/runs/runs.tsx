// All runs, a card each: what a person wants to know before opening one.
import type { Overview } from '../../data/runs.ts';
import { Figure, Foreign, Nothing, State, When } from '../base/parts.tsx';
import { linkTo, useAnswer, useNews } from '../base/state.ts';
import { count, score, usd } from '../base/text.ts';

export const Runs = () => {
  useNews(null);
  return (
    <>
      <h1>Runs</h1>
      <When answer={useAnswer<Overview>('overview', 'runs')}>
        {({ runs }) =>
          runs.length === 0 ? (
            <Nothing>
              There are no runs yet. <code>npm start</code> begins one.
            </Nothing>
          ) : (
            <ul class="cards">
              {runs.map((run) => (
                <li class="card" key={run.run}>
                  <h2>
                    <a href={linkTo(['run', run.run])}>
                      <Foreign text={run.run} />
                    </a>
                    <State state={run.state} />
                  </h2>
                  <p class="about">
                    {run.task} · {run.method}
                  </p>
                  <dl class="figures">
                    <Figure name="best">{score(run.best?.ranking)}</Figure>
                    <Figure name="programs">{count(run.programs)}</Figure>
                    <Figure name="cost">{usd(run.paid.costUsd)}</Figure>
                  </dl>
                </li>
              ))}
            </ul>
          )
        }
      </When>
    </>
  );
};
