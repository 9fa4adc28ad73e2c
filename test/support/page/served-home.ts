// Where the page of a home is that is up. `up` does not wait for the page, so who needs it does.
import { type ServedPage, servedPage } from '../../../client/connect/page-address.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { type TestHome, until } from '../machine/home.ts';

export const pageOfHome = ({ env }: TestHome): Promise<ServedPage> =>
  until('the page of a home', 120_000, async () => {
    const page = servedPage({ home: resolveHome(env) });
    if (page === null) return null;
    const answers = await fetch(page.url).then(
      ({ ok }) => ok,
      () => false,
    );
    return answers ? page : null;
  });
