import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '../../src/routes.ts';
import { readSchemaNames } from './schema-names.ts';
import { sourcesOf } from './sources.ts';

const folder = join(import.meta.dirname, '../src/generated');
for (const [name, text] of Object.entries(sourcesOf(routes, readSchemaNames())))
  writeFileSync(join(folder, name), text);
