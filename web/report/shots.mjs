// Takes pictures of all reports, to be looked at: `IMPINGE_REPORTS=FOLDER node shots.mjs TARGET`.

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { close as closeBrowser, open } from './test/browser.mjs';

const target = process.argv[2] ?? 'shots';
await mkdir(target, { recursive: true });
const sizes = [
  [1440, 900],
  [1920, 1080],
  [800, 1000],
];
for (const name of process.argv.slice(3).length
  ? process.argv.slice(3)
  : ['free', 'contact', 'partial', 'nasty']) {
  for (const size of sizes) {
    for (const scheme of ['light', 'dark']) {
      const { page, troubles, close } = await open(name, { size, scheme });
      const file = path.join(target, `${name}-${size[0]}-${scheme}`);
      await page.screenshot({ path: `${file}.png`, timeout: 120000 });
      if (size[0] !== 1920)
        await page.screenshot({ path: `${file}-full.png`, fullPage: true, timeout: 120000 });
      console.log(file, troubles);
      await close();
    }
  }
}
await closeBrowser();
