// Generated from the route table and its schemas by `npm run generate:client`: not edited by hand.

export type AcceptInvitation = {
  /** Code of the link: what stands behind `#code=`. */
  readonly code: string;
  /** Name for people. */
  readonly name?: string | undefined;
  /** Password that is to be, or that of the account which the person has. */
  readonly password?: string | undefined;
};

export type AcceptedRequest = {
  /** `repeated`: it was accepted before, or another request had the same id of the event. */
  readonly outcome: 'received' | 'repeated';
  /** Message that it became, or that its event had become before. */
  readonly messageId: string;
};

export type AddPasskey = {
  /** Name for people. */
  readonly name: string;
  /** The browser's credential, as its `toJSON()` gives it. */
  readonly passkey: {
    /** Id of the credential, in base64url. */
    readonly id: string;
    /** The same id. */
    readonly rawId: string;
    /** The one kind there is. */
    readonly type: 'public-key';
    /** The answer of the authenticator. */
    readonly response: {
      /** Data of the browser that is signed, in base64url. */
      readonly clientDataJSON: string;
      /** The new key, in base64url. */
      readonly attestationObject: string;
      /** Ways to reach the authenticator. */
      readonly transports?: readonly string[] | null | undefined;
    };
  };
};

export type ApiKey = {
  /** Prefix `key_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** App that it belongs to. */
  readonly appId: string;
  /** Environment that it belongs to, of which alone it sees anything. */
  readonly environment: 'live' | 'test';
  /** Tier whose limits hold where it has none of its own. */
  readonly tier: 'free' | 'starter' | 'pro' | 'enterprise';
  /** Limits in force: the tier's or the credential's own. */
  readonly limits: Limits;
  /** Rights that it has. */
  readonly scopes: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[];
  /** Its first 12 characters, by which keys are told apart. */
  readonly prefix: string;
  /** Its last 4 characters. */
  readonly last4: string;
  /** Only an active key is taken. */
  readonly status: 'active' | 'expired' | 'revoked';
  /** When it was made. */
  readonly createdAt: string;
  /** When it ends by itself. Absent: never. */
  readonly expiresAt?: string;
  /** When it was last used, to the minute. Absent before its first use. */
  readonly lastUsedAt?: string;
  /** IP address of the first request in that minute. */
  readonly lastUsedAddress?: string;
  /** Until when the key before the last rotation is taken too. Absent: only the last one is. */
  readonly previousKeyExpiresAt?: string;
};

export type App = {
  /** Prefix `app_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Organisation that it belongs to. */
  readonly organisationId: string;
  /** Name for people; several apps may have the same. */
  readonly name: string;
  /** Name for addresses and command lines; no other app of its organisation has it. */
  readonly slug: string;
  /** Text for people. */
  readonly description?: string;
  /** The credentials of a suspended app are refused, and its deliveries wait until it is active. */
  readonly status: 'active' | 'suspended';
  /** Defaults in force for resources that are made from now on: the app's own or the service's. */
  readonly settings: {
    /** `retentionDays` of a channel that is made without, and the days for which runs that have ended are kept. */
    readonly retentionDays: number;
    /** `retryPolicy` of a subscription that is made without; one that is given in part begins with it. */
    readonly retryPolicy: {
      /** Tries after the first one. */
      readonly maxRetries: number;
      /** Milliseconds before the first retry. */
      readonly initialDelay: number;
      /** Milliseconds that no delay exceeds. */
      readonly maxDelay: number;
      /** Each delay is the one before, times this. */
      readonly backoffMultiplier: number;
    };
    /** `timeoutMs` of a subscription that is made without. */
    readonly timeoutMs: number;
    /** `circuitBreaker` of a subscription that is made without. */
    readonly circuitBreaker: boolean;
  };
  /** When the app was made. */
  readonly createdAt: string;
  /** When the app was last changed. */
  readonly updatedAt: string;
};

export type Approval = {
  /** Prefix `apv_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Workflow of the run. */
  readonly workflowId: string;
  /** Run that waits. */
  readonly runId: string;
  /** Step that asks. */
  readonly stepId: string;
  /** Places of its items in the loops around it, from 0, joined by dots. */
  readonly iteration: string;
  /** Decision, or that there is none. */
  readonly status: 'open' | 'approved' | 'rejected' | 'expired' | 'cancelled';
  /** Question, in a few words. */
  readonly title: string;
  /** The same at length. */
  readonly message?: string;
  /** Ids of principals and addresses of people who may decide. Empty: anybody who may write workflows. */
  readonly approvers: readonly string[];
  /** JSON Schema that `data` of an approval must fit. */
  readonly form?: unknown;
  /** When the step asked. */
  readonly createdAt: string;
  /** When the step goes on by itself. */
  readonly expiresAt: string;
  /** Id of the principal who decided. */
  readonly decidedBy?: string;
  /** When that was. */
  readonly decidedAt?: string;
  /** Text that was given with it. */
  readonly comment?: string;
  /** Values that were given with it. */
  readonly data?: unknown;
};

export type Attempt = {
  /** Prefix `att_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Delivery that was tried. */
  readonly deliveryId: string;
  /** Counts the attempts of the delivery from 1. */
  readonly number: number;
  /** When it began. */
  readonly startedAt: string;
  /** Milliseconds that it took. */
  readonly durationMs: number;
  /** Whether the message has arrived by it. */
  readonly outcome: 'delivered' | 'failed' | 'held';
  /** Kind of the failure. Absent on success. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
  /** The same for people, with what is to be mended. */
  readonly errorMessage?: string;
  /** Request as it was sent. Absent where nobody has kept it, as after a crash. */
  readonly request?: {
    /** Counts the forms of requests to the subscription from 1: a change of its URL or headers begins the next one. */
    readonly version: number;
    /** Always POST. */
    readonly method: 'POST';
    /** URL, the values of its query masked by `***`. */
    readonly url: string;
    /** Headers by name as sent. The signature and values that look like credentials are masked by `***`. */
    readonly headers: Readonly<Record<string, string>>;
  };
  /** Answer of the subscriber. Absent when there was none. */
  readonly response?: {
    /** HTTP status. */
    readonly status: number;
    /** First 16 KiB of the body, as text. Empty in a list without `responseBodies`. */
    readonly body: string;
    /** Milliseconds from sending to the end of the answer. */
    readonly latencyMs: number;
    /** Headers of the answer, by lower-case name. */
    readonly headers: Readonly<Record<string, string>>;
  };
  /** Id of the Temporal workflow that ran the attempt. */
  readonly temporalWorkflowId: string;
};

export type AuditEntry = {
  /** Prefix `aud_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** When it was done. */
  readonly at: string;
  /** Organisation whose log this is. */
  readonly organisationId: string;
  /** App of the changed resource. Absent above the apps. */
  readonly appId?: string;
  /** Environment of it. Absent above the environments. */
  readonly environmentId?: string;
  /** The one who did it. */
  readonly actor: {
    /** A principal of the API, the command line, or the Temporal UI. */
    readonly kind: 'apiKey' | 'machineCredential' | 'person' | 'commandLine' | 'temporal';
    /** Id of the principal. The command line and the Temporal UI have none. */
    readonly id?: string;
  };
  /** Resource and verb: `channel.updated`. */
  readonly action: 'channel.created' | 'channel.updated' | 'channel.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'subscription.secret_viewed' | 'subscription.secret_rotated' | 'workflow.created' | 'workflow.updated' | 'workflow.activated' | 'workflow.paused' | 'workflow.deleted' | 'workflow.runs_cancelled' | 'run.started' | 'run.cancelled' | 'run.retried' | 'approval.approved' | 'approval.rejected' | 'connection.created' | 'connection.updated' | 'connection.deleted' | 'connection.tested' | 'connection.authorization_started' | 'connection.authorized' | 'secret.created' | 'secret.updated' | 'secret.deleted' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.secrets_viewed' | 'webhook.secret_rotated' | 'webhook.sample_sent' | 'webhook.request_accepted' | 'inspector.created' | 'inspector.updated' | 'inspector.deleted' | 'inspector.requests_cleared' | 'marker.created' | 'marker.deleted' | 'message.erased' | 'message.cancelled' | 'message.replayed' | 'message.exported' | 'delivery.exported' | 'dead_letter.exported' | 'run.exported' | 'audit.exported' | 'delivery.retried' | 'delivery.cancelled' | 'dead_letter.replayed' | 'dead_letter.discarded' | 'dead_letter.bulk_discarded' | 'replay.started' | 'replay.cancelled' | 'setup.finished' | 'user.created' | 'user.renamed' | 'user.password_changed' | 'user.password_reset' | 'user.reset_link_created' | 'identity.linked' | 'identity.forgotten' | 'user.factor_added' | 'user.factor_renamed' | 'user.factor_removed' | 'user.factors_removed' | 'user.recovery_codes_generated' | 'user.recovery_code_used' | 'member.role_changed' | 'member.removed' | 'invitation.created' | 'invitation.revoked' | 'invitation.accepted' | 'session.started' | 'session.revoked' | 'session.others_revoked' | 'session.signed_out' | 'organisation.created' | 'organisation.updated' | 'app.created' | 'app.updated' | 'machine_credential.created' | 'machine_credential.updated' | 'machine_credential.rotated' | 'machine_credential.revoked' | 'token.issued' | 'api_key.created' | 'api_key.updated' | 'api_key.rotated' | 'api_key.revoked';
  /** The resource it was done to. */
  readonly target: {
    /** Id of the resource. */
    readonly id: string;
  };
  /** Where the request came from. Absent where none did. */
  readonly from?: {
    /** IP address of the caller. */
    readonly address: string;
    /** Its `User-Agent`, the first 300 characters. */
    readonly userAgent?: string;
  };
  /** Changed fields as they were, without secrets. Absent in a list with `changes=false`. */
  readonly before?: Readonly<Record<string, unknown>>;
  /** Changed fields as they are since, without secrets. Absent in a list with `changes=false`. */
  readonly after?: Readonly<Record<string, unknown>>;
  /** Its place in the chain of its organisation. */
  readonly position: number;
  /** SHA-256, in hexadecimal, of the hash before it and of this entry (docs/operate/keys-and-secrets.md, Verify the audit log). */
  readonly hash: string;
};

