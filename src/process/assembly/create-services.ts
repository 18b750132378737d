import { createActivation } from '../../automations/definitions/activation.ts';
import { createApprovals } from '../../automations/approvals/service.ts';
import { createChecks } from '../../automations/definitions/problems/languages-and-targets.ts';
import { createWorkflows } from '../../automations/definitions/service.ts';
import { createRuns } from '../../automations/runs/service.ts';
import { createWorkflowSchedules } from '../../automations/schedules/service.ts';
import { createConnectors } from '../../automations/connectors/service.ts';
import { createSecrets } from '../../automations/workflow-secrets/service.ts';
import { createAccounts } from '../../identity/accounts/service.ts';
import { createApiKeys } from '../../identity/api-keys/service.ts';
import { createApps } from '../../identity/apps/service.ts';
import { createAudit } from '../../identity/audit/service.ts';
import { createOrganisations } from '../../identity/organisations/service.ts';
import { ensureSystemChannels } from '../../channels/store.ts';
import { createTries } from '../../identity/accounts/tries.ts';
import { createFactorsOfPeople } from '../../identity/factors/of-person.ts';
import { createFactors } from '../../identity/factors/service.ts';
import { createPasskeys } from '../../identity/passkeys/service.ts';
import { createViews } from '../../identity/views/service.ts';
import { createSignIn } from '../../identity/sign-in/service.ts';
import { createMembers } from '../../identity/members/service.ts';
import { createSingleSignOn } from '../../identity/single-sign-on/service.ts';
import { createSessions } from '../../identity/sessions/service.ts';
import { createChanges } from '../../changes/service.ts';
import { createChannels } from '../../channels/service.ts';
import { createDeadLetters } from '../../dead-letters/service.ts';
import { createDeliveries } from '../../deliveries/service.ts';
import { createInspectors } from '../../inspectors/service.ts';
import { createMarks } from '../../marks/service.ts';
import { createInstallationOf } from './create-installation.ts';
import { createExports } from '../../exports/service.ts';
import { createIdempotency } from '../../idempotency/service.ts';
import { createMachineCredentials } from '../../identity/machine-credentials/service.ts';
import { createUsedProofs } from '../../identity/dpop/used-proofs.ts';
import { createTokens } from '../../identity/tokens/service.ts';
import { createSigningKeys } from '../../identity/tokens/signing-keys.ts';
import type { ProcessDependencies } from './create-dependencies.ts';
import { createReplays } from '../../replays/service.ts';
import { createMessages } from '../../messages/service.ts';
import type { Meters } from '../../observe/meters.ts';
import type { CommitObserver } from '../../publishing/commit.ts';
import { createPublishing } from '../../publishing/service.ts';
import { createScheduling } from '../../scheduling/service.ts';
import { createConnectionsOf } from './create-connections.ts';
import { createInbound } from './create-inbound.ts';
import { createTrialsOf } from './create-trials.ts';
import { createSchemas } from '../../schemas/schemas.ts';
import type { Services } from '../../services.ts';
import { noSiblings, type Siblings } from './siblings.ts';
import { type HandOver, noHandOver } from '../../publishing/hand-over.ts';
import { createStats } from '../../stats/service.ts';
import { createSearching } from '../../search/service.ts';
import { createStreams } from '../../streams/service.ts';
import { createSubscriptions } from '../../subscriptions/service.ts';
import { createTellChange } from './audit-people.ts';

/**
 * Builds every service once, each with the collaborators it names. `handOver` takes new deliveries where the process sends, too.
 * `siblings` are the other processes of the same supervisor.
 */
const observerOf = (meters: Meters | undefined): CommitObserver | undefined =>
  meters && { onGroup: (requests) => meters.group('publish', requests), onCommitted: meters.committed };

export function createServices(
  deps: ProcessDependencies,
  handOver: HandOver = noHandOver,
  siblings: Siblings = noSiblings,
): Services {
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
    marks: createMarks(deps, { audit }),
    installation: createInstallationOf(deps, accounts),
    messages: createMessages(deps, { audit }),
    scheduling: createScheduling(deps, { audit }),
    streams,
    changes: createChanges(deps),
    subscriptions: createSubscriptions(deps, {
      apps,
      guard: deps.guard,
      deliveries,
      messageReplays: replays.messages,
      filters,
      audit,
    }),
    deliveries,
    replays,
    stats: createStats(deps),
    deadLetters: createDeadLetters(deps, { deliveries, runs, audit }),
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
