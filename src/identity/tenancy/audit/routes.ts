import { idOf, pageOf } from '../../../api/http/answers/answer-fields.ts';
import { LineStream, linesOf } from '../../../api/http/line-stream.ts';
import { routesOf } from '../../../api/http/route/route.ts';
import { auditEntryAnswer, auditFilterQuery, auditLine, listAuditQuery } from './schema.ts';
import type { Audit } from './service.ts';

const access = { scope: 'audit:read', level: 'any' } as const;
const route = routesOf<{ audit: Audit }>();

export const auditRoutes = [
  route({
    method: 'GET',
    path: '/v1/audit',
    access,
    query: listAuditQuery,
    answers: { 200: pageOf(auditEntryAnswer) },
    handle: ({ caller, query }, { audit }) => audit.list(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/audit/:auditEntryId',
    params: { auditEntryId: idOf('auditEntry') },
    access,
    answers: { 200: auditEntryAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { auditEntryId } }, { audit }) => audit.get(caller, auditEntryId),
  }),
  route({
    method: 'GET',
    path: '/v1/audit/export',
    access,
    query: auditFilterQuery,
    answers: { 200: linesOf(auditLine) },
    handle: async ({ caller, query }, { audit }) => new LineStream(await audit.exportFor(caller, query)),
  }),
];
