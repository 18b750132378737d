import { DESCRIPTION_OF_CODE, type ErrorCode, STATUS_OF_CODE } from '../../src/kernel/errors.ts';
import { code, page, table } from './markdown.ts';

const INTRO = `
# Errors

Every error response has this body, whatever the path:

\`\`\`json
{ "error": { "code": "INVALID_REQUEST", "message": "name: is required", "details": { "field": "name", "reason": "is required" } } }
\`\`\`

Use \`code\` in programs and show \`message\` to people. Codes are never renamed; new ones may be added.

- \`details\` names the first invalid field as you wrote it, for example \`messages[3].eventType\`. For a workflow definition \`details.errors\` lists up to 20 problems. Refused tokens and proofs also have \`details.oauthError\`, the error code of OAuth.
- \`retryAfter\`, in whole seconds, comes with \`RATE_LIMITED\`. The \`Retry-After\` header has the same value.
- \`X-Request-Id\` identifies the request in the log of the service.

## Codes
`;

const RETRIES = `
## Retrying safely

| Retry | Meaning |
|---|---|
| yes | Nothing was changed, so you can send the same request again, after \`Retry-After\` seconds if that header is present. |
| no | The same request would fail again. Exception: a \`CONFLICT\` with \`Retry-After\` means that an identical request is still in progress. |
| unknown | The change may have been made. Also applies to \`UNAVAILABLE\` if \`details.field\` is \`outcome\`, and to a connection that breaks before the response. |

If the outcome is unknown, repeat the request with the same \`Idempotency-Key\`, or publish with the same message \`id\`: the service then carries it out once ([Publish messages](../guides/publish.md)).
`;

export function errorsPage(): string {
  // `as`: the keys of the table are all codes there are.
  const codes = Object.keys(STATUS_OF_CODE) as ErrorCode[];
  const rows = codes.map((each) => {
    const { when, remedy, isRetryable } = DESCRIPTION_OF_CODE[each];
    return [code(each), String(STATUS_OF_CODE[each]), when, remedy, isRetryable];
  });
  return page('src/kernel/errors.ts', INTRO, table(['Code', 'Status', 'When', 'What to do', 'Retry'], rows), RETRIES);
}
