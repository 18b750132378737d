import type { z } from 'zod';
import { STATUS_OF_CODE, OAUTH_ERRORS } from '../../src/kernel/errors.ts';
import { ROLES, SCOPES, TIER_LIMITS, TIERS } from '../../src/kernel/words/rights.ts';
import type { Row } from '../../src/api/http/route/route.ts';
import { hasMethod } from './names.ts';
import { createTypeTexts, indent, itemOf, type Shown, shownOf } from './type-text.ts';

/** Texts of the generated files, by name. */
export type Sources = Record<'types.ts' | 'resources.ts' | 'endpoints.ts' | 'errors.ts' | 'rights.ts', string>;

const HEAD = '// Generated from the route table and its schemas by `npm run generate:client`: not edited by hand.\n';

type Endpoint = {
  resource: string;
  method: string;
  /** Runtime row. */
  row: Record<string, unknown>;
  /** Line of the resource's interface. */
  signature: string;
};

/** The sources that the client library has of these rows. Throws where two endpoints would have one name. */
export function sourcesOf(rows: readonly Row[]): Sources {
  const texts = createTypeTexts();
  const endpoints = rows.filter(hasMethod).map((row) => endpointOf(row, texts));
  const resources = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints)
    resources.set(endpoint.resource, [...(resources.get(endpoint.resource) ?? []), endpoint]);
  for (const [resource, methods] of resources) {
    const twice = methods.find(({ method }, index) => methods.findIndex((each) => each.method === method) !== index);
    if (twice !== undefined)
      throw new Error(`Two endpoints are ${resource}.${twice.method}: give one another operationId`);
  }

  const declared = new Map<string, string>();
  for (let size = -1; size !== declared.size; ) {
    size = declared.size;
    for (const [name, { shown: type, direction }] of texts.mentioned)
      if (!declared.has(name)) declared.set(name, texts.declare(type, direction));
  }
  const typeNames = [...declared.keys()].toSorted();
  const sorted = [...resources].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const signatures = sorted.map(
    ([resource, methods]) => `${resource}: {\n${indent(methods.map(({ signature }) => signature).join('\n'))}\n};`,
  );
  const table = sorted.map(
    ([resource, methods]) =>
      `${resource}: {\n${indent(methods.map(({ method, row }) => `${method}: ${rowText(row)},`).join('\n'))}\n},`,
  );
  const types = ['Page', ...typeNames];
  const used = types.filter((name) => signatures.some((text) => new RegExp(`\\b${name}\\b`).test(text)));
  const declarations = typeNames.map((name) => declared.get(name) ?? '').join('\n\n');
  const pageImport = declarations.includes('Page<') ? "import type { Page } from '../pages.ts';\n\n" : '';
  return {
    'types.ts': `${HEAD}\n${pageImport}${declarations}\n`,
    'resources.ts': `${HEAD}\nimport type { Call } from '../call.ts';\nimport type { RequestOptions, StreamOptions } from '../options.ts';\nimport type { Lines } from '../lines.ts';\nimport type { ${used.includes('Page') ? 'Page, ' : ''}Pages } from '../pages.ts';\nimport type { ChangeStream } from '../streams/change-stream.ts';\nimport type { MessageStream } from '../streams/message-stream.ts';\nimport type {\n${used
      .filter((name) => name !== 'Page')
      .map((name) => `  ${name},\n`)
      .join(
        '',
      )}} from './types.ts';\n\n/** Every endpoint of the service as a method. A body may also be its JSON text, which is sent as it is. */\nexport type Resources = {\n${indent(signatures.join('\n'))}\n};\n`,
    'endpoints.ts': `${HEAD}\n/** Every endpoint that a method calls, by resource and method. */\nexport const ENDPOINTS = {\n${indent(table.join('\n'))}\n} as const;\n`,
    'errors.ts': `${HEAD}\n/** Tells programs what went wrong (docs/reference/errors.md). */\n${listText('ERROR_CODES', Object.keys(STATUS_OF_CODE))}\nexport type ErrorCode = (typeof ERROR_CODES)[number];\n\n/** The same for OAuth, where a proof, a token or a scope was refused. */\nexport type OAuthErrorCode =\n${OAUTH_ERRORS.map((code) => `  | '${code}'`).join('\n')};\n`,
    'rights.ts': `${HEAD}\n/** Rights of a credential. */\n${listText('SCOPES', SCOPES)}\nexport type Scope = (typeof SCOPES)[number];\n\n/** Limits of a credential, from the smallest to the largest. */\n${listText('TIERS', TIERS)}\nexport type Tier = (typeof TIERS)[number];\n\n/** Requests a minute of each tier; a credential may have limits of its own. */\nexport const TIER_RATES: Readonly<Record<Tier, number>> = {\n${TIERS.map((tier) => `  ${tier}: ${TIER_LIMITS[tier].requestsPerMinute},\n`).join('')}};\n\n/** Roles of people, from the least to the most that they may do. */\n${listText('ROLES', ROLES)}\nexport type Role = (typeof ROLES)[number];\n`,
  };
}

