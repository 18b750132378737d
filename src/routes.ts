import { channelRoutes } from './channels/routes.ts';
import { deadLetterRoutes } from './dead-letters/routes.ts';
import { deliveryRoutes } from './deliveries/routes.ts';
import type { Route } from './http/route.ts';
import { accountRoutes } from './identity/accounts/routes.ts';
import { apiKeyRoutes } from './identity/api-keys/routes.ts';
import { memberRoutes } from './identity/members/routes.ts';
import { sessionRoutes } from './identity/sessions/routes.ts';
import { replayRoutes } from './replays/routes.ts';
import { messageRoutes } from './messages/routes.ts';
import { publishingRoutes } from './publishing/routes.ts';
import { schedulingRoutes } from './scheduling/routes.ts';
import type { Services } from './services.ts';
import { streamRoutes } from './streams/routes.ts';
import { subscriptionRoutes } from './subscriptions/routes.ts';

/** Every endpoint that takes a credential. */
export const routes: Route<Services>[] = [
  ...channelRoutes,
  ...publishingRoutes,
  ...messageRoutes,
  ...schedulingRoutes,
  ...streamRoutes,
  ...subscriptionRoutes,
  ...deliveryRoutes,
  ...deadLetterRoutes,
  ...replayRoutes,
  ...apiKeyRoutes,
  ...accountRoutes,
  ...sessionRoutes,
  ...memberRoutes,
];
