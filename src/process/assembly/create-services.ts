import { eraseDeliveries } from '../../delivery/record/statements/remove.ts';
import { storePublications } from '../../delivery/record/statements/publish.ts';
import { createActivation, createWorkflows, type Workflows } from '../../automations/definitions/service.ts';
import { createApprovals } from '../../automations/approvals/service.ts';
import { createChecks } from '../../automations/definitions/problems/languages-and-targets.ts';
import { createRuns } from '../../automations/runs/service.ts';
import { createWorkflowSchedules } from '../../automations/schedules/service.ts';
import { createConnectors } from '../../automations/connectors/service.ts';
import { createSecrets } from '../../automations/secrets/service.ts';
import { createAccounts } from '../../identity/people/accounts/service.ts';
import { createApiKeys } from '../../identity/credentials/api-keys/service.ts';
import { createApps } from '../../identity/tenancy/apps/service.ts';
import { createAudit } from '../../identity/tenancy/audit/service.ts';
import { createOrganisations } from '../../identity/tenancy/organisations/service.ts';
import { ensureSystemChannels } from '../../messaging/channels/store.ts';
import { createTries } from '../../identity/people/accounts/tries.ts';
import { createFactorsOfPeople, createFactors } from '../../identity/people/factors/service.ts';
import { createPasskeys } from '../../identity/people/passkeys/service.ts';
import { createViews } from '../../insight/views/service.ts';
import { createSignIn } from '../../identity/people/sign-in/service.ts';
import { createMembers } from '../../identity/people/members/service.ts';
import { createSingleSignOn } from '../../identity/people/single-sign-on/service.ts';
import { createSessions } from '../../identity/people/sessions/service.ts';
import { createChanges } from '../../insight/changes/service.ts';
import { createChannels } from '../../messaging/channels/service.ts';
import { createDeadLetters } from '../../delivery/dead-letters/service.ts';
import { createDeliveries } from '../../delivery/record/service.ts';
import { createInspectors } from '../../insight/inspectors/service.ts';
import { createMarkers } from '../../insight/markers/service.ts';
import { createInstallationOf } from './create-installation.ts';
import { createExports } from '../../insight/exports/service.ts';
import { createIdempotency } from '../../api/idempotency/service.ts';
import { createMachineCredentials } from '../../identity/credentials/machine-credentials/service.ts';
import { createUsedProofs } from '../../identity/credentials/dpop/used-proofs.ts';
import { createTokens } from '../../identity/credentials/tokens/service.ts';
import { createSigningKeys } from '../../identity/credentials/tokens/signing-keys.ts';
import type { ProcessDependencies } from './create-dependencies.ts';
import { createReplays } from '../../delivery/replays/service.ts';
import { createMessages } from '../../messaging/messages/service.ts';
import type { Meters } from '../../platform/observe/meters.ts';
import type { CommitObserver } from '../../messaging/publishing/commit.ts';
import { createPublishing, type Publishing } from '../../messaging/publishing/service.ts';
import { createScheduling } from '../../messaging/scheduling/service.ts';
import { createSchemas } from '../../messaging/schemas/schemas.ts';
import { noSiblings, type Siblings } from './siblings.ts';
import { type HandOver, noHandOver } from '../../messaging/publishing/hand-over.ts';
import { createStats } from '../../insight/stats/service.ts';
import { createSearching } from '../../insight/search/service.ts';
import { createStreams } from '../../messaging/streams/service.ts';
import { createSubscriptions } from '../../messaging/subscriptions/service.ts';
import { createTellChange } from './audit-people.ts';
import { createAccessTokens } from '../../automations/connections/access-tokens.ts';
import { createFinish, CALLBACK } from '../../automations/connections/authorizations.ts';
import { type Connections, createConnections } from '../../automations/connections/service.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import { VERSION } from '../../kernel/words/version.ts';
import { createRequestSender, type RequestSender } from '../../platform/outbound/send-request.ts';
import { createEventTypeExpressions } from '../../inbound/mapping.ts';
import { createReceiveWebhook } from '../../inbound/receive.ts';
import { createInboundWebhooks, type InboundWebhooks } from '../../inbound/service.ts';
import { createFetchText } from '../../platform/outbound/fetch-text.ts';
import { createConnectorAction } from '../../automations/engine/actions/connector-action.ts';
import { createHttpAction } from '../../automations/engine/actions/http-action.ts';
import { createPublishAction } from '../../automations/engine/actions/publish-action.ts';
import { createStepExpressions } from '../../automations/expressions/expressions.ts';
import { createTrials, type Trials } from '../../automations/trials/service.ts';

const observerOf = (meters: Meters | undefined): CommitObserver | undefined =>
  meters && { onGroup: (requests) => meters.group('publish', requests), onCommitted: meters.committed };

/** The services that route handlers may call, by the name that they have there. */
export type Services = ReturnType<typeof createServices>;

/**
 * Builds every service once, each with the collaborators it names. `handOver` accepts new deliveries in a process that also sends.
 * `siblings` are the other processes of the same supervisor.
 */
