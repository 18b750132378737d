import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { noBody } from '../../src/http/answer-fields.ts';

const SOURCES = join(import.meta.dirname, '../../src');

/** Names that would say too little outside their folder. */
const CHOSEN: Readonly<Record<string, string>> = {
  pageQuery: 'PageQuery',
  keysAnswer: 'JsonWebKeySet',
  metadataAnswer: 'AuthorizationServer',
  secretAnswer: 'SubscriptionSecret',
  rotateSecretBody: 'RotateSubscriptionSecret',
  lookAnswer: 'InvitationLook',
  lookBody: 'LookAtInvitation',
  acceptBody: 'AcceptInvitation',
  handOverBody: 'HandOverOwnership',
  revokedAnswer: 'RevokedSessions',
  batchAnswer: 'BatchAccepted',
  publishedAnswer: 'PublishedMessage',
  bulkReplayBody: 'AskBulkReplay',
  messageReplayBody: 'AskMessageReplay',
  fieldProblem: 'FieldProblem',
};

/** Names that the library has for things of its own: of two equal ones TypeScript would show users one alone. */
const RESERVED = new Set(readFileSync(join(import.meta.dirname, '../src/index.ts'), 'utf8').match(/\b[A-Z]\w*/g));

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const typeName = (name: string): string => CHOSEN[name] ?? capital(name.replace(/(?:Answer|Body|Query)$/, ''));

/**
 * Every schema that a schema.ts exports, with the name of its type: `channelAnswer` is Channel. The shared ones come first. A name
 * that is taken keeps its last word.
 */
export async function readSchemaNames(): Promise<Map<unknown, string>> {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('/schema.ts'))
    .toSorted();
  const taken = new Set(RESERVED);
  const names = new Map<unknown, string>();
  for (const file of ['http/query.ts', 'http/answer-fields.ts', ...files]) {
    // `as`: an import's namespace is such an object.
    const exported = (await import(join(SOURCES, file))) as Record<string, unknown>;
    for (const [name, schema] of Object.entries(exported)) {
      const isNamed = /(?:Answer|Body|Query|Problem|Line)$/.test(name) && schema !== noBody;
      if (!(schema instanceof z.ZodType) || names.has(schema) || !isNamed) continue;
      const type = [typeName(name), capital(name)].find((each) => !taken.has(each));
      if (type === undefined)
        throw new Error(`${file} exports a second ${name}: choose a name in client/generate/schema-names.ts`);
      taken.add(type);
      names.set(schema, type);
    }
  }
  return names;
}