export type AuditFilter = {
  /** Only this action. */
  readonly action?: 'channel.created' | 'channel.updated' | 'channel.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'subscription.secret_viewed' | 'subscription.secret_rotated' | 'workflow.created' | 'workflow.updated' | 'workflow.activated' | 'workflow.paused' | 'workflow.deleted' | 'workflow.runs_cancelled' | 'run.started' | 'run.cancelled' | 'run.retried' | 'approval.approved' | 'approval.rejected' | 'connection.created' | 'connection.updated' | 'connection.deleted' | 'connection.tested' | 'connection.authorization_started' | 'connection.authorized' | 'secret.created' | 'secret.updated' | 'secret.deleted' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.secrets_viewed' | 'webhook.secret_rotated' | 'webhook.sample_sent' | 'webhook.request_accepted' | 'inspector.created' | 'inspector.updated' | 'inspector.deleted' | 'inspector.requests_cleared' | 'marker.created' | 'marker.deleted' | 'message.erased' | 'message.cancelled' | 'message.replayed' | 'message.exported' | 'delivery.exported' | 'dead_letter.exported' | 'run.exported' | 'audit.exported' | 'delivery.retried' | 'delivery.cancelled' | 'dead_letter.replayed' | 'dead_letter.discarded' | 'dead_letter.bulk_discarded' | 'replay.started' | 'replay.cancelled' | 'setup.finished' | 'user.created' | 'user.renamed' | 'user.password_changed' | 'user.password_reset' | 'user.reset_link_created' | 'identity.linked' | 'identity.forgotten' | 'user.factor_added' | 'user.factor_renamed' | 'user.factor_removed' | 'user.factors_removed' | 'user.recovery_codes_generated' | 'user.recovery_code_used' | 'member.role_changed' | 'member.removed' | 'invitation.created' | 'invitation.revoked' | 'invitation.accepted' | 'session.started' | 'session.revoked' | 'session.others_revoked' | 'session.signed_out' | 'organisation.created' | 'organisation.updated' | 'app.created' | 'app.updated' | 'machine_credential.created' | 'machine_credential.updated' | 'machine_credential.rotated' | 'machine_credential.revoked' | 'token.issued' | 'api_key.created' | 'api_key.updated' | 'api_key.rotated' | 'api_key.revoked' | undefined;
  /** Only by this principal. */
  readonly actorId?: string | undefined;
  /** Only of this resource. */
  readonly targetId?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type AuditLine = {
  /** Its place in the chain of its organisation. */
  readonly position: number;
  /** SHA-256, in hexadecimal, of the hash before it and of this entry (docs/operate/keys-and-secrets.md, Verify the audit log). */
  readonly hash: string;
  /** The entry, byte for byte as it was hashed. */
  readonly entry: {
    /** Prefix `aud_` and 26 characters that sort by creation time. */
    readonly id: string;
    /** When it was done. */
    readonly at: string;
    /** Organisation whose log this is. */
    readonly organisationId: string;
    /** App of the changed resource. Absent above the apps. */
    readonly appId?: string;
    /** Environment of it. Absent above the environments. */
    readonly environmentId?: string;
    /** The one who did it. */
    readonly actor: {
      /** A principal of the API, the command line, or the Temporal UI. */
      readonly kind: 'apiKey' | 'machineCredential' | 'person' | 'commandLine' | 'temporal';
      /** Id of the principal. The command line and the Temporal UI have none. */
      readonly id?: string;
    };
    /** Resource and verb: `channel.updated`. */
    readonly action: 'channel.created' | 'channel.updated' | 'channel.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'subscription.secret_viewed' | 'subscription.secret_rotated' | 'workflow.created' | 'workflow.updated' | 'workflow.activated' | 'workflow.paused' | 'workflow.deleted' | 'workflow.runs_cancelled' | 'run.started' | 'run.cancelled' | 'run.retried' | 'approval.approved' | 'approval.rejected' | 'connection.created' | 'connection.updated' | 'connection.deleted' | 'connection.tested' | 'connection.authorization_started' | 'connection.authorized' | 'secret.created' | 'secret.updated' | 'secret.deleted' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.secrets_viewed' | 'webhook.secret_rotated' | 'webhook.sample_sent' | 'webhook.request_accepted' | 'inspector.created' | 'inspector.updated' | 'inspector.deleted' | 'inspector.requests_cleared' | 'marker.created' | 'marker.deleted' | 'message.erased' | 'message.cancelled' | 'message.replayed' | 'message.exported' | 'delivery.exported' | 'dead_letter.exported' | 'run.exported' | 'audit.exported' | 'delivery.retried' | 'delivery.cancelled' | 'dead_letter.replayed' | 'dead_letter.discarded' | 'dead_letter.bulk_discarded' | 'replay.started' | 'replay.cancelled' | 'setup.finished' | 'user.created' | 'user.renamed' | 'user.password_changed' | 'user.password_reset' | 'user.reset_link_created' | 'identity.linked' | 'identity.forgotten' | 'user.factor_added' | 'user.factor_renamed' | 'user.factor_removed' | 'user.factors_removed' | 'user.recovery_codes_generated' | 'user.recovery_code_used' | 'member.role_changed' | 'member.removed' | 'invitation.created' | 'invitation.revoked' | 'invitation.accepted' | 'session.started' | 'session.revoked' | 'session.others_revoked' | 'session.signed_out' | 'organisation.created' | 'organisation.updated' | 'app.created' | 'app.updated' | 'machine_credential.created' | 'machine_credential.updated' | 'machine_credential.rotated' | 'machine_credential.revoked' | 'token.issued' | 'api_key.created' | 'api_key.updated' | 'api_key.rotated' | 'api_key.revoked';
    /** The resource it was done to. */
    readonly target: {
      /** Id of the resource. */
      readonly id: string;
    };
    /** Where the request came from. Absent where none did. */
    readonly from?: {
      /** IP address of the caller. */
      readonly address: string;
      /** Its `User-Agent`, the first 300 characters. */
      readonly userAgent?: string;
    };
    /** Changed fields as they were, without secrets. Absent in a list with `changes=false`. */
    readonly before?: Readonly<Record<string, unknown>>;
    /** Changed fields as they are since, without secrets. Absent in a list with `changes=false`. */
    readonly after?: Readonly<Record<string, unknown>>;
  };
};

export type Authenticate = {
  /** Password of the account. */
  readonly password?: string | undefined;
  /** The browser's credential, as its `toJSON()` gives it. */
  readonly passkey?: {
    /** Credential id, in base64url. */
    readonly id: string;
    /** The same id. */
    readonly rawId: string;
    /** Always `public-key`. */
    readonly type: 'public-key';
    /** Response of the authenticator. */
    readonly response: {
      /** Client data that the authenticator signed, in base64url. */
      readonly clientDataJSON: string;
      /** Authenticator data, in base64url. */
      readonly authenticatorData: string;
      /** Signature over both, in base64url. */
      readonly signature: string;
      /** User id, in base64url. */
      readonly userHandle?: string | null | undefined;
    };
  } | undefined;
};

export type Authorization = {
  /** Address at the provider. The browser of one who may consent is sent there. */
  readonly authorizationUrl: string;
  /** When the address is good no more, used or not. */
  readonly expiresAt: string;
};

export type AuthorizationServer = {
  /** PUBLIC_BASE_URL, the `iss` and `aud` of tokens. */
  readonly issuer: string;
  /** Where tokens are asked for. */
  readonly token_endpoint: string;
  /** Where the public keys of tokens are. */
  readonly jwks_uri: string;
  /** Every scope that there is. */
  readonly scopes_supported: readonly string[];
  /** None: there is no authorization endpoint. */
  readonly response_types_supported: readonly never[];
  /** The one way to a token. */
  readonly grant_types_supported: readonly 'client_credentials'[];
  /** An HMAC over the proof, made with the secret. No registered method: none binds the client to the proof. */
  readonly token_endpoint_auth_methods_supported: readonly 'client_secret_dpop_hmac'[];
  /** Algorithms of proofs (RFC 9449 §5.1). */
  readonly dpop_signing_alg_values_supported: readonly ('ES256' | 'EdDSA' | 'Ed25519' | 'PS256')[];
};

export type Backlog = {
  /** Deliveries before their first attempt. */
  readonly pending: {
    /** How many there are, 1,000 at most. */
    readonly count: number;
    /** Whether there are more than that. */
    readonly isMore: boolean;
    /** When the oldest one was made. Absent where there is none. */
    readonly oldestAt?: string;
  };
  /** Deliveries whose attempts have failed so far. */
  readonly retrying: {
    /** How many there are, 1,000 at most. */
    readonly count: number;
    /** Whether there are more than that. */
    readonly isMore: boolean;
    /** When the oldest one was made. Absent where there is none. */
    readonly oldestAt?: string;
  };
  /** Dead letters that were neither replayed nor discarded. */
  readonly openDeadLetters: {
    /** How many there are, 1,000 at most. */
    readonly count: number;
    /** Whether there are more than that. */
    readonly isMore: boolean;
  };
  /** Servers that deliver for all environments, as of the last seconds. */
  readonly service: {
    /** Down where no worker is alive: nothing is delivered then. */
    readonly worker: 'up' | 'down';
    /** Down where Temporal answers no worker that is alive: deliveries wait for it. Unknown where none is. */
    readonly temporal: 'up' | 'down' | 'unknown';
  };
};

export type BacklogQuery = {
  /** Only of this channel. */
  readonly channelId?: string | undefined;
};

export type BatchAccepted = {
  /** How many messages were accepted: all of the request. */
  readonly count: number;
  /** Their ids, in the order of the request's messages. */
  readonly ids: readonly string[];
  /** They are stored. */
  readonly status: 'accepted';
  /** Where payloads do not fit the schemas of a channel that warns instead of refusing. On answers to publishes. */
  readonly warnings?: readonly FieldProblem[];
};

export type BulkDiscard = {
  /** `preview`: nothing was changed. */
  readonly status: 'preview' | 'discarded';
  /** Open dead letters that the filter matches. */
  readonly matched: number;
  /** Dead letters that this request has discarded, the oldest first. */
  readonly discarded: number;
  /** Open dead letters that match and are left. The same request goes on with them. */
  readonly left: number;
};

export type BulkReplay = {
  /** Prefix `rpl_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** How far it is. */
  readonly status: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed';
  /** Open dead letters that the filter matches. */
  readonly matched: number;
  /** Dead letters replayed so far. */
  readonly replayed: number;
  /** Dead letters that could not be replayed. */
  readonly failed: number;
  /** Their states by now. One that a later replay has made due counts there. */
  readonly outcome: {
    /** Deliveries that are delivered, and runs that have completed. */
    readonly succeeded: number;
    /** Deliveries that are still being tried, and runs that go on. */
    readonly underWay: number;
    /** Deliveries and runs that have failed again, and runs that were cancelled. */
    readonly failed: number;
    /** Whether all are counted: 10,000 for each number at most, in a list 1,000. */
    readonly isExact: boolean;
  };
  /** Dead letters that were asked for. */
  readonly filter: {
    /** Only of this channel. */
    readonly channelId?: string;
    /** Only of this subscription. */
    readonly subscriptionId?: string;
    /** Only of this message. */
    readonly messageId?: string;
    /** Only of this workflow. */
    readonly workflowId?: string;
    /** Only of this event type, or of those with its beginning. */
    readonly eventType?: string;
    /** Only of this kind. */
    readonly kind?: 'delivery' | 'run';
    /** Only with this reason. */
    readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step';
    /** Only with this kind of the last failure. */
    readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
    /** Only with this HTTP status of the last answer, or with one of a range such as `500-503` or a class such as `5xx`. */
    readonly errorStatus?: number | string;
    /** Only what failed after this. */
    readonly since?: string;
    /** Only what failed before this. */
    readonly until: string;
    /** Only deliveries that were made after this. */
    readonly createdSince?: string;
    /** Only deliveries that were made before this. */
    readonly createdUntil?: string;
  };
  /** Dead letters replayed per second at most. Absent: as fast as they are found. */
  readonly ratePerSecond?: number;
  /** Who asked for it: an API key, a machine credential or a person. */
  readonly requestedBy: string;
  /** When it was asked for. */
  readonly createdAt: string;
  /** When it ended. Absent until then. */
  readonly finishedAt?: string;
};

export type BulkReplayOrPreview = BulkReplay | {
  /** Nothing was changed. */
  readonly status: 'preview';
  /** Open dead letters that the filter matches. */
  readonly matched: number;
  /** Always 0. */
  readonly replayed: 0;
  /** Always 0. */
  readonly failed: 0;
  /** The oldest of them, five at most. */
  readonly oldest: readonly {
    /** Prefix `dlq_` and 26 characters that sort by creation time. */
    readonly id: string;
    /** When it was given up. */
    readonly failedAt: string;
    /** Event type of the message. */
    readonly eventType?: string;
  }[];
};

export type BulkRetry = {
  /** Prefix `rty_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** How far it is. */
  readonly status: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed';
  /** Deliveries that the filter matches and that may be retried. */
  readonly matched: number;
  /** Whether `matched` was all of them when it was asked for: no more than 100,000 rows are looked at for it. */
  readonly isExact: boolean;
  /** Deliveries made due so far. */
  readonly retried: number;
  /** Deliveries that could not be retried. */
  readonly failed: number;
  /** Their states by now. One that a later replay has made due counts there. */
  readonly outcome: {
    /** Deliveries that are delivered, and runs that have completed. */
    readonly succeeded: number;
    /** Deliveries that are still being tried, and runs that go on. */
    readonly underWay: number;
    /** Deliveries and runs that have failed again, and runs that were cancelled. */
    readonly failed: number;
    /** Whether all are counted: 10,000 for each number at most, in a list 1,000. */
    readonly isExact: boolean;
  };
  /** Deliveries that were asked for. */
  readonly filter: {
    /** Only of this channel. */
    readonly channelId?: string;
    /** Only to this subscription. */
    readonly subscriptionId?: string;
    /** Only of this message. */
    readonly messageId?: string;
    /** Only of this event type, or of those with its beginning. */
    readonly eventType?: string;
    /** Only with this status, or one of these. Absent: all that have not arrived. */
    readonly status?: 'pending' | 'delivered' | 'failed' | 'retrying' | readonly ('pending' | 'delivered' | 'failed' | 'retrying')[];
    /** Only with this kind of the last failure. */
    readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
    /** Only with this HTTP status of the last answer, or with one of a range such as `500-503` or a class such as `5xx`. */
    readonly errorStatus?: number | string;
    /** Only with a last answer that took so many milliseconds or more. */
    readonly minLatencyMs?: number;
    /** Only what waits for something beside its policy, or all others. */
    readonly held?: boolean;
    /** Only what this replay or bulk retry was the last to make due. */
    readonly replayId?: string;
    /** Only what was made after this. */
    readonly since?: string;
    /** Only what was made before this. */
    readonly until: string;
  };
  /** Deliveries made due per second at most. Absent: as fast as they are found. */
  readonly ratePerSecond?: number;
  /** Who asked for it: an API key, a machine credential or a person. */
  readonly requestedBy: string;
  /** When it was asked for. */
  readonly createdAt: string;
  /** When it ended. Absent until then. */
  readonly finishedAt?: string;
};

export type BulkRetryOrPreview = BulkRetry | {
  /** Nothing was changed. */
  readonly status: 'preview';
  /** Deliveries that the filter matches and that may be retried. */
  readonly matched: number;
  /** Whether `matched` was all of them when it was asked for: no more than 100,000 rows are looked at for it. */
  readonly isExact: boolean;
  /** Always 0. */
  readonly retried: 0;
  /** Always 0. */
  readonly failed: 0;
  /** The oldest of them, five at most. */
  readonly oldest: readonly {
    /** Prefix `dlv_` and 26 characters that sort by creation time. */
    readonly id: string;
    /** Its status. */
    readonly status: 'pending' | 'delivered' | 'failed' | 'retrying';
    /** Event type of the message. */
    readonly eventType?: string;
    /** When the delivery was made. */
    readonly createdAt: string;
  }[];
};

export type CancelRuns = {
  /** Only runs with this status, or one of these. Default: all that have not ended. */
  readonly status?: 'pending' | 'running' | 'waiting' | 'paused' | readonly ('pending' | 'running' | 'waiting' | 'paused')[] | undefined;
  /** Only these runs. An id that names none of them is left out. */
  readonly ids?: readonly string[] | undefined;
  /** Only runs made after this. */
  readonly since?: string | Date | undefined;
  /** Only runs made before this. */
  readonly until?: string | Date | undefined;
  /** Counts, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
};

export type CancelledMessage = {
  /** Prefix `msg_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Channel that it was published to. */
  readonly channelId: string;
  /** Event type, as published. */
  readonly eventType: string;
  /** When it was published, or is to be. */
  readonly publishedAt: string;
  /** The same as publishedAt, while it waits to be published and when that was cancelled. */
  readonly deliverAt?: string;
  /** When its publication was cancelled. Absent otherwise. */
  readonly cancelledAt?: string;
  /** Why its publication was cancelled. */
  readonly cancelReason?: 'requested' | 'erased' | 'channel_deleted';
  /** When payload and metadata were erased. Absent while they are there. */
  readonly erasedAt?: string;
  /** Nothing of it is published. */
  readonly deliveryStatus: 'cancelled';
};

export type CancelledRuns = {
  /** `preview`: nothing was changed. */
  readonly status: 'preview' | 'cancelled';
  /** Runs that match and had not ended. */
  readonly matched: number;
  /** Runs that this request has ended, the oldest first. */
  readonly cancelled: number;
  /** Runs that match and have not ended yet. The same request goes on with them. */
  readonly left: number;
};

export type Change = {
  /** Kind of the resources. `everything`: changes may have been missed, so look at all that you show. */
  readonly kind: 'message' | 'delivery' | 'deadLetter' | 'replay' | 'channel' | 'subscription' | 'workflow' | 'run' | 'approval' | 'webhook' | 'connection' | 'secret' | 'apiKey' | 'machineCredential' | 'everything';
  /** Resources that are new or have changed: 100 at most. */
  readonly changed: readonly {
    /** Id of the resource. */
    readonly id: string;
    /** Its status when it was looked at. Absent where its kind has none here. */
    readonly status?: string;
  }[];
  /** Whether these are all that the service has noticed. */
  readonly isComplete: boolean;
};

export type ChangePassword = {
  /** Password of the account. */
  readonly password: string;
  /** Password that is to be, 12 characters at least. */
  readonly newPassword: string;
};

export type Channel = {
  /** Prefix `chn_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Name for people; several channels may have the same. */
  readonly name: string;
  /** Text for people. */
  readonly description?: string;
  /** Only an active channel takes messages. */
  readonly status: 'active' | 'paused' | 'archived';
  /** JSON Schema that holds for every payload. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** JSON Schemas by event type, each of which holds beside `schema`. */
  readonly schemas?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** A payload that does not fit is refused, or published with a warning. Only where there is a schema. */
  readonly schemaMode?: 'enforce' | 'warn';
  /** Days after which a message is removed. */
  readonly retentionDays: number;
  /** When the channel was made. */
  readonly createdAt: string;
  /** When the channel was last changed. */
  readonly updatedAt: string;
};

export type ChannelStats = {
  /** When the first step began. */
  readonly since: string;
  /** When the last step ends. */
  readonly until: string;
  /** Seconds of one step. The service chooses it by the length of the span. */
  readonly stepSeconds: number;
  /** One entry for each channel that was asked for, in that order. One that is not here has none. */
  readonly channels: readonly {
    /** Channel of these figures. */
    readonly channelId: string;
    /** Messages that were published to it in the whole span. */
    readonly accepted: number;
    /** The same in each step, oldest first, those without a message too. */
    readonly counts: readonly number[];
    /** Subscriptions that it has now. */
    readonly subscriptions: {
      /** How many there are, 1,000 at most. */
      readonly count: number;
      /** Whether there are more than that. */
      readonly isMore: boolean;
    };
  }[];
};

export type ChannelStatsQuery = {
  /** Up to 100 ids of channels, separated by commas. By default the newest 100. */
  readonly channelIds?: readonly string[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type ConfirmTotp = {
  /** Six digits of the authenticator app. */
  readonly code: string;
};

export type Connection = {
  /** Prefix `cxn_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Connector that it is for. */
  readonly connectorId: string;
  /** Name for people. */
  readonly name: string;
  /** Environment that it belongs to, which alone changes it. */
  readonly environment: 'live' | 'test';
  /** Whether the other environment of its app may see it and use it. */
  readonly shared: boolean;
  /** Whether steps can use it. `unauthorized`: somebody must consent at its provider first. */
  readonly status: 'ready' | 'unauthorized';
  /** When it was made. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
  /** When a step last used it, to the minute. Absent before. */
  readonly lastUsedAt?: string;
  /** Last test of the present credentials, by the environment that it belongs to. Absent before. */
  readonly lastTest?: {
    /** When it was made. */
    readonly at: string;
    /** Whether the service took the credentials. */
    readonly ok: boolean;
    /** The same for people. */
    readonly message: string;
  };
};

export type ConnectionTest = {
  /** Whether the service takes the credentials. */
  readonly ok: boolean;
  /** Status of its answer. Absent where none came. */
  readonly status?: number;
  /** The same for people. */
  readonly message: string;
};

export type Connector = {
  /** Name by which steps and connections mean it. */
  readonly id: string;
  /** Name of the service. */
  readonly name: string;
  /** Purpose, for people. */
  readonly description: string;
  /** Kind of the service. */
  readonly category: 'messaging' | 'email' | 'development' | 'project_management' | 'data' | 'sales' | 'commerce' | 'support' | 'incidents' | 'ai' | 'general';
  /** Path of its icon on this server, an SVG. */
  readonly icon: string;
  /** Way of the service to know who asks. Steps need a connection unless it is `none`. */
  readonly authType: 'none' | 'api_key' | 'basic' | 'oauth2';
  /** Whether steps may use it. */
  readonly status: 'available';
};

export type ConnectorDetail = {
  /** Name by which steps and connections mean it. */
  readonly id: string;
  /** Name of the service. */
  readonly name: string;
  /** Purpose, for people. */
  readonly description: string;
  /** Kind of the service. */
  readonly category: 'messaging' | 'email' | 'development' | 'project_management' | 'data' | 'sales' | 'commerce' | 'support' | 'incidents' | 'ai' | 'general';
  /** Path of its icon on this server, an SVG. */
  readonly icon: string;
  /** Way of the service to know who asks. Steps need a connection unless it is `none`. */
  readonly authType: 'none' | 'api_key' | 'basic' | 'oauth2';
  /** Whether steps may use it. */
  readonly status: 'available';
  /** Things that it can be asked to do. */
  readonly operations: readonly {
    /** Name by which steps mean it. */
    readonly id: string;
    /** Name for people. */
    readonly name: string;
    /** Effect, for people. */
    readonly description: string;
    /** JSON Schema of the parameters of a step. A parameter with `writeOnly` takes a secret as `{{ secrets.NAME }}`. */
    readonly input: Readonly<Record<string, unknown>>;
  }[];
  /** JSON Schema of the credentials of a connection. Absent where it needs none. */
  readonly credentials?: Readonly<Record<string, unknown>>;
};

export type CreateApiKey = {
  /** Name for people. */
  readonly name: string;
  /** The environment of its maker; no other can be chosen. */
  readonly environment?: 'live' | 'test' | undefined;
  /** Tier whose limits hold where it has none of its own. */
  readonly tier?: 'free' | 'starter' | 'pro' | 'enterprise' | undefined;
  /** Rights that it has. */
  readonly scopes?: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[] | undefined;
  /** Limits of its own, in place of those of its tier. */
  readonly limits?: {
    /** Requests in 60 seconds. */
    readonly requestsPerMinute?: number | undefined;
    /** Requests in one second. */
    readonly burst?: number | undefined;
    /** Requests in flight. */
    readonly concurrent?: number | undefined;
    /** Batch requests in 60 seconds; transactional requests have a limit of the same size. */
    readonly batchPerMinute?: number | undefined;
  } | undefined;
  /** When it ends by itself. */
  readonly expiresAt?: string | Date | undefined;
};

export type CreateApp = {
  /** Name for people. */
  readonly name: string;
  /** Name for addresses and command lines. Default: made of the name. */
  readonly slug?: string | undefined;
  /** Text for people. */
  readonly description?: string | undefined;
  /** Status to have. Default: "active". */
  readonly status?: 'active' | 'suspended' | undefined;
  /** Defaults for resources that are made from now on. */
  readonly settings?: {
    /** Days after which a message is removed. */
    readonly retentionDays?: number | undefined;
    /** When a failed delivery is tried again. Parts that are left out stay as they are by default. */
    readonly retryPolicy?: {
      /** Tries after the first one. */
      readonly maxRetries?: number | undefined;
      /** Milliseconds before the first retry. */
      readonly initialDelay?: number | undefined;
      /** Milliseconds that no delay of the policy exceeds. */
      readonly maxDelay?: number | undefined;
      /** Each delay is the one before, times this. */
      readonly backoffMultiplier?: number | undefined;
    } | undefined;
    /** Milliseconds that one attempt may take. */
    readonly timeoutMs?: number | undefined;
    /** Whether a circuit may open. */
    readonly circuitBreaker?: boolean | undefined;
  } | undefined;
};

export type CreateBulkDiscard = {
  /** Only of this channel. */
  readonly channelId?: string | undefined;
  /** Only of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only of this message. */
  readonly messageId?: string | undefined;
  /** Only of this workflow. */
  readonly workflowId?: string | undefined;
  /** One event type, `order.*` for all that begin with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only of this kind. */
  readonly kind?: 'delivery' | 'run' | undefined;
  /** Only with this reason. */
  readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step' | undefined;
  /** Only with this kind of the last failure. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only with this HTTP status of the last answer, or with one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: number | string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** Only deliveries that were made after this. */
  readonly createdSince?: string | Date | undefined;
  /** Only deliveries that were made before this. */
  readonly createdUntil?: string | Date | undefined;
  /** Whether to count only. Default: false. */
  readonly dryRun?: boolean | undefined;
};

export type CreateBulkReplay = {
  /** Only of this channel. */
  readonly channelId?: string | undefined;
  /** Only of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only of this message. */
  readonly messageId?: string | undefined;
  /** Only of this workflow. */
  readonly workflowId?: string | undefined;
  /** One event type, `order.*` for all that begin with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only of this kind. */
  readonly kind?: 'delivery' | 'run' | undefined;
  /** Only with this reason. */
  readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step' | undefined;
  /** Only with this kind of the last failure. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only with this HTTP status of the last answer, or with one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: number | string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** Only deliveries that were made after this. */
  readonly createdSince?: string | Date | undefined;
  /** Only deliveries that were made before this. */
  readonly createdUntil?: string | Date | undefined;
  /** Whether to count only. Default: false. */
  readonly dryRun?: boolean | undefined;
  /** Dead letters replayed per second at most. Default: as fast as they are found. */
  readonly ratePerSecond?: number | undefined;
};

export type CreateBulkRetry = {
  /** Only of this channel. */
  readonly channelId?: string | undefined;
  /** Only of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only of this message. */
  readonly messageId?: string | undefined;
  /** One event type, `order.*` for all that begin with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only with this status, or one of these. Default: all that have not arrived. */
  readonly status?: 'pending' | 'delivered' | 'failed' | 'retrying' | readonly ('pending' | 'delivered' | 'failed' | 'retrying')[] | undefined;
  /** Only with this kind of the last failure. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only with this HTTP status of the last answer, or with one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: number | string | undefined;
  /** Only with a last answer that took so many milliseconds or more. */
  readonly minLatencyMs?: number | undefined;
  /** Only what waits for something beside its policy (`true`), or all others (`false`). */
  readonly held?: boolean | undefined;
  /** Only those that this replay or bulk retry was the last to make due. */
  readonly replayId?: string | undefined;
  /** Only what was made after this. */
  readonly since?: string | Date | undefined;
  /** Only what was made before this. Default: now. */
  readonly until?: string | Date | undefined;
  /** Deliveries made due per second at most. Default: as fast as they are found. */
  readonly ratePerSecond?: number | undefined;
  /** Whether to count only. Default: false. */
  readonly dryRun?: boolean | undefined;
};

export type CreateChannel = {
  /** Name for people. */
  readonly name: string;
  /** Text for people. */
  readonly description?: string | undefined;
  /** Status to have. Default: "active". */
  readonly status?: 'active' | 'paused' | 'archived' | undefined;
  /** JSON Schema that holds for every payload. */
  readonly schema?: object | undefined;
  /** JSON Schemas by event type, each of which holds beside `schema`. */
  readonly schemas?: Readonly<Record<string, object>> | undefined;
  /** Whether a payload that does not fit is refused, or published with a warning. */
  readonly schemaMode?: 'enforce' | 'warn' | undefined;
  /** Days after which a message is removed. */
  readonly retentionDays?: number | undefined;
};

export type CreateConnection = {
  /** Connector that it is for, such as `slack`. */
  readonly connectorId: string;
  /** Name for people. */
  readonly name: string;
  /** Credentials, as `credentials` of the connector describes them. No answer shows them again. */
  readonly credentials: object;
  /** Whether the other environment of its app may see it and use it. Default false. Default: false. */
  readonly shared?: boolean | undefined;
};

export type CreateInspector = {
  /** Name for people. */
  readonly name: string;
  /** Answer that senders get. */
  readonly answer?: {
    /** Status of each answer. Default 200. */
    readonly status?: number | undefined;
    /** Milliseconds before the answer. Default 0. */
    readonly delayMs?: number | undefined;
    /** So many of a hundred answers are 500 instead. Default 0. */
    readonly failurePercent?: number | undefined;
  } | undefined;
};

export type CreateInvitation = {
  /** E-mail address. */
  readonly email: string;
  /** Says what the member may do. */
  readonly role: 'viewer' | 'developer' | 'admin' | 'owner';
};

export type CreateMachineCredential = {
  /** Name for people. */
  readonly name: string;
  /** The environment of its maker; no other can be chosen. */
  readonly environment?: 'live' | 'test' | undefined;
  /** Tier whose limits hold where it has none of its own. */
  readonly tier?: 'free' | 'starter' | 'pro' | 'enterprise' | undefined;
  /** Rights that it has. */
  readonly scopes?: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[] | undefined;
  /** Limits of its own, in place of those of its tier. */
  readonly limits?: {
    /** Requests in 60 seconds. */
    readonly requestsPerMinute?: number | undefined;
    /** Requests in one second. */
    readonly burst?: number | undefined;
    /** Requests in flight. */
    readonly concurrent?: number | undefined;
    /** Batch requests in 60 seconds; transactional requests have a limit of the same size. */
    readonly batchPerMinute?: number | undefined;
  } | undefined;
  /** When it ends by itself. */
  readonly expiresAt?: string | Date | undefined;
};

export type CreateMarker = {
  /** The event, such as `Deploy 4.2`. */
  readonly name: string;
  /** When it was, at most 366 days ago. Default now. */
  readonly at?: string | Date | undefined;
};

export type CreateMessageReplay = {
  /** First time of publication that is replayed. */
  readonly since: string | Date;
  /** First time of publication that is not replayed any more. Default: now. */
  readonly until?: string | Date | undefined;
  /** Event types, or beginnings of them such as `order.*`. An empty list: all. Default: []. */
  readonly eventTypes?: readonly string[] | undefined;
  /** Whether what has arrived or failed is left alone. Default: false. */
  readonly onlyMissing?: boolean | undefined;
  /** Deliveries made due per second at most. Default: 100. */
  readonly ratePerSecond?: number | undefined;
  /** Whether to count only. Default: false. */
  readonly dryRun?: boolean | undefined;
};

export type CreateOrganisation = {
  /** Name for people. */
  readonly name: string;
};

export type CreateSecret = {
  /** Name by which definitions of workflows mean it. Unique in the environment. */
  readonly name: string;
  /** The secret itself. No answer shows it again. */
  readonly value: string;
};

export type CreateSubscription = {
  /** Channel whose messages it gets. */
  readonly channelId: string;
  /** Name for people. */
  readonly name?: string | undefined;
  /** Your own id of the customer whose it is, to list by. It routes nothing. */
  readonly owner?: string | undefined;
  /** Where messages are sent: https, or http where the operator allows it. */
  readonly webhookUrl: string;
  /** Status to have. Default: "active". */
  readonly status?: 'active' | 'paused' | 'disabled' | undefined;
  /** Event types, or beginnings of them such as `order.*`. An empty list: all. Default: []. */
  readonly eventTypes?: readonly string[] | undefined;
  /** CEL expression over `payload`, `metadata`, `eventType` that lets through what is wanted. */
  readonly filter?: string | undefined;
  /** When a failed delivery is tried again. Parts that are left out stay as they are by default. */
  readonly retryPolicy?: {
    /** Tries after the first one. */
    readonly maxRetries?: number | undefined;
    /** Milliseconds before the first retry. */
    readonly initialDelay?: number | undefined;
    /** Milliseconds that no delay of the policy exceeds. */
    readonly maxDelay?: number | undefined;
    /** Each delay is the one before, times this. */
    readonly backoffMultiplier?: number | undefined;
  } | undefined;
  /** Headers that are sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds that one attempt may take. */
  readonly timeoutMs?: number | undefined;
  /** Longest wait, in milliseconds, that its receiver may ask for by `Retry-After` of a 429 or 503. Default: a day. */
  readonly maxRetryAfter?: number | undefined;
  /** Requests at a time at most. */
  readonly maxConcurrency?: number | undefined;
  /** Tries per second at most. */
  readonly rateLimit?: number | undefined;
  /** Whether a circuit may open. */
  readonly circuitBreaker?: boolean | undefined;
  /** Stored messages from this time on are delivered too. */
  readonly startFrom?: string | Date | undefined;
  /** Signing secret that the receiver has already. Absent: a new one. */
  readonly secret?: string | undefined;
};

export type CreateView = {
  /** List of the dashboard that it is of. */
  readonly page: 'messages' | 'deliveries' | 'dead-letters' | 'runs' | 'subscriptions' | 'channels' | 'workflows' | 'approvals' | 'replays' | 'delivery-retries' | 'message-replays' | 'inbound-webhooks' | 'inbound-requests' | 'connections' | 'secrets' | 'inspectors' | 'inspected-requests' | 'api-keys' | 'machine-credentials' | 'audit';
  /** Name for people. */
  readonly name: string;
  /** Filters by name, as the address of the page has them. */
  readonly search: Readonly<Record<string, string>>;
};

export type CreateWebhook = {
  /** Name for people. */
  readonly name: string;
  /** Channel that its messages are published to. */
  readonly channelId: string;
  /** Way in which requests prove who sent them. Default: that of the provider, else `body`. */
  readonly scheme?: 'body' | 'standard' | 'svix' | 'github' | 'stripe' | 'slack' | 'shopify' | 'gitlab' | 'twilio' | 'mailgun' | 'hmac' | 'token' | 'ed25519' | 'ecdsa' | 'sns' | undefined;
  /** Service that sends, where it is a known one. */
  readonly provider?: 'bitbucket' | 'buildkite' | 'calendly' | 'circleci' | 'clerk' | 'coinbase-commerce' | 'discord' | 'github' | 'gitlab-signed' | 'gitlab' | 'hubspot' | 'intercom' | 'jira' | 'launchdarkly' | 'lemon-squeezy' | 'linear' | 'mailgun' | 'openai' | 'paddle' | 'pagerduty' | 'razorpay' | 'resend' | 'sendgrid' | 'sentry' | 'shopify' | 'slack' | 'sns' | 'square' | 'stripe' | 'svix' | 'telegram' | 'twilio' | 'typeform' | 'vercel' | 'webflow' | 'woocommerce' | 'workos' | 'zendesk' | 'zoom' | undefined;
  /** Status to have. Default: "active". */
  readonly status?: 'active' | 'disabled' | undefined;
  /** Secrets that are taken, the newest first. Made where none is given and the service lets you choose. */
  readonly secrets?: readonly string[] | undefined;
  /** Form of the signature, with the schemes `hmac` and `token`. */
  readonly signature?: {
    /** Header with the signature, or with the secret itself. */
    readonly header: string;
    /** Text in front of the signature, such as `sha256=`. */
    readonly prefix?: string | undefined;
    /** Hash of the HMAC. Default sha256. */
    readonly algorithm?: 'sha1' | 'sha256' | 'sha512' | undefined;
    /** Form of the signature. Default hex. */
    readonly encoding?: 'hex' | 'base64' | undefined;
    /** Header with the signed time. */
    readonly timestampHeader?: string | undefined;
    /** Form of the signed time. Default seconds. */
    readonly timestampUnit?: 'seconds' | 'milliseconds' | 'iso8601' | undefined;
    /** Seconds by which the signed time may differ from ours. Default 300. */
    readonly toleranceSeconds?: number | undefined;
    /** Header that stands for `{id}` in the template. */
    readonly idHeader?: string | undefined;
    /** Signed text, of `{timestamp}`, `{id}`, `{url}`, `{body}`. Default `{body}`, with a time `{timestamp}.{body}`. */
    readonly template?: string | undefined;
  } | undefined;
  /** Place of the id of an event. Default: where the provider puts it. */
  readonly eventId?: {
    /** Header with the id. */
    readonly header?: string | undefined;
    /** JSON Pointer to the id in the body. */
    readonly pointer?: string | undefined;
  } | undefined;
  /** Source of the event type. Default: where the provider puts it. */
  readonly eventType?: {
    /** This type for every message. */
    readonly literal?: string | undefined;
    /** JSON Pointer to the type in the body. */
    readonly pointer?: string | undefined;
    /** Header with the type. */
    readonly header?: string | undefined;
    /** CEL expression that gives a text, over `payload`, `metadata`, `eventType`. */
    readonly cel?: string | undefined;
  } | undefined;
  /** Part of the body that becomes the payload. Default: all of it. */
  readonly payload?: {
    /** JSON Pointer to the object that becomes the payload. */
    readonly pointer?: string | undefined;
    /** Fields of the payload, each with a JSON Pointer to its value. One that leads nowhere is left out. */
    readonly fields?: Readonly<Record<string, string>> | undefined;
  } | undefined;
};

export type CreateWorkflow = {
  /** Name for people. */
  readonly name: string;
  /** Text for people. */
  readonly description?: string | undefined;
  /** Status to have. Default: "draft". */
  readonly status?: 'active' | 'paused' | 'draft' | undefined;
  /** Beginning of a run: `type` and `config`. Absent: none yet. */
  readonly trigger?: object | undefined;
  /** Work of a run, each step with `id`, `type`, `config` and `next`. Absent: none yet. */
  readonly steps?: readonly unknown[] | undefined;
};

export type CreatedSubscription = {
  /** Prefix `sub_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Channel whose messages it gets. */
  readonly channelId: string;
  /** Name for people. */
  readonly name: string;
  /** The publisher's own id of the customer whose it is, to list by. It routes nothing: the subscription gets the messages of its channel for every owner. Absent: nobody's. */
  readonly owner?: string;
  /** Where messages are sent. */
  readonly webhookUrl: string;
  /** Deliveries wait unless it is active. The service alone disables one. */
  readonly status: 'active' | 'paused' | 'disabled';
  /** Since when it has this status. Absent where that is older than the record. */
  readonly statusChangedAt?: string;
  /** Why it is disabled: its receiver has answered 410, or taken nothing for five days. Absent where that is known no more. */
  readonly disabledReason?: 'gone' | 'failing';
  /** Event types that it gets, or beginnings of them such as `order.*`. An empty list: all. */
  readonly eventTypes: readonly string[];
  /** CEL expression that lets through what of them it gets. Absent: all. */
  readonly filter?: string;
  /** When a failed delivery is tried again. */
  readonly retryPolicy: {
    /** Tries after the first one. */
    readonly maxRetries: number;
    /** Milliseconds before the first retry. */
    readonly initialDelay: number;
    /** Milliseconds that no delay of the policy exceeds. */
    readonly maxDelay: number;
    /** Each delay is the one before, times this. */
    readonly backoffMultiplier: number;
  };
  /** Headers that are sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds that one attempt may take. */
  readonly timeoutMs: number;
  /** Longest wait, in milliseconds, that its receiver may ask for by `Retry-After` of a 429 or 503. Such a wait may be longer than `maxDelay`. */
  readonly maxRetryAfter: number;
  /** Requests at a time. Absent: as many as its receiver takes well, which its workers find out. */
  readonly maxConcurrency?: number;
  /** Tries per second. Absent: as many as it takes. */
  readonly rateLimit?: number;
  /** Whether a circuit may open. */
  readonly circuitBreaker: boolean;
  /** Circuit breaker of its receiver. */
  readonly circuit: {
    /** Nothing is sent while it is open, but for a probe every 30 s. */
    readonly state: 'closed' | 'open' | 'half_open';
    /** When it last opened. Absent while it is closed. */
    readonly openedAt?: string;
    /** When the next probe may go. Absent while it is closed. */
    readonly nextProbeAt?: string;
  };
  /** Requests to its receiver at this moment. Absent in lists. */
  readonly concurrency?: {
    /** Requests allowed in flight. */
    readonly limit: number;
    /** Requests in flight. */
    readonly inFlight: number;
    /** Mean latency of late good answers. Absent before the first one. */
    readonly latencyMs?: number;
  };
  /** Since when its deliveries wait because none of its signing secrets can be opened; rotating ends it. */
  readonly secretUnreadableSince?: string;
  /** What does not work as it may seem to: stored values that a stricter rule refuses since and that are not used, a host name that the public DNS cannot have and that does not resolve yet (not in lists), and an `owner`, which routes nothing. */
  readonly warnings?: readonly FieldProblem[];
  /** When the subscription was made. */
  readonly createdAt: string;
  /** When the subscription was last changed. */
  readonly updatedAt: string;
  /** Replay of what was stored since `startFrom`. Absent without one. */
  readonly replayId?: string;
};

export type DeadLetter = {
  /** Prefix `dlq_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** A delivery has failed, or a run of a workflow. */
  readonly kind: 'delivery' | 'run';
  /** Only an open one can be replayed or discarded. */
  readonly status: 'open' | 'replayed' | 'discarded';
  /** Channel of the message. */
  readonly channelId?: string;
  /** Message that was not delivered, or that began the run. Absent where no message did. */
  readonly messageId?: string;
  /** Subscription that did not get it. On the kind delivery. */
  readonly subscriptionId?: string;
  /** Delivery that was given up. On the kind delivery. */
  readonly deliveryId?: string;
  /** Workflow of the run. On the kind run. */
  readonly workflowId?: string;
  /** Run that failed. On the kind run. */
  readonly runId?: string;
  /** Step that failed. On the kind run, unless no step is to blame. */
  readonly stepId?: string;
  /** Places of its items in the loops around that step, from 0, joined by dots. Absent outside loops. */
  readonly iteration?: string;
  /** Event type of the message. */
  readonly eventType?: string;
  /** Why it was given up. */
  readonly reason: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step';
  /** How the last attempt failed. */
  readonly lastError: {
    /** Kind of the failure. */
    readonly class?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
    /** Code of the error of the step, such as `HTTP_404`. On the kind run. */
    readonly code?: string;
    /** The same for people. */
    readonly message?: string;
    /** HTTP status of the last answer. Absent when there was none. */
    readonly status?: number;
  };
  /** Attempts until then: of the delivery, or of the step. */
  readonly attempts: number;
  /** When it was given up. */
  readonly failedAt: string;
  /** When it was replayed. Absent until then. */
  readonly replayedAt?: string;
  /** Who replayed it: an API key, a machine credential or a person. Absent until then. */
  readonly replayedBy?: string;
};

export type DeadLetterGroups = {
  /** The largest groups first, 100 at most. */
  readonly groups: readonly {
    /** A delivery has failed, or a run of a workflow. */
    readonly kind: 'delivery' | 'run';
    /** Subscription of all of them. On the kind delivery. */
    readonly subscriptionId?: string;
    /** Workflow of all of them. On the kind run. */
    readonly workflowId?: string;
    /** Why they were given up. */
    readonly reason: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step';
    /** Kind of the last failure of each. */
    readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
    /** HTTP status of the last answer of each. Absent without one. */
    readonly errorStatus?: number;
    /** Open dead letters of the group, among those that were looked at. */
    readonly count: number;
    /** When the first of them was given up. */
    readonly firstFailedAt: string;
    /** When the last of them was given up. */
    readonly lastFailedAt: string;
    /** The last of them. */
    readonly lastId: string;
    /** How many of them were given up in each of 24 equal steps from `from` to `until`, the oldest first. */
    readonly counts: readonly number[];
  }[];
  /** When the first of those that were looked at was given up. Absent without any. */
  readonly from?: string;
  /** When the last of them was given up. Absent without any. */
  readonly until?: string;
  /** Open dead letters that were looked at: the newest 10,000 at most. */
  readonly examined: number;
  /** Whether the groups are all there are, and their counts are whole. */
  readonly isExact: boolean;
};

export type DeadLetterGroupsQuery = {
  /** Only of this channel. */
  readonly channelId?: string | undefined;
  /** Only of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only of this message. */
  readonly messageId?: string | undefined;
  /** Only of this workflow. */
  readonly workflowId?: string | undefined;
  /** One event type, `order.*` for all that begin with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only of this kind. */
  readonly kind?: 'delivery' | 'run' | undefined;
  /** Only with this reason. */
  readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step' | undefined;
  /** Only with this kind of the last failure. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only with this HTTP status of the last answer, or with one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type DecideApproval = {
  /** Step that asks. May be left out where one asks only. */
  readonly stepId?: string | undefined;
  /** Places of its items in the loops around it. */
  readonly iteration?: string | undefined;
  /** Text that the next steps, and people, see. */
  readonly comment?: string | undefined;
  /** Values for the next steps. Must fit the form of the approval, where it has one. */
  readonly data?: object | undefined;
};

export type DefinitionValidation = {
  /** Whether such a workflow could be activated. */
  readonly valid: boolean;
  /** Everything that speaks against it; at most 20. */
  readonly errors: readonly FieldProblem[];
};

export type Delivery = {
  /** Prefix `dlv_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Message that is delivered. */
  readonly messageId: string;
  /** Subscription that gets it. */
  readonly subscriptionId: string;
  /** Event type of the message. Absent on a delivery from before it was kept. */
  readonly eventType?: string;
  /** Whether it has arrived, is given up, or is still to be tried. */
  readonly status: 'pending' | 'delivered' | 'failed' | 'retrying';
  /** Attempts so far, over all rounds. */
  readonly attempts: number;
  /** Attempts that its retry policy has counted since it was made, or last retried or replayed. A hold that begins a new round leaves it as it is. */
  readonly policyAttempts: number;
  /** When the last attempt began. Absent before the first one. */
  readonly lastAttemptAt?: string;
  /** When it is tried again. Absent where no retry is coming. */
  readonly nextRetryAt?: string;
  /** Answer of the subscriber to the last attempt. Absent when that got none. */
  readonly response?: {
    /** HTTP status. */
    readonly status: number;
    /** First 16 KiB of the body, as text. Empty in a list without `responseBodies`. */
    readonly body: string;
    /** Milliseconds from sending to the end of the answer. */
    readonly latencyMs: number;
  };
  /** Why it is not being tried. On unfinished deliveries only. */
  readonly held?: {
    /** The thing that holds it, beside its policy. */
    readonly reason: 'app_suspended' | 'paused' | 'disabled' | 'circuit' | 'rate_limit' | 'secret_unreadable' | 'internal';
    /** Since when. */
    readonly since: string;
    /** Until when, as nextRetryAt. Absent while nothing but a resume ends it. */
    readonly until?: string;
  };
  /** Why the last attempt failed, or what fault of the service holds it. None on a delivered one. */
  readonly error?: {
    /** Kind of the failure. */
    readonly class: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
    /** The same for people. */
    readonly message: string;
  };
  /** Why it was given up. On failed deliveries only. */
  readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'subscription_deleted' | 'erased';
  /** When the delivery was made. */
  readonly createdAt: string;
};

export type DryRun = {
  /** Items on this page, in the order of the list. */
  readonly data: readonly {
    /** Prefix `sub_` and 26 characters that sort by creation time. */
    readonly subscriptionId: string;
    /** Name of the subscription. */
    readonly name: string;
    /** Whether a delivery would be made. */
    readonly wouldReceive: boolean;
    /** Why it would or would not get it. */
    readonly reason: 'no_filter' | 'filter_matches' | 'event_type' | 'filter_does_not_match' | 'filter_failed';
    /** More of the reason, for people. */
    readonly detail?: string;
    /** Hold that its delivery would wait for. */
    readonly heldBy?: 'app_suspended' | 'paused' | 'disabled' | 'circuit';
  }[];
  /** How to get the next page. */
  readonly pagination: {
    /** Pass it as the parameter `cursor` to get the next page. Absent on the last page. */
    readonly cursor?: string;
    /** Whether there is a next page. */
    readonly hasMore: boolean;
  };
  /** The channel. */
  readonly channel: {
    /** Only an active channel takes messages. */
    readonly status: 'active' | 'paused' | 'archived' | 'system';
    /** Whether the channel would take it. */
    readonly accepts: boolean;
    /** Problems that its schemas find; in a channel that only warns these are warnings, beside `accepts: true`. */
    readonly errors: readonly FieldProblem[];
  };
  /** Verdict of the expression that was given. Absent without one. */
  readonly filter?: {
    /** Whether it lets the message through. */
    readonly matches: boolean;
    /** Why it could not be evaluated. */
    readonly error?: string;
  };
};

export type DryRunBody = {
  /** Stored message to try, in place of a sample. */
  readonly messageId?: string | undefined;
  /** Says what has happened, such as `order.created`. */
  readonly eventType?: string | undefined;
  /** Any JSON object, up to 256 KiB. Subscribers get it digit for digit. */
  readonly payload?: object | undefined;
  /** Texts that go with the message, up to 50 and 16 KiB. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Expression to try on the message. */
  readonly filter?: string | undefined;
  /** Shows this subscription alone. */
  readonly subscriptionId?: string | undefined;
};

export type ExportDeadLetters = {
  /** Only of this channel. */
  readonly channelId?: string | undefined;
  /** Only of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only of this message. */
  readonly messageId?: string | undefined;
  /** Only of this workflow. */
  readonly workflowId?: string | undefined;
  /** One event type, `order.*` for all that begin with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only of this kind. */
  readonly kind?: 'delivery' | 'run' | undefined;
  /** Only with this reason. */
  readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step' | undefined;
  /** Only with this kind of the last failure. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only with this HTTP status of the last answer, or with one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: string | undefined;
  /** Only those with one of these statuses. */
  readonly status?: 'open' | 'replayed' | 'discarded' | readonly ('open' | 'replayed' | 'discarded')[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** `ndjson`: one JSON object per line. `csv`: a table with a header row. Default: "ndjson". */
  readonly format?: 'ndjson' | 'csv' | undefined;
};

export type ExportDeliveries = {
  /** Only of this channel. */
  readonly channelId?: string | undefined;
  /** Only of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only of this message. */
  readonly messageId?: string | undefined;
  /** One event type, `order.*` for all that begin with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only those with one of these statuses. */
  readonly status?: 'pending' | 'delivered' | 'failed' | 'retrying' | readonly ('pending' | 'delivered' | 'failed' | 'retrying')[] | undefined;
  /** Only with this kind of the last failure. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only with this HTTP status of the last answer, or with one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: string | undefined;
  /** Only those whose last answer took so many milliseconds, from 1,000 on. */
  readonly minLatencyMs?: number | undefined;
  /** Only those that wait for something beside their policy, or only the others. */
  readonly held?: 'true' | 'false' | undefined;
  /** Only those that this replay or bulk retry was the last to make due. */
  readonly replayId?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** `ndjson`: one JSON object per line. `csv`: a table with a header row. Default: "ndjson". */
  readonly format?: 'ndjson' | 'csv' | undefined;
};

export type ExportMessages = {
  /** One event type, `order.*` for all that begin with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** Only of this channel. */
  readonly channelId?: string | undefined;
  /** With `true` messages of the channel `posthorn.system` are included. By default they are listed only where `channelId` names that channel. */
  readonly includeSystem?: 'true' | 'false' | undefined;
  /** Only those that were published under this id of yours within the last 24 hours. */
  readonly publisherId?: string | undefined;
  /** Only those whose deliveries together have one of these states. */
  readonly deliveryStatus?: 'pending' | 'delivered' | 'failed' | 'unrouted' | readonly ('pending' | 'delivered' | 'failed' | 'unrouted')[] | undefined;
  /** `ndjson`: one JSON object per line. `csv`: a table with a header row. Default: "ndjson". */
  readonly format?: 'ndjson' | 'csv' | undefined;
};

export type ExportRuns = {
  /** Only those with one of these statuses. */
  readonly status?: 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped' | readonly ('pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped')[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** Only of this workflow. */
  readonly workflowId?: string | undefined;
  /** Only of this message. */
  readonly messageId?: string | undefined;
  /** `ndjson`: one JSON object per line. `csv`: a table with a header row. Default: "ndjson". */
  readonly format?: 'ndjson' | 'csv' | undefined;
};

export type FactorAdded = {
  /** With the first factor: ten recovery codes. Shown only now. */
  readonly recoveryCodes?: readonly string[];
};

export type Factors = {
  /** Whether signing in with the password asks for a second factor. */
  readonly isAsked: boolean;
  /** The authenticator app. Absent without one. */
  readonly totp?: {
    /** When its first code came. */
    readonly createdAt: string;
  };
  /** Passkeys of the person (GET /v1/user/passkeys). */
  readonly passkeys: number;
  /** Recovery codes that are left. */
  readonly recoveryCodes: number;
};

export type FieldProblem = {
  /** Path of the field in the request, such as `messages[3].eventType`. */
  readonly field: string;
  /** What is wrong; reads as a sentence after the field name: `is required`. */
  readonly reason: string;
};

export type FilterTest = {
  /** How many of them the filter lets through. */
  readonly matched: number;
  /** The messages that were asked, newest first. Erased ones are left out. */
  readonly messages: readonly {
    /** Message that was asked. */
    readonly messageId: string;
    /** Its event type. */
    readonly eventType: string;
    /** When it was published. */
    readonly publishedAt: string;
    /** Whether the filter lets it through. */
    readonly matches: boolean;
    /** Why the filter could not be evaluated on it. */
    readonly error?: string;
  }[];
};

export type FilterTestBody = {
  /** CEL expression over `payload`, `metadata`, `eventType` that lets through what is wanted. */
  readonly filter: string;
  /** Items on the page. Default: 50. */
  readonly limit?: number | undefined;
};

export type InboundReceived = {
  /** Always true. Absent in the answer to some handshakes. */
  readonly received?: boolean;
  /** Message that the event became, now or the first time it came. Absent in the answer to a handshake. */
  readonly messageId?: string;
  /** Text that Slack asks for. */
  readonly challenge?: string;
  /** Text that Zoom asks for. */
  readonly plainToken?: string;
  /** HMAC of it. */
  readonly encryptedToken?: string;
  /** Number that Discord asks for. */
  readonly type?: number;
};

export type InboundRefusal = {
  /** Prefix `irf_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Webhook that refused it. */
  readonly webhookId: string;
  /** Why it became no message. */
  readonly reason: 'secret_missing' | 'signature_missing' | 'signature_malformed' | 'signature_wrong' | 'timestamp_stale' | 'body_invalid' | 'mapping_failed' | 'payload_refused' | 'webhook_disabled' | 'app_suspended' | 'channel_archived' | 'channel_deleted' | 'crashed';
  /** The same in words, with the field where one is at fault. */
  readonly detail: string;
  /** IP address that it came from. */
  readonly address: string;
  /** Its `User-Agent`, up to 300 characters; `posthorn-sample`: a sample. */
  readonly userAgent?: string;
  /** Id of the event, of a request whose signature was good. */
  readonly eventId?: string;
  /** Length of its body. */
  readonly bytes: number;
  /** Whether its body is kept, and it can be accepted. True only where its signature was good. */
  readonly hasBody: boolean;
  /** Message that it became when it was accepted. */
  readonly messageId?: string;
  /** When it was refused. */
  readonly refusedAt: string;
};

export type InboundRequest = {
  /** Prefix `irc_` or `irf_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Webhook that it came to. */
  readonly webhookId: string;
  /** `received`: it became a message. `repeated`: an earlier request had the same id of the event. */
  readonly outcome: 'received' | 'repeated' | 'refused';
  /** Whether this service has signed and sent it as a sample. */
  readonly isSample: boolean;
  /** Id of the event, where its signature was good and the service has ids. */
  readonly eventId?: string;
  /** Message that its event became, now or the first time; of a refused one, when it was accepted. */
  readonly messageId?: string;
  /** Event type of that message. Absent while it waits for a paused channel, and once it is removed. */
  readonly eventType?: string;
  /** Why it was refused. */
  readonly reason?: 'secret_missing' | 'signature_missing' | 'signature_malformed' | 'signature_wrong' | 'timestamp_stale' | 'body_invalid' | 'mapping_failed' | 'payload_refused' | 'webhook_disabled' | 'app_suspended' | 'channel_archived' | 'channel_deleted' | 'crashed';
  /** The same in words. */
  readonly detail?: string;
  /** IP address that it came from, where it was refused. */
  readonly address?: string;
  /** Length of its body, where it was refused. */
  readonly bytes?: number;
  /** Whether its body is kept, and it can be accepted. True only where its signature was good. */
  readonly hasBody?: boolean;
  /** When it came. */
  readonly receivedAt: string;
};

export type InspectedRequest = {
  /** Prefix `irq_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Inspector that it came to. */
  readonly inspectorId: string;
  /** Method of the request. */
  readonly method: string;
  /** Rest of the path behind the address of the inspector, and query. Empty as a rule. */
  readonly path: string;
  /** Bytes of the body as it came. */
  readonly bytes: number;
  /** Standard Webhooks signature. */
  readonly signature: {
    /** `verified`: a secret of a subscription has signed it. `unsigned`: it has no `webhook-signature`. */
    readonly status: 'verified' | 'failed' | 'unsigned';
    /** Why it failed. */
    readonly reason?: 'header_missing' | 'timestamp_malformed' | 'timestamp_off' | 'message_unknown' | 'secret_unreadable' | 'signature_differs';
    /** Message that `webhook-id` names, where this environment has it. */
    readonly messageId?: string;
    /** Subscription whose secret was asked. */
    readonly subscriptionId?: string;
  };
  /** Answer that the sender got. */
  readonly answer: {
    /** Status that the sender got. */
    readonly status: number;
    /** Milliseconds that the answer was held back. */
    readonly delayMs: number;
  };
  /** When it arrived. */
  readonly arrivedAt: string;
  /** Headers, in the order in which they came. */
  readonly headers: readonly {
    /** Name as it was sent. */
    readonly name: string;
    /** Value. The one of a header that proves who asks is not kept. */
    readonly value: string;
  }[];
  /** Body as it came, at most 256 KiB of it. */
  readonly body: string;
  /** Form of `body`: base64 where the bytes are no UTF-8. */
  readonly encoding: 'text' | 'base64';
  /** Whether `body` is only the beginning. */
  readonly isCut: boolean;
};

export type InspectedRow = {
  /** Prefix `irq_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Inspector that it came to. */
  readonly inspectorId: string;
  /** Method of the request. */
  readonly method: string;
  /** Rest of the path behind the address of the inspector, and query. Empty as a rule. */
  readonly path: string;
  /** Bytes of the body as it came. */
  readonly bytes: number;
  /** Standard Webhooks signature. */
  readonly signature: {
    /** `verified`: a secret of a subscription has signed it. `unsigned`: it has no `webhook-signature`. */
    readonly status: 'verified' | 'failed' | 'unsigned';
    /** Why it failed. */
    readonly reason?: 'header_missing' | 'timestamp_malformed' | 'timestamp_off' | 'message_unknown' | 'secret_unreadable' | 'signature_differs';
    /** Message that `webhook-id` names, where this environment has it. */
    readonly messageId?: string;
    /** Subscription whose secret was asked. */
    readonly subscriptionId?: string;
  };
  /** Answer that the sender got. */
  readonly answer: {
    /** Status that the sender got. */
    readonly status: number;
    /** Milliseconds that the answer was held back. */
    readonly delayMs: number;
  };
  /** When it arrived. */
  readonly arrivedAt: string;
};

export type Inspector = {
  /** Prefix `ins_` and 26 characters, of 128 random bits. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Address that shows what arrives: whoever knows it can send there. */
  readonly url: string;
  /** Answer that senders get. */
  readonly answer: {
    /** Status of each answer. */
    readonly status: number;
    /** Milliseconds before each answer. */
    readonly delayMs: number;
    /** So many of a hundred answers are 500 instead. */
    readonly failurePercent: number;
  };
  /** When it was made. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
};

export type Invitation = {
  /** Prefix `inv_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Address of the one person who may accept it. */
  readonly email: string;
  /** Role that it gives. */
  readonly role: 'viewer' | 'developer' | 'admin' | 'owner';
  /** Id of the user who made it, or `command line`. */
  readonly invitedBy: string;
  /** When it was made. */
  readonly createdAt: string;
  /** Until when it can be accepted: 72 hours. */
  readonly expiresAt: string;
};

export type InvitationPreview = {
  /** Where the person is invited to. */
  readonly organisation: {
    /** Prefix `org_` and 26 characters that sort by creation time. */
    readonly id: string;
    /** Name for people. */
    readonly name: string;
  };
  /** Address of the one person who may accept it. */
  readonly email: string;
  /** Role that it gives. */
  readonly role: 'viewer' | 'developer' | 'admin' | 'owner';
  /** Until when it can be accepted. */
  readonly expiresAt: string;
  /** Whether that person has an account already, whose password is then asked for. */
  readonly hasAccount: boolean;
};

export type JsonWebKeySet = {
  /** Keys whose tokens may be met, and the one that will sign next. */
  readonly keys: readonly {
    /** Kind of key. */
    readonly kty: 'OKP';
    /** Its curve. */
    readonly crv: 'Ed25519';
    /** The public key. */
    readonly x: string;
    /** RFC 7638 thumbprint, as tokens name it. */
    readonly kid: string;
    /** Algorithm that it signs with. */
    readonly alg: 'EdDSA';
    /** Keys that sign. */
    readonly use: 'sig';
  }[];
};

export type Limits = {
  /** Requests in 60 seconds. */
  readonly requestsPerMinute: number;
  /** Requests in one second. */
  readonly burst: number;
  /** Requests in flight. */
  readonly concurrent: number;
  /** Requests to the batch paths in 60 seconds, and as many to the transactional one. */
  readonly batchPerMinute: number;
};

export type ListApiKeys = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'expired' | 'revoked' | undefined;
};

export type ListApprovals = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Status to have. */
  readonly status?: 'open' | 'approved' | 'rejected' | 'expired' | 'cancelled' | undefined;
  /** Run that asks. */
  readonly runId?: string | undefined;
  /** Only of this workflow. */
  readonly workflowId?: string | undefined;
};

export type ListApps = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'suspended' | undefined;
};

export type ListAudit = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only this action. */
  readonly action?: 'channel.created' | 'channel.updated' | 'channel.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'subscription.secret_viewed' | 'subscription.secret_rotated' | 'workflow.created' | 'workflow.updated' | 'workflow.activated' | 'workflow.paused' | 'workflow.deleted' | 'workflow.runs_cancelled' | 'run.started' | 'run.cancelled' | 'run.retried' | 'approval.approved' | 'approval.rejected' | 'connection.created' | 'connection.updated' | 'connection.deleted' | 'connection.tested' | 'connection.authorization_started' | 'connection.authorized' | 'secret.created' | 'secret.updated' | 'secret.deleted' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.secrets_viewed' | 'webhook.secret_rotated' | 'webhook.sample_sent' | 'webhook.request_accepted' | 'inspector.created' | 'inspector.updated' | 'inspector.deleted' | 'inspector.requests_cleared' | 'marker.created' | 'marker.deleted' | 'message.erased' | 'message.cancelled' | 'message.replayed' | 'message.exported' | 'delivery.exported' | 'dead_letter.exported' | 'run.exported' | 'audit.exported' | 'delivery.retried' | 'delivery.cancelled' | 'dead_letter.replayed' | 'dead_letter.discarded' | 'dead_letter.bulk_discarded' | 'replay.started' | 'replay.cancelled' | 'setup.finished' | 'user.created' | 'user.renamed' | 'user.password_changed' | 'user.password_reset' | 'user.reset_link_created' | 'identity.linked' | 'identity.forgotten' | 'user.factor_added' | 'user.factor_renamed' | 'user.factor_removed' | 'user.factors_removed' | 'user.recovery_codes_generated' | 'user.recovery_code_used' | 'member.role_changed' | 'member.removed' | 'invitation.created' | 'invitation.revoked' | 'invitation.accepted' | 'session.started' | 'session.revoked' | 'session.others_revoked' | 'session.signed_out' | 'organisation.created' | 'organisation.updated' | 'app.created' | 'app.updated' | 'machine_credential.created' | 'machine_credential.updated' | 'machine_credential.rotated' | 'machine_credential.revoked' | 'token.issued' | 'api_key.created' | 'api_key.updated' | 'api_key.rotated' | 'api_key.revoked' | undefined;
  /** Only by this principal. */
  readonly actorId?: string | undefined;
  /** Only of this resource. */
  readonly targetId?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** With `false` the changed fields of each entry are left out, and a page stays small. */
  readonly changes?: 'true' | 'false' | undefined;
};

