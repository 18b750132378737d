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
    access: { scope: 'messages:read' },
    query: exportMessagesQuery,
    answers: { 200: linesOf(messageAnswer, { otherType: CSV }) },
    handle: async ({ caller, query }, { exports }) =>
      fileOf('messages', query.format, await exports.messages(caller, query)),
  }),
  route({
    method: 'GET',
    path: '/v1/deliveries/export',
    access: { scope: 'deliveries:read' },
    query: exportDeliveriesQuery,
    answers: { 200: linesOf(deliveryAnswer, { otherType: CSV }) },
    handle: async ({ caller, query }, { exports }) =>
      fileOf('deliveries', query.format, await exports.deliveries(caller, query)),
  }),
  route({
    method: 'GET',
    path: '/v1/dlq/export',
    access: { scope: 'dlq:read' },
    query: exportDeadLettersQuery,
    answers: { 200: linesOf(deadLetterAnswer, { otherType: CSV }) },
    handle: async ({ caller, query }, { exports }) =>
      fileOf('dead-letters', query.format, await exports.deadLetters(caller, query)),
  }),
  route({
    method: 'GET',
    path: '/v1/runs/export',
    access: { scope: 'workflows:read' },
    query: exportRunsQuery,
    answers: { 200: linesOf(runSummaryAnswer, { otherType: CSV }) },
    handle: async ({ caller, query }, { exports }) => fileOf('runs', query.format, await exports.runs(caller, query)),
  }),
];
