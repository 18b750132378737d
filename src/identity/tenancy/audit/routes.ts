import { EXAMPLE_TIME } from '../../../api/openapi/examples.ts';
import { idOf, pageOf } from '../../../api/http/answers/answer-fields.ts';
import { LineStream, linesOf } from '../../../api/http/line-stream.ts';
import { routesOf } from '../../../api/http/route/route.ts';
import { auditEntryAnswer, auditFilterQuery, auditLine, listAuditQuery } from './schema.ts';
import type { Audit } from './service.ts';

const access = { scope: 'audit:read', level: 'any' } as const;
const route = routesOf<{ audit: Audit }>({ audit: 'Who changed what, and when.' });

export const auditRoutes = [
  route({
    method: 'GET',
    path: '/v1/audit',
    operationId: 'audit.list',
    summary: 'List audit entries',
    description:
      'Changes in the organisation or the app, newest first. Each change by the API is one entry, stored ' +
      'in the same transaction as the change. Reads, publishes and saved views are not logged, except ' +
      'exports and reading a signing secret. A user who names only an organisation sees all of its ' +
      'entries.',
    example: { query: { since: EXAMPLE_TIME } },
    access,
    query: listAuditQuery,
    answers: { 200: pageOf(auditEntryAnswer) },
    handle: ({ caller, query }, { audit }) => audit.list(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/audit/:auditEntryId',
    operationId: 'audit.get',
    summary: 'Get an audit entry',
    description: 'Shows one entry with all changed fields.',
    params: { auditEntryId: idOf('auditEntry') },
    access,
    answers: { 200: auditEntryAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { auditEntryId } }, { audit }) => audit.get(caller, auditEntryId),
  }),
  route({
    method: 'GET',
    path: '/v1/audit/export',
    operationId: 'audit.export',
    summary: 'Export the audit log',
    description:
      'Returns all entries as JSON Lines, oldest first and without pages, so that you can verify the ' + 'hash chain.',
    example: { query: { since: EXAMPLE_TIME } },
    access,
    query: auditFilterQuery,
    answers: { 200: linesOf(auditLine) },
    handle: async ({ caller, query }, { audit }) => new LineStream(await audit.exportFor(caller, query)),
  }),
];