export type ListBulkReplays = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Status to have. */
  readonly status?: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed' | undefined;
};

export type ListBulkRetries = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Status to have. */
  readonly status?: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed' | undefined;
};

export type ListChannels = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'paused' | 'archived' | undefined;
  /** Up to 100 ids, separated by commas. */
  readonly ids?: readonly string[] | undefined;
  /** Part of the name, case-insensitive. */
  readonly name?: string | undefined;
  /** With `false` large parts are left out, and a page stays small: trigger and steps of workflows, schemas of channels. */
  readonly definitions?: 'true' | 'false' | undefined;
};

export type ListConnections = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only for this connector. */
  readonly connectorId?: string | undefined;
  /** Only with this status. */
  readonly status?: 'ready' | 'unauthorized' | undefined;
};

export type ListConnectors = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only of this category. */
  readonly category?: 'messaging' | 'email' | 'development' | 'project_management' | 'data' | 'sales' | 'commerce' | 'support' | 'incidents' | 'ai' | 'general' | undefined;
  /** Only with this text in the name or the description. */
  readonly search?: string | undefined;
};

export type ListDeadLetters = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only of this channel. */
  readonly channelId?: string | undefined;
  /** Only of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only of this message. */
  readonly messageId?: string | undefined;
  /** Only of this workflow. */
  readonly workflowId?: string | undefined;
  /** One event type, `order.*` for all that begin with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only of this kind. */
  readonly kind?: 'delivery' | 'run' | undefined;
  /** Only with this reason. */
  readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step' | undefined;
  /** Only with this kind of the last failure. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only with this HTTP status of the last answer, or with one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: string | undefined;
  /** Only those with one of these statuses. */
  readonly status?: 'open' | 'replayed' | 'discarded' | readonly ('open' | 'replayed' | 'discarded')[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type ListDeliveries = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only of this channel. */
  readonly channelId?: string | undefined;
  /** Only of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only of this message. */
  readonly messageId?: string | undefined;
  /** One event type, `order.*` for all that begin with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only those with one of these statuses. */
  readonly status?: 'pending' | 'delivered' | 'failed' | 'retrying' | readonly ('pending' | 'delivered' | 'failed' | 'retrying')[] | undefined;
  /** Only with this kind of the last failure. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only with this HTTP status of the last answer, or with one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: string | undefined;
  /** Only those whose last answer took so many milliseconds, from 1,000 on. */
  readonly minLatencyMs?: number | undefined;
  /** Only those that wait for something beside their policy, or only the others. */
  readonly held?: 'true' | 'false' | undefined;
  /** Only those that this replay or bulk retry was the last to make due. */
  readonly replayId?: string | undefined;
  /** With `false` the bodies of the last answers are left out: `response.body` is empty, and a page stays small. */
  readonly responseBodies?: 'true' | 'false' | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type ListInboundRequests = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only with this outcome. */
  readonly outcome?: 'received' | 'repeated' | 'refused' | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type ListInspectors = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only those with this in their name, in any case. */
  readonly name?: string | undefined;
};

