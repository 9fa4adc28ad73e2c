import { chromium } from 'playwright-core';
const [,, hash, name] = process.argv;
const b = await chromium.launch({executablePath:'/usr/bin/chromium', args:['--no-sandbox','--disable-gpu','--disable-quic','--no-first-run','--disable-background-networking','--disable-component-update','--disable-sync']});
for (const [w,scheme] of [[1280,'light'],[390,'dark']]) {
  const p = await b.newPage({viewport:{width:w,height:900}, colorScheme:scheme});
  p.on('console', m=> m.type()==='error' && console.log('console', m.text())); p.on('pageerror', e=>console.log('pageerror', e.message));
  await p.goto('http://127.0.0.1:9931/'+hash); await p.waitForSelector(".reach", {timeout: 20000}).catch(()=>{});
  await p.screenshot({path:`/tmp/shot-${name}-${w}.png`, fullPage: w===390?false:false}); console.log(await p.evaluate(()=>document.documentElement.scrollWidth));
}
await b.close();
