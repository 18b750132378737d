/**
 * What reads the texts of callers, and the file that bounds it: each parser and each bounded language that works before its caller has
 * proved anything, or that a tenant can load. Every one of them has at least one input in table.ts, and its row in docs/security.md.
 */
export const PARSERS = {
  'heads and pipelined requests': 'src/http/server.ts',
  'bodies in pieces, compressed bodies': 'src/http/reading/raw-bytes.ts',
  paths: 'src/http/route/match-route.ts',
  queries: 'src/http/reading/parse-query.ts',
  'headers of credentials': 'src/http/access/identify.ts',
  'DPoP proofs': 'src/identity/dpop/proof.ts',
  'other headers': 'src/http/observing/trace-requests.ts',
  JSON: 'src/http/reading/json-guard.ts',
  'forms of token requests': 'src/http/reading/parse-body.ts',
  passwords: 'src/identity/accounts/passwords.ts',
  passkeys: 'src/identity/passkeys/verify.ts',
  files: 'src/http/pages/public-files.ts',
  'forms of inbound webhooks': 'src/automations/inbound/schemes/form.ts',
  'signatures of inbound webhooks': 'src/automations/inbound/receive.ts',
  'requests of inspectors': 'src/inspectors/receive.ts',
  'mappings of inbound webhooks': 'src/automations/inbound/mapping.ts',
  'expressions of event types': 'src/automations/inbound/event-type-expression.ts',
  'schemas of channels': 'src/schemas/schemas.ts',
  filters: 'src/filters/filters.ts',
  'idempotency keys': 'src/http/idempotency.ts',
  searches: 'src/search/payload-condition.ts',
  lists: 'src/messages/store.ts',
  exports: 'src/exports/service.ts',
  streams: 'src/streams/service.ts',
  definitions: 'src/automations/definitions/validate.ts',
  crons: 'src/automations/schedules/calendars.ts',
  'mocks of trials': 'src/automations/trials/mocks.ts',
  expressions: 'src/automations/expressions/expressions.ts',
  templates: 'src/automations/expressions/templates.ts',
  'responses to steps': 'src/automations/engine/values/fitted-output.ts',
  'responses to deliveries': 'src/outbound/exchange/response-content.ts',
} as const;

export type Parser = keyof typeof PARSERS;
