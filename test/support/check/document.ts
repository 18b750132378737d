import { Ajv2020 } from 'ajv/dist/2020.js';
import { createRequire } from 'node:module';
import type { Document } from '../../../src/api/openapi/document.ts';

export type Operation = {
  /** As in the route table: `GET /v1/channels/:channelId`. */
  endpoint: string;
  method: string;
  path: string;
  id: string;
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  responses: Record<string, Response>;
  parameters: { $ref?: string; name: string; in: string; examples?: { request?: { value: unknown } } }[];
};

type Response = {
  $ref?: string;
  headers?: Record<string, { $ref: string } | object>;
  content?: Record<string, { schema: object; examples?: unknown }>;
};

/** Returns every operation of a document. */
export const operationsOf = ({ paths }: Document): Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId, ...rest } = operation as Omit<Operation, 'id'> & { operationId: string };
      const row = `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
      return { ...rest, endpoint: row, method: method.toUpperCase(), path, id: operationId };
    }),
  );

const documents = new WeakMap<Document, Ajv2020>();
// `as`: the package is written for CommonJS only.
const addFormats = createRequire(import.meta.url)('ajv-formats') as (ajv: Ajv2020) => void;

/** Returns where a value differs from a schema of the document; empty when it fits. */
export function schemaProblems(document: Document, schema: object, value: unknown): string[] {
  let ajv = documents.get(document);
  if (ajv === undefined) {
    ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats(ajv);
    ajv.addSchema({ $id: 'document', components: document.components });
    documents.set(document, ajv);
  }
  const check = ajv.compile(
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components')) as object,
  );
  return check(value)
    ? []
    : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
}

/** Returns the response of an operation for a status, with its headers by name, or undefined if the document has none. */
function responseOf(document: Document, operation: Operation, status: number): Response | undefined {
  const response = operation.responses[String(status)];
  if (response?.$ref === undefined) return response;
  const { responses } = document.components as { responses: Record<string, Response> };
  return responses[response.$ref.split('/').at(-1) ?? ''];
}

/** Returns where a response differs from the document: its status, a required header, its body. */
export function answerProblems(
  document: Document,
  operation: Operation,
  answer: { status: number; headers: Headers; body: unknown },
): string[] {
  const response = responseOf(document, operation, answer.status);
  if (response === undefined) return [`status ${answer.status} is not in the document`];
  const { headers } = document.components as {
    headers: Record<string, { required?: boolean; schema: { type: string } }>;
  };
  const named = Object.keys(response.headers ?? {});
  const missing = named.filter((name) => headers[name]?.required === true && !answer.headers.has(name));
  const media = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
  const schema = response.content?.[media]?.schema;
  const body =
    response.content === undefined
      ? answer.body === undefined
        ? []
        : ['has a body, and the document none']
      : schema === undefined
        ? [`the media type ${media} is not in the document`]
        : media === 'application/json'
          ? schemaProblems(document, schema, answer.body)
          : [];
  return [...missing.map((name) => `has no ${name}`), ...body];
}
