// What a reader of a report relies on, tried in a browser without a window.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { close as closeBrowser, folder, hasCrashed, open, settled } from './browser.mjs';
import { decode } from './png.mjs';

const expected = JSON.parse(await readFile(path.join(folder, 'expected.json'), 'utf8'));
const state = (page) => page.evaluate(() => window.impinge.state());

after(closeBrowser);

/** Opens a report, tries something, and makes sure that nothing went wrong meanwhile. */
async function attempted(name, attempt, options) {
  const { page, troubles, close } = await open(name, options);
  await attempt(page);
  await settled(page);
  assert.deepEqual(troubles, []);
  await close();
}

/** The same as a test; once more if it was the browser that crashed. */
function tried(title, name, attempt, options) {
  test(`${name}: ${title}`, { timeout: 120_000 }, async () => {
    try {
      await attempted(name, attempt, options);
    } catch (error) {
      if (!hasCrashed(error)) throw error;
      console.log(`the browser crashed, once more: ${error.message}`);
      await closeBrowser();
      await attempted(name, attempt, options);
    }
  });
}

/** Rows of two matrices agree, relative to the larger of one and the numbers themselves. */
function agree(found, wanted, what) {
  found.flat().forEach((x, i) => {
    const y = wanted.flat()[i];
    assert.ok(Math.abs(x - y) <= 1e-9 * Math.max(1, Math.abs(y)), `${what}: ${x} is not ${y}`);
  });
}

for (const name of Object.keys(expected)) {
  tried(
    'the moving part is where the program has it',
    name,
    async (page) => {
      // Every picture takes a while without a graphics processor; few pieces are as odd as those of `nasty`.
      const step = name === 'nasty' ? 1 : 4;
      for (const { time, rows } of expected[name].filter((_, i) => i < 3 || i % step === 2)) {
        const { pose, movingMatrix } = await page.evaluate(async (t) => {
          window.impinge.seek(t);
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          return window.impinge.state();
        }, time);
        agree(movingMatrix, rows, `${name} at ${time}`);
        agree([pose.translation], [rows.map((row) => row[3])], `${name} at ${time}`);
      }
    },
    { size: [500, 500] },
  );
}

tried('the verdict stands at the top', 'free', async (page) => {
  assert.equal((await state(page)).verdict, 'free');
  assert.match(await page.locator('.verdict').innerText(), /CERTIFIED FREE/);
  assert.match(await page.title(), /^CERTIFIED FREE/);
});

tried('names stay text', 'nasty', async (page) => {
  assert.match(await page.locator('h1').innerText(), /^<\/title><\/script><script>alert/);
  assert.equal(await page.locator('img[src="x"]').count(), 0);
  const names = await page.locator('.parts .name').allInnerTexts();
  assert.ok(names.includes('</script><img src=x onerror=alert(2)>'), names.join());
  assert.match(await page.locator('tbody').innerText(), /unknown part/);
});

tried('a stopped check says so', 'partial', async (page) => {
  assert.match(await page.locator('.partial').innerText(), /Partial report\. Stopped by Ctrl-C/);
  assert.equal(await page.locator('.plot .span.unknown').count(), 1);
});

tried('the slider and the keys move the time', 'free', async (page) => {
  const slider = page.getByRole('slider', { name: 'Time on the path' });
  await slider.fill('0.75');
  assert.equal((await state(page)).time, 0.75);
  assert.match(await slider.getAttribute('aria-valuetext'), /^t = 0\.7500, clearance (≈ )?\d/);
  await slider.press('ArrowRight');
  assert.ok(Math.abs((await state(page)).time - 0.755) < 1e-9);
  await slider.press('End');
  assert.equal((await state(page)).time, 1);
  await slider.press('m');
  assert.ok((await state(page)).time < 0.5);
});

tried('a click on the plot goes there', 'free', async (page) => {
  const box = await page.locator('.plot').boundingBox();
  await page.mouse.click(box.x + 56 + (box.width - 74) * 0.25, box.y + 60);
  assert.ok(Math.abs((await state(page)).time - 0.25) < 0.002);
  await page.getByRole('button', { name: 'Linear' }).click();
  assert.equal(
    await page.getByRole('button', { name: 'Linear' }).getAttribute('aria-pressed'),
    'true',
  );
});