const listText = (name: string, words: readonly string[]): string =>
  `export const ${name} = [\n${words.map((word) => `  '${word}',\n`).join('')}] as const;\n`;

const rowText = (row: Record<string, unknown>): string =>
  `{ ${Object.entries(row)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? `'${value}'` : String(value)}`)
    .join(', ')} }`;

type Kind = 'json' | 'page' | 'lines' | 'stream';

function kindOf(answer: z.ZodType | undefined, shown: Shown | undefined): Kind {
  if (answer?.meta()?.['event'] !== undefined) return 'stream';
  if (answer?.meta()?.['line'] !== undefined) return 'lines';
  return shown !== undefined && itemOf(shown) !== undefined ? 'page' : 'json';
}

function endpointOf(row: Row, texts: ReturnType<typeof createTypeTexts>): Endpoint {
  const { method, path, access, query } = row;
  const answer = row.answers[row.status];
  const answered = answer === undefined ? undefined : shownOf(answer);
  const kind = kindOf(answer, answered);
  const [resource = '', name = ''] = row.operationId.split('.');
  const called = { resource, method: name };
  const params = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const sent = sentBy(row, texts);
  const options = kind === 'stream' ? 'StreamOptions' : 'RequestOptions';
  const asked = [...params.map((name) => `${name}: string`), ...sent, `options?: ${options}`];
  // `as`: linesOf and eventsOf put these there.
  const part = (answer?.meta()?.['line'] ?? answer?.meta()?.['event']) as z.ZodType | undefined;
  const given = ((): string => {
    // Each kind of event has a reader of its own in client/src/streams.
    if (kind === 'stream' && part !== undefined) return `${texts.textOf(shownOf(part), 'got')}Stream`;
    if (part !== undefined) return `Lines<${texts.textOf(shownOf(part), 'got')}>`;
    const item = answered === undefined ? undefined : itemOf(answered);
    if (item !== undefined) return `Pages<${texts.textOf(item, 'got')}>`;
    return `Call<${answered === undefined || row.status === 204 ? 'void' : texts.textOf(answered, 'got')}>`;
  })();
  // Only callers that are in an environment have keys (src/api/http/idempotency.ts).
  const isKeyed = method === 'POST' && typeof access === 'object' && access.level === undefined;
  return {
    ...called,
    row: {
      method,
      path,
      kind: given === 'ChangeStream' ? 'changes' : kind,
      ...(row.body !== undefined && { hasBody: true }),
      ...(query !== undefined && { hasQuery: true }),
      ...(isKeyed && { isKeyed }),
      ...(access === 'public' && { isPublic: true }),
      ...(isPersonal(row) && { isPersonal: true }),
    },
    signature: `/** \`${method} ${path}\`${accessText(row)} */\n${called.method}(${asked.join(', ')}): ${given};`,
  };
}

/** No key and no token is enough: only a person can do it. */
const isPersonal = ({ access }: Row): boolean =>
  typeof access === 'object' ? access.level === 'organisation' : access !== 'public';

const accessText = ({ access }: Row): string => {
  if (typeof access === 'object') return `, scope ${access.scope}`;
  return access === 'public' ? ', for anyone' : ', for a person who is signed in';
};

/** Parameters of a method for what goes into the body and the query. One that may be left out stands behind the others. */
function sentBy({ body, query, path }: Row, texts: ReturnType<typeof createTypeTexts>): string[] {
  const parameters: string[] = [];
  if (body !== undefined) {
    const form = shownOf(body);
    // As the service and the document have it: an empty object is not the same as no body.
    const isOptional = body.safeParse(undefined).success;
    parameters.push(`body${isOptional ? '?' : ''}: ${texts.textOf(form, 'sent')} | string`);
  }
  if (query !== undefined) {
    const form = shownOf(query);
    if ((form.required ?? []).length > 0)
      throw new Error(`${path} has a query that is needed: the client cannot say that yet`);
    parameters.push(`query?: ${texts.textOf(form, 'sent')}`);
  }
  return parameters;
}
