import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { routes } from '../../src/process/routes.ts';
import { sourcesOf } from './sources.ts';

const USAGE = `npm run generate:client
  writes client/src/generated from the route table`;

const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
const folder = join(import.meta.dirname, '../src/generated');

if (values.help) process.stdout.write(`${USAGE}\n`);
else for (const [name, text] of Object.entries(sourcesOf(routes))) writeFileSync(join(folder, name), text);