tried('play goes on, pause stops', 'free', async (page) => {
  await page.evaluate(() => window.impinge.seek(0));
  const before = await state(page);
  await page.locator('body').press(' ');
  await page.waitForFunction(() => window.impinge.state().time > 0.05);
  const { playing, movingMatrix } = await state(page);
  assert.ok(playing);
  assert.notDeepEqual(movingMatrix, before.movingMatrix);
  await page.getByRole('button', { name: 'Pause' }).click();
  const { time } = await state(page);
  await settled(page);
  assert.equal((await state(page)).time, time);
});

tried('contacts are red from when they begin, and rows lead to them', 'contact', async (page) => {
  await page.evaluate(() => window.impinge.seek(0));
  await settled(page);
  assert.deepEqual((await state(page)).visibleContacts, []);
  const rows = page.locator('.contacts tbody tr');
  const count = await rows.count();
  assert.ok(count >= 2);
  const times = [];
  for (let i = 0; i < count; i += 1) {
    await rows.nth(i).click();
    await settled(page);
    const { time, visibleContacts, contactMarked } = await state(page);
    assert.deepEqual(
      visibleContacts,
      Array.from({ length: i + 1 }, (_, k) => k),
    );
    assert.ok(contactMarked);
    assert.match(await rows.nth(i).getAttribute('class'), /now/);
    times.push(time);
  }
  assert.ok(times[0] < times[1]);
  await page.evaluate(() => window.impinge.seek(0));
  await page.locator('body').press('n');
  assert.equal((await state(page)).time, times[0]);
});

tried('parts can be hidden, cleared and cut', 'free', async (page) => {
  const view = page.locator('.view');
  const shot = async () => decode(await view.screenshot()).data;
  const pictures = [await shot()];
  for (const press of [
    () => page.getByRole('button', { name: 'housing: hidden' }).click(),
    () => page.getByRole('button', { name: 'See-through' }).click(),
    () => page.getByRole('combobox', { name: 'Section plane' }).selectOption('X'),
    () => page.getByRole('button', { name: 'Top' }).click(),
    () => page.getByRole('button', { name: 'Zoom to mark' }).click(),
  ]) {
    await press();
    await settled(page);
    pictures.push(await shot());
    const [a, b] = pictures.slice(-2);
    assert.ok(Buffer.compare(a, b) !== 0, 'the picture has changed');
  }
});

for (const scheme of ['light', 'dark']) {
  for (const size of [
    [1440, 900],
    [800, 1000],
  ]) {
    tried(
      `there is something to see, ${scheme}, ${size[0]} wide`,
      'contact',
      async (page) => {
        const seen = look(decode(await page.locator('.view').screenshot()));
        assert.ok(seen.colors > 500, `${seen.colors} colours`);
        assert.ok(seen.covered > 0.05, `${seen.covered} of the view is not background`);
        assert.ok(seen.red > 50, `${seen.red} pixels are red`);
        assert.equal(seen.bright, scheme === 'light');
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= size[0], `${wide} pixels wide`);
      },
      { scheme, size },
    );
  }
}

/** Colours, what share differs from the corner, how much is red, and whether the ground is bright. */
function look({ width, height, data, channels }) {
  const colors = new Set();
  const at = (x, y) => data.subarray((y * width + x) * channels, (y * width + x) * channels + 3);
  const ground = at(width - 3, height - 3);
  let [other, red] = [0, 0];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [r, g, b] = at(x, y);
      colors.add((r << 16) | (g << 8) | b);
      if (Math.abs(r - ground[0]) + Math.abs(g - ground[1]) + Math.abs(b - ground[2]) > 24)
        other += 1;
      if (r > 180 && g < 100 && b < 100) red += 1;
    }
  }
  return { colors: colors.size, covered: other / (width * height), red, bright: ground[0] > 128 };
}

// Measured around the script's work for one picture: poses, matrices, marks, and all calls to WebGL.
// What the graphics processor (here: a program) makes of those calls is not waited for.
tried('a picture takes little script time', 'contact', async (page) => {
  await page.evaluate(() => {
    window.impinge.seek(0);
    window.impinge.resetFrames();
    window.impinge.play();
  });
  await page.waitForFunction(() => window.impinge.state().frames >= 40, null, { timeout: 90_000 });
  const { frameMs, frames } = await state(page);
  console.log(`script time per picture: median ${frameMs.toFixed(2)} ms of ${frames}`);
  assert.ok(frameMs <= 5, `${frameMs} ms`);
});

tried('it can be printed', 'contact', async (page) => {
  const pdf = await page.pdf({ format: 'A4', printBackground: true });
  assert.ok(pdf.length > 30_000, `${pdf.length} bytes`);
});