export type ListMachineCredentials = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'expired' | 'revoked' | undefined;
};

export type ListMarkers = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type ListMembers = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only these: up to 100 ids of people, separated by commas. */
  readonly userIds?: readonly string[] | undefined;
};

export type ListMessageReplays = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Status to have. */
  readonly status?: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed' | undefined;
};

export type ListMessages = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** One event type, `order.*` for all that begin with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** `newest`: the newest first. `committed`: the oldest first, in the order in which messages became visible; a reader that continues from each cursor misses none. Default: "newest". */
  readonly order?: 'newest' | 'committed' | undefined;
};

export type ListRefusals = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only with this reason. */
  readonly reason?: 'secret_missing' | 'signature_missing' | 'signature_malformed' | 'signature_wrong' | 'timestamp_stale' | 'body_invalid' | 'mapping_failed' | 'payload_refused' | 'webhook_disabled' | 'app_suspended' | 'channel_archived' | 'channel_deleted' | 'crashed' | undefined;
};

export type ListRequests = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only requests whose signature has this status. */
  readonly signatureStatus?: 'verified' | 'failed' | 'unsigned' | undefined;
};

export type ListRuns = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only those with one of these statuses. */
  readonly status?: 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped' | readonly ('pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped')[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** With `false` the outputs of runs are left out, and a page stays small. */
  readonly outputs?: 'true' | 'false' | undefined;
  /** Only of this workflow. */
  readonly workflowId?: string | undefined;
  /** Only of this message. */
  readonly messageId?: string | undefined;
};

