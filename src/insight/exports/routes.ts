import { EXAMPLE_TIME, lineOf } from '../../api/openapi/examples.ts';
import { exportRunsQuery, runSummaryAnswer } from '../../automations/runs/schema.ts';
import { deadLetterAnswer, exportDeadLettersQuery } from '../../delivery/dead-letters/schema.ts';
import { deliveryAnswer, exportDeliveriesQuery } from '../../delivery/record/schema.ts';
import { CSV, LineStream, linesOf, NDJSON } from '../../api/http/line-stream.ts';
import type { ExportFormat } from '../../api/http/reading/query.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { exportMessagesQuery, messageAnswer } from '../../messaging/messages/schema.ts';
import type { Exports } from './service.ts';

const route = routesOf<{ exports: Exports }>();

const fileOf = (name: string, format: ExportFormat, lines: AsyncIterable<string>): LineStream =>
  new LineStream(lines, { mediaType: format === 'csv' ? CSV : NDJSON, fileName: `${name}.${format}` });

export const exportRoutes = [
  route({
    method: 'GET',
    path: '/v1/messages/export',
    operationId: 'messages.export',
    summary: 'Export messages',
    description:
      'Messages of all channels as a file, each with its payload digit for digit. Accepts the filters of the list, without `limit` and `cursor`. Newest first, up to 100,000 rows; continue with `until`. Counts as a concurrent request until it ends, and is recorded in the audit log. In CSV, a cell that begins with `=`, `+`, `-`, `@`, a tab or a line break is prefixed with an apostrophe.',
    example: { answer: lineOf('GET /v1/channels/:channelId/messages'), query: { format: 'csv', since: EXAMPLE_TIME } },
    access: { scope: 'messages:read' },
    query: exportMessagesQuery,
    answers: { 200: linesOf(messageAnswer, { otherType: CSV }) },
    handle: async ({ caller, query }, { exports }) =>
      fileOf('messages', query.format, await exports.messages(caller, query)),
  }),
  route({
    method: 'GET',
    path: '/v1/deliveries/export',
    operationId: 'deliveries.export',
    summary: 'Export deliveries',
    description:
      'The list as a file of up to 100,000 deliveries, newest first; continue with `until`. Counts as a concurrent request until it ends, and is recorded in the audit log. In CSV, a cell that begins with `=`, `+`, `-`, `@`, a tab or a line break is prefixed with an apostrophe.',
    example: { answer: lineOf('GET /v1/deliveries'), query: { format: 'csv', status: 'failed' } },
    access: { scope: 'deliveries:read' },
    query: exportDeliveriesQuery,
    answers: { 200: linesOf(deliveryAnswer, { otherType: CSV }) },
    handle: async ({ caller, query }, { exports }) =>
      fileOf('deliveries', query.format, await exports.deliveries(caller, query)),
  }),
  route({
    method: 'GET',
    path: '/v1/dlq/export',
    operationId: 'deadLetters.export',
    summary: 'Export dead letters',
    description:
      'The list as a file of up to 100,000 dead letters, newest first; continue with `until`. Counts as a concurrent request until it ends, and is recorded in the audit log. In CSV, a cell that begins with `=`, `+`, `-`, `@`, a tab or a line break is prefixed with an apostrophe.',
    example: { answer: lineOf('GET /v1/dlq'), query: { format: 'csv', status: 'open' } },
    access: { scope: 'dlq:read' },
    query: exportDeadLettersQuery,
    answers: { 200: linesOf(deadLetterAnswer, { otherType: CSV }) },
    handle: async ({ caller, query }, { exports }) =>
      fileOf('dead-letters', query.format, await exports.deadLetters(caller, query)),
  }),
  route({
    method: 'GET',
    path: '/v1/runs/export',
    operationId: 'runs.export',
    summary: 'Export runs',
    description:
      'The list as a file of up to 100,000 runs, newest first; continue with `until`. Counts as a concurrent request until it ends, and is recorded in the audit log. In CSV, a cell that begins with `=`, `+`, `-`, `@`, a tab or a line break is prefixed with an apostrophe.',
    example: { answer: lineOf('GET /v1/runs'), query: { format: 'csv', status: 'failed' } },
    access: { scope: 'workflows:read' },
    query: exportRunsQuery,
    answers: { 200: linesOf(runSummaryAnswer, { otherType: CSV }) },
    handle: async ({ caller, query }, { exports }) => fileOf('runs', query.format, await exports.runs(caller, query)),
  }),
];
