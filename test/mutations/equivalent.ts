/** Why nothing depends on a condition, and the tests that hold what the reason says. */
export type Reason = { because: string; heldBy: readonly { path: string; title: string }[] };

// The thing itself is looked for in the environment, before or in the same transaction.
const REFUSED = {
  path: 'test/contract/isolation.test.ts',
  title: 'refuses every wrong caller, shows nothing and changes nothing',
};
// A message is stored with the environment of its channel.
const NOT_STORED = {
  path: 'test/contract/isolation-shared.test.ts',
  title: 'finds no channel of a neighbour, and leaves nothing there',
};
// The name of the list has the id of the thing.
const OTHER_CURSOR = { path: 'test/contract/lists.whole.test.ts', title: 'of one thing opens that of no other one' };
// Composite foreign keys, which PostgreSQL holds.
const OF_RUN = {
  path: 'test/contract/isolation-automations.test.ts',
  title: 'a run, its steps and its approvals are of the environment of their workflow',
};

// One number for the operator, over all tenants.
const OF_ITS_APP = {
  path: 'test/retention/retention.test.ts',
  title: 'each run counts by the retentionDays of its own app',
};

/** Conditions without which nothing changes that a caller could see. `npm run mutations -- --equivalent` shows that they survive. */
export const EQUIVALENT: Readonly<Record<string, Reason>> = {
  'src/platform/observe/figure-queries.ts OVERDUE_RUNS: sql a.id = e.app_id': {
    because: 'The figure is one number for the operator, over all tenants, and no caller sees it.',
    heldBy: [OF_ITS_APP],
  },
  'src/platform/observe/figure-queries.ts OVERDUE_RUNS: sql r.environment_id = e.id': {
    because: 'The figure is one number for the operator, over all tenants, and no caller sees it.',
    heldBy: [OF_ITS_APP],
  },
  'src/delivery/record/service.ts createDeliveries.listAttempts: cursor environmentId: caller.environmentId': {
    because: 'The name of the list has the id of the delivery, which was found in the environment.',
    heldBy: [REFUSED, OTHER_CURSOR],
  },
  'src/automations/runs/store.ts LOCK: sql environment_id = $2': {
    because:
      'The run was found in the environment a moment before, and keeps it; the next statement asks for it again.',
    heldBy: [REFUSED],
  },
  'src/delivery/record/statements/due-again.ts REPLAY_DEAD_LETTERS: sql l.environment_id = $2': {
    because:
      'A single dead letter was found in the environment a moment before, and those of a replay are selected by it.',
    heldBy: [
      {
        path: 'test/contract/isolation-shared.test.ts',
        title: 'a replay of all dead letters counts those of its own environment, and makes no other ones due',
      },
      REFUSED,
    ],
  },
  'src/api/idempotency/kept-answers.ts isAnswerTo: sql k.environment_id = ${message}.environment_id': {
    because:
      'The answer begins with the id of the message, which no answer of another tenant does: the condition spares a look at theirs.',
    heldBy: [
      {
        path: 'test/contract/isolation-shared.test.ts',
        title: 'answers for no other tenant, nor for another credential',
      },
    ],
  },
  'src/messaging/messages/service.ts createMessages.list: cursor environmentId': {
    because: 'The name of the list has the id of the channel, which was found in the environment.',
    heldBy: [REFUSED, OTHER_CURSOR],
  },
  'src/messaging/messages/store.ts listMessages: sql d.environment_id = ${values.add(environmentId)}': {
    because:
      'The same transaction has found the channel in the environment, and a message is stored with that of its channel.',
    heldBy: [REFUSED, NOT_STORED],
  },
  'src/messaging/publishing/configs/channel-configs.ts keyOf: key environmentId': {
    because:
      'A refusal by what a process remembers asks PostgreSQL once more, with the environment, and the statement that stores looks at it too.',
    heldBy: [
      {
        path: 'test/contract/isolation-shared.test.ts',
        title: 'a channel whose schema and filters are known is not there for a neighbour',
      },
    ],
  },
  'src/messaging/subscriptions/store.ts setActive: where environmentId': {
    because: 'The same transaction has locked the subscription, with the environment.',
    heldBy: [REFUSED],
  },
  'src/messaging/subscriptions/store.ts setStatus: where environmentId': {
    because: 'The same transaction has locked the subscription, with the environment.',
    heldBy: [REFUSED],
  },
  'src/delivery/replays/batches.ts cancelReplay: sql environment_id = $2': {
    because: 'The replay was found in the environment a moment before, and keeps it.',
    heldBy: [REFUSED],
  },
  'src/messaging/publishing/dry-run.ts createDryRun.scope: cursor environmentId': {
    because: 'The name of the list has the id of the channel, which was found in the environment.',
    heldBy: [
      {
        path: 'test/contract/isolation-shared.test.ts',
        title: 'a dry run with %s finds no channel of a neighbour',
      },
    ],
  },
  'src/messaging/publishing/storing/publisher-ids-store.ts claimPublisherIds: sql environment_id, ': {
    because:
      'An id is committed with a message of its channel alone, so that all ids of a channel are of its environment.',
    heldBy: [
      {
        path: 'test/publishing/publisher-ids.test.ts',
        title: 'an id holds any 128 visible ASCII characters, for its own channel and environment',
      },
    ],
  },
  'src/messaging/publishing/storing/scheduled-store.ts SCHEDULE: sql c.environment_id = m.environment_id': {
    because: 'storeScheduled says that the channel is not there, and the transaction is undone.',
    heldBy: [NOT_STORED],
  },
  'src/messaging/scheduling/service.ts createScheduling.list: cursor environmentId': {
    because: 'The name of the list has the id of the channel, which was found in the environment.',
    heldBy: [REFUSED, OTHER_CURSOR],
  },
  'src/messaging/scheduling/store.ts listScheduled: sql d.environment_id = ${values.add(environmentId)}': {
    because:
      'The same transaction has found the channel in the environment, and a message is stored with that of its channel.',
    heldBy: [REFUSED, NOT_STORED],
  },
  'src/identity/people/members/service.ts createMembers.renewSessions: comparison principal.id !== userId': {
    because:
      'The sessions of the other person end all the same; the one who asks gets another secret for a session that goes on.',
    heldBy: [
      {
        path: 'test/identity/members.test.ts',
        title: 'takes the ownership over; the one before is an admin, in a session with another secret',
      },
    ],
  },
  'src/identity/credentials/api-keys/known-keys.ts createKnownKeys.forget: comparison known.appId === id': {
    because: 'A process that forgets keys of other apps too asks PostgreSQL for them with their next request.',
    heldBy: [
      {
        path: 'test/identity/apps.test.ts',
        title: 'has its credentials refused at once here, with a reason, until it is active',
      },
    ],
  },
  'src/identity/credentials/machine-credentials/known-credentials.ts createKnownCredentials.forget: comparison known.appId === id':
    {
      because: 'A process that forgets credentials of other apps too asks PostgreSQL for them with their next request.',
      heldBy: [
        {
          path: 'test/identity/machine-credentials.test.ts',
          title:
            'a machine credential of a suspended app gets no token, and its tokens are refused, until the app is active',
        },
      ],
    },
  'src/identity/people/factors/store.ts useStep: where userId': {
    because: 'The ciphertext beside it is sealed under a nonce of its own, so that no two people have the same one.',
    heldBy: [{ path: 'src/platform/credentials/key-ring.test.ts', title: 'seals the same text differently each time' }],
  },
  'src/identity/people/members/invitations-store.ts deleteInvitation: where organisationId': {
    because: 'The transaction that deletes an invitation by its id has just found that id in the organisation.',
    heldBy: [REFUSED],
  },
  'src/automations/approvals/store.ts findOfRun.rows: sql a.environment_id = $1': {
    because:
      'The run was found in the environment a moment before, and a foreign key binds its approvals to the same one.',
    heldBy: [OF_RUN, REFUSED],
  },
  'src/automations/runs/store.ts findRun.definition: where environmentId': {
    because: 'The run was found in the environment in the same transaction, and its workflow is of the same one.',
    heldBy: [REFUSED, OF_RUN],
  },
  'src/automations/runs/store.ts findRun.steps: where environmentId': {
    because: 'The run was found in the environment a moment before, and a foreign key binds its steps to the same one.',
    heldBy: [OF_RUN, REFUSED],
  },
  'src/automations/runs/store.ts findBegun.recorded: sql environment_id = $2': {
    because: 'The run was found in the environment a moment before, and a foreign key binds its steps to the same one.',
    heldBy: [OF_RUN, REFUSED],
  },
  'src/automations/starting/gate-store.ts REMOVE: sql r.environment_id = $2': {
    because:
      'A foreign key binds the runs of a workflow to its environment: the condition leads to an index, and the workflow is asked for beside it.',
    heldBy: [OF_RUN],
  },
  'src/inbound/requests.ts createRequestsOfWebhook.requests: cursor environmentId': {
    because: 'A cursor is bound to the id of the webhook, which was found in the environment.',
    heldBy: [
      REFUSED,
      {
        path: 'test/contract/isolation-statements.test.ts',
        title: 'a cursor of the %s of one of the %s opens those of no other one',
      },
    ],
  },
  'src/inbound/service.ts createInboundWebhooks.refusals: cursor environmentId': {
    because: 'A cursor is bound to the id of the webhook, which was found in the environment.',
    heldBy: [
      REFUSED,
      {
        path: 'test/contract/isolation-statements.test.ts',
        title: 'a cursor of the %s of one of the %s opens those of no other one',
      },
    ],
  },
  'src/messaging/messages/summaries-store.ts findMessageIds.text: sql p.environment_id = ${values.add(filter.environmentId)}':
    {
      because: 'The channels are those of the environment, and an id is committed with a message of its channel alone.',
      heldBy: [
        {
          path: 'test/contract/isolation-statements.test.ts',
          title: 'src/messaging/messages/summaries-store.ts finds no message of another environment',
        },
      ],
    },
  'src/delivery/replays/outcome-store.ts countOf: sql d.environment_id = $1': {
    because:
      'The replay was found in the environment, and makes nothing of another one due: the condition is the first column of the index.',
    heldBy: [
      {
        path: 'test/contract/isolation-shared.test.ts',
        title: 'a replay of all dead letters counts those of its own environment, and makes no other ones due',
      },
      REFUSED,
    ],
  },
  'src/delivery/replays/dead-letter-store.ts STILL_OPEN: sql environment_id = $2': {
    because: 'The same transaction has selected these dead letters by the environment, and each keeps it.',
    heldBy: [
      {
        path: 'test/contract/isolation-shared.test.ts',
        title: 'a replay of all dead letters counts those of its own environment, and makes no other ones due',
      },
    ],
  },
  'src/insight/inspectors/service.ts createInspectors.requests: cursor environmentId': {
    because: 'A cursor is bound to the id of the inspector, which was found in the environment.',
    heldBy: [
      REFUSED,
      {
        path: 'test/contract/isolation-statements.test.ts',
        title: 'a cursor of the %s of one of the %s opens those of no other one',
      },
    ],
  },
  'src/insight/inspectors/receive-store.ts SIGNERS: sql s.environment_id = $2': {
    because:
      'Foreign keys bind a delivery to the environment of its message and of its subscription, and the message is asked for.',
    heldBy: [
      {
        path: 'test/contract/isolation-statements.test.ts',
        title: 'src/insight/inspectors/receive-store.ts finds no signer',
      },
    ],
  },
  'src/insight/inspectors/receive-store.ts SIGNERS: sql m.environment_id = $2': {
    because:
      'Foreign keys bind a delivery to the environment of its message and of its subscription, and that one is asked for.',
    heldBy: [
      {
        path: 'test/contract/isolation-statements.test.ts',
        title: 'src/insight/inspectors/receive-store.ts finds no signer',
      },
    ],
  },
  'src/automations/starting/due-store.ts CLAIM: sql h.environment_id = o.environment_id': {
    because:
      'A worker claims for all environments. The condition counts their places, and without it claims are fewer, of nobody else.',
    heldBy: [
      {
        path: 'test/automations/fair-starts.whole.test.ts',
        title: 'requests that hang leave places to the runs of other workflows, in the same environment and in others',
      },
    ],
  },
  'src/identity/tenancy/audit/store.ts findHead: where organisationId': {
    because: 'The operator alone checks chains, those of all organisations, and the end of another one is a breach.',
    heldBy: [{ path: 'test/identity/audit.test.ts', title: 'the check shows %s, by one who could drop the trigger' }],
  },
  'src/identity/credentials/machine-credentials/store.ts findAllMachineCredentials.rows: where appId': {
    because: 'The operator sees the credentials of all apps, and asks for those of one to have a shorter list.',
    heldBy: [
      {
        path: 'test/identity/machine-credentials.test.ts',
        title:
          'create, list and revoke say which app and environment they act on; what was made gets tokens until it is revoked',
      },
    ],
  },
  'src/identity/people/accounts/store.ts namePlaces.first: where organisationId': {
    because:
      'There is one organisation, that of the first start: others are made by people, and this makes the first of them.',
    heldBy: [
      {
        path: 'test/identity/setup.test.ts',
        title: 'the first organisation and its app have the names that the administrator gives them',
      },
    ],
  },
};
