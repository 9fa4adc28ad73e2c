import { chromium } from 'playwright-core';
const [,, list] = process.argv;
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--headless','--no-sandbox','--disable-gpu','--disable-quic','--no-first-run','--disable-background-networking','--disable-component-update','--disable-sync'] });
for (const spec of list.split(' ')) {
  const [name, hash, width, scheme, full] = spec.split('|');
  const page = await browser.newPage({ viewport: { width: Number(width), height: width === '390' ? 844 : 850 }, colorScheme: scheme });
  page.on('console', (m) => m.type() === 'error' && console.log(name, 'console', m.text()));
  page.on('pageerror', (e) => console.log(name, 'error', e.message, e.stack?.slice(0, 300)));
  await page.goto(`http://127.0.0.1:4704/#${hash}`);
  await page.waitForTimeout(1500); await page.waitForFunction(() => document.querySelector('.busy') === null, null, { timeout: 30000 }).catch(() => console.log(name, 'busy')); await page.waitForTimeout(1500);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) console.log(name, 'scrolls sideways by', wide);
  await page.screenshot({ path: `/tmp/p4-${name}.png`, fullPage: full === 'full' });
  await page.close();
}
await browser.close();
