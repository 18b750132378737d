import {
  type AnyRoute,
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
import { Alone } from './parts/alone.tsx';
import { FailureNote } from './parts/failure-note.tsx';
import { HereLink } from './parts/link.tsx';
import { HomePage, SessionGate } from './parts/session-gate.tsx';
import { Page } from './shell/page.tsx';
import { Shell } from './shell/shell.tsx';
import { Button } from './ui/button.tsx';
import { Empty } from './ui/empty.tsx';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound, errorComponent: Broken });

function NotFound() {
  return (
    <Alone title="Page not found">
      <Button render={<a href={`${BASE}/`}>Go to overview</a>}>Go to overview</Button>
    </Alone>
  );
}

function Broken({ error }: { error: unknown }) {
  return (
    <Alone title="Something went wrong">
      <FailureNote error={error} onRetry={() => location.reload()} />
    </Alone>
  );
}

const entries = [
  createRoute({
    getParentRoute: () => root,
    path: '/sign-in',
    component: lazyRouteComponent(() => import('./pages/sign-in/sign-in.tsx'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/setup',
    component: lazyRouteComponent(() => import('./pages/sign-in/setup.tsx'), 'SetupPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/invitation',
    component: lazyRouteComponent(() => import('./pages/sign-in/invitation.tsx'), 'InvitationPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/password-reset',
    component: lazyRouteComponent(() => import('./pages/sign-in/password-reset.tsx'), 'PasswordResetPage'),
  }),
];

/** The component library, for developers of the dashboard. */
const componentPages = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => root,
        path: '/ui',
        component: lazyRouteComponent(() => import('./ui/gallery/gallery.tsx'), 'Gallery'),
      }),
    ]
  : [];

const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: SessionGate });
const home = createRoute({ getParentRoute: () => signedIn, path: '/', component: HomePage });
const place = createRoute({
  getParentRoute: () => signedIn,
  path: '/$app/$env',
  component: Shell,
  notFoundComponent: NoSuchPage,
});

/** If a page fails, the navigation stays so that the user can continue. */
function BrokenPage({ error }: { error: unknown }) {
  return (
    <Page title="Something went wrong">
      <FailureNote error={error} onRetry={() => location.reload()} />
    </Page>
  );
}

/** An unknown page of an environment keeps the navigation. */
function NoSuchPage() {
  return (
    <Page title="Page not found">
      <Empty
        title="Page not found"
        actions={
          <Button look="primary" render={<HereLink to="/overview">Go to overview</HereLink>}>
            Go to overview
          </Button>
        }
      />
    </Page>
  );
}

const connections = () => import('./pages/connections/connections.tsx');
const credentials = () => import('./pages/credentials/credentials.tsx');
const pageOf = (path: string, component: RouteComponent) =>
  createRoute({ getParentRoute: () => place, path, component, errorComponent: BrokenPage });

/**
 * `lazyRouteComponent` puts each file into its own chunk. The pages that most visits start with are in the first chunk.
 */