export type ListRunsOfWorkflow = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only those with one of these statuses. */
  readonly status?: 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped' | readonly ('pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped')[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** With `false` the outputs of runs are left out, and a page stays small. */
  readonly outputs?: 'true' | 'false' | undefined;
};

export type ListScheduled = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Status to have. Default: "scheduled". */
  readonly status?: 'scheduled' | 'cancelled' | undefined;
  /** One event type, `order.*` for all that begin with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** With `false` payload and metadata of each message are left out, and a page stays small. */
  readonly payloads?: 'true' | 'false' | undefined;
};

export type ListSecrets = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only those with this in their name, in any case. */
  readonly name?: string | undefined;
};

export type ListSubscriptions = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only of this channel. */
  readonly channelId?: string | undefined;
  /** Your own id of the customer whose it is, to list by. It routes nothing. */
  readonly owner?: string | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'paused' | 'disabled' | undefined;
  /** Only those that are disabled, whose receiver is failing (`failingSince` of their statistics), whose circuit is not closed or whose secrets cannot be opened; or only the others. */
  readonly failing?: 'true' | 'false' | undefined;
  /** Up to 100 ids, separated by commas. */
  readonly ids?: readonly string[] | undefined;
  /** Part of the name or of the host of the URL, in any case. */
  readonly name?: string | undefined;
};

export type ListVersions = {
  /** Only this version, with its definition. */
  readonly version?: number | undefined;
  /** Only versions with a lower number. */
  readonly beforeVersion?: number | undefined;
};

export type ListWebhooks = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only of this channel. */
  readonly channelId?: string | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'disabled' | undefined;
  /** Up to 100 ids, separated by commas. */
  readonly ids?: readonly string[] | undefined;
  /** Part of the name, case-insensitive. */
  readonly name?: string | undefined;
};

export type ListWorkflows = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'paused' | 'draft' | undefined;
  /** Up to 100 ids, separated by commas. */
  readonly ids?: readonly string[] | undefined;
  /** Part of the name, case-insensitive. */
  readonly name?: string | undefined;
  /** Only those whose present steps name this connection. */
  readonly connectionId?: string | undefined;
  /** With `false` large parts are left out, and a page stays small: trigger and steps of workflows, schemas of channels. */
  readonly definitions?: 'true' | 'false' | undefined;
};

export type MachineCredential = {
  /** The client_id of token requests. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** App that it belongs to. */
  readonly appId: string;
  /** Environment that it belongs to, of which alone it sees anything. */
  readonly environment: 'live' | 'test';
  /** Tier whose limits hold where it has none of its own. */
  readonly tier: 'free' | 'starter' | 'pro' | 'enterprise';
  /** Limits in force: the tier's or the credential's own. */
  readonly limits: Limits;
  /** Rights that its access tokens can have. */
  readonly scopes: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[];
  /** Only an active one gets tokens, and only its tokens are taken. */
  readonly status: 'active' | 'expired' | 'revoked';
  /** Valid secrets, newest first: the current one, and up to three older ones while rotations overlap. */
  readonly secrets: readonly {
    /** Its last 4 characters. */
    readonly last4: string;
    /** When it was made. */
    readonly createdAt: string;
    /** When it ends, since a newer one was made. Absent: with the next one. */
    readonly expiresAt?: string;
    /** When it last got a token. Absent before its first one. */
    readonly lastUsedAt?: string;
  }[];
  /** When it was made. */
  readonly createdAt: string;
  /** When it ends by itself. Absent: never. */
  readonly expiresAt?: string;
  /** When it last got a token. Absent before its first one. */
  readonly lastUsedAt?: string;
  /** IP address from which it got that token. */
  readonly lastUsedAddress?: string;
};

export type Marker = {
  /** Prefix `mrk_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** The event. */
  readonly name: string;
  /** When it was. */
  readonly at: string;
  /** API key, machine credential or person who has marked it. */
  readonly madeBy: string;
  /** When it was marked. */
  readonly createdAt: string;
};

export type Member = {
  /** Prefix `usr_` and 26 characters that sort by creation time. */
  readonly userId: string;
  /** Address that the person signs in with. */
  readonly email: string;
  /** Name for people. */
  readonly name: string;
  /** Says what the member may do. */
  readonly role: 'viewer' | 'developer' | 'admin' | 'owner';
  /** When the person became a member. */
  readonly createdAt: string;
};

export type Message = {
  /** Prefix `msg_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Channel that it was published to. */
  readonly channelId: string;
  /** Event type, as published. */
  readonly eventType: string;
  /** Payload, digit for digit as published. Absent once it is erased, and in a list with `payloads=false`. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Metadata, as published. Absent where none was given, once it is erased, and in a list with `payloads=false`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** When it was published, or is to be. */
  readonly publishedAt: string;
  /** The same as publishedAt, while it waits to be published and when that was cancelled. */
  readonly deliverAt?: string;
  /** When its publication was cancelled. Absent otherwise. */
  readonly cancelledAt?: string;
  /** Why its publication was cancelled. */
  readonly cancelReason?: 'requested' | 'erased' | 'channel_deleted';
  /** When payload and metadata were erased. Absent while they are there. */
  readonly erasedAt?: string;
  /** State of its deliveries together: pending while one is unfinished. Before it is published: scheduled or cancelled. */
  readonly deliveryStatus: 'pending' | 'delivered' | 'failed' | 'unrouted' | 'scheduled' | 'cancelled';
};

export type MessageReplay = {
  /** Prefix `rpm_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Subscription that gets the messages again. */
  readonly subscriptionId: string;
  /** How far it is. */
  readonly status: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed';
  /** First publishedAt that is replayed. */
  readonly since: string;
  /** First publishedAt that is not replayed any more. */
  readonly until: string;
  /** Narrows what the subscription wants. An empty list: all of it. */
  readonly eventTypes: readonly string[];
  /** Whether what has arrived or failed is left alone. */
  readonly onlyMissing: boolean;
  /** Deliveries made due per second at most. */
  readonly ratePerSecond: number;
  /** Messages found so far. */
  readonly matched: number;
  /** Messages that were made due. */
  readonly replayed: number;
  /** Their states by now. One that a later replay has made due counts there. */
  readonly outcome: {
    /** Deliveries that are delivered, and runs that have completed. */
    readonly succeeded: number;
    /** Deliveries that are still being tried, and runs that go on. */
    readonly underWay: number;
    /** Deliveries and runs that have failed again, and runs that were cancelled. */
    readonly failed: number;
    /** Whether all are counted: 10,000 for each number at most, in a list 1,000. */
    readonly isExact: boolean;
  };
  /** publishedAt of the last message looked at. Absent before the first one. */
  readonly upTo?: string;
  /** Who asked for it: an API key, a machine credential or a person. */
  readonly requestedBy: string;
  /** When it was asked for. */
  readonly createdAt: string;
  /** When it ended. Absent until then. */
  readonly finishedAt?: string;
};

export type MessageReplayOrPreview = MessageReplay | {
  /** Nothing was changed. */
  readonly status: 'preview';
  /** Messages that a replay would make due now. */
  readonly matched: number;
  /** Whether these are all: 100,000 messages are looked at, and 2,000 where the subscription has a filter. */
  readonly isExact: boolean;
  /** Always 0. */
  readonly replayed: 0;
  /** The oldest of them, five at most. */
  readonly oldest: readonly {
    /** Prefix `msg_` and 26 characters that sort by creation time. */
    readonly id: string;
    /** Its event type. */
    readonly eventType: string;
    /** When it was published. */
    readonly publishedAt: string;
  }[];
};

export type MessageRouting = {
  /** Subscriptions of the channel of the message, the newest first, 100 at most. */
  readonly subscriptions: readonly {
    /** Prefix `sub_` and 26 characters that sort by creation time. */
    readonly subscriptionId: string;
    /** Name of the subscription. */
    readonly name: string;
    /** Whether a delivery would be made. */
    readonly wouldReceive: boolean;
    /** Why it would or would not get it. */
    readonly reason: 'no_filter' | 'filter_matches' | 'event_type' | 'filter_does_not_match' | 'filter_failed';
    /** More of the reason, for people. */
    readonly detail?: string;
    /** Hold that its delivery would wait for. */
    readonly heldBy?: 'app_suspended' | 'paused' | 'disabled' | 'circuit';
    /** Its delivery of the message. Absent where it has none. */
    readonly deliveryId?: string;
  }[];
  /** Whether the channel has more than these. */
  readonly isMore: boolean;
};

export type MessageSummary = {
  /** Prefix `msg_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Channel that it was published to. */
  readonly channelId: string;
  /** Event type, as published. */
  readonly eventType: string;
  /** When it was published. */
  readonly publishedAt: string;
  /** When payload and metadata were erased. Absent while they are there. */
  readonly erasedAt?: string;
  /** Size of its payload in bytes of UTF-8. Absent once it is erased. */
  readonly payloadBytes?: number;
  /** State of its deliveries together: pending while one is unfinished. */
  readonly deliveryStatus: 'pending' | 'delivered' | 'failed' | 'unrouted';
  /** Its deliveries by their state; the others are unfinished, or ended with their subscription. */
  readonly deliveries: {
    /** Deliveries of it. */
    readonly total: number;
    /** Deliveries that have arrived. */
    readonly delivered: number;
    /** Deliveries that were given up. */
    readonly failed: number;
  };
};

export type NewApiKey = {
  /** Prefix `key_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** App that it belongs to. */
  readonly appId: string;
  /** Environment that it belongs to, of which alone it sees anything. */
  readonly environment: 'live' | 'test';
  /** Tier whose limits hold where it has none of its own. */
  readonly tier: 'free' | 'starter' | 'pro' | 'enterprise';
  /** Limits in force: the tier's or the credential's own. */
  readonly limits: Limits;
  /** Rights that it has. */
  readonly scopes: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[];
  /** Its first 12 characters, by which keys are told apart. */
  readonly prefix: string;
  /** Its last 4 characters. */
  readonly last4: string;
  /** Only an active key is taken. */
  readonly status: 'active' | 'expired' | 'revoked';
  /** When it was made. */
  readonly createdAt: string;
  /** When it ends by itself. Absent: never. */
  readonly expiresAt?: string;
  /** When it was last used, to the minute. Absent before its first use. */
  readonly lastUsedAt?: string;
  /** IP address of the first request in that minute. */
  readonly lastUsedAddress?: string;
  /** Until when the key before the last rotation is taken too. Absent: only the last one is. */
  readonly previousKeyExpiresAt?: string;
  /** The key itself. Nothing ever shows it again. */
  readonly key: string;
};

export type NewInvitation = {
  /** Prefix `inv_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Address of the one person who may accept it. */
  readonly email: string;
  /** Role that it gives. */
  readonly role: 'viewer' | 'developer' | 'admin' | 'owner';
  /** Id of the user who made it, or `command line`. */
  readonly invitedBy: string;
  /** When it was made. */
  readonly createdAt: string;
  /** Until when it can be accepted: 72 hours. */
  readonly expiresAt: string;
  /** Link for that person, shown only now. The code stands behind `#code=`. */
  readonly link: string;
  /** Whether the link was sent to its person by mail. Otherwise hand it over. */
  readonly isMailed: boolean;
};

export type NewMachineCredential = {
  /** The client_id of token requests. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** App that it belongs to. */
  readonly appId: string;
  /** Environment that it belongs to, of which alone it sees anything. */
  readonly environment: 'live' | 'test';
  /** Tier whose limits hold where it has none of its own. */
  readonly tier: 'free' | 'starter' | 'pro' | 'enterprise';
  /** Limits in force: the tier's or the credential's own. */
  readonly limits: Limits;
  /** Rights that its access tokens can have. */
  readonly scopes: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[];
  /** Only an active one gets tokens, and only its tokens are taken. */
  readonly status: 'active' | 'expired' | 'revoked';
  /** Valid secrets, newest first: the current one, and up to three older ones while rotations overlap. */
  readonly secrets: readonly {
    /** Its last 4 characters. */
    readonly last4: string;
    /** When it was made. */
    readonly createdAt: string;
    /** When it ends, since a newer one was made. Absent: with the next one. */
    readonly expiresAt?: string;
    /** When it last got a token. Absent before its first one. */
    readonly lastUsedAt?: string;
  }[];
  /** When it was made. */
  readonly createdAt: string;
  /** When it ends by itself. Absent: never. */
  readonly expiresAt?: string;
  /** When it last got a token. Absent before its first one. */
  readonly lastUsedAt?: string;
  /** IP address from which it got that token. */
  readonly lastUsedAddress?: string;
  /** The secret that signs token requests. Nothing ever shows it again. */
  readonly clientSecret: string;
};

export type NewRecoveryCodes = {
  /** Ten recovery codes, each good for one sign-in. Shown only now. */
  readonly recoveryCodes: readonly string[];
};

export type Organisation = {
  /** Prefix `org_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Name for people; several organisations may have the same. */
  readonly name: string;
  /** When the organisation was made. */
  readonly createdAt: string;
  /** When the organisation was last changed. */
  readonly updatedAt: string;
};

export type PageQuery = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
};

export type Passkey = {
  /** Prefix `pky_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Name that its person has given. */
  readonly name: string;
  /** When it was added. */
  readonly createdAt: string;
  /** When it last proved its person. Absent before. */
  readonly lastUsedAt?: string;
  /** Whether it is kept outside its device too, as of its last use. */
  readonly isBackedUp: boolean;
};

export type PasskeyAdded = {
  /** Prefix `pky_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Name that its person has given. */
  readonly name: string;
  /** When it was added. */
  readonly createdAt: string;
  /** When it last proved its person. Absent before. */
  readonly lastUsedAt?: string;
  /** Whether it is kept outside its device too, as of its last use. */
  readonly isBackedUp: boolean;
  /** With the first factor: ten recovery codes. Shown only now. */
  readonly recoveryCodes?: readonly string[];
};

export type PasskeyBody = {
  /** The browser's credential, as its `toJSON()` gives it. */
  readonly passkey: {
    /** Credential id, in base64url. */
    readonly id: string;
    /** The same id. */
    readonly rawId: string;
    /** Always `public-key`. */
    readonly type: 'public-key';
    /** Response of the authenticator. */
    readonly response: {
      /** Client data that the authenticator signed, in base64url. */
      readonly clientDataJSON: string;
      /** Authenticator data, in base64url. */
      readonly authenticatorData: string;
      /** Signature over both, in base64url. */
      readonly signature: string;
      /** User id, in base64url. */
      readonly userHandle?: string | null | undefined;
    };
  };
};

export type PasskeyCreation = {
  /** 256 random bits in base64url, good once, for 5 minutes. */
  readonly challenge: string;
  /** The service. */
  readonly rp: {
    /** Host that the passkey is bound to. */
    readonly id: string;
    /** Name for people. */
    readonly name: string;
  };
  /** The person. */
  readonly user: {
    /** Id of the person, in base64url: the user handle. */
    readonly id: string;
    /** Address that the person signs in with. */
    readonly name: string;
    /** Name for people. */
    readonly displayName: string;
  };
  /** Algorithms that are taken, the best first. */
  readonly pubKeyCredParams: readonly {
    /** COSE number of an algorithm. */
    readonly alg: number;
    /** The one kind there is. */
    readonly type: 'public-key';
  }[];
  /** Milliseconds that a browser should wait for its person. */
  readonly timeout: number;
  /** The maker of the authenticator is not asked for. */
  readonly attestation: 'none';
  /** Passkeys that the person has already. */
  readonly excludeCredentials: readonly {
    /** Id of the credential, in base64url. */
    readonly id: string;
    /** The one kind there is. */
    readonly type: 'public-key';
    /** Ways to reach the authenticator, as it has told them. */
    readonly transports?: readonly string[];
  }[];
  /** Authenticators that are taken. */
  readonly authenticatorSelection: {
    /** The authenticator must find the passkey without its id. */
    readonly residentKey: 'required';
    /** The same, for older browsers. */
    readonly requireResidentKey: true;
    /** The authenticator must know its person, by a PIN or a finger. */
    readonly userVerification: 'required';
  };
};

export type PasskeyRequest = {
  /** 256 random bits in base64url, good once, for 5 minutes. */
  readonly challenge: string;
  /** Host that the passkey is bound to. */
  readonly rpId: string;
  /** Milliseconds that a browser should wait for its person. */
  readonly timeout: number;
  /** The authenticator must know its person, by a PIN or a finger. */
  readonly userVerification: 'required';
  /** Passkeys of the person; none where nobody is known yet. */
  readonly allowCredentials: readonly {
    /** Id of the credential, in base64url. */
    readonly id: string;
    /** The one kind there is. */
    readonly type: 'public-key';
    /** Ways to reach the authenticator, as it has told them. */
    readonly transports?: readonly string[];
  }[];
};

export type PayloadValidation = {
  /** Whether the schemas take all of them. */
  readonly valid: boolean;
  /** Each payload, in the order of the request. */
  readonly results: readonly {
    /** Whether the schemas take it. */
    readonly valid: boolean;
    /** First problem of each schema; fields begin with `payload`. */
    readonly errors: readonly FieldProblem[];
  }[];
};

export type PreviewInvitation = {
  /** Code of the link: what stands behind `#code=`. */
  readonly code: string;
};

export type PublishAcross = {
  /** Messages, in their order. */
  readonly messages: readonly {
    /** Your own id for the message. For 24 hours, a second message with the same id is the first one. */
    readonly id?: string | undefined;
    /** What has happened, such as `order.created`. */
    readonly eventType: string;
    /** Any JSON object, up to 256 KiB. Subscribers get it digit for digit. */
    readonly payload: object;
    /** Texts that go with the message, up to 50 and 16 KiB. */
    readonly metadata?: Readonly<Record<string, string>> | undefined;
    /** When to publish the message; not beside `delay`. */
    readonly deliverAt?: string | Date | undefined;
    /** Milliseconds from now until the message is published; not beside `deliverAt`. */
    readonly delay?: number | undefined;
    /** Channel to publish to. */
    readonly channelId: string;
  }[];
};

export type PublishBatch = {
  /** Messages, in their order. */
  readonly messages: readonly PublishMessage[];
};

export type PublishMessage = {
  /** Your own id for the message. For 24 hours, a second message with the same id is the first one. */
  readonly id?: string | undefined;
  /** What has happened, such as `order.created`. */
  readonly eventType: string;
  /** Any JSON object, up to 256 KiB. Subscribers get it digit for digit. */
  readonly payload: object;
  /** Texts that go with the message, up to 50 and 16 KiB. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** When to publish the message; not beside `delay`. */
  readonly deliverAt?: string | Date | undefined;
  /** Milliseconds from now until the message is published; not beside `deliverAt`. */
  readonly delay?: number | undefined;
  /** The channel of the path, if you send it at all. */
  readonly channelId?: string | undefined;
};

export type PublishedMessage = {
  /** Prefix `msg_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Channel that it was published to. */
  readonly channelId: string;
  /** Event type, as published. */
  readonly eventType: string;
  /** Payload, digit for digit as published. Absent once it is erased, and in a list with `payloads=false`. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Metadata, as published. Absent where none was given, once it is erased, and in a list with `payloads=false`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** When it was published, or is to be. */
  readonly publishedAt: string;
  /** The same as publishedAt, while it waits to be published and when that was cancelled. */
  readonly deliverAt?: string;
  /** When its publication was cancelled. Absent otherwise. */
  readonly cancelledAt?: string;
  /** Why its publication was cancelled. */
  readonly cancelReason?: 'requested' | 'erased' | 'channel_deleted';
  /** When payload and metadata were erased. Absent while they are there. */
  readonly erasedAt?: string;
  /** State of its deliveries together: pending while one is unfinished. Before it is published: scheduled or cancelled. */
  readonly deliveryStatus: 'pending' | 'delivered' | 'failed' | 'unrouted' | 'scheduled' | 'cancelled';
  /** Where payloads do not fit the schemas of a channel that warns instead of refusing. On answers to publishes. */
  readonly warnings?: readonly FieldProblem[];
};

