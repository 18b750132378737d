import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
  type RouteComponent,
  useParams,
} from '@tanstack/react-router';
import { BASE } from './lib/addresses.ts';
import { parseSearch, writeSearch } from './lib/search.ts';
import { useTexts } from './lib/texts.ts';
import { Alone } from './parts/alone.tsx';
import { Failure } from './parts/failure.tsx';
import { HomePage, SessionGate } from './parts/session-gate.tsx';
import { Shell } from './parts/shell.tsx';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound, errorComponent: Broken });

function NotFound() {
  const t = useTexts();
  return (
    <Alone title={t.home.noPage}>
      <a href={`${BASE}/`}>{t.home.toStart}</a>
    </Alone>
  );
}

function Broken({ error }: { error: unknown }) {
  const t = useTexts();
  return (
    <Alone title={t.home.broken}>
      <Failure error={error} onRetry={() => location.reload()} />
    </Alone>
  );
}

const entry = () => import('./pages/first-steps.tsx');
const entries = [
  createRoute({
    getParentRoute: () => root,
    path: '/sign-in',
    component: lazyRouteComponent(() => import('./pages/sign-in.tsx'), 'SignInPage'),
  }),
  createRoute({ getParentRoute: () => root, path: '/setup', component: lazyRouteComponent(entry, 'SetupPage') }),
  createRoute({
    getParentRoute: () => root,
    path: '/invitation',
    component: lazyRouteComponent(entry, 'InvitationPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/password-reset',
    component: lazyRouteComponent(entry, 'PasswordResetPage'),
  }),
];

const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: SessionGate });
const home = createRoute({ getParentRoute: () => signedIn, path: '/', component: HomePage });
const place = createRoute({ getParentRoute: () => signedIn, path: '/$app/$env', component: Shell });

const deadLetters = () => import('./pages/dead-letters.tsx');
const channels = () => import('./pages/channels.tsx');
const channel = () => import('./pages/channel.tsx');
const connectors = () => import('./pages/connectors.tsx');
const credentials = () => import('./pages/credentials.tsx');
const pageOf = (path: string, component: RouteComponent) =>
  createRoute({ getParentRoute: () => place, path, component });

