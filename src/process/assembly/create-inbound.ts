import { createEventTypeExpressions } from '../../inbound/event-type-expression.ts';
import { createReceiveWebhook } from '../../inbound/receive.ts';
import { createInboundWebhooks, type InboundWebhooks } from '../../inbound/service.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import { VERSION } from '../../kernel/words/version.ts';
import { createFetchText } from '../../platform/outbound/fetch-text.ts';
import type { Publishing } from '../../messaging/publishing/service.ts';
import type { ProcessDependencies } from './create-dependencies.ts';

/** Inbound webhooks with what they need of their own. */
export function createInbound(
  deps: ProcessDependencies,
  { audit, publishing }: { audit: { record: RecordAudit }; publishing: Publishing },
): InboundWebhooks {
  const expressions = createEventTypeExpressions();
  const fetchText = createFetchText({ guard: deps.guard, version: VERSION });
  const receiving = createReceiveWebhook(deps, { publishing, expressions, fetchText, observer: deps.meters?.inbound });
  return createInboundWebhooks(deps, { audit, expressions, receiving });
}
