// The page at 100,000 programs and over a live run with ten viewers, in Chromium, against the budgets of its issue.
import type { Judge } from './conditions.ts';
import { measureLarge } from './page/large.ts';
import { measureLive } from './page/live.ts';
import { measureTexts } from './page/texts.ts';
import { launch, noBrowser } from '../support/page/browser.ts';
import type { TestHome } from '../support/machine/home.ts';
import { pageOfHome } from '../support/page/serve.ts';

const GOALS = {
  scriptGzipKiB: { atMost: 120, unit: ' KiB' },
  firstViewSeconds: { atMost: 1, unit: ' s' },
  firstViewMB: { atMost: 2, unit: ' MB' },
  sortMs: { atMost: 100, unit: ' ms' },
  filterMs: { atMost: 100, unit: ' ms' },
  // A frame now and then is the machine's.
  scrollFps: { atLeast: 58 },
  heapMB: { atMost: 150, unit: ' MB' },
  actionMs: { atMost: 300, unit: ' ms' },
  freshMs: { atMost: 1_000, unit: ' ms' },
  serverMB: { atMost: 160, unit: ' MB' },
  serverCpuShare: { atMost: 0.01 },
  foreignRequests: { atMost: 0 },
  overlaps: { atMost: 0 },
  cutTexts: { atMost: 0 },
} as const;

export const benchPage = async (
  home: TestHome,
  say: (line: string) => void,
  judge: Judge,
  { programs }: { readonly programs: number },
): Promise<unknown> => {
  const why = noBrowser();
  if (why !== null) throw new Error(why);
  const browser = await launch();
  try {
    const { url, pid } = await pageOfHome(home);
    const large = await measureLarge({ home, browser, url, programs, say });
    const live = await measureLive({ home, browser, url, pid, say });
    const foreignRequests = large.foreign.length + live.foreign.length;
    const figures = { ...large.figures, ...live.figures, foreignRequests, ...(await measureTexts(browser, say)) };
    for (const one of [...large.foreign, ...live.foreign]) say(`  foreign request: ${one}`);
    for (const [name, goal] of Object.entries(GOALS)) {
      const value = figures[name as keyof typeof GOALS];
      say(`  ${name.padEnd(17)} ${String(value).padEnd(8)} ${judge({ what: name, value, ...goal }).text}`);
    }
    return { programs: large.programs, ...figures, detail: { ...large.detail, ...live.detail } };
  } finally {
    await browser.close();
  }
};
