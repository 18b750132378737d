import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { generatedPages } from './pages.ts';

const USAGE = `npm run generate:docs
  writes the pages of docs/reference that list settings, commands, metrics, log fields and error codes`;

const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
const root = join(import.meta.dirname, '../..');

if (values.help) process.stdout.write(`${USAGE}\n`);
else
  for (const [path, text] of Object.entries(generatedPages())) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
