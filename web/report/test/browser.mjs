// A headless browser that opens a report from disk and notes everything that should not happen.

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
];

/** The folder with the reports of `cargo run --example demo`. */
export const folder = process.env.IMPINGE_REPORTS ?? 'reports';

let browser = null;

/** One browser for all pages. It is started again if it crashes at the start, as it does at times. */
async function started() {
  for (let tries = 0; !browser?.isConnected(); tries += 1) {
    try {
      const executablePath = process.env.IMPINGE_CHROMIUM ?? '/usr/bin/chromium';
      browser = await chromium.launch({ executablePath, args: FLAGS });
    } catch (error) {
      if (tries === 3) throw error;
    }
  }
  return browser;
}

/** Ends the browser; the next page gets another. */
export async function close() {
  const old = browser;
  browser = null;
  // One that has crashed cannot be closed any more.
  await old?.close().catch(() => {});
}

/** Whether an error is about the browser or its page being gone, and not about what was tried. */
export function hasCrashed(error) {
  const gone = /crashed|(page|context|browser) has been closed|disconnected/i;
  return error.code !== 'ERR_ASSERTION' && (!browser?.isConnected() || gone.test(error.message));
}

export async function open(name, { size = [1440, 900], scheme = 'light' } = {}) {
  const context = await (
    await started()
  ).newContext({
    viewport: { width: size[0], height: size[1] },
    colorScheme: scheme,
    acceptDownloads: false,
  });
  const page = await context.newPage();
  const troubles = [];
  const address = pathToFileURL(path.resolve(folder, `${name}.html`)).href;
  page.on('console', (message) => {
    if (!['warning', 'error', 'assert'].includes(message.type())) return;
    // Said by the software renderer about itself when pictures are taken.
    if (/GPU stall due to ReadPixels/.test(message.text())) return;
    troubles.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => troubles.push(`error: ${error.stack}`));
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    if (url !== address && !url.startsWith('data:') && !url.startsWith('blob:'))
      troubles.push(`request: ${url}`);
  });
  await page.goto(address);
  await page.waitForFunction(() => window.impinge?.ready && window.impinge.state().edgesReady);
  await settled(page);
  return { page, troubles, close: () => context.close() };
}

/** Waits until what was asked for is drawn. */
export async function settled(page) {
  await page.evaluate(
    () =>
      new Promise((done) => {
        requestAnimationFrame(() => requestAnimationFrame(done));
      }),
  );
}
