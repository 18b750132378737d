import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaNames } from '../../src/api/openapi/schema-names.ts';
import { SCHEMA_MODULES } from '../../src/process/assembly/schema-modules.ts';

/** Names that the library has for things of its own: of two equal ones TypeScript would show users one alone. */
const RESERVED = readFileSync(join(import.meta.dirname, '../src/index.ts'), 'utf8').match(/\b[A-Z]\w*/g) ?? [];

/** Every schema with the name of its type in the library: that of the document, unless the library has it for something else. */
export const readSchemaNames = (): Map<unknown, string> => schemaNames(SCHEMA_MODULES, RESERVED);
