// Bundles the page's script and style into crates/report/assets, where the program finds them.
// `node build.mjs FOLDER` writes them somewhere else.

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { build } from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? path.join(here, '../../crates/report/assets');
const licence = await readFile(path.join(here, 'node_modules/three/LICENSE'), 'utf8');

const common = { absWorkingDir: here, bundle: true, minify: true, write: false, charset: 'utf8' };
const script = await build({
  ...common,
  entryPoints: ['src/main.js'],
  format: 'iife',
  target: 'es2022',
  legalComments: 'none',
  banner: { js: `/*! This script holds three.js under this licence:\n\n${licence.trim()}\n*/` },
});
const style = await build({ ...common, entryPoints: ['src/style.css'], target: 'chrome120' });

const texts = { 'report.js': script.outputFiles[0].text, 'report.css': style.outputFiles[0].text };
for (const [name, text] of Object.entries(texts)) {
  // Inside an HTML file these would end the element, or start a comment.
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${name} cannot stand inside HTML`);
  await writeFile(path.join(target, name), text);
  console.log(`${name}: ${(text.length / 1024).toFixed(0)} KiB`);
}
