import { createAccessTokens } from '../../automations/connections/access-tokens.ts';
import { createFinish } from '../../automations/connections/authorizations.ts';
import { CALLBACK } from '../../automations/connections/consent-outcomes.ts';
import { type Connections, createConnections } from '../../automations/connections/service.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import { VERSION } from '../../kernel/words/version.ts';
import { createRequestSender, type RequestSender } from '../../platform/outbound/send-request.ts';
import type { ProcessDependencies } from './create-dependencies.ts';

/** Connections of workflows. They ask services and providers seldom: no connection to one is kept. */
export function createConnectionsOf(deps: ProcessDependencies, audit: { record: RecordAudit }): Connections {
  const send: RequestSender['send'] = async (request) => {
    const sender = createRequestSender({ guard: deps.guard, version: VERSION, clock: deps.clock });
    try {
      return await sender.send(request);
    } finally {
      await sender.close();
    }
  };
  const asking = { ...deps, sender: { send } };
  return createConnections(deps, {
    audit,
    send,
    urlProblem: async (url) => (await deps.guard.judgeUrl(url)).problem,
    accessTokens: createAccessTokens(asking),
    finishAuthorization: createFinish({
      ...asking,
      audit,
      redirectUri: deps.config.publicBaseUrl + CALLBACK,
    }),
  });
}
