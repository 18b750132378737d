/** Conditions without which nothing changes that a caller could see, each with its reason. */
export const EQUIVALENT: Readonly<Record<string, string>> = {
  'src/deliveries/service.ts createDeliveries.listAttempts: cursor environmentId: caller.environmentId':
    'The name of the list has the id of the delivery, which was found in the environment.',
  'src/deliveries/statements/dead-letters.ts discardDeadLetter: sql environment_id = $2':
    'The dead letter was found in the environment a moment before, and keeps it.',
  'src/deliveries/statements/due-again.ts REPLAY_DEAD_LETTERS: sql l.environment_id = $2':
    'A single dead letter was found in the environment a moment before, and those of a replay are selected by it.',
  'src/idempotency/kept-answers.ts isAnswerTo: sql k.environment_id = ${message}.environment_id':
    'The answer begins with the id of the message, which no answer of another tenant does: the condition spares a look at theirs.',
  'src/messages/service.ts createMessages.list: cursor environmentId':
    'The name of the list has the id of the channel, which was found in the environment.',
  'src/messages/store.ts listMessages: sql d.environment_id = ${values.add(environmentId)}':
    'The same transaction has found the channel in the environment, and a message is stored with that of its channel.',
  'src/publishing/configs/channel-configs.ts keyOf: key environmentId':
    'A refusal by what a process remembers asks PostgreSQL once more, with the environment, and the statement that stores looks at it too.',
  'src/identity/audit/chain.ts repeats: comparison organisationId === row.organisationId':
    'Rows are read by their organisation: one that was moved is missing in its own chain, and its hash continues no other one.',
  'src/subscriptions/store.ts setStatus: where environmentId':
    'The same transaction has locked the subscription, with the environment.',
  'src/replays/batches.ts cancelReplay: sql environment_id = $2':
    'The replay was found in the environment a moment before, and keeps it.',
  'src/publishing/dry-run.ts createDryRun.scope: cursor environmentId':
    'The name of the list has the id of the channel, which was found in the environment.',
  'src/publishing/publisher-ids-store.ts claimPublisherIds: sql environment_id, ':
    'An id is committed with a message of its channel alone, so that all ids of a channel are of its environment.',
  'src/publishing/scheduled-store.ts SCHEDULE: sql c.environment_id = m.environment_id':
    'storeScheduled says that the channel is not there, and the transaction is undone.',
  'src/scheduling/service.ts createScheduling.list: cursor environmentId':
    'The name of the list has the id of the channel, which was found in the environment.',
  'src/scheduling/store.ts listScheduled: sql d.environment_id = ${values.add(environmentId)}':
    'The same transaction has found the channel in the environment, and a message is stored with that of its channel.',
  'src/identity/members/service.ts createMembers.renewSessions: comparison principal.id !== userId':
    'The sessions of the other person end all the same; the one who asks gets another secret for a session that goes on.',
  'src/identity/api-keys/known-keys.ts createKnownKeys.forget: comparison known.appId === id':
    'A process that forgets keys of other apps too asks PostgreSQL for them with their next request.',
  'src/identity/machine-credentials/known-credentials.ts createKnownCredentials.forget: comparison known.appId === id':
    'A process that forgets credentials of other apps too asks PostgreSQL for them with their next request.',
  'src/identity/factors/store.ts useStep: where userId':
    'The ciphertext beside it is sealed under a nonce of its own, so that no two people have the same one.',
  'src/identity/members/invitations-store.ts deleteInvitation: where organisationId':
    'The transaction that deletes an invitation by its id has just found that id in the organisation.',
};
