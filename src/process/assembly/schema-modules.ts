import type { SchemaModules } from '../../api/openapi/schema-names.ts';
import * as workflows from '../../automations/definitions/schema.ts';
import * as approvals from '../../automations/approvals/schema.ts';
import * as runs from '../../automations/runs/schema.ts';
import * as workflowSchedules from '../../automations/schedules/schema.ts';
import * as trials from '../../automations/trials/schema.ts';
import * as connections from '../../automations/connections/schema.ts';
import * as connectors from '../../automations/connectors/schema.ts';
import * as secrets from '../../automations/secrets/schema.ts';
import * as inboundWebhooks from '../../inbound/schema.ts';
import * as changes from '../../insight/changes/schema.ts';
import * as channels from '../../messaging/channels/schema.ts';
import * as deadLetters from '../../delivery/dead-letters/schema.ts';
import * as deliveries from '../../delivery/record/schema.ts';
import * as answerFields from '../../api/http/answers/answer-fields.ts';
import * as query from '../../api/http/reading/query.ts';
import * as accounts from '../../identity/people/accounts/schema.ts';
import * as apiKeys from '../../identity/credentials/api-keys/schema.ts';
import * as apps from '../../identity/tenancy/apps/schema.ts';
import * as audit from '../../identity/tenancy/audit/schema.ts';
import * as factors from '../../identity/people/factors/schema.ts';
import * as grants from '../../identity/credentials/grants/schema.ts';
import * as machineCredentials from '../../identity/credentials/machine-credentials/schema.ts';
import * as members from '../../identity/people/members/schema.ts';
import * as organisations from '../../identity/tenancy/organisations/schema.ts';
import * as passkeys from '../../identity/people/passkeys/schema.ts';
import * as views from '../../insight/views/schema.ts';
import * as sessions from '../../identity/people/sessions/schema.ts';
import * as signIn from '../../identity/people/sign-in/schema.ts';
import * as singleSignOn from '../../identity/people/single-sign-on/schema.ts';
import * as tokens from '../../identity/credentials/tokens/schema.ts';
import * as inspectors from '../../insight/inspectors/schema.ts';
import * as installation from '../../insight/installation/schema.ts';
import * as marks from '../../insight/marks/schema.ts';
import * as messages from '../../messaging/messages/schema.ts';
import * as publishing from '../../messaging/publishing/schema.ts';
import * as replays from '../../delivery/replays/schema.ts';
import * as scheduling from '../../messaging/scheduling/schema.ts';
import * as schemas from '../../messaging/schemas/schema.ts';
import * as search from '../../insight/search/schema.ts';
import * as stats from '../../insight/stats/schema.ts';
import * as streams from '../../messaging/streams/schema.ts';
import * as subscriptions from '../../messaging/subscriptions/schema.ts';

/** A test finds a file that is missing here. */
export const SCHEMA_MODULES: SchemaModules = {
  'http/reading/query.ts': query,
  'http/answers/answer-fields.ts': answerFields,
  'automations/approvals/schema.ts': approvals,
  'automations/connections/schema.ts': connections,
  'automations/connectors/schema.ts': connectors,
  'automations/definitions/schema.ts': workflows,
  'automations/inbound/schema.ts': inboundWebhooks,
  'automations/runs/schema.ts': runs,
  'automations/schedules/schema.ts': workflowSchedules,
  'automations/trials/schema.ts': trials,
  'automations/workflow-secrets/schema.ts': secrets,
  'changes/schema.ts': changes,
  'channels/schema.ts': channels,
  'dead-letters/schema.ts': deadLetters,
  'deliveries/schema.ts': deliveries,
  'identity/accounts/schema.ts': accounts,
  'identity/api-keys/schema.ts': apiKeys,
  'identity/apps/schema.ts': apps,
  'identity/audit/schema.ts': audit,
  'identity/factors/schema.ts': factors,
  'identity/grants/schema.ts': grants,
  'identity/machine-credentials/schema.ts': machineCredentials,
  'identity/members/schema.ts': members,
  'identity/organisations/schema.ts': organisations,
  'identity/passkeys/schema.ts': passkeys,
  'identity/sessions/schema.ts': sessions,
  'identity/sign-in/schema.ts': signIn,
  'identity/single-sign-on/schema.ts': singleSignOn,
  'identity/tokens/schema.ts': tokens,
  'identity/views/schema.ts': views,
  'inspectors/schema.ts': inspectors,
  'installation/schema.ts': installation,
  'marks/schema.ts': marks,
  'messages/schema.ts': messages,
  'publishing/schema.ts': publishing,
  'replays/schema.ts': replays,
  'scheduling/schema.ts': scheduling,
  'schemas/schema.ts': schemas,
  'search/schema.ts': search,
  'stats/schema.ts': stats,
  'streams/schema.ts': streams,
  'subscriptions/schema.ts': subscriptions,
};