export type RenamePasskey = {
  /** Name for people. */
  readonly name?: string | undefined;
};

export type RenameUser = {
  /** Name for people. */
  readonly name?: string | undefined;
};

export type ReplayMessage = {
  /** Subscription of its channel that gets it. */
  readonly subscriptionId: string;
};

export type RequestBody = {
  /** Prefix `irf_` and 26 characters that sort by creation time. */
  readonly requestId: string;
  /** Its `Content-Type`, where it had one. */
  readonly contentType?: string;
  /** Length of the body. */
  readonly bytes: number;
  /** Body as it came. */
  readonly body: string;
  /** Form of `body`: base64 where the bytes are no UTF-8. */
  readonly encoding: 'text' | 'base64';
};

export type ResetLink = {
  /** Link for that person, shown only now. The code stands behind `#code=`. */
  readonly link: string;
  /** Whether the link was sent to its person by mail. Otherwise hand it over. */
  readonly isMailed: boolean;
  /** Until when it works: 30 minutes. */
  readonly expiresAt: string;
};

export type ResetPassword = {
  /** Code of the link: what stands behind `#code=`. */
  readonly code: string;
  /** Password that is to be, 12 characters at least. */
  readonly password: string;
};

export type RetryRun = {
  /** `failed`: at the steps that failed. `start`: at the first step, as if no step had been taken, with other idempotency keys. An object: at that step, in the same way, and the steps before it keep their results. Default: "failed". */
  readonly from?: 'failed' | 'start' | {
    /** Step that the run has reached, in no loop and no branch. */
    readonly stepId: string;
  } | undefined;
  /** Definition to go on under: its own, or the latest one of the workflow. Default: "original". */
  readonly definition?: 'original' | 'latest' | undefined;
};

export type RevokedSessions = {
  /** How many sessions were ended. */
  readonly revoked: number;
};

export type RotateApiKey = {
  /** Seconds for which the key before is taken beside the new one. Default: 0. */
  readonly overlapSeconds?: number | undefined;
};

export type RotateMachineCredential = {
  /** Hours for which older secrets stay valid beside the new one, at most. Default: 24. */
  readonly overlapHours?: number | undefined;
};

export type RotateSubscriptionSecret = {
  /** Hours for which older secrets stay valid beside the new one, at most. Default: 24. */
  readonly overlapHours?: number | undefined;
  /** The new secret. Absent: the service makes it. */
  readonly secret?: string | undefined;
};

export type RotateWebhookSecret = {
  /** The new secret. Made where it is left out and the service lets you choose. */
  readonly secret?: string | undefined;
  /** Hours for which older secrets stay valid beside the new one, at most. Default: 24. */
  readonly overlapHours?: number | undefined;
};

export type Run = {
  /** Prefix `run_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Workflow that it is a run of. */
  readonly workflowId: string;
  /** Version of the definition that it keeps to its end. */
  readonly definitionVersion: number;
  /** How far it has come. */
  readonly status: 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped';
  /** How it began. */
  readonly trigger: {
    /** Kind of the trigger; `workflow` where a step of another run began it. */
    readonly type: 'event' | 'webhook' | 'schedule' | 'manual' | 'workflow';
    /** Message that began it. */
    readonly messageId?: string;
    /** Channel of that message. */
    readonly channelId?: string;
    /** Run whose step began it. */
    readonly runId?: string;
    /** That step. Absent once it has begun another run. */
    readonly stepId?: string;
  };
  /** When it was made. */
  readonly createdAt: string;
  /** When its first step could begin. Absent before. */
  readonly startedAt?: string;
  /** When it ended. Absent before. */
  readonly finishedAt?: string;
  /** Why it failed, or waits for a person. */
  readonly error?: {
    /** Code of the error, such as `HTTP_404` or `TIMEOUT`. */
    readonly code: string;
    /** The same for people. */
    readonly message: string;
    /** Step that failed. */
    readonly stepId?: string;
  };
  /** Why it was cancelled or skipped. */
  readonly reason?: string;
  /** Filter that ended the run as `completed`, because its expression was false: id of the step. */
  readonly filteredBy?: string;
  /** Output of the `end` step that ended it. Absent in a list with `outputs=false`. */
  readonly output?: unknown;
  /** Definition that it keeps to its end, as it was written: the workflow may have another one since. */
  readonly definition: {
    /** Beginning of a run. */
    readonly trigger: Readonly<Record<string, unknown>>;
    /** Work of a run. */
    readonly steps: readonly unknown[];
  };
  /** Steps that have begun, in the order in which they did. */
  readonly steps: readonly {
    /** Id of the step in the definition. */
    readonly id: string;
    /** Places of its items in the loops around it, from 0, joined by dots. Empty outside loops. */
    readonly iteration: string;
    /** Kind of the step. `item` is an item of a foreach, once it has ended. */
    readonly type: 'action' | 'condition' | 'switch' | 'filter' | 'transform' | 'delay' | 'wait_for_event' | 'approval' | 'foreach' | 'parallel' | 'workflow' | 'end' | 'item';
    /** How far it has come. */
    readonly status: 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'skipped' | 'cancelled';
    /** Values that were resolved for it before its first attempt; all attempts take them. */
    readonly input?: unknown;
    /** Its result. */
    readonly output?: unknown;
    /** Why its last attempt failed. */
    readonly error?: {
      /** Code of the error, such as `HTTP_404` or `TIMEOUT`. */
      readonly code: string;
      /** The same for people. */
      readonly message: string;
    };
    /** Attempts so far. */
    readonly attempts: number;
    /** Attempts whose worker stopped before their result was recorded. They may have had their effect. */
    readonly crashes?: number;
    /** When it began. */
    readonly startedAt: string;
    /** When it ended. Absent before. */
    readonly finishedAt?: string;
  }[];
};

export type RunStats = {
  /** When the first step began. */
  readonly since: string;
  /** When the last step ends. */
  readonly until: string;
  /** Seconds of one step. The service chooses it by the length of the span. */
  readonly stepSeconds: number;
  /** Figures of the whole span. */
  readonly totals: {
    /** Runs whose first step could begin. A retry from the start counts once more. */
    readonly started: number;
    /** Runs that have completed, those that a filter has ended too. Each counts once. */
    readonly completed: number;
    /** Failures of runs. One that fails again after a retry counts again. */
    readonly failed: number;
    /** Runs that were cancelled. */
    readonly cancelled: number;
    /** Runs that their trigger has let do nothing. */
    readonly skipped: number;
  };
  /** Figures of each step, oldest first, those without a run too. */
  readonly points: readonly {
    /** When the step began. */
    readonly at: string;
    /** Runs whose first step could begin. A retry from the start counts once more. */
    readonly started: number;
    /** Runs that have completed, those that a filter has ended too. Each counts once. */
    readonly completed: number;
    /** Failures of runs. One that fails again after a retry counts again. */
    readonly failed: number;
    /** Runs that were cancelled. */
    readonly cancelled: number;
    /** Runs that their trigger has let do nothing. */
    readonly skipped: number;
  }[];
  /** Runs that have not ended now. Runs of one workflow are counted among the newest 5,000 of each status. */
  readonly unfinished: {
    /** How many there are, 1,000 at most. */
    readonly count: number;
    /** Whether there may be more than that. */
    readonly isMore: boolean;
  };
};

export type RunStatsQuery = {
  /** Only of this workflow. */
  readonly workflowId?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type RunSummary = {
  /** Prefix `run_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Workflow that it is a run of. */
  readonly workflowId: string;
  /** Version of the definition that it keeps to its end. */
  readonly definitionVersion: number;
  /** How far it has come. */
  readonly status: 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped';
  /** How it began. */
  readonly trigger: {
    /** Kind of the trigger; `workflow` where a step of another run began it. */
    readonly type: 'event' | 'webhook' | 'schedule' | 'manual' | 'workflow';
    /** Message that began it. */
    readonly messageId?: string;
    /** Channel of that message. */
    readonly channelId?: string;
    /** Run whose step began it. */
    readonly runId?: string;
    /** That step. Absent once it has begun another run. */
    readonly stepId?: string;
  };
  /** When it was made. */
  readonly createdAt: string;
  /** When its first step could begin. Absent before. */
  readonly startedAt?: string;
  /** When it ended. Absent before. */
  readonly finishedAt?: string;
  /** Why it failed, or waits for a person. */
  readonly error?: {
    /** Code of the error, such as `HTTP_404` or `TIMEOUT`. */
    readonly code: string;
    /** The same for people. */
    readonly message: string;
    /** Step that failed. */
    readonly stepId?: string;
  };
  /** Why it was cancelled or skipped. */
  readonly reason?: string;
  /** Filter that ended the run as `completed`, because its expression was false: id of the step. */
  readonly filteredBy?: string;
  /** Output of the `end` step that ended it. Absent in a list with `outputs=false`. */
  readonly output?: unknown;
};

export type Schedule = {
  /** When the next run begins, without jitter. Absent while the workflow is not active or has a problem, and when its schedule has ended. */
  readonly nextRunAt?: string;
  /** Last time that began a run. Absent before the first one. */
  readonly lastRunAt?: string;
  /** Why Temporal does not have the schedule as it was last changed: it has refused it, or could not be told of it yet. */
  readonly problem?: string;
};

export type Search = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** One event type, `order.*` for all that begin with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** Only of this channel. */
  readonly channelId?: string | undefined;
  /** With `true` messages of the channel `posthorn.system` are included. By default they are listed only where `channelId` names that channel. */
  readonly includeSystem?: 'true' | 'false' | undefined;
  /** Only those whose deliveries together have one of these states. */
  readonly deliveryStatus?: 'pending' | 'delivered' | 'failed' | 'unrouted' | readonly ('pending' | 'delivered' | 'failed' | 'unrouted')[] | undefined;
  /** An id, your own id of a message, an event type, a part of a name, `payload.<path>=<value>`, or a value of at least 3 characters that a payload has anywhere. Absent: the newest messages. */
  readonly q?: string | undefined;
  /** With `false` a value without a path is not looked for in payloads, which is faster where only names are wanted. */
  readonly payloads?: 'true' | 'false' | undefined;
};

export type SearchMessages = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** One event type, `order.*` for all that begin with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** Only of this channel. */
  readonly channelId?: string | undefined;
  /** With `true` messages of the channel `posthorn.system` are included. By default they are listed only where `channelId` names that channel. */
  readonly includeSystem?: 'true' | 'false' | undefined;
  /** Only those that were published under this id of yours within the last 24 hours. */
  readonly publisherId?: string | undefined;
  /** Only those whose deliveries together have one of these states. */
  readonly deliveryStatus?: 'pending' | 'delivered' | 'failed' | 'unrouted' | readonly ('pending' | 'delivered' | 'failed' | 'unrouted')[] | undefined;
};

export type SearchPage = {
  /** Messages that were looked through. */
  readonly messages: number;
  /** Bytes of their payloads. 0 where no payload was asked about. */
  readonly bytes: number;
  /** When the newest of them was published. Absent without any. */
  readonly newestAt?: string;
  /** When the oldest of them was published. Absent without any. */
  readonly oldestAt?: string;
  /** Whether nothing is left to look through. */
  readonly isComplete: boolean;
  /** Milliseconds that it took. */
  readonly milliseconds: number;
};

export type SearchResults = {
  /** Resources that were found: by their id, then by their names, then messages, the newest first. */
  readonly data: readonly {
    /** Kind of the resource. */
    readonly kind: 'message' | 'delivery' | 'attempt' | 'deadLetter' | 'bulkReplay' | 'bulkRetry' | 'messageReplay' | 'subscription' | 'channel' | 'workflow' | 'run' | 'approval' | 'connection' | 'webhook';
    /** Id of the resource. */
    readonly id: string;
    /** The resource in one line. */
    readonly summary: string;
    /** Its status. Absent where its kind has none. */
    readonly status?: string;
    /** When it was made, or published. */
    readonly at: string;
    /** Part of it that `q` names: `everything` without a `q`. */
    readonly matched: 'id' | 'publisherId' | 'eventType' | 'name' | 'payload' | 'everything';
    /** Delivery of an attempt. Absent on other kinds. */
    readonly deliveryId?: string;
  }[];
  /** Messages that were read for it. */
  readonly lookedThrough: SearchPage;
  /** Where the search goes on. */
  readonly pagination: {
    /** Goes on behind the messages that were looked through. Absent where nothing is left. */
    readonly cursor?: string;
    /** Whether messages are left to look through. */
    readonly hasMore: boolean;
  };
};

export type SecondFactor = {
  /** Six digits of the authenticator app. */
  readonly code?: string | undefined;
  /** One of the recovery codes. */
  readonly recoveryCode?: string | undefined;
  /** The browser's credential, as its `toJSON()` gives it. */
  readonly passkey?: {
    /** Credential id, in base64url. */
    readonly id: string;
    /** The same id. */
    readonly rawId: string;
    /** Always `public-key`. */
    readonly type: 'public-key';
    /** Response of the authenticator. */
    readonly response: {
      /** Client data that the authenticator signed, in base64url. */
      readonly clientDataJSON: string;
      /** Authenticator data, in base64url. */
      readonly authenticatorData: string;
      /** Signature over both, in base64url. */
      readonly signature: string;
      /** User id, in base64url. */
      readonly userHandle?: string | null | undefined;
    };
  } | undefined;
};

export type SendSample = {
  /** Exact text; with the scheme `body`, of its `payload`. */
  readonly body?: string | undefined;
  /** Headers beside the signature, over those of the sample: the event type of many services stands there. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

export type SentSample = {
  /** `repeated`: an earlier request had the same id of the event. A `handshake` becomes no message. */
  readonly outcome: 'received' | 'repeated' | 'handshake' | 'refused';
  /** HTTP status with which the sender would be answered. */
  readonly status: number;
  /** Message that it became, now or the first time its event came. */
  readonly messageId?: string;
  /** Why it was refused. */
  readonly reason?: 'secret_missing' | 'signature_missing' | 'signature_malformed' | 'signature_wrong' | 'timestamp_stale' | 'body_invalid' | 'mapping_failed' | 'payload_refused' | 'webhook_disabled' | 'app_suspended' | 'channel_archived' | 'channel_deleted' | 'crashed';
  /** The same in words. */
  readonly detail?: string;
};

export type Service = {
  /** State of the service as a whole. `down`: messages are refused, or nothing is delivered. `degraded`: everything works, but late or with less protection. */
  readonly verdict: 'healthy' | 'degraded' | 'down';
  /** Everything that keeps the service from being healthy, the worst first. Empty if it is healthy. */
  readonly reasons: readonly {
    /** The reason for programs. Operators find what each means and what to do in docs/operate/troubleshooting.md. */
    readonly code: 'database_unavailable' | 'schema_unfit' | 'encryption_keys_unfit' | 'row_security_off' | 'no_worker' | 'worker_late' | 'temporal_unreachable' | 'temporal_partly_unreachable' | 'backlog_old' | 'scheduled_late';
    /** The verdict that this reason alone would lead to. */
    readonly verdict: 'degraded' | 'down';
    /** The reason for people, as one plain sentence. */
    readonly message: string;
  }[];
  /** Programs that run here. */
  readonly versions: {
    /** Release of the process that answers. */
    readonly posthorn: string;
    /** Node.js that runs it. */
    readonly node: string;
    /** PostgreSQL. Absent while it does not answer. */
    readonly postgresql?: string;
    /** Temporal server. Absent where it does not answer, or this process does not know it. */
    readonly temporal?: string;
  };
  /** Processes that make deliveries, the newest first. Empty while PostgreSQL does not answer. */
  readonly workers: readonly {
    /** Incarnation: one life of the process. */
    readonly id: string;
    /** Processes that make deliveries have leases; others have none. */
    readonly role: 'worker';
    /** Name of its machine. */
    readonly host?: string;
    /** Its process number there. */
    readonly pid?: number;
    /** When it began. */
    readonly startedAt: string;
    /** When it last renewed its lease. */
    readonly renewedAt: string;
    /** Whether the lease holds. Its deliveries are taken over otherwise. */
    readonly isAlive: boolean;
    /** Whether Temporal answered the worker when it asked last, which is up to 25 seconds ago. */
    readonly reachesTemporal: boolean;
  }[];
  /** Deliveries whose time has come, by state. A state without any is left out. */
  readonly due: readonly {
    /** First attempts and retries wait for a worker, claimed deliveries have one, blocked deliveries belong to a subscription that is paused or disabled or whose circuit breaker is open. */
    readonly state: 'first_attempt' | 'retry' | 'claimed' | 'blocked';
    /** At least so many: 10,000 of each subscription and 100,000 in all are counted. */
    readonly deliveries: number;
    /** Time since the oldest of them was due. */
    readonly oldestDueForMs: number;
  }[];
  /** Time since the oldest scheduled message was due; 0 without one. */
  readonly oldestScheduledForMs: number;
  /** The largest tables, the largest first. */
  readonly tables: readonly {
    /** Table. */
    readonly name: string;
    /** Its size with its indexes. */
    readonly bytes: number;
    /** Rows, as PostgreSQL estimates them. */
    readonly liveRows: number;
    /** Rows that autovacuum has not removed yet. */
    readonly deadRows: number;
  }[];
  /** Migration that was applied last. */
  readonly newestMigration: string;
  /** Whether PostgreSQL keeps tenants apart by itself. */
  readonly rowSecurity: boolean;
  /** Parts that /readyz looks at, and Temporal if this process has its address. */
  readonly checks: readonly {
    /** Part. */
    readonly name: string;
    /** Late has no answer within 2 s. Unknown is what depends on a part that is not up. */
    readonly state: 'up' | 'late' | 'down' | 'unknown';
    /** Why it is down or late. */
    readonly reason?: string;
  }[];
  /** When this was read: a process reads it every 5 seconds at most. */
  readonly lookedAt: string;
};

export type Session = {
  /** Prefix `ses_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Whether this request came with it. */
  readonly isCurrent: boolean;
  /** When the person signed in. */
  readonly createdAt: string;
  /** When the person last proved who they are. Dangerous requests want that within 10 minutes. */
  readonly authenticatedAt: string;
  /** Means by which the person has proven who they are since it began, each once. */
  readonly provenBy: readonly ('password' | 'code' | 'recoveryCode' | 'passkey' | 'singleSignOn')[];
  /** When it was last used, to the minute. After 12 hours without use it ends. */
  readonly lastUsedAt: string;
  /** When it ends in any case: 7 days after it began. */
  readonly expiresAt: string;
  /** Network address that it was begun from. */
  readonly address: string;
  /** Browser that it was begun with, as that browser says. */
  readonly userAgent?: string;
};

export type Setup = {
  /** Code of the link: what stands behind `#code=`. */
  readonly code: string;
  /** E-mail address. */
  readonly email: string;
  /** Name for people. */
  readonly name: string;
  /** Password that is to be, 12 characters at least. */
  readonly password: string;
  /** Name of the first organisation, which is "Default" otherwise. */
  readonly organisation?: string | undefined;
  /** Name of its app, which is "Default" otherwise. */
  readonly app?: string | undefined;
};

export type SignIn = SignedIn | {
  /** POST /v1/sign-in/second-factor takes it. A cookie says whose step it is. */
  readonly secondStep: {
    /** Any one of these is enough. */
    readonly means: readonly ('password' | 'code' | 'recoveryCode' | 'passkey' | 'singleSignOn')[];
    /** Until when: 10 minutes. */
    readonly expiresAt: string;
  };
};

export type SignInBody = {
  /** E-mail address. */
  readonly email: string;
  /** Password of the account. */
  readonly password: string;
};

