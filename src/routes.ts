import { workflowRoutes } from './automations/definitions/routes.ts';
import { approvalRoutes } from './automations/approvals/routes.ts';
import { runRoutes } from './automations/runs/routes.ts';
import { workflowScheduleRoutes } from './automations/schedules/routes.ts';
import { trialRoutes } from './automations/trials/routes.ts';
import { connectionRoutes } from './automations/connections/routes.ts';
import { connectorRoutes } from './automations/connectors/routes.ts';
import { secretRoutes } from './automations/workflow-secrets/routes.ts';
import { inboundWebhookRoutes } from './automations/inbound/routes.ts';
import { changeRoutes } from './changes/routes.ts';
import { channelRoutes } from './channels/routes.ts';
import { deadLetterRoutes } from './dead-letters/routes.ts';
import { deliveryRoutes } from './deliveries/routes.ts';
import type { Route } from './http/route/route.ts';
import { accountRoutes } from './identity/accounts/routes.ts';
import { appRoutes } from './identity/apps/routes.ts';
import { organisationRoutes } from './identity/organisations/routes.ts';
import { factorRoutes } from './identity/factors/routes.ts';
import { apiKeyRoutes } from './identity/api-keys/routes.ts';
import { auditRoutes } from './identity/audit/routes.ts';
import { machineCredentialRoutes } from './identity/machine-credentials/routes.ts';
import { memberRoutes } from './identity/members/routes.ts';
import { passkeyRoutes } from './identity/passkeys/routes.ts';
import { viewRoutes } from './identity/views/routes.ts';
import { sessionRoutes } from './identity/sessions/routes.ts';
import { singleSignOnRoutes } from './identity/single-sign-on/routes.ts';
import { signInRoutes } from './identity/sign-in/routes.ts';
import { tokenRoutes } from './identity/tokens/routes.ts';
import { replayRoutes } from './replays/routes.ts';
import { exportRoutes } from './exports/routes.ts';
import { messageRoutes } from './messages/routes.ts';
import { publishingRoutes } from './publishing/routes.ts';
import { schedulingRoutes } from './scheduling/routes.ts';
import { searchRoutes } from './search/routes.ts';
import type { Services } from './services.ts';
import { statsRoutes } from './stats/routes.ts';
import { streamRoutes } from './streams/routes.ts';
import { subscriptionRoutes } from './subscriptions/routes.ts';
import { inspectorRoutes } from './inspectors/routes.ts';
import { installationRoutes } from './installation/routes.ts';
import { markRoutes } from './marks/routes.ts';

/** Every endpoint but the probes. */
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
  ...deadLetterRoutes,
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
  ...markRoutes,
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