const pages: AnyRoute[] = [
  pageOf('/', ToOverview),
  pageOf(
    '/overview',
    lazyRouteComponent(() => import('./pages/overview/overview.tsx'), 'OverviewPage'),
  ),
  pageOf(
    '/search',
    lazyRouteComponent(() => import('./pages/search/search.tsx'), 'SearchPage'),
  ),
  pageOf(
    '/messages',
    lazyRouteComponent(() => import('./pages/messages/messages.tsx'), 'MessagesPage'),
  ),
  pageOf(
    '/messages/new',
    lazyRouteComponent(() => import('./pages/messages/publish.tsx'), 'PublishPage'),
  ),
  pageOf(
    '/messages/$id',
    lazyRouteComponent(() => import('./pages/messages/message.tsx'), 'MessagePage'),
  ),
  pageOf(
    '/deliveries',
    lazyRouteComponent(() => import('./pages/deliveries/deliveries.tsx'), 'DeliveriesPage'),
  ),
  pageOf(
    '/deliveries/$id',
    lazyRouteComponent(() => import('./pages/deliveries/delivery.tsx'), 'DeliveryPage'),
  ),
  pageOf(
    '/dead-letters',
    lazyRouteComponent(() => import('./pages/dead-letters/dead-letters.tsx'), 'DeadLettersPage'),
  ),
  pageOf(
    '/dead-letters/$id',
    lazyRouteComponent(() => import('./pages/dead-letters/dead-letter.tsx'), 'DeadLetterPage'),
  ),
  pageOf(
    '/replays',
    lazyRouteComponent(() => import('./pages/replays/replays.tsx'), 'ReplaysPage'),
  ),
  pageOf(
    '/replays/$id',
    lazyRouteComponent(() => import('./pages/replays/replay.tsx'), 'ReplayPage'),
  ),
  pageOf(
    '/channels',
    lazyRouteComponent(() => import('./pages/channels/channels.tsx'), 'ChannelsPage'),
  ),
  pageOf(
    '/channels/new',
    lazyRouteComponent(() => import('./pages/channels/new-channel.tsx'), 'NewChannelPage'),
  ),
  pageOf(
    '/channels/$id',
    lazyRouteComponent(() => import('./pages/channels/channel.tsx'), 'ChannelPage'),
  ),
  pageOf(
    '/subscriptions',
    lazyRouteComponent(() => import('./pages/subscriptions/subscriptions.tsx'), 'SubscriptionsPage'),
  ),
  pageOf(
    '/subscriptions/new',
    lazyRouteComponent(() => import('./pages/subscriptions/new-subscription.tsx'), 'NewSubscriptionPage'),
  ),
  pageOf(
    '/subscriptions/$id',
    lazyRouteComponent(() => import('./pages/subscriptions/subscription.tsx'), 'SubscriptionPage'),
  ),
  pageOf(
    '/workflows',
    lazyRouteComponent(() => import('./pages/workflows/workflows.tsx'), 'WorkflowsPage'),
  ),
  pageOf(
    '/workflows/new',
    lazyRouteComponent(() => import('./pages/workflows/new-workflow.tsx'), 'NewWorkflowPage'),
  ),
  pageOf(
    '/workflows/$id',
    lazyRouteComponent(() => import('./pages/workflows/workflow.tsx'), 'WorkflowPage'),
  ),
  pageOf(
    '/runs',
    lazyRouteComponent(() => import('./pages/runs/runs.tsx'), 'RunsPage'),
  ),
  pageOf(
    '/runs/$id',
    lazyRouteComponent(() => import('./pages/runs/run.tsx'), 'RunPage'),
  ),
  pageOf(
    '/approvals',
    lazyRouteComponent(() => import('./pages/approvals/approvals.tsx'), 'ApprovalsPage'),
  ),
  pageOf(
    '/inbound',
    lazyRouteComponent(() => import('./pages/inbound/inbound.tsx'), 'InboundPage'),
  ),
  pageOf(
    '/inbound/new',
    lazyRouteComponent(() => import('./pages/inbound/new-webhook.tsx'), 'NewInboundPage'),
  ),
  pageOf(
    '/inbound/$id',
    lazyRouteComponent(() => import('./pages/inbound/webhook.tsx'), 'InboundWebhookPage'),
  ),
  pageOf(
    '/inspect',
    lazyRouteComponent(() => import('./pages/inspect/inspectors.tsx'), 'InspectorsPage'),
  ),
  pageOf(
    '/inspect/$id',
    lazyRouteComponent(() => import('./pages/inspect/inspector.tsx'), 'InspectorPage'),
  ),
  pageOf(
    '/doctor',
    lazyRouteComponent(() => import('./pages/doctor/doctor.tsx'), 'DoctorPage'),
  ),
  pageOf('/connectors', lazyRouteComponent(connections, 'ConnectorsPage')),
  pageOf(
    '/connectors/$id',
    lazyRouteComponent(() => import('./pages/connections/connector.tsx'), 'ConnectorPage'),
  ),
  pageOf('/connections', lazyRouteComponent(connections, 'ConnectionsPage')),
  pageOf(
    '/secrets',
    lazyRouteComponent(() => import('./pages/secrets/secrets.tsx'), 'SecretsPage'),
  ),
  pageOf('/api-keys', lazyRouteComponent(credentials, 'ApiKeysPage')),
  pageOf('/machine-credentials', lazyRouteComponent(credentials, 'MachineCredentialsPage')),
  pageOf(
    '/apps',
    lazyRouteComponent(() => import('./pages/settings/apps.tsx'), 'AppsPage'),
  ),
  pageOf(
    '/members',
    lazyRouteComponent(() => import('./pages/settings/members.tsx'), 'MembersPage'),
  ),
  pageOf(
    '/audit',
    lazyRouteComponent(() => import('./pages/settings/audit.tsx'), 'AuditPage'),
  ),
  pageOf(
    '/sign-in-settings',
    lazyRouteComponent(() => import('./pages/settings/authentication.tsx'), 'AuthenticationPage'),
  ),
  pageOf(
    '/service',
    lazyRouteComponent(() => import('./pages/settings/system-status.tsx'), 'SystemStatusPage'),
  ),
  pageOf(
    '/account',
    lazyRouteComponent(() => import('./pages/account/account.tsx'), 'AccountPage'),
  ),
];

function ToOverview() {
  // `as`: the path of this environment names both.
  const { app, env } = useParams({ strict: false }) as { app: string; env: string };
  return <Navigate to={`/${app}/${env}/overview`} replace />;
}

export const router = createRouter({
  routeTree: root.addChildren([...entries, ...componentPages, signedIn.addChildren([home, place.addChildren(pages)])]),
  basepath: BASE === '' ? '/' : BASE,
  parseSearch,
  stringifySearch: writeSearch,
  scrollRestoration: true,
});