export type SignInSettings = {
  /** Signing in by password. */
  readonly password: {
    /** Everybody else comes by single sign-on. */
    readonly isForOwnersAlone: boolean;
  };
  /** Signing in by passkey. */
  readonly passkeys: {
    /** Browsers take host names alone, no IP addresses. */
    readonly isPossible: boolean;
    /** Host that passkeys belong to. Another one loses them all. */
    readonly host?: string;
  };
  /** People may add an authenticator app as their second factor. */
  readonly authenticatorApps: true;
  /** Absent where no provider is set. */
  readonly singleSignOn?: {
    /** Name on the button. */
    readonly name: string;
    /** OpenID provider. */
    readonly issuer: string;
    /** Id of this service there. */
    readonly clientId: string;
    /** Claim that has the groups of a person. */
    readonly groupsClaim: string;
    /** So many groups give roles. */
    readonly groupRoles: number;
    /** Addresses count as proven, though the provider does not say so. */
    readonly isEmailTrusted: boolean;
  };
  /** How long people stay signed in. */
  readonly sessions: {
    /** A session ends when it is not used for so long. */
    readonly idleMs: number;
    /** A session ends so long after signing in. */
    readonly lifeMs: number;
    /** Dangerous actions ask again for a proof after so long. */
    readonly freshMs: number;
    /** Cookies of sessions travel by https alone. */
    readonly isOnHttpsAlone: boolean;
  };
  /** Mails with invitations and links for new passwords. */
  readonly mail: {
    /** Whether links are sent; they are only shown otherwise. */
    readonly isOn: boolean;
    /** Sender. */
    readonly from?: string;
  };
};

export type SignInWays = {
  /** Who may sign in by password: owners of the first organisation alone where the operator wants single sign-on. */
  readonly password: 'everyone' | 'owners';
  /** Absent where the operator has no identity provider. */
  readonly singleSignOn?: {
    /** Name of it for people. */
    readonly name: string;
  };
};

export type SignedIn = {
  /** The person. */
  readonly user: User;
  /** The session of this request. */
  readonly session: Session;
  /** Organisations that the person is a member of. */
  readonly organisations: readonly {
    /** Prefix `org_` and 26 characters that sort by creation time. */
    readonly id: string;
    /** Name for people. */
    readonly name: string;
    /** Says what the person may do there. */
    readonly role: 'viewer' | 'developer' | 'admin' | 'owner';
    /** Apps whose environments a request may name. */
    readonly apps: readonly {
      /** Prefix `app_` and 26 characters that sort by creation time. */
      readonly id: string;
      /** Name for people. */
      readonly name: string;
      /** Name in addresses, unique in its organisation. */
      readonly slug: string;
    }[];
  }[];
};

export type SingleSignOn = {
  /** Page of the identity provider: send the browser there within 10 minutes. */
  readonly url: string;
};

export type StartRun = {
  /** Any JSON object, up to 256 KiB. Subscribers get it digit for digit. */
  readonly payload?: object | undefined;
};

export type StartSingleSignOn = {
  /** Path of the dashboard where the browser comes back. */
  readonly returnTo?: string | undefined;
};

export type Stats = {
  /** When the first step began. */
  readonly since: string;
  /** When the last step ends. */
  readonly until: string;
  /** Seconds of one step. The service chooses it by the length of the span. */
  readonly stepSeconds: number;
  /** Figures of the whole span. */
  readonly totals: {
    /** Messages that were published. Absent on subscriptions, which publish nothing. */
    readonly accepted?: number;
    /** Attempts that have delivered a message. */
    readonly delivered: number;
    /** Attempts that have failed. */
    readonly failedAttempts: number;
    /** Dead letters, of deliveries and of runs. */
    readonly deadLetters: number;
    /** Dead letters of deliveries. One that was replayed with success since stays counted: a success rate comes from `deliveries`. Absent on channels, of which runs are counted too. */
    readonly givenUp?: number;
    /** Latency of the answers of subscribers, good by a fifth. Absent where there was no answer. */
    readonly latencyMs?: {
      /** Half of the answers took so many milliseconds at most. */
      readonly p50: number;
      /** 95 of 100 answers took so many milliseconds at most. */
      readonly p95: number;
    };
  };
  /** Deliveries that were created in the span, by their state now. The success rate is `delivered` ÷ (`delivered` + `failed`). Deliveries that retention has removed are not among them. */
  readonly deliveries: {
    /** Deliveries that were created. The four numbers below add up to it. */
    readonly created: number;
    /** Deliveries that have been delivered, at the first attempt or a later one. */
    readonly delivered: number;
    /** Deliveries that have failed, and have not been retried or replayed since. */
    readonly failed: number;
    /** Deliveries whose attempts have failed so far, and that will be attempted again. */
    readonly retrying: number;
    /** Deliveries that wait for their first attempt, or for the first one of a replay. */
    readonly pending: number;
    /** Whether all of the span were counted. If not, only the newest were. */
    readonly isExact: boolean;
    /** When the oldest counted delivery was created, if older ones of the span were left out. */
    readonly countedSince?: string;
  };
  /** Attempts by the answer of the subscriber, the most frequent first. */
  readonly answers: readonly ({
    /** HTTP status of the answer. */
    readonly status: number;
    /** Attempts that got it. */
    readonly count: number;
  } | {
    /** Kind of the failure without an answer. */
    readonly errorClass: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
    /** Attempts that ended so. */
    readonly count: number;
  })[];
  /** Figures of each step, oldest first, those without traffic too. */
  readonly points: readonly {
    /** When the step began. */
    readonly at: string;
    /** Messages that were published. Absent on subscriptions, which publish nothing. */
    readonly accepted?: number;
    /** Attempts that have delivered a message. */
    readonly delivered: number;
    /** Attempts that have failed. */
    readonly failedAttempts: number;
    /** Dead letters, of deliveries and of runs. */
    readonly deadLetters: number;
    /** Dead letters of deliveries. One that was replayed with success since stays counted: a success rate comes from `deliveries`. Absent on channels, of which runs are counted too. */
    readonly givenUp?: number;
    /** Latency of the answers of subscribers, good by a fifth. Absent where there was no answer. */
    readonly latencyMs?: {
      /** Half of the answers took so many milliseconds at most. */
      readonly p50: number;
      /** 95 of 100 answers took so many milliseconds at most. */
      readonly p95: number;
    };
    /** Attempts of the step by the class of their answer. */
    readonly answers: {
      /** Attempts that were answered with a status from 200 to 299: they have delivered. */
      readonly status2xx: number;
      /** Attempts that were answered with a status from 300 to 399. */
      readonly status3xx: number;
      /** Attempts that were answered with a status from 400 to 499. */
      readonly status4xx: number;
      /** Attempts that were answered with a status from 500 on. */
      readonly status5xx: number;
      /** Attempts without an answer: no connection, a time-out, a broken one. */
      readonly none: number;
    };
    /** Deliveries that were created in the step, by their state now. Absent if not all of them were counted. */
    readonly deliveries?: {
      /** Deliveries that have been delivered, at the first attempt or a later one. */
      readonly delivered: number;
      /** Deliveries that have failed, and have not been retried or replayed since. */
      readonly failed: number;
      /** Deliveries whose attempts have failed so far, and that will be attempted again. */
      readonly retrying: number;
      /** Deliveries that wait for their first attempt, or for the first one of a replay. */
      readonly pending: number;
    };
  }[];
};

export type StatsQuery = {
  /** Only of this channel. */
  readonly channelId?: string | undefined;
  /** Only of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type StreamMessages = {
  /** Event types or beginnings of them, with commas between them. */
  readonly eventTypes?: readonly string[] | undefined;
  /** Begins with stored messages published after this. */
  readonly since?: string | Date | undefined;
};

export type Subscription = {
  /** Prefix `sub_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Channel whose messages it gets. */
  readonly channelId: string;
  /** Name for people. */
  readonly name: string;
  /** The publisher's own id of the customer whose it is, to list by. It routes nothing: the subscription gets the messages of its channel for every owner. Absent: nobody's. */
  readonly owner?: string;
  /** Where messages are sent. */
  readonly webhookUrl: string;
  /** Deliveries wait unless it is active. The service alone disables one. */
  readonly status: 'active' | 'paused' | 'disabled';
  /** Since when it has this status. Absent where that is older than the record. */
  readonly statusChangedAt?: string;
  /** Why it is disabled: its receiver has answered 410, or taken nothing for five days. Absent where that is known no more. */
  readonly disabledReason?: 'gone' | 'failing';
  /** Event types that it gets, or beginnings of them such as `order.*`. An empty list: all. */
  readonly eventTypes: readonly string[];
  /** CEL expression that lets through what of them it gets. Absent: all. */
  readonly filter?: string;
  /** When a failed delivery is tried again. */
  readonly retryPolicy: {
    /** Tries after the first one. */
    readonly maxRetries: number;
    /** Milliseconds before the first retry. */
    readonly initialDelay: number;
    /** Milliseconds that no delay of the policy exceeds. */
    readonly maxDelay: number;
    /** Each delay is the one before, times this. */
    readonly backoffMultiplier: number;
  };
  /** Headers that are sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds that one attempt may take. */
  readonly timeoutMs: number;
  /** Longest wait, in milliseconds, that its receiver may ask for by `Retry-After` of a 429 or 503. Such a wait may be longer than `maxDelay`. */
  readonly maxRetryAfter: number;
  /** Requests at a time. Absent: as many as its receiver takes well, which its workers find out. */
  readonly maxConcurrency?: number;
  /** Tries per second. Absent: as many as it takes. */
  readonly rateLimit?: number;
  /** Whether a circuit may open. */
  readonly circuitBreaker: boolean;
  /** Circuit breaker of its receiver. */
  readonly circuit: {
    /** Nothing is sent while it is open, but for a probe every 30 s. */
    readonly state: 'closed' | 'open' | 'half_open';
    /** When it last opened. Absent while it is closed. */
    readonly openedAt?: string;
    /** When the next probe may go. Absent while it is closed. */
    readonly nextProbeAt?: string;
  };
  /** Requests to its receiver at this moment. Absent in lists. */
  readonly concurrency?: {
    /** Requests allowed in flight. */
    readonly limit: number;
    /** Requests in flight. */
    readonly inFlight: number;
    /** Mean latency of late good answers. Absent before the first one. */
    readonly latencyMs?: number;
  };
  /** Since when its deliveries wait because none of its signing secrets can be opened; rotating ends it. */
  readonly secretUnreadableSince?: string;
  /** What does not work as it may seem to: stored values that a stricter rule refuses since and that are not used, a host name that the public DNS cannot have and that does not resolve yet (not in lists), and an `owner`, which routes nothing. */
  readonly warnings?: readonly FieldProblem[];
  /** When the subscription was made. */
  readonly createdAt: string;
  /** When the subscription was last changed. */
  readonly updatedAt: string;
};

export type SubscriptionSecret = {
  /** Signing secret of Standard Webhooks: `whsec_` and the base64 of its bytes. */
  readonly secret: string;
  /** Since when it signs. */
  readonly createdAt: string;
  /** Secrets before it that still sign, the newest first. None of them is shown again. */
  readonly older: readonly {
    /** Since when it signs. */
    readonly createdAt: string;
    /** Until when it signs beside the newer ones. */
    readonly expiresAt: string;
  }[];
};

export type SubscriptionStats = {
  /** When the first step began. */
  readonly since: string;
  /** When the last step ends. */
  readonly until: string;
  /** Seconds of one step. The service chooses it by the length of the span. */
  readonly stepSeconds: number;
  /** One entry for each subscription that was asked for, in that order. One that is not here has none. */
  readonly subscriptions: readonly {
    /** Subscription of these figures. */
    readonly subscriptionId: string;
    /** Figures of the whole span. */
    readonly totals: {
      /** Messages that were published. Absent on subscriptions, which publish nothing. */
      readonly accepted?: number;
      /** Attempts that have delivered a message. */
      readonly delivered: number;
      /** Attempts that have failed. */
      readonly failedAttempts: number;
      /** Dead letters, of deliveries and of runs. */
      readonly deadLetters: number;
      /** Dead letters of deliveries. One that was replayed with success since stays counted: a success rate comes from `deliveries`. Absent on channels, of which runs are counted too. */
      readonly givenUp?: number;
      /** Latency of the answers of subscribers, good by a fifth. Absent where there was no answer. */
      readonly latencyMs?: {
        /** Half of the answers took so many milliseconds at most. */
        readonly p50: number;
        /** 95 of 100 answers took so many milliseconds at most. */
        readonly p95: number;
      };
    };
    /** Deliveries that were created in the span, by their state now. The success rate is `delivered` ÷ (`delivered` + `failed`). Deliveries that retention has removed are not among them. */
    readonly deliveries: {
      /** Deliveries that were created. The four numbers below add up to it. */
      readonly created: number;
      /** Deliveries that have been delivered, at the first attempt or a later one. */
      readonly delivered: number;
      /** Deliveries that have failed, and have not been retried or replayed since. */
      readonly failed: number;
      /** Deliveries whose attempts have failed so far, and that will be attempted again. */
      readonly retrying: number;
      /** Deliveries that wait for their first attempt, or for the first one of a replay. */
      readonly pending: number;
      /** Whether all of the span were counted. If not, only the newest were. */
      readonly isExact: boolean;
      /** When the oldest counted delivery was created, if older ones of the span were left out. */
      readonly countedSince?: string;
    };
    /** Figures of each step, oldest first, those without traffic too. */
    readonly points: readonly {
      /** When the step began. */
      readonly at: string;
      /** Messages that were published. Absent on subscriptions, which publish nothing. */
      readonly accepted?: number;
      /** Attempts that have delivered a message. */
      readonly delivered: number;
      /** Attempts that have failed. */
      readonly failedAttempts: number;
      /** Dead letters, of deliveries and of runs. */
      readonly deadLetters: number;
      /** Dead letters of deliveries. One that was replayed with success since stays counted: a success rate comes from `deliveries`. Absent on channels, of which runs are counted too. */
      readonly givenUp?: number;
      /** Latency of the answers of subscribers, good by a fifth. Absent where there was no answer. */
      readonly latencyMs?: {
        /** Half of the answers took so many milliseconds at most. */
        readonly p50: number;
        /** 95 of 100 answers took so many milliseconds at most. */
        readonly p95: number;
      };
    }[];
    /** Deliveries that wait for an attempt now, the first or a later one. */
    readonly waiting: {
      /** How many there are, 1,000 at most. */
      readonly count: number;
      /** Whether there are more than that. */
      readonly isMore: boolean;
    };
    /** When the first of at least five failed attempts in a row was recorded, if that is at least a minute ago and no attempt has been delivered since. A disabled subscription always has it. Absent while the receiver is not failing. */
    readonly failingSince?: string;
  }[];
};