export function createServices(
  deps: ProcessDependencies,
  handOver: HandOver = noHandOver,
  siblings: Siblings = noSiblings,
) {
  const audit = createAudit(deps);
  const deliveries = createDeliveries(deps, { audit });
  const replays = createReplays(deps, { audit, filters: deps.filters });
  const schemas = createSchemas(deps);
  const runs = createRuns(deps, { audit, schemas });
  const streams = createStreams(deps);
  const { filters, publishingConfigs: configs } = deps;
  const apiKeys = createApiKeys(deps, { audit, forgetElsewhere: siblings.forgetKey });
  const machineCredentials = createMachineCredentials(deps, { audit, forgetElsewhere: siblings.forgetKey });
  const forget = (appId: string): Promise<void> => {
    machineCredentials.forget(appId);
    return apiKeys.forgetEverywhere(appId);
  };
  const apps = createApps(deps, { audit, makeSystemChannels: ensureSystemChannels, forget });
  const tell = createTellChange(deps);
  const sessions = createSessions(deps, tell);
  const factorsOfPeople = createFactorsOfPeople(tell);
  const accounts = createAccounts(deps, { sessions, factorsOfPeople, tell });
  const tries = createTries(deps);
  const factors = createFactors(deps, { tries, sessions, tell });
  const passkeys = createPasskeys(deps, { factors, tell });
  const members = createMembers(deps, { accounts, sessions, factorsOfPeople, tell });
  const publishing = createPublishing(deps, {
    schemas,
    filters,
    configs,
    streams,
    storePublications,
    handOver,
    observer: observerOf(deps.meters),
    tracing: deps.tracing?.publishing,
  });
  const workflows = createWorkflows(deps, {
    checks: createChecks({ filters, guard: deps.guard }),
    activation: createActivation({ filters }),
    schemas,
    audit,
  });
  const services = {
    accounts,
    sessions,
    signIn: createSignIn(deps, { accounts, sessions, factors, factorsOfPeople, passkeys, tries }),
    factors,
    passkeys,
    views: createViews(deps),
    members,
    singleSignOn: createSingleSignOn(deps, { accounts, members, factorsOfPeople, sessions, tell }),
    apiKeys,
    apps,
    organisations: createOrganisations(deps, { members, tell, audit }),
    audit,
    machineCredentials,
    tokens: createTokens(deps, {
      machineCredentials,
      signingKeys: createSigningKeys(deps),
      usedProofs: createUsedProofs(deps),
    }),
    channels: createChannels(deps, { apps, deliveries, schemas, audit }),
    publishing,
    inboundWebhooks: createInbound(deps, { audit, publishing }),
    inspectors: createInspectors(deps, { audit }),
    markers: createMarkers(deps, { audit }),
    installation: createInstallationOf(deps, accounts),
    messages: createMessages(deps, { audit, eraseDeliveries }),
    scheduling: createScheduling(deps, { audit }),
    streams,
    changes: createChanges(deps),
    subscriptions: createSubscriptions(deps, {
      apps,
      guard: deps.guard,
      deliveries,
      replayFrom: replays.messages.startWithin,
      filters,
      audit,
    }),
    deliveries,
    replays,
    stats: createStats(deps),
    deadLetters: createDeadLetters(deps, { deliveries, replayRun: runs.replay, audit }),
    idempotency: createIdempotency(deps),
    runs,
    trials: createTrialsOf(deps, workflows),
    approvals: createApprovals(deps, { audit, schemas }),
    workflowSchedules: createWorkflowSchedules(deps, { workflows }),
    secrets: createSecrets(deps, { audit }),
    connectors: createConnectors(),
    connections: createConnectionsOf(deps, audit),
    workflows,
  };
  return { ...services, searching: createSearching(deps, services), exports: createExports(deps, services) };
}

/** Test runs of workflows. They prepare their actions as runs do, but send nothing. */
function createTrialsOf(deps: ProcessDependencies, workflows: Pick<Workflows, 'definitionOf'>): Trials {
  const expressions = createStepExpressions();
  const reachNobody = (): Promise<never> => Promise.reject(new Error('a trial reaches nobody'));
  return createTrials({
    ...deps,
    workflows,
    expressions,
    kinds: {
      http: createHttpAction({ sender: { send: reachNobody }, expressions, openSecrets: reachNobody }),
      publish: createPublishAction({ publish: reachNobody, expressions }),
      connector: createConnectorAction({
        sender: { send: reachNobody },
        expressions,
        openSecrets: reachNobody,
        openConnection: reachNobody,
      }),
    },
  });
}

/** Inbound webhooks with their own dependencies. */
function createInbound(
  deps: ProcessDependencies,
  { audit, publishing }: { audit: { record: RecordAudit }; publishing: Publishing },
): InboundWebhooks {
  const expressions = createEventTypeExpressions();
  const fetchText = createFetchText({ guard: deps.guard, version: VERSION });
  const receiving = createReceiveWebhook(deps, { publishing, expressions, fetchText, observer: deps.meters?.inbound });
  return createInboundWebhooks(deps, { audit, expressions, receiving });
}

/** Connections of workflows. They call services and providers rarely, so no connection is kept open. */
function createConnectionsOf(deps: ProcessDependencies, audit: { record: RecordAudit }): Connections {
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
