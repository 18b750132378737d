// Generated from the route table and its schemas by `npm run generate:client`: not edited by hand.

import type { Call } from '../call.ts';
import type { RequestOptions, StreamOptions } from '../options.ts';
import type { Lines } from '../lines.ts';
import type { Pages } from '../pages.ts';
import type { ChangeStream } from '../streams/change-stream.ts';
import type { MessageStream } from '../streams/message-stream.ts';
import type {
  AcceptInvitation,
  AcceptedRequest,
  AddPasskey,
  ApiKey,
  App,
  Approval,
  Attempt,
  AuditEntry,
  AuditFilter,
  AuditLine,
  Authenticate,
  Authorization,
  AuthorizationServer,
  Backlog,
  BacklogQuery,
  BatchAccepted,
  BulkDiscard,
  BulkReplay,
  BulkReplayOrPreview,
  BulkRetry,
  BulkRetryOrPreview,
  CancelRuns,
  CancelledMessage,
  CancelledRuns,
  ChangePassword,
  Channel,
  ChannelStats,
  ChannelStatsQuery,
  ConfirmTotp,
  Connection,
  ConnectionTest,
  Connector,
  ConnectorDetail,
  CreateApiKey,
  CreateApp,
  CreateBulkDiscard,
  CreateBulkReplay,
  CreateBulkRetry,
  CreateChannel,
  CreateConnection,
  CreateInspector,
  CreateInvitation,
  CreateMachineCredential,
  CreateMarker,
  CreateMessageReplay,
  CreateOrganisation,
  CreateSecret,
  CreateSubscription,
  CreateView,
  CreateWebhook,
  CreateWorkflow,
  CreatedSubscription,
  DeadLetter,
  DeadLetterGroups,
  DeadLetterGroupsQuery,
  DecideApproval,
  DefinitionValidation,
  Delivery,
  DryRun,
  DryRunBody,
  ExportDeadLetters,
  ExportDeliveries,
  ExportMessages,
  ExportRuns,
  FactorAdded,
  Factors,
  FilterTest,
  FilterTestBody,
  InboundReceived,
  InboundRefusal,
  InboundRequest,
  InspectedRequest,
  InspectedRow,
  Inspector,
  Invitation,
  InvitationPreview,
  JsonWebKeySet,
  ListApiKeys,
  ListApprovals,
  ListApps,
  ListAudit,
  ListBulkReplays,
  ListBulkRetries,
  ListChannels,
  ListConnections,
  ListConnectors,
  ListDeadLetters,
  ListDeliveries,
  ListInboundRequests,
  ListInspectors,
  ListMachineCredentials,
  ListMarkers,
  ListMembers,
  ListMessageReplays,
  ListMessages,
  ListRefusals,
  ListRequests,
  ListRuns,
  ListRunsOfWorkflow,
  ListScheduled,
  ListSecrets,
  ListSubscriptions,
  ListVersions,
  ListWebhooks,
  ListWorkflows,
  MachineCredential,
  Marker,
  Member,
  Message,
  MessageReplay,
  MessageReplayOrPreview,
  MessageRouting,
  MessageSummary,
  NewApiKey,
  NewInvitation,
  NewMachineCredential,
  NewRecoveryCodes,
  Organisation,
  PageQuery,
  Passkey,
  PasskeyAdded,
  PasskeyBody,
  PasskeyCreation,
  PasskeyRequest,
  PayloadValidation,
  PreviewInvitation,
  PublishAcross,
  PublishBatch,
  PublishMessage,
  PublishedMessage,
  RenamePasskey,
  RenameUser,
  ReplayMessage,
  RequestBody,
  ResetLink,
  ResetPassword,
  RetryRun,
  RevokedSessions,
  RotateApiKey,
  RotateMachineCredential,
  RotateSubscriptionSecret,
  RotateWebhookSecret,
  Run,
  RunStats,
  RunStatsQuery,
  RunSummary,
  Schedule,
  Search,
  SearchMessages,
  SearchResults,
  SecondFactor,
  SendSample,
  SentSample,
  Service,
  Session,
  Setup,
  SignIn,
  SignInBody,
  SignInSettings,
  SignInWays,
  SignedIn,
  SingleSignOn,
  StartRun,
  StartSingleSignOn,
  Stats,
  StatsQuery,
  StreamMessages,
  Subscription,
  SubscriptionSecret,
  SubscriptionStats,
  SubscriptionStatsQuery,
  TestRun,
  TestSubscription,
  TestWorkflow,
  TotpSecret,
  TracedMessage,
  TransferOwnership,
  UpdateApiKey,
  UpdateApp,
  UpdateChannel,
  UpdateConnection,
  UpdateInspector,
  UpdateMachineCredential,
  UpdateMember,
  UpdateOrganisation,
  UpdateSecret,
  UpdateSubscription,
  UpdateView,
  UpdateWebhook,
  UpdateWorkflow,
  User,
  ValidateMessages,
  ValidateWorkflow,
  View,
  Webhook,
  WebhookSample,
  WebhookSecrets,
  WebhookStats,
  WebhookStatsQuery,
  Workflow,
  WorkflowSecret,
  WorkflowStats,
  WorkflowStatsQuery,
  WorkflowVersions,
} from './types.ts';