/** `lazyRouteComponent` makes a part of its own of each file. The pages that most visits begin with are in the first part. */
const pages = [
  pageOf('/', ToOverview),
  pageOf(
    '/overview',
    lazyRouteComponent(() => import('./pages/overview.tsx'), 'OverviewPage'),
  ),
  pageOf(
    '/search',
    lazyRouteComponent(() => import('./pages/search.tsx'), 'SearchPage'),
  ),
  pageOf(
    '/messages',
    lazyRouteComponent(() => import('./pages/messages.tsx'), 'MessagesPage'),
  ),
  pageOf(
    '/messages/new',
    lazyRouteComponent(() => import('./pages/publish.tsx'), 'PublishPage'),
  ),
  pageOf(
    '/messages/$id',
    lazyRouteComponent(() => import('./pages/message.tsx'), 'MessagePage'),
  ),
  pageOf(
    '/deliveries',
    lazyRouteComponent(() => import('./pages/deliveries.tsx'), 'DeliveriesPage'),
  ),
  pageOf(
    '/deliveries/$id',
    lazyRouteComponent(() => import('./pages/delivery.tsx'), 'DeliveryPage'),
  ),
  pageOf('/dead-letters', lazyRouteComponent(deadLetters, 'DeadLettersPage')),
  pageOf(
    '/dead-letters/$id',
    lazyRouteComponent(() => import('./pages/dead-letter.tsx'), 'DeadLetterPage'),
  ),
  pageOf(
    '/replays',
    lazyRouteComponent(() => import('./pages/replays.tsx'), 'ReplaysPage'),
  ),
  pageOf(
    '/replays/$id',
    lazyRouteComponent(() => import('./pages/replay.tsx'), 'ReplayPage'),
  ),
  pageOf('/channels', lazyRouteComponent(channels, 'ChannelsPage')),
  pageOf('/channels/new', lazyRouteComponent(channel, 'NewChannelPage')),
  pageOf('/channels/$id', lazyRouteComponent(channel, 'ChannelPage')),
  pageOf(
    '/subscriptions',
    lazyRouteComponent(() => import('./pages/subscriptions.tsx'), 'SubscriptionsPage'),
  ),
  pageOf(
    '/subscriptions/new',
    lazyRouteComponent(() => import('./pages/subscription-form.tsx'), 'NewSubscriptionPage'),
  ),
  pageOf(
    '/subscriptions/$id',
    lazyRouteComponent(() => import('./pages/subscription.tsx'), 'SubscriptionPage'),
  ),
  pageOf(
    '/workflows',
    lazyRouteComponent(() => import('./pages/workflows.tsx'), 'WorkflowsPage'),
  ),
  pageOf(
    '/workflows/new',
    lazyRouteComponent(() => import('./pages/workflow-editor.tsx'), 'NewWorkflowPage'),
  ),
  pageOf(
    '/workflows/$id',
    lazyRouteComponent(() => import('./pages/workflow.tsx'), 'WorkflowPage'),
  ),
  pageOf(
    '/runs',
    lazyRouteComponent(() => import('./pages/runs.tsx'), 'RunsPage'),
  ),
  pageOf(
    '/runs/$id',
    lazyRouteComponent(() => import('./pages/run.tsx'), 'RunPage'),
  ),
  pageOf(
    '/approvals',
    lazyRouteComponent(() => import('./pages/approvals.tsx'), 'ApprovalsPage'),
  ),
  pageOf(
    '/inbound',
    lazyRouteComponent(() => import('./pages/inbound.tsx'), 'InboundPage'),
  ),
  pageOf(
    '/inbound/new',
    lazyRouteComponent(() => import('./pages/inbound-form.tsx'), 'NewInboundPage'),
  ),
  pageOf(
    '/inbound/$id',
    lazyRouteComponent(() => import('./pages/inbound-webhook.tsx'), 'InboundWebhookPage'),
  ),
  pageOf(
    '/inspect',
    lazyRouteComponent(() => import('./pages/inspectors.tsx'), 'InspectorsPage'),
  ),
  pageOf(
    '/inspect/$id',
    lazyRouteComponent(() => import('./pages/inspector.tsx'), 'InspectorPage'),
  ),
  pageOf(
    '/doctor',
    lazyRouteComponent(() => import('./pages/doctor.tsx'), 'DoctorPage'),
  ),
  pageOf('/connectors', lazyRouteComponent(connectors, 'ConnectorsPage')),
  pageOf('/connectors/$id', lazyRouteComponent(connectors, 'ConnectorPage')),
  pageOf(
    '/connections',
    lazyRouteComponent(() => import('./pages/connections.tsx'), 'ConnectionsPage'),
  ),
  pageOf(
    '/secrets',
    lazyRouteComponent(() => import('./pages/secrets.tsx'), 'SecretsPage'),
  ),
  pageOf('/api-keys', lazyRouteComponent(credentials, 'ApiKeysPage')),
  pageOf('/machine-credentials', lazyRouteComponent(credentials, 'MachineCredentialsPage')),
  pageOf(
    '/apps',
    lazyRouteComponent(() => import('./pages/apps.tsx'), 'AppsPage'),
  ),
  pageOf(
    '/members',
    lazyRouteComponent(() => import('./pages/members.tsx'), 'MembersPage'),
  ),
  pageOf(
    '/audit',
    lazyRouteComponent(() => import('./pages/audit.tsx'), 'AuditPage'),
  ),
  pageOf(
    '/sign-in-settings',
    lazyRouteComponent(() => import('./pages/sign-in-settings.tsx'), 'SignInSettingsPage'),
  ),
  pageOf(
    '/service',
    lazyRouteComponent(() => import('./pages/service.tsx'), 'ServicePage'),
  ),
  pageOf(
    '/account',
    lazyRouteComponent(() => import('./pages/account.tsx'), 'AccountPage'),
  ),
];

function ToOverview() {
  // `as`: the path of this place names both.
  const { app, env } = useParams({ strict: false }) as { app: string; env: string };
  return <Navigate to={`/${app}/${env}/overview`} replace />;
}

export const router = createRouter({
  routeTree: root.addChildren([...entries, signedIn.addChildren([home, place.addChildren(pages)])]),
  basepath: BASE === '' ? '/' : BASE,
  parseSearch,
  stringifySearch: writeSearch,
  scrollRestoration: true,
});
