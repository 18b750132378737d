import { accessTexts } from './access.ts';
import { automationTexts } from './automations.ts';
import { deliveringTexts } from './delivering.ts';
import { connectorTexts } from './connectors.ts';
import { secretTexts } from './secrets.ts';
import { inboundTexts } from './inbound.ts';
import { inspectorTexts } from './inspectors.ts';
import { markTexts } from './marks.ts';
import { peopleTexts } from './people.ts';
import { publishingTexts } from './publishing.ts';
import type { OperationText } from './operation-text.ts';

/** By endpoint (`GET /v1/channels`). A route without an entry fails a test. */
export const OPERATION_TEXTS: Readonly<Record<string, OperationText>> = {
  ...publishingTexts,
  ...deliveringTexts,
  ...automationTexts,
  ...secretTexts,
  ...connectorTexts,
  ...inboundTexts,
  ...inspectorTexts,
  ...markTexts,
  ...accessTexts,
  ...peopleTexts,
};
