/**
 * What reads the texts of callers, and the file that bounds it: each parser and each bounded language that works before its caller has
 * proved anything, or that a tenant can load. Every one of them has at least one input in table.ts.
 */
export const PARSERS = {
  'heads and pipelined requests': 'src/api/http/server.ts',
  'bodies in pieces, compressed bodies': 'src/api/http/reading/raw-bytes.ts',
  paths: 'src/api/http/route/match-route.ts',
  queries: 'src/api/http/reading/query.ts',
  'headers of credentials': 'src/api/http/access/require-access.ts',
  'DPoP proofs': 'src/identity/credentials/dpop/proof.ts',
  'other headers': 'src/api/http/observing.ts',
  JSON: 'src/api/http/reading/json-guard.ts',
  'forms of token requests': 'src/api/http/reading/parse-body.ts',
  passwords: 'src/identity/people/accounts/passwords.ts',
  passkeys: 'src/identity/people/passkeys/verify.ts',
  files: 'src/api/http/public-files.ts',
  'forms of inbound webhooks': 'src/inbound/incoming.ts',
  'signatures of inbound webhooks': 'src/inbound/receive.ts',
  'requests of inspectors': 'src/insight/inspectors/receive.ts',
  'mappings of inbound webhooks': 'src/inbound/mapping.ts',
  'expressions of event types': 'src/inbound/mapping.ts',
  'schemas of channels': 'src/messaging/schemas/schemas.ts',
  filters: 'src/messaging/filters/filters.ts',
  'idempotency keys': 'src/api/http/idempotency.ts',
  searches: 'src/insight/search/payload-condition.ts',
  lists: 'src/messaging/messages/store.ts',
  exports: 'src/insight/exports/service.ts',
  streams: 'src/messaging/streams/service.ts',
  definitions: 'src/automations/definitions/validate.ts',
  crons: 'src/automations/schedules/calendars.ts',
  'mocks of trials': 'src/automations/trials/mocks.ts',
  expressions: 'src/automations/expressions/expressions.ts',
  templates: 'src/automations/expressions/templates.ts',
  'responses to steps': 'src/automations/engine/fitted-output.ts',
  'responses to deliveries': 'src/platform/outbound/exchange/response-content.ts',
} as const;

export type Parser = keyof typeof PARSERS;