export type SubscriptionStatsQuery = {
  /** Up to 100 ids of subscriptions, separated by commas. By default the newest 100. */
  readonly subscriptionIds?: readonly string[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type TestRun = {
  /** Answer of the trigger to the event. The steps are taken whatever it is. */
  readonly triggerMatch: {
    /** Whether the trigger takes such an event, once the workflow is active. `channelId`, `eventType` and `metadata` that are left out fit. */
    readonly wouldStart: boolean;
    /** Why, or why not. `trigger_type`: no message begins this workflow. */
    readonly reason: 'no_filter' | 'filter_matches' | 'trigger_type' | 'channel' | 'webhook' | 'event_type' | 'filter_does_not_match' | 'filter_failed';
    /** Wishes of the trigger, or the failure of its filter, for people. */
    readonly detail?: string;
  };
  /** How such a run would end. */
  readonly status: 'completed' | 'failed' | 'cancelled' | 'paused';
  /** Why it would fail, or wait for a person. */
  readonly error?: {
    /** Code of the error, such as `HTTP_404` or `TIMEOUT`. */
    readonly code: string;
    /** The same for people. */
    readonly message: string;
    /** Step that failed. */
    readonly stepId: string;
  };
  /** Why the trial was cut off. */
  readonly reason?: string;
  /** Filter that would end it as `completed`, because its expression is false: id of the step. */
  readonly filteredBy?: string;
  /** Output of the `end` step that would end it. */
  readonly output?: unknown;
  /** Steps that were taken, in the order in which they began. */
  readonly steps: readonly {
    /** Id of the step in the definition. */
    readonly id: string;
    /** Places of its items in the loops around it, from 0, joined by dots. Empty outside loops. */
    readonly iteration: string;
    /** Kind of the step. `item` is an item of a foreach, once it has ended. */
    readonly type: 'action' | 'condition' | 'switch' | 'filter' | 'transform' | 'delay' | 'wait_for_event' | 'approval' | 'foreach' | 'parallel' | 'workflow' | 'end' | 'item';
    /** How it ended. */
    readonly status: 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'skipped' | 'cancelled';
    /** Values that were resolved for it. */
    readonly input?: unknown;
    /** Its result. */
    readonly output?: unknown;
    /** Why it failed. */
    readonly error?: {
      /** Code of the error, such as `HTTP_404` or `TIMEOUT`. */
      readonly code: string;
      /** The same for people. */
      readonly message: string;
    };
    /** Present where nothing was sent: the result is of `mocks`, or one that was made up. */
    readonly mocked?: 'given' | 'invented';
  }[];
};

export type TestSubscription = {
  /** Event type of the test message. */
  readonly eventType?: string | undefined;
  /** Any JSON object, up to 256 KiB. Subscribers get it digit for digit. */
  readonly payload?: object | undefined;
};

export type TestWorkflow = {
  /** Message that the trial begins with. */
  readonly event?: {
    /** Any JSON object, up to 256 KiB. Subscribers get it digit for digit. */
    readonly payload?: object | undefined;
    /** One event type, `order.*` for all that begin with `order.`, or `*`. */
    readonly eventType?: string | undefined;
    /** Only of this channel. */
    readonly channelId?: string | undefined;
    /** Texts that go with the message, up to 50 and 16 KiB. */
    readonly metadata?: Readonly<Record<string, string>> | undefined;
  } | undefined;
  /** Results of steps with effects, by the ids of the steps. */
  readonly mocks?: Readonly<Record<string, {
    /** Result of the step: any JSON. */
    readonly output?: unknown;
    /** Failure of the step, after all of its tries. */
    readonly error?: {
      /** Code of the error, such as `HTTP_404`. */
      readonly code: string;
      /** The same for people. Default: "mocked". */
      readonly message?: string | undefined;
    } | undefined;
  }>> | undefined;
};

export type TotpSecret = {
  /** The secret in base32, for typing. Shown only now. */
  readonly secret: string;
  /** The same as `otpauth://totp/…`, to be shown as a QR code. */
  readonly uri: string;
};

export type TracedMessage = {
  /** Prefix `msg_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Channel that it was published to. */
  readonly channelId: string;
  /** Event type, as published. */
  readonly eventType: string;
  /** Payload, digit for digit as published. Absent once it is erased, and in a list with `payloads=false`. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Metadata, as published. Absent where none was given, once it is erased, and in a list with `payloads=false`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** When it was published, or is to be. */
  readonly publishedAt: string;
  /** The same as publishedAt, while it waits to be published and when that was cancelled. */
  readonly deliverAt?: string;
  /** When its publication was cancelled. Absent otherwise. */
  readonly cancelledAt?: string;
  /** Why its publication was cancelled. */
  readonly cancelReason?: 'requested' | 'erased' | 'channel_deleted';
  /** When payload and metadata were erased. Absent while they are there. */
  readonly erasedAt?: string;
  /** State of its deliveries together: pending while one is unfinished. Before it is published: scheduled or cancelled. */
  readonly deliveryStatus: 'pending' | 'delivered' | 'failed' | 'unrouted' | 'scheduled' | 'cancelled';
  /** Trace of the request that published it (W3C Trace Context). Absent where that had none. */
  readonly traceId?: string;
};

export type TransferOwnership = {
  /** Member who becomes the owner. */
  readonly userId: string;
};

export type UpdateApiKey = {
  /** Name for people. */
  readonly name?: string | undefined;
  /** Tier whose limits hold where it has none of its own. */
  readonly tier?: 'free' | 'starter' | 'pro' | 'enterprise' | undefined;
  /** Rights that it has. */
  readonly scopes?: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[] | undefined;
  /** Limits of its own, in place of those of its tier. */
  readonly limits?: {
    /** Requests in 60 seconds. */
    readonly requestsPerMinute?: number | null | undefined;
    /** Requests in one second. */
    readonly burst?: number | null | undefined;
    /** Requests in flight. */
    readonly concurrent?: number | null | undefined;
    /** Batch requests in 60 seconds; transactional requests have a limit of the same size. */
    readonly batchPerMinute?: number | null | undefined;
  } | null | undefined;
  /** When it ends by itself. */
  readonly expiresAt?: string | Date | null | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'expired' | 'revoked' | undefined;
};

export type UpdateApp = {
  /** Name for people. */
  readonly name?: string | undefined;
  /** Name for addresses and command lines. Default: made of the name. */
  readonly slug?: string | undefined;
  /** Text for people. */
  readonly description?: string | null | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'suspended' | undefined;
  /** Defaults for resources that are made from now on. */
  readonly settings?: {
    /** Days after which a message is removed. */
    readonly retentionDays?: number | null | undefined;
    /** When a failed delivery is tried again. Parts that are left out stay as they are by default. */
    readonly retryPolicy?: {
      /** Tries after the first one. */
      readonly maxRetries?: number | undefined;
      /** Milliseconds before the first retry. */
      readonly initialDelay?: number | undefined;
      /** Milliseconds that no delay of the policy exceeds. */
      readonly maxDelay?: number | undefined;
      /** Each delay is the one before, times this. */
      readonly backoffMultiplier?: number | undefined;
    } | null | undefined;
    /** Milliseconds that one attempt may take. */
    readonly timeoutMs?: number | null | undefined;
    /** Whether a circuit may open. */
    readonly circuitBreaker?: boolean | null | undefined;
  } | null | undefined;
};

export type UpdateChannel = {
  /** Name for people. */
  readonly name?: string | undefined;
  /** Text for people. */
  readonly description?: string | null | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'paused' | 'archived' | undefined;
  /** JSON Schema that holds for every payload. */
  readonly schema?: object | null | undefined;
  /** JSON Schemas by event type, each of which holds beside `schema`. */
  readonly schemas?: Readonly<Record<string, object>> | null | undefined;
  /** Whether a payload that does not fit is refused, or published with a warning. */
  readonly schemaMode?: 'enforce' | 'warn' | undefined;
  /** Days after which a message is removed. */
  readonly retentionDays?: number | undefined;
};

export type UpdateConnection = {
  /** Name for people. */
  readonly name?: string | undefined;
  /** Credentials, as `credentials` of the connector describes them. No answer shows them again. */
  readonly credentials?: object | undefined;
  /** Whether the other environment of its app may see it and use it. Default false. */
  readonly shared?: boolean | undefined;
};

export type UpdateInspector = {
  /** Name for people. */
  readonly name?: string | undefined;
  /** Answer that senders get. */
  readonly answer?: {
    /** Status of each answer. Default 200. */
    readonly status?: number | undefined;
    /** Milliseconds before the answer. Default 0. */
    readonly delayMs?: number | undefined;
    /** So many of a hundred answers are 500 instead. Default 0. */
    readonly failurePercent?: number | undefined;
  } | undefined;
};

export type UpdateMachineCredential = {
  /** Name for people. */
  readonly name?: string | undefined;
  /** Tier whose limits hold where it has none of its own. */
  readonly tier?: 'free' | 'starter' | 'pro' | 'enterprise' | undefined;
  /** Rights that it has. */
  readonly scopes?: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[] | undefined;
  /** Limits of its own, in place of those of its tier. */
  readonly limits?: {
    /** Requests in 60 seconds. */
    readonly requestsPerMinute?: number | null | undefined;
    /** Requests in one second. */
    readonly burst?: number | null | undefined;
    /** Requests in flight. */
    readonly concurrent?: number | null | undefined;
    /** Batch requests in 60 seconds; transactional requests have a limit of the same size. */
    readonly batchPerMinute?: number | null | undefined;
  } | null | undefined;
  /** When it ends by itself. */
  readonly expiresAt?: string | Date | null | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'expired' | 'revoked' | undefined;
};

export type UpdateMember = {
  /** Says what the member may do. */
  readonly role?: 'viewer' | 'developer' | 'admin' | 'owner' | undefined;
};

export type UpdateOrganisation = {
  /** Name for people. */
  readonly name?: string | undefined;
};

export type UpdateSecret = {
  /** The secret itself. No answer shows it again. */
  readonly value?: string | undefined;
};

export type UpdateSubscription = {
  /** Name for people. */
  readonly name?: string | undefined;
  /** Your own id of the customer whose it is, to list by. It routes nothing. */
  readonly owner?: string | null | undefined;
  /** Where messages are sent: https, or http where the operator allows it. */
  readonly webhookUrl?: string | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'paused' | 'disabled' | undefined;
  /** Event types, or beginnings of them such as `order.*`. An empty list: all. */
  readonly eventTypes?: readonly string[] | undefined;
  /** CEL expression over `payload`, `metadata`, `eventType` that lets through what is wanted. */
  readonly filter?: string | null | undefined;
  /** When a failed delivery is tried again. Parts that are left out stay as they are by default. */
  readonly retryPolicy?: {
    /** Tries after the first one. */
    readonly maxRetries?: number | undefined;
    /** Milliseconds before the first retry. */
    readonly initialDelay?: number | undefined;
    /** Milliseconds that no delay of the policy exceeds. */
    readonly maxDelay?: number | undefined;
    /** Each delay is the one before, times this. */
    readonly backoffMultiplier?: number | undefined;
  } | undefined;
  /** Headers that are sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds that one attempt may take. */
  readonly timeoutMs?: number | undefined;
  /** Longest wait, in milliseconds, that its receiver may ask for by `Retry-After` of a 429 or 503. Default: a day. */
  readonly maxRetryAfter?: number | undefined;
  /** Requests at a time at most. */
  readonly maxConcurrency?: number | null | undefined;
  /** Tries per second at most. */
  readonly rateLimit?: number | null | undefined;
  /** Whether a circuit may open. */
  readonly circuitBreaker?: boolean | undefined;
};

export type UpdateView = {
  /** Name for people. */
  readonly name?: string | undefined;
  /** Filters by name, as the address of the page has them. */
  readonly search?: Readonly<Record<string, string>> | undefined;
};

export type UpdateWebhook = {
  /** Name for people. */
  readonly name?: string | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'disabled' | undefined;
  /** Form of the signature, with the schemes `hmac` and `token`. */
  readonly signature?: {
    /** Header with the signature, or with the secret itself. */
    readonly header: string;
    /** Text in front of the signature, such as `sha256=`. */
    readonly prefix?: string | undefined;
    /** Hash of the HMAC. Default sha256. */
    readonly algorithm?: 'sha1' | 'sha256' | 'sha512' | undefined;
    /** Form of the signature. Default hex. */
    readonly encoding?: 'hex' | 'base64' | undefined;
    /** Header with the signed time. */
    readonly timestampHeader?: string | undefined;
    /** Form of the signed time. Default seconds. */
    readonly timestampUnit?: 'seconds' | 'milliseconds' | 'iso8601' | undefined;
    /** Seconds by which the signed time may differ from ours. Default 300. */
    readonly toleranceSeconds?: number | undefined;
    /** Header that stands for `{id}` in the template. */
    readonly idHeader?: string | undefined;
    /** Signed text, of `{timestamp}`, `{id}`, `{url}`, `{body}`. Default `{body}`, with a time `{timestamp}.{body}`. */
    readonly template?: string | undefined;
  } | undefined;
  /** Where the event id is. Null: where the provider puts it. */
  readonly eventId?: {
    /** Header with the id. */
    readonly header?: string | undefined;
    /** JSON Pointer to the id in the body. */
    readonly pointer?: string | undefined;
  } | null | undefined;
  /** Where the event type comes from. Null: where the provider puts it. */
  readonly eventType?: {
    /** This type for every message. */
    readonly literal?: string | undefined;
    /** JSON Pointer to the type in the body. */
    readonly pointer?: string | undefined;
    /** Header with the type. */
    readonly header?: string | undefined;
    /** CEL expression that gives a text, over `payload`, `metadata`, `eventType`. */
    readonly cel?: string | undefined;
  } | null | undefined;
  /** Part of the body that becomes the payload. Null: the whole body. */
  readonly payload?: {
    /** JSON Pointer to the object that becomes the payload. */
    readonly pointer?: string | undefined;
    /** Fields of the payload, each with a JSON Pointer to its value. One that leads nowhere is left out. */
    readonly fields?: Readonly<Record<string, string>> | undefined;
  } | null | undefined;
};

export type UpdateWorkflow = {
  /** Name for people. */
  readonly name?: string | undefined;
  /** Text for people. */
  readonly description?: string | null | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'paused' | 'draft' | undefined;
  /** Replaces the whole trigger. */
  readonly trigger?: object | undefined;
  /** Replaces all steps. */
  readonly steps?: readonly unknown[] | undefined;
};

export type User = {
  /** Prefix `usr_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Address to sign in with, in lower case. */
  readonly email: string;
  /** Name for people. */
  readonly name: string;
};

export type ValidateMessages = {
  /** Your own id for the message. For 24 hours, a second message with the same id is the first one. */
  readonly id?: string | undefined;
  /** Says what has happened, such as `order.created`. */
  readonly eventType?: string | undefined;
  /** Any JSON object, up to 256 KiB. Subscribers get it digit for digit. */
  readonly payload?: object | undefined;
  /** Texts that go with the message, up to 50 and 16 KiB. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** When to publish the message; not beside `delay`. */
  readonly deliverAt?: string | Date | undefined;
  /** Milliseconds from now until the message is published; not beside `deliverAt`. */
  readonly delay?: number | undefined;
  /** The channel of the path, if you send it at all. */
  readonly channelId?: string | undefined;
  /** Messages, in their order. */
  readonly messages?: readonly PublishMessage[] | undefined;
  /** JSON Schema that holds for every payload. */
  readonly schema?: object | undefined;
  /** JSON Schemas by event type, each of which holds beside `schema`. */
  readonly schemas?: Readonly<Record<string, object>> | undefined;
};

export type ValidateWorkflow = {
  /** Workflow that is to be changed. Absent: a new one. */
  readonly id?: string | undefined;
  /** Name for people. A new workflow needs one. */
  readonly name?: string | undefined;
  /** Text for people. */
  readonly description?: string | undefined;
  /** Status to have. */
  readonly status?: 'active' | 'paused' | 'draft' | undefined;
  /** Trigger to check. */
  readonly trigger?: object | undefined;
  /** Steps to check. */
  readonly steps?: readonly unknown[] | undefined;
};

export type View = {
  /** Prefix `viw_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** List of the dashboard that it is of. */
  readonly page: 'messages' | 'deliveries' | 'dead-letters' | 'runs' | 'subscriptions' | 'channels' | 'workflows' | 'approvals' | 'replays' | 'delivery-retries' | 'message-replays' | 'inbound-webhooks' | 'inbound-requests' | 'connections' | 'secrets' | 'inspectors' | 'inspected-requests' | 'api-keys' | 'machine-credentials' | 'audit';
  /** Name that its person has given, the only one of its page. */
  readonly name: string;
  /** Filters, as the address of the page has them. */
  readonly search: Readonly<Record<string, string>>;
  /** When it was saved. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
};

export type Webhook = {
  /** Prefix `whk_` and 26 characters, of 128 random bits. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Channel that its messages are published to. */
  readonly channelId: string;
  /** Way in which requests prove who sent them. */
  readonly scheme: 'body' | 'standard' | 'svix' | 'github' | 'stripe' | 'slack' | 'shopify' | 'gitlab' | 'twilio' | 'mailgun' | 'hmac' | 'token' | 'ed25519' | 'ecdsa' | 'sns';
  /** Service that sends. Absent for a sender of your own. */
  readonly provider?: 'bitbucket' | 'buildkite' | 'calendly' | 'circleci' | 'clerk' | 'coinbase-commerce' | 'discord' | 'github' | 'gitlab-signed' | 'gitlab' | 'hubspot' | 'intercom' | 'jira' | 'launchdarkly' | 'lemon-squeezy' | 'linear' | 'mailgun' | 'openai' | 'paddle' | 'pagerduty' | 'razorpay' | 'resend' | 'sendgrid' | 'sentry' | 'shopify' | 'slack' | 'sns' | 'square' | 'stripe' | 'svix' | 'telegram' | 'twilio' | 'typeform' | 'vercel' | 'webflow' | 'woocommerce' | 'workos' | 'zendesk' | 'zoom';
  /** A disabled one refuses every request. */
  readonly status: 'active' | 'disabled';
  /** Form of the signature, with the schemes `hmac` and `token`. */
  readonly signature?: {
    /** Header with the signature, or with the secret itself. */
    readonly header: string;
    /** Text in front of the signature, such as `sha256=`. */
    readonly prefix?: string;
    /** Hash of the HMAC. Default sha256. */
    readonly algorithm?: 'sha1' | 'sha256' | 'sha512';
    /** Form of the signature. Default hex. */
    readonly encoding?: 'hex' | 'base64';
    /** Header with the signed time. */
    readonly timestampHeader?: string;
    /** Form of the signed time. Default seconds. */
    readonly timestampUnit?: 'seconds' | 'milliseconds' | 'iso8601';
    /** Seconds by which the signed time may differ from ours. Default 300. */
    readonly toleranceSeconds?: number;
    /** Header that stands for `{id}` in the template. */
    readonly idHeader?: string;
    /** Signed text, of `{timestamp}`, `{id}`, `{url}`, `{body}`. Default `{body}`, with a time `{timestamp}.{body}`. */
    readonly template?: string;
  };
  /** Place of the id of an event. Absent: where the provider puts it. */
  readonly eventId?: {
    /** Header with the id. */
    readonly header?: string;
    /** JSON Pointer to the id in the body. */
    readonly pointer?: string;
  };
  /** Source of the event type. Absent: where the provider puts it. */
  readonly eventType?: {
    /** This type for every message. */
    readonly literal?: string;
    /** JSON Pointer to the type in the body. */
    readonly pointer?: string;
    /** Header with the type. */
    readonly header?: string;
    /** CEL expression that gives a text, over `payload`, `metadata`, `eventType`. */
    readonly cel?: string;
  };
  /** Part of the body that becomes the payload. Absent: all of it. */
  readonly payload?: {
    /** JSON Pointer to the object that becomes the payload. */
    readonly pointer?: string;
    /** Fields of the payload, each with a JSON Pointer to its value. One that leads nowhere is left out. */
    readonly fields?: Readonly<Record<string, string>>;
  };
  /** Address to give to the service. */
  readonly url: string;
  /** When it was made. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
};

export type WebhookSample = {
  /** Whether this service can sign in the name of the sender. */
  readonly isSignable: boolean;
  /** Why it cannot. */
  readonly reason?: string;
  /** Its body; with the scheme `body`, its `payload`. Ids in it are new. */
  readonly body?: string;
  /** Headers beside its signature. */
  readonly headers?: Readonly<Record<string, string>>;
};

export type WebhookSecrets = {
  /** Valid secrets, newest first: the current one, and up to three older ones while rotations overlap. None before the first one is set. */
  readonly secrets: readonly {
    /** The secret, or the public key of a service that signs by its own. */
    readonly secret: string;
    /** When it was set. */
    readonly createdAt: string;
    /** When it ends, since a newer one was set. */
    readonly expiresAt?: string;
  }[];
};

export type WebhookStats = {
  /** When the first step began. */
  readonly since: string;
  /** When the last step ends. */
  readonly until: string;
  /** Seconds of one step. The service chooses it by the length of the span. */
  readonly stepSeconds: number;
  /** One entry for each webhook that was asked for, in that order. One that is not here has none. */
  readonly webhooks: readonly {
    /** Inbound webhook of these figures. */
    readonly webhookId: string;
    /** Requests that became messages in the whole span. */
    readonly received: number;
    /** Requests whose event was a message already, up to 100 in a minute. */
    readonly repeated: number;
    /** Requests that were refused, up to 100 in a minute. */
    readonly refused: number;
  }[];
};

export type WebhookStatsQuery = {
  /** Up to 100 ids of inbound webhooks, separated by commas. By default the newest 100. */
  readonly webhookIds?: readonly string[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type Workflow = {
  /** Prefix `wfl_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Purpose, for people. */
  readonly description?: string;
  /** Runs begin while it is active. A draft was never active. */
  readonly status: 'active' | 'paused' | 'draft';
  /** Beginning of a run, as its author wrote it. Absent in a draft that has none yet. */
  readonly trigger?: Readonly<Record<string, unknown>>;
  /** Work of a run, as its author wrote it. Absent in a draft that has none yet. */
  readonly steps?: readonly unknown[];
  /** Type of its trigger, in a list with `definitions=false`. Absent in others, and where there is none. */
  readonly triggerType?: string;
  /** Number of its steps, in a list with `definitions=false`. Absent in others. */
  readonly stepCount?: number;
  /** When it was made. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
};

export type WorkflowSecret = {
  /** Prefix `sec_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Name by which definitions of workflows mean it: `{{ secrets.NAME }}`. */
  readonly name: string;
  /** When it was made. */
  readonly createdAt: string;
  /** When its value was last set. */
  readonly updatedAt: string;
  /** When a step last sent it, to the minute. Absent before. */
  readonly lastUsedAt?: string;
};

export type WorkflowStats = {
  /** When the first step began. */
  readonly since: string;
  /** When the last step ends. */
  readonly until: string;
  /** Seconds of one step. The service chooses it by the length of the span. */
  readonly stepSeconds: number;
  /** One entry for each workflow that was asked for, in that order. One that is not here has none. */
  readonly workflows: readonly {
    /** Workflow of these figures. */
    readonly workflowId: string;
    /** Figures of its runs in the whole span. */
    readonly totals: {
      /** Runs whose first step could begin. A retry from the start counts once more. */
      readonly started: number;
      /** Runs that have completed, those that a filter has ended too. Each counts once. */
      readonly completed: number;
      /** Failures of runs. One that fails again after a retry counts again. */
      readonly failed: number;
      /** Runs that were cancelled. */
      readonly cancelled: number;
      /** Runs that their trigger has let do nothing. */
      readonly skipped: number;
    };
    /** Run that was made last, in the span or before. Absent where there is none. */
    readonly lastRun?: {
      /** Prefix `run_` and 26 characters that sort by creation time. */
      readonly id: string;
      /** How far it has come. */
      readonly status: 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped';
      /** When it was made. */
      readonly createdAt: string;
      /** When it ended. Absent before. */
      readonly finishedAt?: string;
      /** Filter that ended it: id of the step. */
      readonly filteredBy?: string;
    };
    /** Completed runs of each step, oldest first, those without one too. */
    readonly completed: readonly number[];
    /** Failures of runs in each step. */
    readonly failed: readonly number[];
  }[];
};

export type WorkflowStatsQuery = {
  /** Up to 100 ids of workflows, separated by commas. By default the newest 100. */
  readonly workflowIds?: readonly string[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type WorkflowVersions = {
  /** Up to 50 versions, the newest first. */
  readonly versions: readonly {
    /** Number of the version. Runs name it as their `definitionVersion`. */
    readonly version: number;
    /** Type of its trigger. Absent where there is none. */
    readonly triggerType?: string;
    /** Number of its steps. */
    readonly stepCount: number;
    /** API key, machine credential or person who has made it. Absent in one from before that was noted. */
    readonly madeBy?: string;
    /** Beginning of a run, as its author wrote it. Only where `version` asks for it. */
    readonly trigger?: Readonly<Record<string, unknown>>;
    /** Work of a run, as its author wrote it. Only where `version` asks for it. */
    readonly steps?: readonly unknown[];
    /** When it was made. */
    readonly createdAt: string;
  }[];
  /** Whether there are older ones: `beforeVersion` asks for them. */
  readonly hasMore: boolean;
};