/** Every endpoint of the service as a method. A body may also be its JSON text, which is sent as it is. */
export type Resources = {
  apiKeys: {
    /** `GET /v1/api-keys`, scope credentials:write */
    list(query?: ListApiKeys, options?: RequestOptions): Pages<ApiKey>;
    /** `POST /v1/api-keys`, scope credentials:write */
    create(body: CreateApiKey | string, options?: RequestOptions): Call<NewApiKey>;
    /** `GET /v1/api-keys/:apiKeyId`, scope credentials:write */
    get(apiKeyId: string, options?: RequestOptions): Call<ApiKey>;
    /** `PATCH /v1/api-keys/:apiKeyId`, scope credentials:write */
    update(apiKeyId: string, body: UpdateApiKey | string, options?: RequestOptions): Call<ApiKey>;
    /** `DELETE /v1/api-keys/:apiKeyId`, scope credentials:write */
    revoke(apiKeyId: string, options?: RequestOptions): Call<void>;
    /** `POST /v1/api-keys/:apiKeyId/rotate`, scope credentials:write */
    rotate(apiKeyId: string, body?: RotateApiKey | string, options?: RequestOptions): Call<NewApiKey>;
  };
  approvals: {
    /** `GET /v1/approvals`, scope workflows:read */
    list(query?: ListApprovals, options?: RequestOptions): Pages<Approval>;
    /** `GET /v1/approvals/:approvalId`, scope workflows:read */
    get(approvalId: string, options?: RequestOptions): Call<Approval>;
  };
  apps: {
    /** `GET /v1/apps`, scope apps:read */
    list(query?: ListApps, options?: RequestOptions): Pages<App>;
    /** `POST /v1/apps`, scope apps:write */
    create(body: CreateApp | string, options?: RequestOptions): Call<App>;
    /** `GET /v1/apps/:appId`, scope apps:read */
    get(appId: string, options?: RequestOptions): Call<App>;
    /** `PATCH /v1/apps/:appId`, scope apps:write */
    update(appId: string, body: UpdateApp | string, options?: RequestOptions): Call<App>;
  };
  audit: {
    /** `GET /v1/audit`, scope audit:read */
    list(query?: ListAudit, options?: RequestOptions): Pages<AuditEntry>;
    /** `GET /v1/audit/:auditEntryId`, scope audit:read */
    get(auditEntryId: string, options?: RequestOptions): Call<AuditEntry>;
    /** `GET /v1/audit/export`, scope audit:read */
    export(query?: AuditFilter, options?: RequestOptions): Lines<AuditLine>;
  };
  changes: {
    /** `GET /v1/changes`, scope messages:read */
    follow(options?: StreamOptions): ChangeStream;
  };
  channels: {
    /** `POST /v1/channels`, scope channels:write */
    create(body: CreateChannel | string, options?: RequestOptions): Call<Channel>;
    /** `GET /v1/channels`, scope channels:read */
    list(query?: ListChannels, options?: RequestOptions): Pages<Channel>;
    /** `GET /v1/channels/:channelId`, scope channels:read */
    get(channelId: string, options?: RequestOptions): Call<Channel>;
    /** `PATCH /v1/channels/:channelId`, scope channels:write */
    update(channelId: string, body: UpdateChannel | string, options?: RequestOptions): Call<Channel>;
    /** `DELETE /v1/channels/:channelId`, scope channels:write */
    delete(channelId: string, options?: RequestOptions): Call<void>;
  };
  connections: {
    /** `POST /v1/connections`, scope credentials:write */
    create(body: CreateConnection | string, options?: RequestOptions): Call<Connection>;
    /** `GET /v1/connections`, scope credentials:write */
    list(query?: ListConnections, options?: RequestOptions): Pages<Connection>;
    /** `GET /v1/connections/:connectionId`, scope credentials:write */
    get(connectionId: string, options?: RequestOptions): Call<Connection>;
    /** `PATCH /v1/connections/:connectionId`, scope credentials:write */
    update(connectionId: string, body: UpdateConnection | string, options?: RequestOptions): Call<Connection>;
    /** `DELETE /v1/connections/:connectionId`, scope credentials:write */
    delete(connectionId: string, options?: RequestOptions): Call<void>;
    /** `POST /v1/connections/:connectionId/test`, scope credentials:write */
    test(connectionId: string, options?: RequestOptions): Call<ConnectionTest>;
    /** `POST /v1/connections/:connectionId/authorize`, scope credentials:write */
    authorize(connectionId: string, options?: RequestOptions): Call<Authorization>;
  };
  connectors: {
    /** `GET /v1/connectors`, scope workflows:read */
    list(query?: ListConnectors, options?: RequestOptions): Pages<Connector>;
    /** `GET /v1/connectors/:connectorId`, scope workflows:read */
    get(connectorId: string, options?: RequestOptions): Call<ConnectorDetail>;
  };
  deadLetters: {
    /** `GET /v1/dlq/export`, scope dlq:read */
    export(query?: ExportDeadLetters, options?: RequestOptions): Lines<DeadLetter>;
    /** `GET /v1/dlq`, scope dlq:read */
    list(query?: ListDeadLetters, options?: RequestOptions): Pages<DeadLetter>;
    /** `GET /v1/dlq/groups`, scope dlq:read */
    group(query?: DeadLetterGroupsQuery, options?: RequestOptions): Call<DeadLetterGroups>;
    /** `GET /v1/dlq/:deadLetterId`, scope dlq:read */
    get(deadLetterId: string, options?: RequestOptions): Call<DeadLetter>;
    /** `DELETE /v1/dlq/:deadLetterId`, scope dlq:write */
    discard(deadLetterId: string, options?: RequestOptions): Call<void>;
    /** `POST /v1/dlq/:deadLetterId/replay`, scope dlq:write */
    replay(deadLetterId: string, options?: RequestOptions): Call<Delivery | Run>;
    /** `POST /v1/dlq/replay`, scope dlq:write */
    replayAll(body: CreateBulkReplay | string, options?: RequestOptions): Call<BulkReplayOrPreview>;
    /** `GET /v1/dlq/replay`, scope dlq:read */
    listBulkReplays(query?: ListBulkReplays, options?: RequestOptions): Pages<BulkReplay>;
    /** `GET /v1/dlq/replay/:bulkReplayId`, scope dlq:read */
    getBulkReplay(bulkReplayId: string, options?: RequestOptions): Call<BulkReplay>;
    /** `POST /v1/dlq/replay/:bulkReplayId/cancel`, scope dlq:write */
    cancelBulkReplay(bulkReplayId: string, options?: RequestOptions): Call<BulkReplay>;
    /** `POST /v1/dlq/discard`, scope dlq:write */
    discardAll(body: CreateBulkDiscard | string, options?: RequestOptions): Call<BulkDiscard>;
  };
  deliveries: {
    /** `GET /v1/deliveries/export`, scope deliveries:read */
    export(query?: ExportDeliveries, options?: RequestOptions): Lines<Delivery>;
    /** `GET /v1/deliveries`, scope deliveries:read */
    list(query?: ListDeliveries, options?: RequestOptions): Pages<Delivery>;
    /** `GET /v1/deliveries/:deliveryId`, scope deliveries:read */
    get(deliveryId: string, options?: RequestOptions): Call<Delivery>;
    /** `GET /v1/deliveries/:deliveryId/attempts`, scope deliveries:read */
    listAttempts(deliveryId: string, query?: PageQuery, options?: RequestOptions): Pages<Attempt>;
    /** `POST /v1/deliveries/:deliveryId/retry`, scope dlq:write */
    retry(deliveryId: string, options?: RequestOptions): Call<Delivery>;
    /** `POST /v1/deliveries/retry`, scope dlq:write */
    retryAll(body: CreateBulkRetry | string, options?: RequestOptions): Call<BulkRetryOrPreview>;
    /** `GET /v1/deliveries/retry`, scope dlq:read */
    listBulkRetries(query?: ListBulkRetries, options?: RequestOptions): Pages<BulkRetry>;
    /** `GET /v1/deliveries/retry/:bulkRetryId`, scope dlq:read */
    getBulkRetry(bulkRetryId: string, options?: RequestOptions): Call<BulkRetry>;
    /** `POST /v1/deliveries/retry/:bulkRetryId/cancel`, scope dlq:write */
    cancelBulkRetry(bulkRetryId: string, options?: RequestOptions): Call<BulkRetry>;
  };
  factors: {
    /** `GET /v1/user/factors`, for a person who is signed in */
    get(options?: RequestOptions): Call<Factors>;
    /** `POST /v1/user/totp`, for a person who is signed in */
    enrolTotp(options?: RequestOptions): Call<TotpSecret>;
    /** `POST /v1/user/totp/confirm`, for a person who is signed in */
    confirmTotp(body: ConfirmTotp | string, options?: RequestOptions): Call<FactorAdded>;
    /** `DELETE /v1/user/totp`, for a person who is signed in */
    removeTotp(options?: RequestOptions): Call<void>;
    /** `POST /v1/user/recovery-codes`, for a person who is signed in */
    generateRecoveryCodes(options?: RequestOptions): Call<NewRecoveryCodes>;
  };
  inspectors: {
    /** `GET /v1/inspectors`, scope subscriptions:read */
    list(query?: ListInspectors, options?: RequestOptions): Pages<Inspector>;
    /** `POST /v1/inspectors`, scope subscriptions:write */
    create(body: CreateInspector | string, options?: RequestOptions): Call<Inspector>;
    /** `GET /v1/inspectors/:inspectorId`, scope subscriptions:read */
    get(inspectorId: string, options?: RequestOptions): Call<Inspector>;
    /** `PATCH /v1/inspectors/:inspectorId`, scope subscriptions:write */
    update(inspectorId: string, body: UpdateInspector | string, options?: RequestOptions): Call<Inspector>;
    /** `DELETE /v1/inspectors/:inspectorId`, scope subscriptions:write */
    delete(inspectorId: string, options?: RequestOptions): Call<void>;
    /** `GET /v1/inspectors/:inspectorId/requests`, scope messages:read */
    listRequests(inspectorId: string, query?: ListRequests, options?: RequestOptions): Pages<InspectedRow>;
    /** `GET /v1/inspected-requests/:inspectedRequestId`, scope messages:read */
    getRequest(inspectedRequestId: string, options?: RequestOptions): Call<InspectedRequest>;
    /** `DELETE /v1/inspectors/:inspectorId/requests`, scope subscriptions:write */
    clearRequests(inspectorId: string, options?: RequestOptions): Call<void>;
  };
  invitations: {
    /** `GET /v1/organisations/:organisationId/invitations`, for a person who is signed in */
    list(organisationId: string, query?: PageQuery, options?: RequestOptions): Pages<Invitation>;
    /** `POST /v1/organisations/:organisationId/invitations`, for a person who is signed in */
    create(organisationId: string, body: CreateInvitation | string, options?: RequestOptions): Call<NewInvitation>;
    /** `DELETE /v1/organisations/:organisationId/invitations/:invitationId`, for a person who is signed in */
    revoke(organisationId: string, invitationId: string, options?: RequestOptions): Call<void>;
    /** `POST /v1/invitations/preview`, for anyone */
    preview(body: PreviewInvitation | string, options?: RequestOptions): Call<InvitationPreview>;
    /** `POST /v1/invitations/accept`, for anyone */
    accept(body: AcceptInvitation | string, options?: RequestOptions): Call<SignedIn>;
  };
  machineCredentials: {
    /** `GET /v1/machine-credentials`, scope credentials:write */
    list(query?: ListMachineCredentials, options?: RequestOptions): Pages<MachineCredential>;
    /** `POST /v1/machine-credentials`, scope credentials:write */
    create(body: CreateMachineCredential | string, options?: RequestOptions): Call<NewMachineCredential>;
    /** `GET /v1/machine-credentials/:machineCredentialId`, scope credentials:write */
    get(machineCredentialId: string, options?: RequestOptions): Call<MachineCredential>;
    /** `PATCH /v1/machine-credentials/:machineCredentialId`, scope credentials:write */
    update(machineCredentialId: string, body: UpdateMachineCredential | string, options?: RequestOptions): Call<MachineCredential>;
    /** `DELETE /v1/machine-credentials/:machineCredentialId`, scope credentials:write */
    revoke(machineCredentialId: string, options?: RequestOptions): Call<void>;
    /** `POST /v1/machine-credentials/:machineCredentialId/rotate`, scope credentials:write */
    rotate(machineCredentialId: string, body?: RotateMachineCredential | string, options?: RequestOptions): Call<NewMachineCredential>;
  };
  markers: {
    /** `GET /v1/markers`, scope deliveries:read */
    list(query?: ListMarkers, options?: RequestOptions): Pages<Marker>;
    /** `POST /v1/markers`, scope messages:write */
    create(body: CreateMarker | string, options?: RequestOptions): Call<Marker>;
    /** `DELETE /v1/markers/:markerId`, scope messages:write */
    delete(markerId: string, options?: RequestOptions): Call<void>;
  };
  members: {
    /** `GET /v1/organisations/:organisationId/members`, for a person who is signed in */
    list(organisationId: string, query?: ListMembers, options?: RequestOptions): Pages<Member>;
    /** `PATCH /v1/organisations/:organisationId/members/:userId`, for a person who is signed in */
    update(organisationId: string, userId: string, body: UpdateMember | string, options?: RequestOptions): Call<Member>;
    /** `DELETE /v1/organisations/:organisationId/members/:userId`, for a person who is signed in */
    remove(organisationId: string, userId: string, options?: RequestOptions): Call<void>;
    /** `POST /v1/organisations/:organisationId/members/:userId/password-reset`, for a person who is signed in */
    createResetLink(organisationId: string, userId: string, options?: RequestOptions): Call<ResetLink>;
    /** `DELETE /v1/organisations/:organisationId/members/:userId/factors`, for a person who is signed in */
    removeFactors(organisationId: string, userId: string, options?: RequestOptions): Call<void>;
    /** `POST /v1/organisations/:organisationId/ownership`, for a person who is signed in */
    transferOwnership(organisationId: string, body: TransferOwnership | string, options?: RequestOptions): Call<Member>;
  };
  messages: {
    /** `POST /v1/channels/:channelId/messages`, scope messages:write */
    publish(channelId: string, body: PublishMessage | string, options?: RequestOptions): Call<PublishedMessage>;
    /** `POST /v1/channels/:channelId/messages/batch`, scope messages:write */
    publishBatch(channelId: string, body: PublishBatch | string, options?: RequestOptions): Call<BatchAccepted>;
    /** `POST /v1/messages/batch`, scope messages:write */
    publishAcross(body: PublishAcross | string, options?: RequestOptions): Call<BatchAccepted>;
    /** `POST /v1/messages/transactional`, scope messages:write */
    publishTransactional(body: PublishAcross | string, options?: RequestOptions): Call<BatchAccepted>;
    /** `POST /v1/channels/:channelId/validate`, scope messages:write */
    validate(channelId: string, body: ValidateMessages | string, options?: RequestOptions): Call<PayloadValidation>;
    /** `POST /v1/channels/:channelId/dry-run`, scope messages:write */
    dryRun(channelId: string, body: DryRunBody | string, query?: PageQuery, options?: RequestOptions): Call<DryRun>;
    /** `GET /v1/messages/:messageId/routing`, scope messages:read */
    getRouting(messageId: string, options?: RequestOptions): Call<MessageRouting>;
    /** `POST /v1/channels/:channelId/filter-test`, scope messages:read */
    testFilter(channelId: string, body: FilterTestBody | string, options?: RequestOptions): Call<FilterTest>;
    /** `GET /v1/messages/export`, scope messages:read */
    export(query?: ExportMessages, options?: RequestOptions): Lines<Message>;
    /** `GET /v1/channels/:channelId/messages`, scope messages:read */
    list(channelId: string, query?: ListMessages, options?: RequestOptions): Pages<Message>;
    /** `GET /v1/messages`, scope messages:read */
    listAll(query?: SearchMessages, options?: RequestOptions): Pages<MessageSummary>;
    /** `GET /v1/messages/:messageId`, scope messages:read */
    get(messageId: string, options?: RequestOptions): Call<TracedMessage>;
    /** `DELETE /v1/messages/:messageId`, scope messages:write */
    delete(messageId: string, options?: RequestOptions): Call<void>;
    /** `GET /v1/channels/:channelId/scheduled`, scope messages:read */
    listScheduled(channelId: string, query?: ListScheduled, options?: RequestOptions): Pages<Message>;
    /** `POST /v1/messages/:scheduledMessageId/cancel`, scope messages:write */
    cancel(scheduledMessageId: string, options?: RequestOptions): Call<CancelledMessage>;
    /** `GET /v1/channels/:channelId/stream`, scope messages:read */
    stream(channelId: string, query?: StreamMessages, options?: StreamOptions): MessageStream;
    /** `POST /v1/messages/:messageId/replay`, scope subscriptions:write */
    replay(messageId: string, body: ReplayMessage | string, options?: RequestOptions): Call<Delivery>;
  };
  oauth: {
    /** `GET /.well-known/jwks.json`, for anyone */
    getKeys(options?: RequestOptions): Call<JsonWebKeySet>;
    /** `GET /.well-known/oauth-authorization-server`, for anyone */
    getMetadata(options?: RequestOptions): Call<AuthorizationServer>;
  };
  organisations: {
    /** `POST /v1/organisations`, for a person who is signed in */
    create(body: CreateOrganisation | string, options?: RequestOptions): Call<Organisation>;
    /** `GET /v1/organisations`, for a person who is signed in */
    list(query?: PageQuery, options?: RequestOptions): Pages<Organisation>;
    /** `GET /v1/organisations/:organisationId`, scope apps:read */
    get(organisationId: string, options?: RequestOptions): Call<Organisation>;
    /** `PATCH /v1/organisations/:organisationId`, scope apps:write */
    update(organisationId: string, body: UpdateOrganisation | string, options?: RequestOptions): Call<Organisation>;
  };
  passkeys: {
    /** `POST /v1/user/passkeys/options`, for a person who is signed in */
    prepare(options?: RequestOptions): Call<PasskeyCreation>;
    /** `POST /v1/user/passkeys`, for a person who is signed in */
    add(body: AddPasskey | string, options?: RequestOptions): Call<PasskeyAdded>;
    /** `GET /v1/user/passkeys`, for a person who is signed in */
    list(query?: PageQuery, options?: RequestOptions): Pages<Passkey>;
    /** `PATCH /v1/user/passkeys/:passkeyId`, for a person who is signed in */
    rename(passkeyId: string, body: RenamePasskey | string, options?: RequestOptions): Call<Passkey>;
    /** `DELETE /v1/user/passkeys/:passkeyId`, for a person who is signed in */
    remove(passkeyId: string, options?: RequestOptions): Call<void>;
  };
  replays: {
    /** `GET /v1/replays`, scope subscriptions:read */
    list(query?: ListMessageReplays, options?: RequestOptions): Pages<MessageReplay>;
    /** `GET /v1/replays/:messageReplayId`, scope subscriptions:read */
    get(messageReplayId: string, options?: RequestOptions): Call<MessageReplay>;
    /** `POST /v1/replays/:messageReplayId/cancel`, scope subscriptions:write */
    cancel(messageReplayId: string, options?: RequestOptions): Call<MessageReplay>;
  };
  runs: {
    /** `GET /v1/runs/export`, scope workflows:read */
    export(query?: ExportRuns, options?: RequestOptions): Lines<RunSummary>;
    /** `POST /v1/workflows/:workflowId/runs`, scope workflows:write */
    start(workflowId: string, body?: StartRun | string, options?: RequestOptions): Call<Run>;
    /** `GET /v1/workflows/:workflowId/runs`, scope workflows:read */
    listOfWorkflow(workflowId: string, query?: ListRunsOfWorkflow, options?: RequestOptions): Pages<RunSummary>;
    /** `POST /v1/workflows/:workflowId/runs/cancel`, scope workflows:write */
    cancelMany(workflowId: string, body: CancelRuns | string, options?: RequestOptions): Call<CancelledRuns>;
    /** `GET /v1/runs`, scope workflows:read */
    list(query?: ListRuns, options?: RequestOptions): Pages<RunSummary>;
    /** `GET /v1/runs/:runId`, scope workflows:read */
    get(runId: string, options?: RequestOptions): Call<Run>;
    /** `POST /v1/runs/:runId/cancel`, scope workflows:write */
    cancel(runId: string, options?: RequestOptions): Call<Run>;
    /** `POST /v1/runs/:runId/retry`, scope workflows:write */
    retry(runId: string, body?: RetryRun | string, options?: RequestOptions): Call<Run>;
    /** `POST /v1/runs/:runId/approve`, scope workflows:write */
    approve(runId: string, body?: DecideApproval | string, options?: RequestOptions): Call<Approval>;
    /** `POST /v1/runs/:runId/reject`, scope workflows:write */
    reject(runId: string, body?: DecideApproval | string, options?: RequestOptions): Call<Approval>;
  };
  search: {
    /** `GET /v1/search`, scope messages:read */
    find(query?: Search, options?: RequestOptions): Call<SearchResults>;
  };
  secrets: {
    /** `POST /v1/secrets`, scope credentials:write */
    create(body: CreateSecret | string, options?: RequestOptions): Call<WorkflowSecret>;
    /** `GET /v1/secrets`, scope credentials:write */
    list(query?: ListSecrets, options?: RequestOptions): Pages<WorkflowSecret>;
    /** `GET /v1/secrets/:secretId`, scope credentials:write */
    get(secretId: string, options?: RequestOptions): Call<WorkflowSecret>;
    /** `PATCH /v1/secrets/:secretId`, scope credentials:write */
    update(secretId: string, body: UpdateSecret | string, options?: RequestOptions): Call<WorkflowSecret>;
    /** `DELETE /v1/secrets/:secretId`, scope credentials:write */
    delete(secretId: string, options?: RequestOptions): Call<void>;
  };
  service: {
    /** `GET /v1/service`, scope apps:write */
    get(options?: RequestOptions): Call<Service>;
    /** `GET /v1/service/sign-in`, scope apps:write */
    getSignIn(options?: RequestOptions): Call<SignInSettings>;
  };
  session: {
    /** `POST /v1/setup`, for anyone */
    setUp(body: Setup | string, options?: RequestOptions): Call<SignedIn>;
    /** `POST /v1/session/authenticate/options`, for a person who is signed in */
    requestPasskey(options?: RequestOptions): Call<PasskeyRequest>;
    /** `POST /v1/session/authenticate`, for a person who is signed in */
    authenticate(body: Authenticate | string, options?: RequestOptions): Call<SignedIn>;
    /** `GET /v1/session`, for a person who is signed in */
    get(options?: RequestOptions): Call<SignedIn>;
    /** `DELETE /v1/session`, for a person who is signed in */
    signOut(options?: RequestOptions): Call<void>;
    /** `POST /v1/session/authenticate/single-sign-on`, for a person who is signed in */
    startSingleSignOn(body: StartSingleSignOn | string, options?: RequestOptions): Call<SingleSignOn>;
  };
  sessions: {
    /** `GET /v1/sessions`, for a person who is signed in */
    list(query?: PageQuery, options?: RequestOptions): Pages<Session>;
    /** `POST /v1/sessions/revoke-others`, for a person who is signed in */
    revokeOthers(options?: RequestOptions): Call<RevokedSessions>;
    /** `DELETE /v1/sessions/:sessionId`, for a person who is signed in */
    revoke(sessionId: string, options?: RequestOptions): Call<void>;
  };
  signIn: {
    /** `POST /v1/sign-in`, for anyone */
    byPassword(body: SignInBody | string, options?: RequestOptions): Call<SignIn>;
    /** `POST /v1/sign-in/second-factor`, for anyone */
    bySecondFactor(body: SecondFactor | string, options?: RequestOptions): Call<SignedIn>;
    /** `POST /v1/sign-in/second-factor/options`, for anyone */
    requestSecondPasskey(options?: RequestOptions): Call<PasskeyRequest>;
    /** `POST /v1/sign-in/passkey/options`, for anyone */
    requestPasskey(options?: RequestOptions): Call<PasskeyRequest>;
    /** `POST /v1/sign-in/passkey`, for anyone */
    byPasskey(body: PasskeyBody | string, options?: RequestOptions): Call<SignedIn>;
    /** `GET /v1/sign-in`, for anyone */
    getMethods(options?: RequestOptions): Call<SignInWays>;
    /** `POST /v1/sign-in/single-sign-on`, for anyone */
    startSingleSignOn(body: StartSingleSignOn | string, options?: RequestOptions): Call<SingleSignOn>;
  };
  stats: {
    /** `GET /v1/stats`, scope deliveries:read */
    get(query?: StatsQuery, options?: RequestOptions): Call<Stats>;
    /** `GET /v1/stats/subscriptions`, scope deliveries:read */
    getSubscriptions(query?: SubscriptionStatsQuery, options?: RequestOptions): Call<SubscriptionStats>;
    /** `GET /v1/stats/channels`, scope deliveries:read */
    getChannels(query?: ChannelStatsQuery, options?: RequestOptions): Call<ChannelStats>;
    /** `GET /v1/stats/workflows`, scope workflows:read */
    getWorkflows(query?: WorkflowStatsQuery, options?: RequestOptions): Call<WorkflowStats>;
    /** `GET /v1/stats/webhooks`, scope webhooks:read */
    getWebhooks(query?: WebhookStatsQuery, options?: RequestOptions): Call<WebhookStats>;
    /** `GET /v1/stats/runs`, scope workflows:read */
    getRuns(query?: RunStatsQuery, options?: RequestOptions): Call<RunStats>;
    /** `GET /v1/stats/backlog`, scope deliveries:read */
    getBacklog(query?: BacklogQuery, options?: RequestOptions): Call<Backlog>;
  };
  subscriptions: {
    /** `POST /v1/subscriptions/:subscriptionId/test`, scope subscriptions:write */
    test(subscriptionId: string, body?: TestSubscription | string, options?: RequestOptions): Call<PublishedMessage>;
    /** `POST /v1/subscriptions`, scope subscriptions:write */
    create(body: CreateSubscription | string, options?: RequestOptions): Call<CreatedSubscription>;
    /** `GET /v1/subscriptions`, scope subscriptions:read */
    list(query?: ListSubscriptions, options?: RequestOptions): Pages<Subscription>;
    /** `GET /v1/subscriptions/:subscriptionId`, scope subscriptions:read */
    get(subscriptionId: string, options?: RequestOptions): Call<Subscription>;
    /** `PATCH /v1/subscriptions/:subscriptionId`, scope subscriptions:write */
    update(subscriptionId: string, body: UpdateSubscription | string, options?: RequestOptions): Call<Subscription>;
    /** `DELETE /v1/subscriptions/:subscriptionId`, scope subscriptions:write */
    delete(subscriptionId: string, options?: RequestOptions): Call<void>;
    /** `POST /v1/subscriptions/:subscriptionId/pause`, scope subscriptions:write */
    pause(subscriptionId: string, options?: RequestOptions): Call<Subscription>;
    /** `POST /v1/subscriptions/:subscriptionId/resume`, scope subscriptions:write */
    resume(subscriptionId: string, options?: RequestOptions): Call<Subscription>;
    /** `GET /v1/subscriptions/:subscriptionId/secret`, scope subscriptions:write */
    getSecret(subscriptionId: string, options?: RequestOptions): Call<SubscriptionSecret>;
    /** `POST /v1/subscriptions/:subscriptionId/secret/rotate`, scope subscriptions:write */
    rotateSecret(subscriptionId: string, body?: RotateSubscriptionSecret | string, options?: RequestOptions): Call<SubscriptionSecret>;
    /** `POST /v1/subscriptions/:subscriptionId/replay`, scope subscriptions:write */
    replay(subscriptionId: string, body: CreateMessageReplay | string, options?: RequestOptions): Call<MessageReplayOrPreview>;
  };
  user: {
    /** `POST /v1/password-reset`, for anyone */
    resetPassword(body: ResetPassword | string, options?: RequestOptions): Call<void>;
    /** `GET /v1/user`, for a person who is signed in */
    get(options?: RequestOptions): Call<User>;
    /** `PATCH /v1/user`, for a person who is signed in */
    rename(body: RenameUser | string, options?: RequestOptions): Call<User>;
    /** `POST /v1/user/password`, for a person who is signed in */
    changePassword(body: ChangePassword | string, options?: RequestOptions): Call<SignedIn>;
  };
  views: {
    /** `POST /v1/views`, for a person who is signed in */
    create(body: CreateView | string, options?: RequestOptions): Call<View>;
    /** `GET /v1/views`, for a person who is signed in */
    list(query?: PageQuery, options?: RequestOptions): Pages<View>;
    /** `PATCH /v1/views/:viewId`, for a person who is signed in */
    update(viewId: string, body: UpdateView | string, options?: RequestOptions): Call<View>;
    /** `DELETE /v1/views/:viewId`, for a person who is signed in */
    delete(viewId: string, options?: RequestOptions): Call<void>;
  };
  webhooks: {
    /** `GET /v1/webhooks`, scope webhooks:read */
    list(query?: ListWebhooks, options?: RequestOptions): Pages<Webhook>;
    /** `POST /v1/webhooks`, scope webhooks:write */
    create(body: CreateWebhook | string, options?: RequestOptions): Call<Webhook>;
    /** `GET /v1/webhooks/:webhookId`, scope webhooks:read */
    get(webhookId: string, options?: RequestOptions): Call<Webhook>;
    /** `PATCH /v1/webhooks/:webhookId`, scope webhooks:write */
    update(webhookId: string, body: UpdateWebhook | string, options?: RequestOptions): Call<Webhook>;
    /** `DELETE /v1/webhooks/:webhookId`, scope webhooks:write */
    delete(webhookId: string, options?: RequestOptions): Call<void>;
    /** `GET /v1/webhooks/:webhookId/secrets`, scope webhooks:write */
    getSecrets(webhookId: string, options?: RequestOptions): Call<WebhookSecrets>;
    /** `POST /v1/webhooks/:webhookId/secrets/rotate`, scope webhooks:write */
    rotateSecret(webhookId: string, body?: RotateWebhookSecret | string, options?: RequestOptions): Call<WebhookSecrets>;
    /** `GET /v1/webhooks/:webhookId/sample`, scope webhooks:read */
    getSample(webhookId: string, options?: RequestOptions): Call<WebhookSample>;
    /** `POST /v1/webhooks/:webhookId/sample`, scope webhooks:write */
    sendSample(webhookId: string, body?: SendSample | string, options?: RequestOptions): Call<SentSample>;
    /** `GET /v1/webhooks/:webhookId/requests`, scope webhooks:read */
    listRequests(webhookId: string, query?: ListInboundRequests, options?: RequestOptions): Pages<InboundRequest>;
    /** `GET /v1/inbound-requests/:requestId/body`, scope messages:read */
    getRequestBody(requestId: string, options?: RequestOptions): Call<RequestBody>;
    /** `POST /v1/inbound-requests/:requestId/accept`, scope webhooks:write */
    acceptRequest(requestId: string, options?: RequestOptions): Call<AcceptedRequest>;
    /** `GET /v1/webhooks/:webhookId/refusals`, scope webhooks:read */
    listRefusals(webhookId: string, query?: ListRefusals, options?: RequestOptions): Pages<InboundRefusal>;
    /** `POST /v1/webhooks/:webhookId`, for anyone */
    receive(webhookId: string, options?: RequestOptions): Call<InboundReceived>;
  };
  workflows: {
    /** `POST /v1/workflows`, scope workflows:write */
    create(body: CreateWorkflow | string, options?: RequestOptions): Call<Workflow>;
    /** `GET /v1/workflows`, scope workflows:read */
    list(query?: ListWorkflows, options?: RequestOptions): Pages<Workflow>;
    /** `POST /v1/workflows/validate`, scope workflows:write */
    validate(body: ValidateWorkflow | string, options?: RequestOptions): Call<DefinitionValidation>;
    /** `GET /v1/workflows/:workflowId`, scope workflows:read */
    get(workflowId: string, options?: RequestOptions): Call<Workflow>;
    /** `GET /v1/workflows/:workflowId/versions`, scope workflows:read */
    listVersions(workflowId: string, query?: ListVersions, options?: RequestOptions): Call<WorkflowVersions>;
    /** `PATCH /v1/workflows/:workflowId`, scope workflows:write */
    update(workflowId: string, body: UpdateWorkflow | string, options?: RequestOptions): Call<Workflow>;
    /** `DELETE /v1/workflows/:workflowId`, scope workflows:write */
    delete(workflowId: string, options?: RequestOptions): Call<void>;
    /** `POST /v1/workflows/:workflowId/activate`, scope workflows:write */
    activate(workflowId: string, options?: RequestOptions): Call<Workflow>;
    /** `POST /v1/workflows/:workflowId/pause`, scope workflows:write */
    pause(workflowId: string, options?: RequestOptions): Call<Workflow>;
    /** `POST /v1/workflows/:workflowId/test`, scope workflows:write */
    test(workflowId: string, body?: TestWorkflow | string, options?: RequestOptions): Call<TestRun>;
    /** `GET /v1/workflows/:workflowId/schedule`, scope workflows:read */
    getSchedule(workflowId: string, options?: RequestOptions): Call<Schedule>;
  };
};
