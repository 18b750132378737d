import { runAnswer } from '../automations/runs/schema.ts';
import { workflowRoutes } from '../automations/definitions/routes.ts';
import { approvalRoutes } from '../automations/approvals/routes.ts';
import { runRoutes } from '../automations/runs/routes.ts';
import { workflowScheduleRoutes } from '../automations/schedules/routes.ts';
import { trialRoutes } from '../automations/trials/routes.ts';
import { connectionRoutes } from '../automations/connections/routes.ts';
import { connectorRoutes } from '../automations/connectors/routes.ts';
import { secretRoutes } from '../automations/secrets/routes.ts';
import { inboundWebhookRoutes } from '../inbound/routes.ts';
import { changeRoutes } from '../insight/changes/routes.ts';
import { channelRoutes } from '../messaging/channels/routes.ts';
import { deadLetterRoutesOf } from '../delivery/dead-letters/routes.ts';
import { deliveryRoutes } from '../delivery/record/routes.ts';
import type { Route } from '../api/http/route/route.ts';
import { accountRoutes } from '../identity/people/accounts/routes.ts';
import { appRoutes } from '../identity/tenancy/apps/routes.ts';
import { organisationRoutes } from '../identity/tenancy/organisations/routes.ts';
import { factorRoutes } from '../identity/people/factors/routes.ts';
import { apiKeyRoutes } from '../identity/credentials/api-keys/routes.ts';
import { auditRoutes } from '../identity/tenancy/audit/routes.ts';
import { machineCredentialRoutes } from '../identity/credentials/machine-credentials/routes.ts';
import { memberRoutes } from '../identity/people/members/routes.ts';
import { passkeyRoutes } from '../identity/people/passkeys/routes.ts';
import { viewRoutes } from '../insight/views/routes.ts';
import { sessionRoutes } from '../identity/people/sessions/routes.ts';
import { singleSignOnRoutes } from '../identity/people/single-sign-on/routes.ts';
import { signInRoutes } from '../identity/people/sign-in/routes.ts';
import { tokenRoutes } from '../identity/credentials/tokens/routes.ts';
import { replayRoutes } from '../delivery/replays/routes.ts';
import { exportRoutes } from '../insight/exports/routes.ts';
import { messageRoutes } from '../messaging/messages/routes.ts';
import { publishingRoutes } from '../messaging/publishing/routes.ts';
import { schedulingRoutes } from '../messaging/scheduling/routes.ts';
import { searchRoutes } from '../insight/search/routes.ts';
import type { Services } from './assembly/create-services.ts';
import { statsRoutes } from '../insight/stats/routes.ts';
import { streamRoutes } from '../messaging/streams/routes.ts';
import { subscriptionRoutes } from '../messaging/subscriptions/routes.ts';
import { inspectorRoutes } from '../insight/inspectors/routes.ts';
import { installationRoutes } from '../insight/installation/routes.ts';
import { markerRoutes } from '../insight/markers/routes.ts';

/** Every endpoint except the probes. */
export const routes: Route<Services>[] = [
  ...channelRoutes,
  ...publishingRoutes,
  ...exportRoutes,
  ...messageRoutes,
  ...schedulingRoutes,
  ...streamRoutes,
  ...changeRoutes,
  ...searchRoutes,
  ...subscriptionRoutes,
  ...deliveryRoutes,
  ...deadLetterRoutesOf(runAnswer),
  ...replayRoutes,
  ...statsRoutes,
  ...workflowRoutes,
  ...trialRoutes,
  ...workflowScheduleRoutes,
  ...runRoutes,
  ...approvalRoutes,
  ...secretRoutes,
  ...connectorRoutes,
  ...connectionRoutes,
  ...inboundWebhookRoutes,
  ...inspectorRoutes,
  ...markerRoutes,
  ...installationRoutes,
  ...apiKeyRoutes,
  ...appRoutes,
  ...auditRoutes,
  ...machineCredentialRoutes,
  ...tokenRoutes,
  ...organisationRoutes,
  ...accountRoutes,
  ...signInRoutes,
  ...factorRoutes,
  ...passkeyRoutes,
  ...viewRoutes,
  ...sessionRoutes,
  ...memberRoutes,
  ...singleSignOnRoutes,
];
