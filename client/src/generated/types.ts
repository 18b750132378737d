// Generated from the route table and its schemas by `npm run generate:client`: not edited by hand.

export type AcceptInvitation = {
  /** Code of the link (the part after `#code=`). */
  readonly code: string;
  /** Display name. */
  readonly name?: string | undefined;
  /** Password for a new account (at least 12 characters), or the password of the existing account. */
  readonly password?: string | undefined;
};

export type AcceptedRequest = {
  /** `repeated`: it was accepted before, or another request had the same event id. */
  readonly outcome: 'received' | 'repeated';
  /** Message published for the request or for an earlier one with its event id. */
  readonly messageId: string;
};

export type AddPasskey = {
  /** Display name. */
  readonly name: string;
  /** Credential from the browser, as its `toJSON()` returns it. */
  readonly passkey: {
    /** Id of the credential, in base64url. */
    readonly id: string;
    /** Same as `id`. */
    readonly rawId: string;
    /** Credential type. */
    readonly type: 'public-key';
    /** Response of the authenticator. */
    readonly response: {
      /** Client data that the authenticator signed, in base64url. */
      readonly clientDataJSON: string;
      /** Attestation object with the new public key, in base64url. */
      readonly attestationObject: string;
      /** How to reach the authenticator. */
      readonly transports?: readonly string[] | null | undefined;
    };
  };
};

export type ApiKey = {
  /** Prefix `key_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** App it belongs to. */
  readonly appId: string;
  /** Environment it belongs to; it cannot access any other. */
  readonly environment: 'live' | 'test';
  /** Tier. Its limits apply where the key has none of its own. */
  readonly tier: 'free' | 'starter' | 'pro' | 'enterprise';
  /** Effective limits: the credential's own or those of its tier. */
  readonly limits: Limits;
  /** Scopes. */
  readonly scopes: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[];
  /** First 12 characters of the key, to recognise it by. */
  readonly prefix: string;
  /** Last 4 characters of the key. */
  readonly last4: string;
  /** Only an active key is accepted. */
  readonly status: 'active' | 'expired' | 'revoked';
  /** When it was created. */
  readonly createdAt: string;
  /** When it expires. Absent if never. */
  readonly expiresAt?: string;
  /** When it was last used, to the minute. Absent if never. */
  readonly lastUsedAt?: string;
  /** IP address of the first request in that minute. Behind proxies, TRUSTED_PROXY_HOPS decides which address of `X-Forwarded-For` this is. */
  readonly lastUsedAddress?: string;
  /** Until when the key from before the last rotation is accepted too. Absent if only the current key is accepted. */
  readonly previousKeyExpiresAt?: string;
};

export type App = {
  /** Prefix `app_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Organisation it belongs to. */
  readonly organisationId: string;
  /** Display name. Several apps can have the same name. */
  readonly name: string;
  /** Name in URLs and command lines, unique in the organisation. */
  readonly slug: string;
  /** Free-text description. */
  readonly description?: string;
  /** While an app is suspended, its credentials are refused within 5 seconds, deliveries (`app_suspended`) and scheduled messages wait, and schedules start no runs. Runs in progress continue. Users can change things, but requests that send something are FORBIDDEN. */
  readonly status: 'active' | 'suspended';
  /** Effective defaults for resources created from now on: the app's own, or else those of the service. */
  readonly settings: {
    /** Default `retentionDays` of new channels, and the days for which finished runs are kept. */
    readonly retentionDays: number;
    /** Default `retryPolicy` of new subscriptions. It also fills in the missing fields of a partial policy. */
    readonly retryPolicy: {
      /** Retries after the first attempt. */
      readonly maxRetries: number;
      /** Milliseconds before the first retry. */
      readonly initialDelay: number;
      /** Maximum delay between two attempts, in milliseconds. */
      readonly maxDelay: number;
      /** Factor by which each delay is longer than the previous one. */
      readonly backoffMultiplier: number;
    };
    /** Default `timeoutMs` of new subscriptions. */
    readonly timeoutMs: number;
    /** Default `circuitBreaker` of new subscriptions. */
    readonly circuitBreaker: boolean;
  };
  /** When the app was created. */
  readonly createdAt: string;
  /** When the app was last changed. */
  readonly updatedAt: string;
};

export type Approval = {
  /** Prefix `apv_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Workflow of the run. */
  readonly workflowId: string;
  /** Run that is waiting. */
  readonly runId: string;
  /** Step that asks. */
  readonly stepId: string;
  /** Indexes, from 0, of the items in the enclosing loops, joined by dots. Empty outside loops. */
  readonly iteration: string;
  /** `open` until somebody decides. `expired`: nobody decided in time. `cancelled`: its step was stopped because the run was cancelled or another branch won; a retry of the run asks again. */
  readonly status: 'open' | 'approved' | 'rejected' | 'expired' | 'cancelled';
  /** Question, in a few words. */
  readonly title: string;
  /** Longer explanation of the question. */
  readonly message?: string;
  /** Principal ids and email addresses of people who may decide. If empty, anyone who may write workflows. */
  readonly approvers: readonly string[];
  /** JSON Schema that `data` of an approval must match. */
  readonly form?: unknown;
  /** When the step asked. */
  readonly createdAt: string;
  /** When the step continues without a decision. */
  readonly expiresAt: string;
  /** Id of the principal that decided. */
  readonly decidedBy?: string;
  /** When the decision was made. */
  readonly decidedAt?: string;
  /** Text given with the decision. */
  readonly comment?: string;
  /** Values given with the decision. */
  readonly data?: unknown;
};

export type Attempt = {
  /** Prefix `att_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Delivery it belongs to. */
  readonly deliveryId: string;
  /** Number of the attempt within the delivery, from 1. */
  readonly number: number;
  /** When it started. */
  readonly startedAt: string;
  /** Duration in milliseconds. */
  readonly durationMs: number;
  /** Whether the message was delivered. */
  readonly outcome: 'delivered' | 'failed' | 'held';
  /** Error class. Absent on success. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
  /** Error message, with what to fix. */
  readonly errorMessage?: string;
  /** Request as sent. Absent if it was not stored: after a crash of the worker, or if the subscription has changed more than a hundred times since. */
  readonly request?: {
    /** Version of the URL and headers used for the subscription, counted from 1; changing either starts the next one. */
    readonly version: number;
    /** Always POST. */
    readonly method: 'POST';
    /** URL, with the values of its query replaced by `***`. */
    readonly url: string;
    /** Headers by name, as sent. The signature, the parent-id of a trace and values that look like credentials are replaced by `***`; headers of the connection are omitted. */
    readonly headers: Readonly<Record<string, string>>;
  };
  /** Response of the receiver. Absent if there was none. */
  readonly response?: {
    /** HTTP status. */
    readonly status: number;
    /** First 16 KiB of the body, as text. Empty in a list with `responseBodies=false`. */
    readonly body: string;
    /** Milliseconds from sending the request to the end of the response. */
    readonly latencyMs: number;
    /** Headers of the response, by lower-case name. */
    readonly headers: Readonly<Record<string, string>>;
  };
  /** Id of the Temporal workflow that ran the attempt. */
  readonly temporalWorkflowId: string;
};

export type AuditEntry = {
  /** Prefix `aud_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** When the change was made. */
  readonly at: string;
  /** Organisation whose log this is. */
  readonly organisationId: string;
  /** App of the changed resource. Absent if the resource does not belong to an app. */
  readonly appId?: string;
  /** Environment of the changed resource. Absent if it does not belong to an environment. */
  readonly environmentId?: string;
  /** Who made the change. */
  readonly actor: {
    /** A principal of the API, the command line, or the Temporal UI. */
    readonly kind: 'apiKey' | 'machineCredential' | 'person' | 'commandLine' | 'temporal';
    /** Id of the principal. Absent for the command line and the Temporal UI. */
    readonly id?: string;
  };
  /** Resource and verb, such as `channel.updated`. */
  readonly action: 'channel.created' | 'channel.updated' | 'channel.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'subscription.secret_viewed' | 'subscription.secret_rotated' | 'workflow.created' | 'workflow.updated' | 'workflow.activated' | 'workflow.paused' | 'workflow.deleted' | 'workflow.runs_cancelled' | 'run.started' | 'run.cancelled' | 'run.retried' | 'approval.approved' | 'approval.rejected' | 'connection.created' | 'connection.updated' | 'connection.deleted' | 'connection.tested' | 'connection.authorization_started' | 'connection.authorized' | 'secret.created' | 'secret.updated' | 'secret.deleted' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.secrets_viewed' | 'webhook.secret_rotated' | 'webhook.sample_sent' | 'webhook.request_accepted' | 'inspector.created' | 'inspector.updated' | 'inspector.deleted' | 'inspector.requests_cleared' | 'marker.created' | 'marker.deleted' | 'message.erased' | 'message.cancelled' | 'message.replayed' | 'message.exported' | 'delivery.exported' | 'dead_letter.exported' | 'run.exported' | 'audit.exported' | 'delivery.retried' | 'delivery.cancelled' | 'dead_letter.replayed' | 'dead_letter.discarded' | 'dead_letter.bulk_discarded' | 'replay.started' | 'replay.cancelled' | 'setup.finished' | 'user.created' | 'user.renamed' | 'user.password_changed' | 'user.password_reset' | 'user.reset_link_created' | 'identity.linked' | 'identity.forgotten' | 'user.factor_added' | 'user.factor_renamed' | 'user.factor_removed' | 'user.factors_removed' | 'user.recovery_codes_generated' | 'user.recovery_code_used' | 'member.role_changed' | 'member.removed' | 'invitation.created' | 'invitation.revoked' | 'invitation.accepted' | 'session.started' | 'session.revoked' | 'session.others_revoked' | 'session.signed_out' | 'organisation.created' | 'organisation.updated' | 'app.created' | 'app.updated' | 'machine_credential.created' | 'machine_credential.updated' | 'machine_credential.rotated' | 'machine_credential.revoked' | 'token.issued' | 'api_key.created' | 'api_key.updated' | 'api_key.rotated' | 'api_key.revoked';
  /** The changed resource. */
  readonly target: {
    /** Id of the resource. */
    readonly id: string;
  };
  /** Where the request came from. Absent if there was no request. */
  readonly from?: {
    /** IP address of the caller. */
    readonly address: string;
    /** First 300 characters of its `User-Agent`. */
    readonly userAgent?: string;
  };
  /** Changed fields before the change, without secrets. Absent in a list with `changes=false`. */
  readonly before?: Readonly<Record<string, unknown>>;
  /** Changed fields after the change, without secrets. Absent in a list with `changes=false`. */
  readonly after?: Readonly<Record<string, unknown>>;
  /** Position in the hash chain of the organisation. */
  readonly position: number;
  /** SHA-256, in hexadecimal, of the previous hash and this entry (docs/operate/keys-and-secrets.md, Verify the audit log). */
  readonly hash: string;
};

export type AuditFilter = {
  /** Only entries with this action. */
  readonly action?: 'channel.created' | 'channel.updated' | 'channel.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'subscription.secret_viewed' | 'subscription.secret_rotated' | 'workflow.created' | 'workflow.updated' | 'workflow.activated' | 'workflow.paused' | 'workflow.deleted' | 'workflow.runs_cancelled' | 'run.started' | 'run.cancelled' | 'run.retried' | 'approval.approved' | 'approval.rejected' | 'connection.created' | 'connection.updated' | 'connection.deleted' | 'connection.tested' | 'connection.authorization_started' | 'connection.authorized' | 'secret.created' | 'secret.updated' | 'secret.deleted' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.secrets_viewed' | 'webhook.secret_rotated' | 'webhook.sample_sent' | 'webhook.request_accepted' | 'inspector.created' | 'inspector.updated' | 'inspector.deleted' | 'inspector.requests_cleared' | 'marker.created' | 'marker.deleted' | 'message.erased' | 'message.cancelled' | 'message.replayed' | 'message.exported' | 'delivery.exported' | 'dead_letter.exported' | 'run.exported' | 'audit.exported' | 'delivery.retried' | 'delivery.cancelled' | 'dead_letter.replayed' | 'dead_letter.discarded' | 'dead_letter.bulk_discarded' | 'replay.started' | 'replay.cancelled' | 'setup.finished' | 'user.created' | 'user.renamed' | 'user.password_changed' | 'user.password_reset' | 'user.reset_link_created' | 'identity.linked' | 'identity.forgotten' | 'user.factor_added' | 'user.factor_renamed' | 'user.factor_removed' | 'user.factors_removed' | 'user.recovery_codes_generated' | 'user.recovery_code_used' | 'member.role_changed' | 'member.removed' | 'invitation.created' | 'invitation.revoked' | 'invitation.accepted' | 'session.started' | 'session.revoked' | 'session.others_revoked' | 'session.signed_out' | 'organisation.created' | 'organisation.updated' | 'app.created' | 'app.updated' | 'machine_credential.created' | 'machine_credential.updated' | 'machine_credential.rotated' | 'machine_credential.revoked' | 'token.issued' | 'api_key.created' | 'api_key.updated' | 'api_key.rotated' | 'api_key.revoked' | undefined;
  /** Only entries by this principal. */
  readonly actorId?: string | undefined;
  /** Only entries about this resource. */
  readonly targetId?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type AuditLine = {
  /** Position in the hash chain of the organisation. */
  readonly position: number;
  /** SHA-256, in hexadecimal, of the previous hash and this entry (docs/operate/keys-and-secrets.md, Verify the audit log). */
  readonly hash: string;
  /** The entry, byte for byte as it was hashed. */
  readonly entry: {
    /** Prefix `aud_` and 26 characters that sort by creation time. */
    readonly id: string;
    /** When the change was made. */
    readonly at: string;
    /** Organisation whose log this is. */
    readonly organisationId: string;
    /** App of the changed resource. Absent if the resource does not belong to an app. */
    readonly appId?: string;
    /** Environment of the changed resource. Absent if it does not belong to an environment. */
    readonly environmentId?: string;
    /** Who made the change. */
    readonly actor: {
      /** A principal of the API, the command line, or the Temporal UI. */
      readonly kind: 'apiKey' | 'machineCredential' | 'person' | 'commandLine' | 'temporal';
      /** Id of the principal. Absent for the command line and the Temporal UI. */
      readonly id?: string;
    };
    /** Resource and verb, such as `channel.updated`. */
    readonly action: 'channel.created' | 'channel.updated' | 'channel.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'subscription.secret_viewed' | 'subscription.secret_rotated' | 'workflow.created' | 'workflow.updated' | 'workflow.activated' | 'workflow.paused' | 'workflow.deleted' | 'workflow.runs_cancelled' | 'run.started' | 'run.cancelled' | 'run.retried' | 'approval.approved' | 'approval.rejected' | 'connection.created' | 'connection.updated' | 'connection.deleted' | 'connection.tested' | 'connection.authorization_started' | 'connection.authorized' | 'secret.created' | 'secret.updated' | 'secret.deleted' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.secrets_viewed' | 'webhook.secret_rotated' | 'webhook.sample_sent' | 'webhook.request_accepted' | 'inspector.created' | 'inspector.updated' | 'inspector.deleted' | 'inspector.requests_cleared' | 'marker.created' | 'marker.deleted' | 'message.erased' | 'message.cancelled' | 'message.replayed' | 'message.exported' | 'delivery.exported' | 'dead_letter.exported' | 'run.exported' | 'audit.exported' | 'delivery.retried' | 'delivery.cancelled' | 'dead_letter.replayed' | 'dead_letter.discarded' | 'dead_letter.bulk_discarded' | 'replay.started' | 'replay.cancelled' | 'setup.finished' | 'user.created' | 'user.renamed' | 'user.password_changed' | 'user.password_reset' | 'user.reset_link_created' | 'identity.linked' | 'identity.forgotten' | 'user.factor_added' | 'user.factor_renamed' | 'user.factor_removed' | 'user.factors_removed' | 'user.recovery_codes_generated' | 'user.recovery_code_used' | 'member.role_changed' | 'member.removed' | 'invitation.created' | 'invitation.revoked' | 'invitation.accepted' | 'session.started' | 'session.revoked' | 'session.others_revoked' | 'session.signed_out' | 'organisation.created' | 'organisation.updated' | 'app.created' | 'app.updated' | 'machine_credential.created' | 'machine_credential.updated' | 'machine_credential.rotated' | 'machine_credential.revoked' | 'token.issued' | 'api_key.created' | 'api_key.updated' | 'api_key.rotated' | 'api_key.revoked';
    /** The changed resource. */
    readonly target: {
      /** Id of the resource. */
      readonly id: string;
    };
    /** Where the request came from. Absent if there was no request. */
    readonly from?: {
      /** IP address of the caller. */
      readonly address: string;
      /** First 300 characters of its `User-Agent`. */
      readonly userAgent?: string;
    };
    /** Changed fields before the change, without secrets. Absent in a list with `changes=false`. */
    readonly before?: Readonly<Record<string, unknown>>;
    /** Changed fields after the change, without secrets. Absent in a list with `changes=false`. */
    readonly after?: Readonly<Record<string, unknown>>;
  };
};

export type Authenticate = {
  /** Password of the account. */
  readonly password?: string | undefined;
  /** Credential from the browser, as its `toJSON()` returns it. */
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
  /** Address at the provider. Redirect the browser of a person who may give consent to it. */
  readonly authorizationUrl: string;
  /** When the address expires if it is not used. */
  readonly expiresAt: string;
};

export type AuthorizationServer = {
  /** PUBLIC_BASE_URL, which is also `iss` and `aud` of tokens. */
  readonly issuer: string;
  /** URL of the token endpoint. */
  readonly token_endpoint: string;
  /** URL of the public keys for access tokens. */
  readonly jwks_uri: string;
  /** All scopes. */
  readonly scopes_supported: readonly string[];
  /** Empty: there is no authorization endpoint. */
  readonly response_types_supported: readonly never[];
  /** The only supported grant. */
  readonly grant_types_supported: readonly 'client_credentials'[];
  /** HMAC of the DPoP proof, keyed with the client secret. This is not a registered method, because none of those binds the client to the proof. */
  readonly token_endpoint_auth_methods_supported: readonly 'client_secret_dpop_hmac'[];
  /** Signature algorithms of proofs (RFC 9449 §5.1). */
  readonly dpop_signing_alg_values_supported: readonly ('ES256' | 'EdDSA' | 'Ed25519' | 'PS256')[];
};

export type Backlog = {
  /** Deliveries that wait for their first attempt. */
  readonly pending: {
    /** Number counted, up to 1,000. */
    readonly count: number;
    /** Whether there are more. */
    readonly isMore: boolean;
    /** When the oldest one was created. Absent if there is none. */
    readonly oldestAt?: string;
  };
  /** Deliveries whose attempts have failed so far. */
  readonly retrying: {
    /** Number counted, up to 1,000. */
    readonly count: number;
    /** Whether there are more. */
    readonly isMore: boolean;
    /** When the oldest one was created. Absent if there is none. */
    readonly oldestAt?: string;
  };
  /** Dead letters that were neither replayed nor discarded. */
  readonly openDeadLetters: {
    /** Number counted, up to 1,000. */
    readonly count: number;
    /** Whether there are more. */
    readonly isMore: boolean;
  };
  /** State of the components that deliver for all environments, some seconds old. */
  readonly service: {
    /** `down`: no worker is alive, so nothing is delivered. */
    readonly worker: 'up' | 'down';
    /** `down`: no live worker can reach Temporal, so deliveries that need it wait. `unknown`: no worker is alive. */
    readonly temporal: 'up' | 'down' | 'unknown';
  };
};

export type BacklogQuery = {
  /** Only this channel. */
  readonly channelId?: string | undefined;
};

export type BatchAccepted = {
  /** Number of accepted messages: all of the request. */
  readonly count: number;
  /** Ids of the messages, in the order of the request. */
  readonly ids: readonly string[];
  /** Always `accepted`: the messages are stored. */
  readonly status: 'accepted';
  /** Schema violations of payloads that were published nevertheless, because the channel only warns. Only in responses to publishes. */
  readonly warnings?: readonly FieldProblem[];
};

export type BulkDiscard = {
  /** `preview`: nothing was changed. */
  readonly status: 'preview' | 'discarded';
  /** Open dead letters that match the filter. */
  readonly matched: number;
  /** Dead letters that this request discarded, oldest first. */
  readonly discarded: number;
  /** Matching dead letters that are still open. Repeat the request to discard them. */
  readonly left: number;
};

export type BulkReplay = {
  /** Prefix `rpl_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Status of the replay. */
  readonly status: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed';
  /** Open dead letters that match the filter. */
  readonly matched: number;
  /** Dead letters replayed so far. */
  readonly replayed: number;
  /** Dead letters that could not be replayed and are still open, because their subscription or workflow is deleted. */
  readonly failed: number;
  /** Current status of what was replayed. A delivery or run that a later replay has made due counts there instead. */
  readonly outcome: {
    /** Delivered deliveries and completed runs. */
    readonly succeeded: number;
    /** Deliveries and runs that are not finished. */
    readonly underWay: number;
    /** Deliveries and runs that failed again, and cancelled runs. */
    readonly failed: number;
    /** Whether the numbers are exact. Each counts up to 10,000, or 1,000 in a list. */
    readonly isExact: boolean;
  };
  /** Filter of the request. */
  readonly filter: {
    /** Only those of this channel. */
    readonly channelId?: string;
    /** Only those of this subscription. */
    readonly subscriptionId?: string;
    /** Only those of this message. */
    readonly messageId?: string;
    /** Only those of this workflow. */
    readonly workflowId?: string;
    /** Only those of this event type or pattern. */
    readonly eventType?: string;
    /** Only those of this kind. */
    readonly kind?: 'delivery' | 'run';
    /** Only those with this reason. */
    readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step';
    /** Only those whose last failure has this class. */
    readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
    /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
    readonly errorStatus?: number | string;
    /** Only those that failed after this time. */
    readonly since?: string;
    /** Only those that failed before this time. */
    readonly until: string;
    /** Only deliveries created after this time. */
    readonly createdSince?: string;
    /** Only deliveries created before this time. */
    readonly createdUntil?: string;
  };
  /** Maximum dead letters replayed per second. Absent if they are replayed as fast as they are found. */
  readonly ratePerSecond?: number;
  /** Who requested it: an API key, a machine credential or a user. */
  readonly requestedBy: string;
  /** When it was requested. */
  readonly createdAt: string;
  /** When it finished. Absent until then. */
  readonly finishedAt?: string;
};

export type BulkReplayOrPreview = BulkReplay | {
  /** Always `preview`: nothing was changed. */
  readonly status: 'preview';
  /** Open dead letters that match the filter. */
  readonly matched: number;
  /** Always 0. */
  readonly replayed: 0;
  /** Always 0. */
  readonly failed: 0;
  /** Up to five of the oldest. */
  readonly oldest: readonly {
    /** Prefix `dlq_` and 26 characters that sort by creation time. */
    readonly id: string;
    /** When it failed permanently. */
    readonly failedAt: string;
    /** Event type of the message. */
    readonly eventType?: string;
  }[];
};

export type BulkRetry = {
  /** Prefix `rty_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Status of the retry. */
  readonly status: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed';
  /** Deliveries that match the filter and can be retried. */
  readonly matched: number;
  /** Whether `matched` was the exact count at the time of the request. Counting stops after 100,000 rows; the retry continues beyond them. */
  readonly isExact: boolean;
  /** Deliveries retried so far. */
  readonly retried: number;
  /** Deliveries that could not be retried, because their message is erased or their subscription deleted. */
  readonly failed: number;
  /** Current status of what was replayed. A delivery or run that a later replay has made due counts there instead. */
  readonly outcome: {
    /** Delivered deliveries and completed runs. */
    readonly succeeded: number;
    /** Deliveries and runs that are not finished. */
    readonly underWay: number;
    /** Deliveries and runs that failed again, and cancelled runs. */
    readonly failed: number;
    /** Whether the numbers are exact. Each counts up to 10,000, or 1,000 in a list. */
    readonly isExact: boolean;
  };
  /** Filter of the request. */
  readonly filter: {
    /** Only those of this channel. */
    readonly channelId?: string;
    /** Only those of this subscription. */
    readonly subscriptionId?: string;
    /** Only those of this message. */
    readonly messageId?: string;
    /** Only those of this event type or pattern. */
    readonly eventType?: string;
    /** Only those with this status, or one of these. Absent: all except `delivered`. */
    readonly status?: 'pending' | 'delivered' | 'failed' | 'retrying' | readonly ('pending' | 'delivered' | 'failed' | 'retrying')[];
    /** Only those whose last failure has this class. */
    readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
    /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
    readonly errorStatus?: number | string;
    /** Only those whose last response took at least this many milliseconds. */
    readonly minLatencyMs?: number;
    /** Only those that are on hold, or only the others. */
    readonly held?: boolean;
    /** Only those that this replay or bulk retry was the last to make due. */
    readonly replayId?: string;
    /** Only those created after this time. */
    readonly since?: string;
    /** Only those created before this time. */
    readonly until: string;
  };
  /** Maximum deliveries per second that become due. Absent if they are retried as fast as they are found. */
  readonly ratePerSecond?: number;
  /** Who requested it: an API key, a machine credential or a user. */
  readonly requestedBy: string;
  /** When it was requested. */
  readonly createdAt: string;
  /** When it finished. Absent until then. */
  readonly finishedAt?: string;
};

export type BulkRetryOrPreview = BulkRetry | {
  /** Always `preview`: nothing was changed. */
  readonly status: 'preview';
  /** Deliveries that match the filter and can be retried. */
  readonly matched: number;
  /** Whether `matched` was the exact count at the time of the request. Counting stops after 100,000 rows; the retry continues beyond them. */
  readonly isExact: boolean;
  /** Always 0. */
  readonly retried: 0;
  /** Always 0. */
  readonly failed: 0;
  /** Up to five of the oldest. */
  readonly oldest: readonly {
    /** Prefix `dlv_` and 26 characters that sort by creation time. */
    readonly id: string;
    /** Status of the delivery. */
    readonly status: 'pending' | 'delivered' | 'failed' | 'retrying';
    /** Event type of the message. */
    readonly eventType?: string;
    /** When the delivery was created. */
    readonly createdAt: string;
  }[];
};

export type CancelRuns = {
  /** Only runs with this status, or one of these. Default: all unfinished runs. */
  readonly status?: 'pending' | 'running' | 'waiting' | 'paused' | readonly ('pending' | 'running' | 'waiting' | 'paused')[] | undefined;
  /** Only these runs. Unknown ids are ignored. */
  readonly ids?: readonly string[] | undefined;
  /** Only runs created after this time. */
  readonly since?: string | Date | undefined;
  /** Only runs created before this time. */
  readonly until?: string | Date | undefined;
  /** Only counts and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
};

export type CancelledMessage = {
  /** Prefix `msg_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Channel it was published to. */
  readonly channelId: string;
  /** Event type, as published. */
  readonly eventType: string;
  /** When it was or will be published. */
  readonly publishedAt: string;
  /** Same as publishedAt, for a message that is scheduled or was cancelled. */
  readonly deliverAt?: string;
  /** When it was cancelled. Absent if it was not. */
  readonly cancelledAt?: string;
  /** Why it was cancelled. */
  readonly cancelReason?: 'requested' | 'erased' | 'channel_deleted';
  /** When payload and metadata were erased. Absent if they have not been. */
  readonly erasedAt?: string;
  /** Always `cancelled`: the message will not be published. */
  readonly deliveryStatus: 'cancelled';
};

export type CancelledRuns = {
  /** `preview`: nothing was changed. */
  readonly status: 'preview' | 'cancelled';
  /** Unfinished runs that matched. */
  readonly matched: number;
  /** Runs that this request cancelled, oldest first. */
  readonly cancelled: number;
  /** Runs that match and are still unfinished. Repeat the request to cancel them. */
  readonly left: number;
};

export type Change = {
  /** Kind of the resources. `everything`: changes may have been missed, so read everything you show again. */
  readonly kind: 'message' | 'delivery' | 'deadLetter' | 'replay' | 'channel' | 'subscription' | 'workflow' | 'run' | 'approval' | 'webhook' | 'connection' | 'secret' | 'apiKey' | 'machineCredential' | 'everything';
  /** Resources that are new or have changed, up to 100. */
  readonly changed: readonly {
    /** Id of the resource. */
    readonly id: string;
    /** Status of the resource when it was read. Absent if its kind has none here. */
    readonly status?: string;
  }[];
  /** Whether `changed` lists every change that was noticed. */
  readonly isComplete: boolean;
};

export type ChangePassword = {
  /** Password of the account. */
  readonly password: string;
  /** New password, at least 12 characters. */
  readonly newPassword: string;
};

export type Channel = {
  /** Prefix `chn_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Display name. Several channels can have the same name. */
  readonly name: string;
  /** Free-text description. */
  readonly description?: string;
  /** Only an active channel accepts messages. */
  readonly status: 'active' | 'paused' | 'archived';
  /** JSON Schema for every payload. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** JSON Schemas by event type. Each applies in addition to `schema`. */
  readonly schemas?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Whether a payload that violates a schema is rejected, or published with a warning. Absent if the channel has no schema. */
  readonly schemaMode?: 'enforce' | 'warn';
  /** Days after which a message is removed with its deliveries, attempts and dead letters (up to half an hour later). A message stays longer while one of its deliveries or runs is unfinished or an open dead letter can be replayed. */
  readonly retentionDays: number;
  /** When the channel was created. */
  readonly createdAt: string;
  /** When the channel was last changed. */
  readonly updatedAt: string;
};

export type ChannelStats = {
  /** Start of the first step. */
  readonly since: string;
  /** End of the last step. */
  readonly until: string;
  /** Length of a step in seconds. Depends on the span. */
  readonly stepSeconds: number;
  /** One entry for each requested channel, in that order. Unknown ids are left out. */
  readonly channels: readonly {
    /** Channel of this entry. */
    readonly channelId: string;
    /** Messages published to it in the whole span. */
    readonly accepted: number;
    /** Messages published in each step, oldest first, including steps without any. */
    readonly counts: readonly number[];
    /** Subscriptions that the channel has now. */
    readonly subscriptions: {
      /** Number counted, up to 1,000. */
      readonly count: number;
      /** Whether there are more. */
      readonly isMore: boolean;
    };
  }[];
};

export type ChannelStatsQuery = {
  /** Up to 100 ids of channels, separated by commas. Default: the newest 100. */
  readonly channelIds?: readonly string[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type ConfirmTotp = {
  /** Six-digit code of the authenticator app. */
  readonly code: string;
};

export type Connection = {
  /** Prefix `cxn_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Connector of the connection. */
  readonly connectorId: string;
  /** Name for people. */
  readonly name: string;
  /** Environment that owns it; only this environment can change it. */
  readonly environment: 'live' | 'test';
  /** Whether the other environment of the app can see and use it. */
  readonly shared: boolean;
  /** Whether steps can use it. `unauthorized`: a person must first give consent at the provider. */
  readonly status: 'ready' | 'unauthorized';
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
  /** When a step last used it, to the minute. Absent if none has. */
  readonly lastUsedAt?: string;
  /** Last test of the current credentials by the environment that owns the connection. Absent if there is none. */
  readonly lastTest?: {
    /** When the test was run. */
    readonly at: string;
    /** Whether the service accepted the credentials. */
    readonly ok: boolean;
    /** Result in words. */
    readonly message: string;
  };
};

export type ConnectionTest = {
  /** Whether the service accepts the credentials. */
  readonly ok: boolean;
  /** HTTP status of the response. Absent if there was none. */
  readonly status?: number;
  /** Result in words. */
  readonly message: string;
};

export type Connector = {
  /** Id used in steps and connections. */
  readonly id: string;
  /** Name of the service. */
  readonly name: string;
  /** What the service is for. */
  readonly description: string;
  /** Category of the service. */
  readonly category: 'messaging' | 'email' | 'development' | 'project_management' | 'data' | 'sales' | 'commerce' | 'support' | 'incidents' | 'ai' | 'general';
  /** Path of its icon on this server (SVG). */
  readonly icon: string;
  /** How the service authenticates requests. Unless `none`, steps need a connection. */
  readonly authType: 'none' | 'api_key' | 'basic' | 'oauth2';
  /** Whether steps may use it. */
  readonly status: 'available';
};

export type ConnectorDetail = {
  /** Id used in steps and connections. */
  readonly id: string;
  /** Name of the service. */
  readonly name: string;
  /** What the service is for. */
  readonly description: string;
  /** Category of the service. */
  readonly category: 'messaging' | 'email' | 'development' | 'project_management' | 'data' | 'sales' | 'commerce' | 'support' | 'incidents' | 'ai' | 'general';
  /** Path of its icon on this server (SVG). */
  readonly icon: string;
  /** How the service authenticates requests. Unless `none`, steps need a connection. */
  readonly authType: 'none' | 'api_key' | 'basic' | 'oauth2';
  /** Whether steps may use it. */
  readonly status: 'available';
  /** Operations that a step can call. */
  readonly operations: readonly {
    /** Id used in steps. */
    readonly id: string;
    /** Display name. */
    readonly name: string;
    /** What the operation does. */
    readonly description: string;
    /** JSON Schema of the parameters of a step. A `writeOnly` parameter accepts a secret as `{{ secrets.NAME }}`. */
    readonly input: Readonly<Record<string, unknown>>;
  }[];
  /** JSON Schema of the credentials of a connection. Absent if none are needed. */
  readonly credentials?: Readonly<Record<string, unknown>>;
};

export type CreateApiKey = {
  /** Display name. */
  readonly name: string;
  /** Environment of the caller; no other is allowed. */
  readonly environment?: 'live' | 'test' | undefined;
  /** Tier. Its limits apply where `limits` sets none. */
  readonly tier?: 'free' | 'starter' | 'pro' | 'enterprise' | undefined;
  /** Scopes. */
  readonly scopes?: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[] | undefined;
  /** Limits that replace those of the tier. */
  readonly limits?: {
    /** Requests per 60 seconds. */
    readonly requestsPerMinute?: number | undefined;
    /** Requests per second. */
    readonly burst?: number | undefined;
    /** Requests in flight. */
    readonly concurrent?: number | undefined;
    /** Batch requests per 60 seconds. Transactional requests have a separate limit of the same size. */
    readonly batchPerMinute?: number | undefined;
  } | undefined;
  /** When it expires. */
  readonly expiresAt?: string | Date | undefined;
};

export type CreateApp = {
  /** Display name. */
  readonly name: string;
  /** Name in URLs and command lines: up to 63 of a-z, 0-9 and single hyphens, unique in the organisation. Default: derived from the name. */
  readonly slug?: string | undefined;
  /** Free-text description. */
  readonly description?: string | undefined;
  /** Status. Default: "active". */
  readonly status?: 'active' | 'suspended' | undefined;
  /** Defaults for resources created from now on. */
  readonly settings?: {
    /** Days after which a message is removed. */
    readonly retentionDays?: number | undefined;
    /** When a failed delivery is retried. Omitted fields keep their defaults. */
    readonly retryPolicy?: {
      /** Retries after the first attempt. */
      readonly maxRetries?: number | undefined;
      /** Milliseconds before the first retry. */
      readonly initialDelay?: number | undefined;
      /** Maximum delay between two attempts, in milliseconds. */
      readonly maxDelay?: number | undefined;
      /** Factor by which each delay is longer than the previous one. */
      readonly backoffMultiplier?: number | undefined;
    } | undefined;
    /** Maximum duration of an attempt, in milliseconds. */
    readonly timeoutMs?: number | undefined;
    /** Whether the circuit breaker is on. */
    readonly circuitBreaker?: boolean | undefined;
  } | undefined;
};

export type CreateBulkDiscard = {
  /** Only those of this channel. */
  readonly channelId?: string | undefined;
  /** Only those of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only those of this message. */
  readonly messageId?: string | undefined;
  /** Only those of this workflow. */
  readonly workflowId?: string | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only those of this kind. */
  readonly kind?: 'delivery' | 'run' | undefined;
  /** Only those with this reason. */
  readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step' | undefined;
  /** Only those whose last failure has this class. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: number | string | undefined;
  /** Only those that failed after this time. */
  readonly since?: string | Date | undefined;
  /** Only those that failed before this time. */
  readonly until?: string | Date | undefined;
  /** Only deliveries created after this time. */
  readonly createdSince?: string | Date | undefined;
  /** Only deliveries created before this time. */
  readonly createdUntil?: string | Date | undefined;
  /** Whether to only count. Default: false. */
  readonly dryRun?: boolean | undefined;
};

export type CreateBulkReplay = {
  /** Only those of this channel. */
  readonly channelId?: string | undefined;
  /** Only those of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only those of this message. */
  readonly messageId?: string | undefined;
  /** Only those of this workflow. */
  readonly workflowId?: string | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only those of this kind. */
  readonly kind?: 'delivery' | 'run' | undefined;
  /** Only those with this reason. */
  readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step' | undefined;
  /** Only those whose last failure has this class. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: number | string | undefined;
  /** Only those that failed after this time. */
  readonly since?: string | Date | undefined;
  /** Only those that failed before this time. */
  readonly until?: string | Date | undefined;
  /** Only deliveries created after this time. */
  readonly createdSince?: string | Date | undefined;
  /** Only deliveries created before this time. */
  readonly createdUntil?: string | Date | undefined;
  /** Whether to only count. Default: false. */
  readonly dryRun?: boolean | undefined;
  /** Maximum dead letters replayed per second. Default: as fast as they are found. */
  readonly ratePerSecond?: number | undefined;
};

export type CreateBulkRetry = {
  /** Only those of this channel. */
  readonly channelId?: string | undefined;
  /** Only those of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only those of this message. */
  readonly messageId?: string | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only those with this status, or one of these. Default: all except `delivered`. */
  readonly status?: 'pending' | 'delivered' | 'failed' | 'retrying' | readonly ('pending' | 'delivered' | 'failed' | 'retrying')[] | undefined;
  /** Only those whose last failure has this class. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: number | string | undefined;
  /** Only those whose last response took at least this many milliseconds. */
  readonly minLatencyMs?: number | undefined;
  /** `true`: only those that are on hold. `false`: only the others. */
  readonly held?: boolean | undefined;
  /** Only those that this replay or bulk retry was the last to make due. */
  readonly replayId?: string | undefined;
  /** Only those created after this time. */
  readonly since?: string | Date | undefined;
  /** Only those created before this time. Default: now. */
  readonly until?: string | Date | undefined;
  /** Maximum deliveries per second that become due. Default: as fast as they are found. */
  readonly ratePerSecond?: number | undefined;
  /** Whether to only count. Default: false. */
  readonly dryRun?: boolean | undefined;
};

export type CreateChannel = {
  /** Display name. */
  readonly name: string;
  /** Free-text description. */
  readonly description?: string | undefined;
  /** Status. Default: "active". */
  readonly status?: 'active' | 'paused' | 'archived' | undefined;
  /** JSON Schema for every payload (draft 07, 2019-09 or 2020-12). Limits: 32 KiB, 16 levels, 1,000 objects and arrays, `enum` with 500 values, 300 properties per object, 20 of `allOf`, `anyOf`, `oneOf`, `not` and `if`, RE2 patterns of 200 characters. `$ref` works within the document only, without cycles; `$anchor`, `$dynamicRef`, `$async` and `$data` are rejected. Unknown keywords and formats are ignored. */
  readonly schema?: object | undefined;
  /** JSON Schemas by event type. Each applies in addition to `schema`. */
  readonly schemas?: Readonly<Record<string, object>> | undefined;
  /** Whether a payload that violates a schema is rejected, or published with a warning. */
  readonly schemaMode?: 'enforce' | 'warn' | undefined;
  /** Days after which a message is removed. */
  readonly retentionDays?: number | undefined;
};

export type CreateConnection = {
  /** Connector of the connection, such as `slack`. */
  readonly connectorId: string;
  /** Name for people. */
  readonly name: string;
  /** Credentials, as `credentials` of the connector describes them. Never returned. */
  readonly credentials: object;
  /** Whether the other environment of the app can see and use it. Default false. Default: false. */
  readonly shared?: boolean | undefined;
};

export type CreateInspector = {
  /** Display name. */
  readonly name: string;
  /** Response that senders receive. */
  readonly answer?: {
    /** Status of each response. Default 200. */
    readonly status?: number | undefined;
    /** Delay before each response, in milliseconds. Default 0. */
    readonly delayMs?: number | undefined;
    /** Percentage of responses that are 500 instead. Default 0. */
    readonly failurePercent?: number | undefined;
  } | undefined;
};

export type CreateInvitation = {
  /** Email address. */
  readonly email: string;
  /** Determines what the member may do. */
  readonly role: 'viewer' | 'developer' | 'admin' | 'owner';
};

export type CreateMachineCredential = {
  /** Display name. */
  readonly name: string;
  /** Environment of the caller; no other is allowed. */
  readonly environment?: 'live' | 'test' | undefined;
  /** Tier. Its limits apply where `limits` sets none. */
  readonly tier?: 'free' | 'starter' | 'pro' | 'enterprise' | undefined;
  /** Scopes. */
  readonly scopes?: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[] | undefined;
  /** Limits that replace those of the tier. */
  readonly limits?: {
    /** Requests per 60 seconds. */
    readonly requestsPerMinute?: number | undefined;
    /** Requests per second. */
    readonly burst?: number | undefined;
    /** Requests in flight. */
    readonly concurrent?: number | undefined;
    /** Batch requests per 60 seconds. Transactional requests have a separate limit of the same size. */
    readonly batchPerMinute?: number | undefined;
  } | undefined;
  /** When it expires. */
  readonly expiresAt?: string | Date | undefined;
};

export type CreateMarker = {
  /** What happened, such as `Deploy 4.2`. */
  readonly name: string;
  /** When it happened, at most 366 days ago. Default now. */
  readonly at?: string | Date | undefined;
};

export type CreateMessageReplay = {
  /** Start of the time range (publication time, inclusive). */
  readonly since: string | Date;
  /** End of the time range (publication time, exclusive). Default: now. */
  readonly until?: string | Date | undefined;
  /** Event types or patterns such as `order.*`. An empty list means all. Default: []. */
  readonly eventTypes?: readonly string[] | undefined;
  /** Whether to skip messages that already have a delivery, even a failed one. Default: false. */
  readonly onlyMissing?: boolean | undefined;
  /** Maximum deliveries per second that become due. Default: 100. */
  readonly ratePerSecond?: number | undefined;
  /** Whether to only count. Default: false. */
  readonly dryRun?: boolean | undefined;
};

export type CreateOrganisation = {
  /** Display name. */
  readonly name: string;
};

export type CreateSecret = {
  /** Name used in workflow definitions: a capital letter and up to 63 capital letters, digits or `_`. Unique in the environment; cannot change. */
  readonly name: string;
  /** The secret itself, 1 to 8,192 bytes. Never returned. */
  readonly value: string;
};

export type CreateSubscription = {
  /** Channel whose messages it receives. */
  readonly channelId: string;
  /** Display name. */
  readonly name?: string | undefined;
  /** Your own id for the customer it belongs to, to filter lists by. It does not affect routing. */
  readonly owner?: string | undefined;
  /** URL that messages are sent to: https, or http if the operator allows it. */
  readonly webhookUrl: string;
  /** Status. Default: "active". */
  readonly status?: 'active' | 'paused' | 'disabled' | undefined;
  /** Event types or patterns such as `order.*`. An empty list means all. Default: []. */
  readonly eventTypes?: readonly string[] | undefined;
  /** CEL expression over `payload`, `metadata` and `eventType` that selects messages. */
  readonly filter?: string | undefined;
  /** When a failed delivery is retried. Omitted fields keep their defaults. */
  readonly retryPolicy?: {
    /** Retries after the first attempt. */
    readonly maxRetries?: number | undefined;
    /** Milliseconds before the first retry. */
    readonly initialDelay?: number | undefined;
    /** Maximum delay between two attempts, in milliseconds. */
    readonly maxDelay?: number | undefined;
    /** Factor by which each delay is longer than the previous one. */
    readonly backoffMultiplier?: number | undefined;
  } | undefined;
  /** Headers sent with every request, up to 20. Names that the service, the protocol or a proxy sets are rejected. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Maximum duration of an attempt, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Longest wait in milliseconds that the receiver can request by `Retry-After` with a 429 or 503. Default: a day. */
  readonly maxRetryAfter?: number | undefined;
  /** Maximum requests in flight, 1 to 1,000. If not set, the limit starts at 20 and adapts to the receiver. */
  readonly maxConcurrency?: number | undefined;
  /** Maximum attempts per second. If not set, there is no limit. */
  readonly rateLimit?: number | undefined;
  /** Whether the circuit breaker is on. */
  readonly circuitBreaker?: boolean | undefined;
  /** Also delivers stored messages published at or after this time. */
  readonly startFrom?: string | Date | undefined;
  /** Signing secret that the receiver already has: `whsec_` and the base64 of 24 to 64 bytes. If omitted, a new one is created. */
  readonly secret?: string | undefined;
};

export type CreateView = {
  /** Dashboard list of the view. */
  readonly page: 'messages' | 'deliveries' | 'dead-letters' | 'runs' | 'subscriptions' | 'channels' | 'workflows' | 'approvals' | 'replays' | 'delivery-retries' | 'message-replays' | 'inbound-webhooks' | 'inbound-requests' | 'connections' | 'secrets' | 'inspectors' | 'inspected-requests' | 'api-keys' | 'machine-credentials' | 'audit';
  /** Display name. */
  readonly name: string;
  /** Filters by name, as in the URL of the page. */
  readonly search: Readonly<Record<string, string>>;
};

export type CreateWebhook = {
  /** Display name. */
  readonly name: string;
  /** Channel to publish to. Cannot change later. */
  readonly channelId: string;
  /** How requests are authenticated. Default: the scheme of the provider, otherwise `body`. */
  readonly scheme?: 'body' | 'standard' | 'svix' | 'github' | 'stripe' | 'slack' | 'shopify' | 'gitlab' | 'twilio' | 'mailgun' | 'hmac' | 'token' | 'ed25519' | 'ecdsa' | 'sns' | undefined;
  /** Service that sends the requests, if it is a known one. */
  readonly provider?: 'bitbucket' | 'buildkite' | 'calendly' | 'circleci' | 'clerk' | 'coinbase-commerce' | 'discord' | 'github' | 'gitlab-signed' | 'gitlab' | 'hubspot' | 'intercom' | 'jira' | 'launchdarkly' | 'lemon-squeezy' | 'linear' | 'mailgun' | 'openai' | 'paddle' | 'pagerduty' | 'razorpay' | 'resend' | 'sendgrid' | 'sentry' | 'shopify' | 'slack' | 'sns' | 'square' | 'stripe' | 'svix' | 'telegram' | 'twilio' | 'typeform' | 'vercel' | 'webflow' | 'woocommerce' | 'workos' | 'zendesk' | 'zoom' | undefined;
  /** Status of the new webhook. Default: "active". */
  readonly status?: 'active' | 'disabled' | undefined;
  /** Secrets to accept, newest first. If none is given and the service lets you choose it, one is generated. */
  readonly secrets?: readonly string[] | undefined;
  /** Signature format, for the schemes `hmac` and `token`. */
  readonly signature?: {
    /** Header with the signature, or with the secret itself. */
    readonly header: string;
    /** Text before the signature, such as `sha256=`. */
    readonly prefix?: string | undefined;
    /** Hash algorithm of the HMAC. Default sha256. */
    readonly algorithm?: 'sha1' | 'sha256' | 'sha512' | undefined;
    /** Encoding of the signature. Default hex. */
    readonly encoding?: 'hex' | 'base64' | undefined;
    /** Header with the signed time. */
    readonly timestampHeader?: string | undefined;
    /** Unit of the signed time. Default seconds. */
    readonly timestampUnit?: 'seconds' | 'milliseconds' | 'iso8601' | undefined;
    /** Maximum difference between the signed time and the server time, in seconds. Default 300. */
    readonly toleranceSeconds?: number | undefined;
    /** Header whose value is used for `{id}` in the template. */
    readonly idHeader?: string | undefined;
    /** Template of the signed text, with `{timestamp}`, `{id}`, `{url}` and `{body}`. Default `{body}`, or `{timestamp}.{body}` with a timestamp header. */
    readonly template?: string | undefined;
  } | undefined;
  /** Where the event id is. Default: where the provider puts it. */
  readonly eventId?: {
    /** Header that has the event id. */
    readonly header?: string | undefined;
    /** JSON Pointer to the event id in the body. */
    readonly pointer?: string | undefined;
  } | undefined;
  /** Where the event type comes from. Default: where the provider puts it. */
  readonly eventType?: {
    /** Event type of every message. */
    readonly literal?: string | undefined;
    /** JSON Pointer to the event type in the body. */
    readonly pointer?: string | undefined;
    /** Header that has the event type. */
    readonly header?: string | undefined;
    /** CEL expression that returns a string, over `payload`, `metadata` and `eventType`. */
    readonly cel?: string | undefined;
  } | undefined;
  /** Part of the body that becomes the payload. Default: all of it. */
  readonly payload?: {
    /** JSON Pointer to the object that becomes the payload. */
    readonly pointer?: string | undefined;
    /** Fields of the payload, each with a JSON Pointer to its value. A field is left out if its pointer finds nothing. */
    readonly fields?: Readonly<Record<string, string>> | undefined;
  } | undefined;
};

export type CreateWorkflow = {
  /** Display name. */
  readonly name: string;
  /** Description for people. */
  readonly description?: string | undefined;
  /** Status of the new workflow. Default: "draft". */
  readonly status?: 'active' | 'paused' | 'draft' | undefined;
  /** What starts a run: `type` and `config`. If not set, the workflow has no trigger yet. */
  readonly trigger?: object | undefined;
  /** Steps of a run, each with `id`, `type`, `config` and `next`. If not set, the workflow has no steps yet. */
  readonly steps?: readonly unknown[] | undefined;
};

export type CreatedSubscription = {
  /** Prefix `sub_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Channel whose messages it receives. */
  readonly channelId: string;
  /** Display name. */
  readonly name: string;
  /** Your own id for the customer it belongs to, to filter lists by. It does not affect routing: the subscription receives the messages of its channel whatever their owner. Absent if none was given. */
  readonly owner?: string;
  /** URL that messages are sent to. */
  readonly webhookUrl: string;
  /** Deliveries wait unless it is active. Only the service sets `disabled`. */
  readonly status: 'active' | 'paused' | 'disabled';
  /** Since when it has this status. Absent if the change was not recorded. */
  readonly statusChangedAt?: string;
  /** Why it is disabled: its receiver responded 410, or no delivery has succeeded for five days. Absent if unknown. */
  readonly disabledReason?: 'gone' | 'failing';
  /** Event types that it receives, or patterns such as `order.*`. An empty list means all. */
  readonly eventTypes: readonly string[];
  /** CEL expression that selects messages of these event types. Absent if it receives all of them. */
  readonly filter?: string;
  /** When a failed delivery is retried. */
  readonly retryPolicy: {
    /** Retries after the first attempt. */
    readonly maxRetries: number;
    /** Milliseconds before the first retry. */
    readonly initialDelay: number;
    /** Maximum delay between two attempts, in milliseconds. */
    readonly maxDelay: number;
    /** Factor by which each delay is longer than the previous one. */
    readonly backoffMultiplier: number;
  };
  /** Headers sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Maximum duration of an attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** Longest wait in milliseconds that the receiver can request by `Retry-After` with a 429 or 503. Such a wait may be longer than `maxDelay`. */
  readonly maxRetryAfter: number;
  /** Maximum requests in flight. Absent if not set: the limit adapts to the receiver. */
  readonly maxConcurrency?: number;
  /** Maximum attempts per second. Absent if there is no limit. */
  readonly rateLimit?: number;
  /** Whether the circuit breaker is on. */
  readonly circuitBreaker: boolean;
  /** Circuit breaker of the receiver. */
  readonly circuit: {
    /** `open`, after at least 20 attempts within 5 minutes of which 90 % failed: nothing is sent for 30 s. `half_open`: a probe decides whether it closes. */
    readonly state: 'closed' | 'open' | 'half_open';
    /** When it last opened. Absent while it is closed. */
    readonly openedAt?: string;
    /** When the next probe can be sent. Absent while it is closed. */
    readonly nextProbeAt?: string;
  };
  /** Current requests to its receiver over all workers, at most two seconds old. Absent in lists. */
  readonly concurrency?: {
    /** Maximum requests in flight. */
    readonly limit: number;
    /** Requests in flight. */
    readonly inFlight: number;
    /** Mean latency of recent successful responses, in milliseconds. Absent before the first one. */
    readonly latencyMs?: number;
  };
  /** Since when deliveries are on hold because none of the signing secrets can be decrypted. Rotating the secret ends it. */
  readonly secretUnreadableSince?: string;
  /** Settings that do not work as they may seem to: stored values that stricter rules now reject and that are not used, a host name that cannot exist in the public DNS and does not resolve (not in lists), and an `owner`, because it does not affect routing. */
  readonly warnings?: readonly FieldProblem[];
  /** When the subscription was created. */
  readonly createdAt: string;
  /** When the subscription was last changed. */
  readonly updatedAt: string;
  /** Replay of the stored messages since `startFrom`. Absent without `startFrom`. */
  readonly replayId?: string;
};

export type DeadLetter = {
  /** Prefix `dlq_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Whether a delivery or a workflow run failed. */
  readonly kind: 'delivery' | 'run';
  /** Only an open dead letter can be replayed or discarded. */
  readonly status: 'open' | 'replayed' | 'discarded';
  /** Channel of the message. */
  readonly channelId?: string;
  /** Message that was not delivered, or that started the run. Absent if the run was not started by a message. */
  readonly messageId?: string;
  /** Subscription that did not receive the message. Only for the kind `delivery`. */
  readonly subscriptionId?: string;
  /** Delivery that failed. Only for the kind `delivery`. */
  readonly deliveryId?: string;
  /** Workflow of the run. Only for the kind `run`. */
  readonly workflowId?: string;
  /** Run that failed. Only for the kind `run`. */
  readonly runId?: string;
  /** Step that failed. Only for the kind `run`, and absent if the failure was not in a step. */
  readonly stepId?: string;
  /** Position in the loops around that step, counted from 0 and joined by dots. Absent outside loops. */
  readonly iteration?: string;
  /** Event type of the message. */
  readonly eventType?: string;
  /** Why it failed permanently. */
  readonly reason: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step';
  /** How the last attempt failed. */
  readonly lastError: {
    /** Error class. */
    readonly class?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
    /** Error code of the step, such as `HTTP_404`. Only for the kind `run`. */
    readonly code?: string;
    /** Error message. */
    readonly message?: string;
    /** HTTP status of the last response. Absent if there was none. */
    readonly status?: number;
  };
  /** Attempts of the delivery or the step until then. */
  readonly attempts: number;
  /** When it failed permanently. */
  readonly failedAt: string;
  /** When it was replayed. Absent if it was not. */
  readonly replayedAt?: string;
  /** Who replayed it: an API key, a machine credential or a user. Absent if it was not replayed. */
  readonly replayedBy?: string;
};

export type DeadLetterGroups = {
  /** Up to 100 groups, largest first. */
  readonly groups: readonly {
    /** Whether deliveries or workflow runs failed. */
    readonly kind: 'delivery' | 'run';
    /** Subscription of the deliveries. Only for the kind `delivery`. */
    readonly subscriptionId?: string;
    /** Workflow of the runs. Only for the kind `run`. */
    readonly workflowId?: string;
    /** Why they failed permanently. */
    readonly reason: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step';
    /** Error class of the last failure of each. */
    readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
    /** HTTP status of the last response of each. Absent if there was none. */
    readonly errorStatus?: number;
    /** Number of open dead letters in the group, among those examined. */
    readonly count: number;
    /** When the first of them failed. */
    readonly firstFailedAt: string;
    /** When the last of them failed. */
    readonly lastFailedAt: string;
    /** The most recent of them. */
    readonly lastId: string;
    /** Number of them that failed in each of 24 equal intervals from `from` to `until`, oldest first. */
    readonly counts: readonly number[];
  }[];
  /** When the first of the examined dead letters failed. Absent if there was none. */
  readonly from?: string;
  /** When the last of the examined dead letters failed. Absent if there was none. */
  readonly until?: string;
  /** Number of open dead letters examined: up to the newest 10,000. */
  readonly examined: number;
  /** Whether the groups and counts are complete. */
  readonly isExact: boolean;
};

export type DeadLetterGroupsQuery = {
  /** Only those of this channel. */
  readonly channelId?: string | undefined;
  /** Only those of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only those of this message. */
  readonly messageId?: string | undefined;
  /** Only those of this workflow. */
  readonly workflowId?: string | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only those of this kind. */
  readonly kind?: 'delivery' | 'run' | undefined;
  /** Only those with this reason. */
  readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step' | undefined;
  /** Only those whose last failure has this class. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type DecideApproval = {
  /** Step that asks. Can be left out if only one step asks. */
  readonly stepId?: string | undefined;
  /** Indexes, from 0, of the items in the enclosing loops, joined by dots. */
  readonly iteration?: string | undefined;
  /** Text for the next steps and for people. Up to 4,000 characters. */
  readonly comment?: string | undefined;
  /** Values for the next steps. Must match the schema of the approval, if it has one. */
  readonly data?: object | undefined;
};

export type DefinitionValidation = {
  /** Whether the workflow could be activated. */
  readonly valid: boolean;
  /** All problems, up to 20. */
  readonly errors: readonly FieldProblem[];
};

export type Delivery = {
  /** Prefix `dlv_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Message to be delivered. */
  readonly messageId: string;
  /** Subscription that receives it. */
  readonly subscriptionId: string;
  /** Event type of the message. Absent on old deliveries that did not store it. */
  readonly eventType?: string;
  /** Whether it was delivered, has failed permanently, or is unfinished. */
  readonly status: 'pending' | 'delivered' | 'failed' | 'retrying';
  /** Attempts so far, over all rounds. */
  readonly attempts: number;
  /** Attempts that the retry policy has counted since the delivery was created or last retried or replayed. A hold starts a new round without resetting this number. */
  readonly policyAttempts: number;
  /** When the last attempt started. Absent before the first one. */
  readonly lastAttemptAt?: string;
  /** When it is retried. Absent if no retry is scheduled. */
  readonly nextRetryAt?: string;
  /** Response of the receiver to the last attempt. Absent if there was none. */
  readonly response?: {
    /** HTTP status. */
    readonly status: number;
    /** First 16 KiB of the body, as text. Empty in a list with `responseBodies=false`. */
    readonly body: string;
    /** Milliseconds from sending the request to the end of the response. */
    readonly latencyMs: number;
  };
  /** Why no attempt is made at present. Only on unfinished deliveries. */
  readonly held?: {
    /** Reason for the hold. `secret_unreadable` and `internal` do not use up the retry policy: the delivery is retried with delays that grow to an hour, and fails after seven days as `internal`. */
    readonly reason: 'app_suspended' | 'paused' | 'disabled' | 'circuit' | 'rate_limit' | 'secret_unreadable' | 'internal';
    /** Start of the hold. */
    readonly since: string;
    /** End of the hold, as nextRetryAt. Absent if only a resume ends it. */
    readonly until?: string;
  };
  /** Why the last attempt failed, or which internal error keeps the delivery on hold. Absent on a delivered one. */
  readonly error?: {
    /** Error class. */
    readonly class: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
    /** Error message. */
    readonly message: string;
  };
  /** Why it failed permanently. Only on failed deliveries. */
  readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'subscription_deleted' | 'erased';
  /** When the delivery was created. */
  readonly createdAt: string;
};

export type DryRun = {
  /** Items on this page, in the order of the list. */
  readonly data: readonly {
    /** Prefix `sub_` and 26 characters that sort by creation time. */
    readonly subscriptionId: string;
    /** Name of the subscription. */
    readonly name: string;
    /** Whether a delivery would be created. */
    readonly wouldReceive: boolean;
    /** Why the subscription would or would not receive the message. `no_filter` and `filter_matches`: it would. `event_type`: its event types do not match. `filter_does_not_match`: its filter does not match. `filter_failed`: its filter could not be evaluated. */
    readonly reason: 'no_filter' | 'filter_matches' | 'event_type' | 'filter_does_not_match' | 'filter_failed';
    /** Explanation of the reason. */
    readonly detail?: string;
    /** What the delivery would wait for: `paused` and `disabled` for a resume, `circuit` for the next probe, `app_suspended` for the app. */
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
    /** Only an active channel accepts messages. */
    readonly status: 'active' | 'paused' | 'archived' | 'system';
    /** Whether the channel would accept the message. */
    readonly accepts: boolean;
    /** Schema violations. With `accepts: true` these are only warnings. */
    readonly errors: readonly FieldProblem[];
  };
  /** Result of the given expression. Absent if none was given. */
  readonly filter?: {
    /** Whether the message matches. */
    readonly matches: boolean;
    /** Why the expression could not be evaluated. */
    readonly error?: string;
  };
};

export type DryRunBody = {
  /** Id of a stored message to use instead of a sample. */
  readonly messageId?: string | undefined;
  /** What happened, such as `order.created`. */
  readonly eventType?: string | undefined;
  /** Any JSON object, up to 256 KiB. */
  readonly payload?: object | undefined;
  /** Strings that accompany the message: up to 50 entries and 16 KiB. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** CEL expression to test on the message. */
  readonly filter?: string | undefined;
  /** Only this subscription. */
  readonly subscriptionId?: string | undefined;
};

export type ExportDeadLetters = {
  /** Only those of this channel. */
  readonly channelId?: string | undefined;
  /** Only those of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only those of this message. */
  readonly messageId?: string | undefined;
  /** Only those of this workflow. */
  readonly workflowId?: string | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only those of this kind. */
  readonly kind?: 'delivery' | 'run' | undefined;
  /** Only those with this reason. */
  readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step' | undefined;
  /** Only those whose last failure has this class. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
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
  /** Only those of this channel. */
  readonly channelId?: string | undefined;
  /** Only those of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only those of this message. */
  readonly messageId?: string | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only those with one of these statuses. */
  readonly status?: 'pending' | 'delivered' | 'failed' | 'retrying' | readonly ('pending' | 'delivered' | 'failed' | 'retrying')[] | undefined;
  /** Only those whose last failure has this class. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: string | undefined;
  /** Only those whose last response took at least this many milliseconds, from 1,000. */
  readonly minLatencyMs?: number | undefined;
  /** `true`: only those that are on hold. `false`: only the others. */
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
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** Only messages of this channel. */
  readonly channelId?: string | undefined;
  /** `true` includes messages of the channel `posthorn.system`. By default, they are listed only if `channelId` names that channel. */
  readonly includeSystem?: 'true' | 'false' | undefined;
  /** Only the message published with this `id` within the last 24 hours. */
  readonly publisherId?: string | undefined;
  /** Only messages whose deliveries have one of these combined statuses. */
  readonly deliveryStatus?: 'pending' | 'delivered' | 'failed' | 'unrouted' | readonly ('pending' | 'delivered' | 'failed' | 'unrouted')[] | undefined;
  /** `ndjson`: one JSON object per line. `csv`: a table with a header row. Default: "ndjson". */
  readonly format?: 'ndjson' | 'csv' | undefined;
};

export type ExportRuns = {
  /** Only runs with one of these statuses. */
  readonly status?: 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped' | readonly ('pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped')[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** Only runs of this workflow. */
  readonly workflowId?: string | undefined;
  /** Only runs started by this message. */
  readonly messageId?: string | undefined;
  /** `ndjson`: one JSON object per line. `csv`: a table with a header row. Default: "ndjson". */
  readonly format?: 'ndjson' | 'csv' | undefined;
};

export type FactorAdded = {
  /** Ten recovery codes, if this is the first second factor. Shown only once. */
  readonly recoveryCodes?: readonly string[];
};

export type Factors = {
  /** Whether signing in with the password requires a second factor. */
  readonly isAsked: boolean;
  /** The authenticator app. Absent if there is none. */
  readonly totp?: {
    /** When it was confirmed with its first code. */
    readonly createdAt: string;
  };
  /** Number of passkeys (GET /v1/user/passkeys). */
  readonly passkeys: number;
  /** Number of unused recovery codes. */
  readonly recoveryCodes: number;
};

export type FieldProblem = {
  /** Path of the field in the request, such as `messages[3].eventType`. */
  readonly field: string;
  /** What is wrong; reads as a sentence after the field name: `is required`. */
  readonly reason: string;
};

export type FilterTest = {
  /** Number of messages that match. */
  readonly matched: number;
  /** Tested messages, newest first. Erased ones are skipped. */
  readonly messages: readonly {
    /** Tested message. */
    readonly messageId: string;
    /** Event type of the message. */
    readonly eventType: string;
    /** When it was published. */
    readonly publishedAt: string;
    /** Whether the filter matches the message. */
    readonly matches: boolean;
    /** Why the filter could not be evaluated for the message. */
    readonly error?: string;
  }[];
};

export type FilterTestBody = {
  /** CEL expression over `payload`, `metadata` and `eventType` that selects messages. */
  readonly filter: string;
  /** Maximum number of messages. Default: 50. */
  readonly limit?: number | undefined;
};

export type InboundReceived = {
  /** Always true. Absent in responses to some handshakes. */
  readonly received?: boolean;
  /** Message published for the event by this request or an earlier one. Absent in responses to handshakes. */
  readonly messageId?: string;
  /** Challenge, for Slack. */
  readonly challenge?: string;
  /** Token, for Zoom. */
  readonly plainToken?: string;
  /** HMAC of the token, for Zoom. */
  readonly encryptedToken?: string;
  /** Response type, for Discord. */
  readonly type?: number;
};

export type InboundRefusal = {
  /** Prefix `irf_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Webhook that refused it. */
  readonly webhookId: string;
  /** Why it did not become a message. */
  readonly reason: 'secret_missing' | 'signature_missing' | 'signature_malformed' | 'signature_wrong' | 'timestamp_stale' | 'body_invalid' | 'mapping_failed' | 'payload_refused' | 'webhook_disabled' | 'app_suspended' | 'channel_archived' | 'channel_deleted' | 'crashed';
  /** The reason in words, with the field if one is the cause. */
  readonly detail: string;
  /** IP address of the sender. */
  readonly address: string;
  /** Its `User-Agent`, up to 300 characters; `posthorn-sample` for a sample. */
  readonly userAgent?: string;
  /** Event id. Absent if the signature was not valid. */
  readonly eventId?: string;
  /** Length of its body in bytes. */
  readonly bytes: number;
  /** Whether its body is kept and the request can be accepted. Only if its signature was valid. */
  readonly hasBody: boolean;
  /** Message that was published when the request was accepted. */
  readonly messageId?: string;
  /** When it was refused. */
  readonly refusedAt: string;
};

export type InboundRequest = {
  /** Prefix `irc_` or `irf_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Webhook that received it. */
  readonly webhookId: string;
  /** `received`: it became a message. `repeated`: an earlier request had the same event id. */
  readonly outcome: 'received' | 'repeated' | 'refused';
  /** Whether it is a sample signed by this service. */
  readonly isSample: boolean;
  /** Event id. Absent if the signature was not valid or the service has no event ids. */
  readonly eventId?: string;
  /** Message published for the event by this request or an earlier one; for a refused request, when it was accepted. */
  readonly messageId?: string;
  /** Event type of the message. Absent while the message waits for a paused channel, and once it is removed. */
  readonly eventType?: string;
  /** Why it was refused. */
  readonly reason?: 'secret_missing' | 'signature_missing' | 'signature_malformed' | 'signature_wrong' | 'timestamp_stale' | 'body_invalid' | 'mapping_failed' | 'payload_refused' | 'webhook_disabled' | 'app_suspended' | 'channel_archived' | 'channel_deleted' | 'crashed';
  /** The reason in words. */
  readonly detail?: string;
  /** IP address of the sender, if refused. */
  readonly address?: string;
  /** Length of its body in bytes, if refused. */
  readonly bytes?: number;
  /** Whether its body is kept and the request can be accepted. Only if its signature was valid. */
  readonly hasBody?: boolean;
  /** When it was received. */
  readonly receivedAt: string;
};

export type InspectedRequest = {
  /** Prefix `irq_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Inspector that received it. */
  readonly inspectorId: string;
  /** Method of the request. */
  readonly method: string;
  /** Rest of the path after the address of the inspector, and the query. Usually empty. */
  readonly path: string;
  /** Length of the body in bytes. */
  readonly bytes: number;
  /** Standard Webhooks signature. */
  readonly signature: {
    /** `verified`: the signature is valid for the secret of a subscription. `unsigned`: there is no `webhook-signature`. */
    readonly status: 'verified' | 'failed' | 'unsigned';
    /** Why verification failed. */
    readonly reason?: 'header_missing' | 'timestamp_malformed' | 'timestamp_off' | 'message_unknown' | 'secret_unreadable' | 'signature_differs';
    /** Message that `webhook-id` names, if this environment has it. */
    readonly messageId?: string;
    /** Subscription whose secret was used to verify the signature. */
    readonly subscriptionId?: string;
  };
  /** Response that the sender received. */
  readonly answer: {
    /** Status that the sender received. */
    readonly status: number;
    /** Delay of the response in milliseconds. */
    readonly delayMs: number;
  };
  /** When it arrived. */
  readonly arrivedAt: string;
  /** Headers in the order in which they arrived. */
  readonly headers: readonly {
    /** Name as it was sent. */
    readonly name: string;
    /** Value. Credentials are not kept. */
    readonly value: string;
  }[];
  /** Body as it arrived, up to 256 KiB. */
  readonly body: string;
  /** Encoding of `body`: base64 if the bytes are not UTF-8. */
  readonly encoding: 'text' | 'base64';
  /** Whether `body` was cut off. */
  readonly isCut: boolean;
};

export type InspectedRow = {
  /** Prefix `irq_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Inspector that received it. */
  readonly inspectorId: string;
  /** Method of the request. */
  readonly method: string;
  /** Rest of the path after the address of the inspector, and the query. Usually empty. */
  readonly path: string;
  /** Length of the body in bytes. */
  readonly bytes: number;
  /** Standard Webhooks signature. */
  readonly signature: {
    /** `verified`: the signature is valid for the secret of a subscription. `unsigned`: there is no `webhook-signature`. */
    readonly status: 'verified' | 'failed' | 'unsigned';
    /** Why verification failed. */
    readonly reason?: 'header_missing' | 'timestamp_malformed' | 'timestamp_off' | 'message_unknown' | 'secret_unreadable' | 'signature_differs';
    /** Message that `webhook-id` names, if this environment has it. */
    readonly messageId?: string;
    /** Subscription whose secret was used to verify the signature. */
    readonly subscriptionId?: string;
  };
  /** Response that the sender received. */
  readonly answer: {
    /** Status that the sender received. */
    readonly status: number;
    /** Delay of the response in milliseconds. */
    readonly delayMs: number;
  };
  /** When it arrived. */
  readonly arrivedAt: string;
};

export type Inspector = {
  /** Prefix `ins_` and 26 characters (128 random bits). */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** Address that records requests. Anyone who knows it can send there. */
  readonly url: string;
  /** Response that senders receive. */
  readonly answer: {
    /** Status of each response. */
    readonly status: number;
    /** Delay before each response, in milliseconds. */
    readonly delayMs: number;
    /** Percentage of responses that are 500 instead. */
    readonly failurePercent: number;
  };
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
};

export type Invitation = {
  /** Prefix `inv_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Email address of the only person who can accept it. */
  readonly email: string;
  /** Role that the new member will have. */
  readonly role: 'viewer' | 'developer' | 'admin' | 'owner';
  /** Id of the user who created it, or `command line`. */
  readonly invitedBy: string;
  /** When it was created. */
  readonly createdAt: string;
  /** When it expires: 72 hours after it was created. */
  readonly expiresAt: string;
};

export type InvitationPreview = {
  /** Organisation of the invitation. */
  readonly organisation: {
    /** Prefix `org_` and 26 characters that sort by creation time. */
    readonly id: string;
    /** Display name. */
    readonly name: string;
  };
  /** Email address of the only person who can accept it. */
  readonly email: string;
  /** Role that the new member will have. */
  readonly role: 'viewer' | 'developer' | 'admin' | 'owner';
  /** When it expires. */
  readonly expiresAt: string;
  /** Whether the invited person already has an account, whose password is then required. */
  readonly hasAccount: boolean;
};

export type JsonWebKeySet = {
  /** Keys of tokens that may still be valid, and the key that will sign next. */
  readonly keys: readonly {
    /** Key type. */
    readonly kty: 'OKP';
    /** Curve. */
    readonly crv: 'Ed25519';
    /** Public key, in base64url. */
    readonly x: string;
    /** Key id (RFC 7638 thumbprint), as in the header of tokens. */
    readonly kid: string;
    /** Signature algorithm. */
    readonly alg: 'EdDSA';
    /** Key use: signatures. */
    readonly use: 'sig';
  }[];
};

export type Limits = {
  /** Requests per 60 seconds. */
  readonly requestsPerMinute: number;
  /** Requests per second. */
  readonly burst: number;
  /** Requests in flight. */
  readonly concurrent: number;
  /** Batch requests per 60 seconds. Transactional requests have a separate limit of the same size. */
  readonly batchPerMinute: number;
};

export type ListApiKeys = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only keys with this status. */
  readonly status?: 'active' | 'expired' | 'revoked' | undefined;
};

export type ListApprovals = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only approvals with this status. */
  readonly status?: 'open' | 'approved' | 'rejected' | 'expired' | 'cancelled' | undefined;
  /** Only approvals of this run. */
  readonly runId?: string | undefined;
  /** Only approvals of this workflow. */
  readonly workflowId?: string | undefined;
};

export type ListApps = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only apps with this status. */
  readonly status?: 'active' | 'suspended' | undefined;
};

export type ListAudit = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only entries with this action. */
  readonly action?: 'channel.created' | 'channel.updated' | 'channel.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'subscription.secret_viewed' | 'subscription.secret_rotated' | 'workflow.created' | 'workflow.updated' | 'workflow.activated' | 'workflow.paused' | 'workflow.deleted' | 'workflow.runs_cancelled' | 'run.started' | 'run.cancelled' | 'run.retried' | 'approval.approved' | 'approval.rejected' | 'connection.created' | 'connection.updated' | 'connection.deleted' | 'connection.tested' | 'connection.authorization_started' | 'connection.authorized' | 'secret.created' | 'secret.updated' | 'secret.deleted' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.secrets_viewed' | 'webhook.secret_rotated' | 'webhook.sample_sent' | 'webhook.request_accepted' | 'inspector.created' | 'inspector.updated' | 'inspector.deleted' | 'inspector.requests_cleared' | 'marker.created' | 'marker.deleted' | 'message.erased' | 'message.cancelled' | 'message.replayed' | 'message.exported' | 'delivery.exported' | 'dead_letter.exported' | 'run.exported' | 'audit.exported' | 'delivery.retried' | 'delivery.cancelled' | 'dead_letter.replayed' | 'dead_letter.discarded' | 'dead_letter.bulk_discarded' | 'replay.started' | 'replay.cancelled' | 'setup.finished' | 'user.created' | 'user.renamed' | 'user.password_changed' | 'user.password_reset' | 'user.reset_link_created' | 'identity.linked' | 'identity.forgotten' | 'user.factor_added' | 'user.factor_renamed' | 'user.factor_removed' | 'user.factors_removed' | 'user.recovery_codes_generated' | 'user.recovery_code_used' | 'member.role_changed' | 'member.removed' | 'invitation.created' | 'invitation.revoked' | 'invitation.accepted' | 'session.started' | 'session.revoked' | 'session.others_revoked' | 'session.signed_out' | 'organisation.created' | 'organisation.updated' | 'app.created' | 'app.updated' | 'machine_credential.created' | 'machine_credential.updated' | 'machine_credential.rotated' | 'machine_credential.revoked' | 'token.issued' | 'api_key.created' | 'api_key.updated' | 'api_key.rotated' | 'api_key.revoked' | undefined;
  /** Only entries by this principal. */
  readonly actorId?: string | undefined;
  /** Only entries about this resource. */
  readonly targetId?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** `false` omits the changed fields of each entry, which keeps pages small. */
  readonly changes?: 'true' | 'false' | undefined;
};

export type ListBulkReplays = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only those with this status. */
  readonly status?: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed' | undefined;
};

export type ListBulkRetries = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only those with this status. */
  readonly status?: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed' | undefined;
};

export type ListChannels = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only channels with this status. */
  readonly status?: 'active' | 'paused' | 'archived' | undefined;
  /** Up to 100 ids, separated by commas. */
  readonly ids?: readonly string[] | undefined;
  /** Part of the name, case-insensitive. */
  readonly name?: string | undefined;
  /** `false` omits large fields, which keeps pages small: `trigger` and `steps` of workflows, schemas of channels. */
  readonly definitions?: 'true' | 'false' | undefined;
};

export type ListConnections = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only connections of this connector. */
  readonly connectorId?: string | undefined;
  /** Only connections with this status. */
  readonly status?: 'ready' | 'unauthorized' | undefined;
};

export type ListConnectors = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only connectors of this category. */
  readonly category?: 'messaging' | 'email' | 'development' | 'project_management' | 'data' | 'sales' | 'commerce' | 'support' | 'incidents' | 'ai' | 'general' | undefined;
  /** Only connectors with this text in their name or description. */
  readonly search?: string | undefined;
};

export type ListDeadLetters = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only those of this channel. */
  readonly channelId?: string | undefined;
  /** Only those of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only those of this message. */
  readonly messageId?: string | undefined;
  /** Only those of this workflow. */
  readonly workflowId?: string | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only those of this kind. */
  readonly kind?: 'delivery' | 'run' | undefined;
  /** Only those with this reason. */
  readonly reason?: 'exhausted' | 'gone' | 'cancelled' | 'circuit' | 'internal' | 'failed_step' | undefined;
  /** Only those whose last failure has this class. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
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
  /** Only those of this channel. */
  readonly channelId?: string | undefined;
  /** Only those of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only those of this message. */
  readonly messageId?: string | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only those with one of these statuses. */
  readonly status?: 'pending' | 'delivered' | 'failed' | 'retrying' | readonly ('pending' | 'delivered' | 'failed' | 'retrying')[] | undefined;
  /** Only those whose last failure has this class. */
  readonly errorClass?: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal' | undefined;
  /** Only those whose last response has this HTTP status, or one of a range such as `500-503` or a class such as `5xx`. */
  readonly errorStatus?: string | undefined;
  /** Only those whose last response took at least this many milliseconds, from 1,000. */
  readonly minLatencyMs?: number | undefined;
  /** `true`: only those that are on hold. `false`: only the others. */
  readonly held?: 'true' | 'false' | undefined;
  /** Only those that this replay or bulk retry was the last to make due. */
  readonly replayId?: string | undefined;
  /** `false` omits the bodies of the last responses, which keeps pages small: `response.body` is empty. */
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
  /** Only requests with this outcome. */
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
  /** Only inspectors with this text in their name, ignoring case. */
  readonly name?: string | undefined;
};

export type ListMachineCredentials = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only credentials with this status. */
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
  /** Only these members: up to 100 user ids, separated by commas. */
  readonly userIds?: readonly string[] | undefined;
};

export type ListMessageReplays = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only those of this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only those with this status. */
  readonly status?: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed' | undefined;
};

export type ListMessages = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** `newest`: newest first. `committed`: oldest first, in the order in which messages became visible. Every page has a cursor, and a client that continues from it misses nothing; `until` is rejected. Default: "newest". */
  readonly order?: 'newest' | 'committed' | undefined;
};

export type ListRefusals = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only requests refused for this reason. */
  readonly reason?: 'secret_missing' | 'signature_missing' | 'signature_malformed' | 'signature_wrong' | 'timestamp_stale' | 'body_invalid' | 'mapping_failed' | 'payload_refused' | 'webhook_disabled' | 'app_suspended' | 'channel_archived' | 'channel_deleted' | 'crashed' | undefined;
};

export type ListRequests = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only requests with this signature status. */
  readonly signatureStatus?: 'verified' | 'failed' | 'unsigned' | undefined;
};

export type ListRuns = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only runs with one of these statuses. */
  readonly status?: 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped' | readonly ('pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped')[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** `false` leaves out the outputs of runs to keep the response small. */
  readonly outputs?: 'true' | 'false' | undefined;
  /** Only runs of this workflow. */
  readonly workflowId?: string | undefined;
  /** Only runs started by this message. */
  readonly messageId?: string | undefined;
};

export type ListRunsOfWorkflow = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only runs with one of these statuses. */
  readonly status?: 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped' | readonly ('pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped')[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** `false` leaves out the outputs of runs to keep the response small. */
  readonly outputs?: 'true' | 'false' | undefined;
};

export type ListScheduled = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only messages with this status. Default: "scheduled". */
  readonly status?: 'scheduled' | 'cancelled' | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** `false` omits payload and metadata of each message, which keeps pages small. */
  readonly payloads?: 'true' | 'false' | undefined;
};

export type ListSecrets = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only secrets with this text in their name, ignoring case. */
  readonly name?: string | undefined;
};

export type ListSubscriptions = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** Only subscriptions of this channel. */
  readonly channelId?: string | undefined;
  /** Only subscriptions with this `owner`. */
  readonly owner?: string | undefined;
  /** Only subscriptions with this status. */
  readonly status?: 'active' | 'paused' | 'disabled' | undefined;
  /** `true`: only subscriptions that need attention, because they are disabled, their receiver is failing (`failingSince` of their statistics), their circuit is not closed, or their secrets cannot be decrypted. `false`: only the others. */
  readonly failing?: 'true' | 'false' | undefined;
  /** Up to 100 ids, separated by commas. */
  readonly ids?: readonly string[] | undefined;
  /** Part of the name or of the host of the URL, case-insensitive. */
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
  /** Only webhooks of this channel. */
  readonly channelId?: string | undefined;
  /** Only webhooks with this status. */
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
  /** Only workflows with this status. */
  readonly status?: 'active' | 'paused' | 'draft' | undefined;
  /** Up to 100 ids, separated by commas. */
  readonly ids?: readonly string[] | undefined;
  /** Part of the name, case-insensitive. */
  readonly name?: string | undefined;
  /** Only workflows whose current steps use this connection. Looks through 500 definitions per page. */
  readonly connectionId?: string | undefined;
  /** `false` leaves out large parts to keep the response small: trigger and steps of workflows (`triggerType` and `stepCount` are returned instead), schemas of channels. */
  readonly definitions?: 'true' | 'false' | undefined;
};

export type MachineCredential = {
  /** Used as `client_id` in token requests. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** App it belongs to. */
  readonly appId: string;
  /** Environment it belongs to; it cannot access any other. */
  readonly environment: 'live' | 'test';
  /** Tier. Its limits apply where the credential has none of its own. */
  readonly tier: 'free' | 'starter' | 'pro' | 'enterprise';
  /** Effective limits: the credential's own or those of its tier. */
  readonly limits: Limits;
  /** Scopes that its access tokens can have. */
  readonly scopes: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[];
  /** Only an active credential can obtain tokens, and only its tokens are valid. */
  readonly status: 'active' | 'expired' | 'revoked';
  /** Valid secrets, newest first: the current one, and up to three older ones while rotations overlap. */
  readonly secrets: readonly {
    /** Last 4 characters of the secret. */
    readonly last4: string;
    /** When the secret was created. */
    readonly createdAt: string;
    /** When the secret expires, because a newer one was created. Absent for the newest secret. */
    readonly expiresAt?: string;
    /** When the secret was last used to obtain a token. Absent if never. */
    readonly lastUsedAt?: string;
  }[];
  /** When it was created. */
  readonly createdAt: string;
  /** When it expires. Absent if never. */
  readonly expiresAt?: string;
  /** When it last obtained a token. Absent if never. */
  readonly lastUsedAt?: string;
  /** IP address from which it obtained that token. */
  readonly lastUsedAddress?: string;
};

export type Marker = {
  /** Prefix `mrk_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** What happened. */
  readonly name: string;
  /** When it happened. */
  readonly at: string;
  /** Id of the API key, machine credential or person that created it. */
  readonly madeBy: string;
  /** When it was created. */
  readonly createdAt: string;
};

export type Member = {
  /** Prefix `usr_` and 26 characters that sort by creation time. */
  readonly userId: string;
  /** Email address that the user signs in with. */
  readonly email: string;
  /** Display name. */
  readonly name: string;
  /** Determines what the member may do. */
  readonly role: 'viewer' | 'developer' | 'admin' | 'owner';
  /** When the user became a member. */
  readonly createdAt: string;
};

export type Message = {
  /** Prefix `msg_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Channel it was published to. */
  readonly channelId: string;
  /** Event type, as published. */
  readonly eventType: string;
  /** Payload, digit for digit as published. Absent if it has been erased, and in a list with `payloads=false`. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Metadata, as published. Absent if none was given, if it has been erased, and in a list with `payloads=false`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** When it was or will be published. */
  readonly publishedAt: string;
  /** Same as publishedAt, for a message that is scheduled or was cancelled. */
  readonly deliverAt?: string;
  /** When it was cancelled. Absent if it was not. */
  readonly cancelledAt?: string;
  /** Why it was cancelled. */
  readonly cancelReason?: 'requested' | 'erased' | 'channel_deleted';
  /** When payload and metadata were erased. Absent if they have not been. */
  readonly erasedAt?: string;
  /** Combined status of its deliveries: `pending` while any is unfinished. Before it is published: `scheduled` or `cancelled`. */
  readonly deliveryStatus: 'pending' | 'delivered' | 'failed' | 'unrouted' | 'scheduled' | 'cancelled';
};

export type MessageReplay = {
  /** Prefix `rpm_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Subscription that receives the messages again. */
  readonly subscriptionId: string;
  /** Status of the replay. */
  readonly status: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed';
  /** Start of the time range (publication time, inclusive). */
  readonly since: string;
  /** End of the time range (publication time, exclusive). */
  readonly until: string;
  /** Event types that narrow those of the subscription. An empty list means all. */
  readonly eventTypes: readonly string[];
  /** Whether messages that already have a delivery are skipped, even a failed one. */
  readonly onlyMissing: boolean;
  /** Maximum deliveries per second that become due. */
  readonly ratePerSecond: number;
  /** Matching messages found so far. */
  readonly matched: number;
  /** Messages replayed so far. */
  readonly replayed: number;
  /** Current status of what was replayed. A delivery or run that a later replay has made due counts there instead. */
  readonly outcome: {
    /** Delivered deliveries and completed runs. */
    readonly succeeded: number;
    /** Deliveries and runs that are not finished. */
    readonly underWay: number;
    /** Deliveries and runs that failed again, and cancelled runs. */
    readonly failed: number;
    /** Whether the numbers are exact. Each counts up to 10,000, or 1,000 in a list. */
    readonly isExact: boolean;
  };
  /** Publication time of the last message examined. Absent before the first one. */
  readonly upTo?: string;
  /** Who requested it: an API key, a machine credential or a user. */
  readonly requestedBy: string;
  /** When it was requested. */
  readonly createdAt: string;
  /** When it finished. Absent until then. */
  readonly finishedAt?: string;
};

export type MessageReplayOrPreview = MessageReplay | {
  /** Always `preview`: nothing was changed. */
  readonly status: 'preview';
  /** Messages that a replay would deliver now. */
  readonly matched: number;
  /** Whether `matched` is exact. Counting stops after 100,000 messages, or 2,000 if the subscription has a filter. */
  readonly isExact: boolean;
  /** Always 0. */
  readonly replayed: 0;
  /** Up to five of the oldest. */
  readonly oldest: readonly {
    /** Prefix `msg_` and 26 characters that sort by creation time. */
    readonly id: string;
    /** Event type of the message. */
    readonly eventType: string;
    /** When it was published. */
    readonly publishedAt: string;
  }[];
};

export type MessageRouting = {
  /** Subscriptions of the channel, newest first, up to 100. */
  readonly subscriptions: readonly {
    /** Prefix `sub_` and 26 characters that sort by creation time. */
    readonly subscriptionId: string;
    /** Name of the subscription. */
    readonly name: string;
    /** Whether a delivery would be created. */
    readonly wouldReceive: boolean;
    /** Why the subscription would or would not receive the message. `no_filter` and `filter_matches`: it would. `event_type`: its event types do not match. `filter_does_not_match`: its filter does not match. `filter_failed`: its filter could not be evaluated. */
    readonly reason: 'no_filter' | 'filter_matches' | 'event_type' | 'filter_does_not_match' | 'filter_failed';
    /** Explanation of the reason. */
    readonly detail?: string;
    /** What the delivery would wait for: `paused` and `disabled` for a resume, `circuit` for the next probe, `app_suspended` for the app. */
    readonly heldBy?: 'app_suspended' | 'paused' | 'disabled' | 'circuit';
    /** Delivery of the message to this subscription. Absent if there is none. */
    readonly deliveryId?: string;
  }[];
  /** Whether the channel has further subscriptions. */
  readonly isMore: boolean;
};

export type MessageSummary = {
  /** Prefix `msg_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Channel it was published to. */
  readonly channelId: string;
  /** Event type, as published. */
  readonly eventType: string;
  /** When it was published. */
  readonly publishedAt: string;
  /** When payload and metadata were erased. Absent if they have not been. */
  readonly erasedAt?: string;
  /** Size of its payload in UTF-8 bytes. Absent if it has been erased. */
  readonly payloadBytes?: number;
  /** Combined status of its deliveries: `pending` while any is unfinished. */
  readonly deliveryStatus: 'pending' | 'delivered' | 'failed' | 'unrouted';
  /** Number of deliveries by status. The remaining ones are unfinished, or ended because their subscription was deleted. */
  readonly deliveries: {
    /** All deliveries. */
    readonly total: number;
    /** Successful deliveries. */
    readonly delivered: number;
    /** Deliveries that failed permanently. */
    readonly failed: number;
  };
};

export type NewApiKey = {
  /** Prefix `key_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** App it belongs to. */
  readonly appId: string;
  /** Environment it belongs to; it cannot access any other. */
  readonly environment: 'live' | 'test';
  /** Tier. Its limits apply where the key has none of its own. */
  readonly tier: 'free' | 'starter' | 'pro' | 'enterprise';
  /** Effective limits: the credential's own or those of its tier. */
  readonly limits: Limits;
  /** Scopes. */
  readonly scopes: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[];
  /** First 12 characters of the key, to recognise it by. */
  readonly prefix: string;
  /** Last 4 characters of the key. */
  readonly last4: string;
  /** Only an active key is accepted. */
  readonly status: 'active' | 'expired' | 'revoked';
  /** When it was created. */
  readonly createdAt: string;
  /** When it expires. Absent if never. */
  readonly expiresAt?: string;
  /** When it was last used, to the minute. Absent if never. */
  readonly lastUsedAt?: string;
  /** IP address of the first request in that minute. Behind proxies, TRUSTED_PROXY_HOPS decides which address of `X-Forwarded-For` this is. */
  readonly lastUsedAddress?: string;
  /** Until when the key from before the last rotation is accepted too. Absent if only the current key is accepted. */
  readonly previousKeyExpiresAt?: string;
  /** The API key. It is never shown again. */
  readonly key: string;
};

export type NewInvitation = {
  /** Prefix `inv_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Email address of the only person who can accept it. */
  readonly email: string;
  /** Role that the new member will have. */
  readonly role: 'viewer' | 'developer' | 'admin' | 'owner';
  /** Id of the user who created it, or `command line`. */
  readonly invitedBy: string;
  /** When it was created. */
  readonly createdAt: string;
  /** When it expires: 72 hours after it was created. */
  readonly expiresAt: string;
  /** Link for the recipient, shown only once. Its code comes after `#code=`. */
  readonly link: string;
  /** Whether the link was emailed to the recipient. If not, pass it on yourself. */
  readonly isMailed: boolean;
};

export type NewMachineCredential = {
  /** Used as `client_id` in token requests. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** App it belongs to. */
  readonly appId: string;
  /** Environment it belongs to; it cannot access any other. */
  readonly environment: 'live' | 'test';
  /** Tier. Its limits apply where the credential has none of its own. */
  readonly tier: 'free' | 'starter' | 'pro' | 'enterprise';
  /** Effective limits: the credential's own or those of its tier. */
  readonly limits: Limits;
  /** Scopes that its access tokens can have. */
  readonly scopes: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[];
  /** Only an active credential can obtain tokens, and only its tokens are valid. */
  readonly status: 'active' | 'expired' | 'revoked';
  /** Valid secrets, newest first: the current one, and up to three older ones while rotations overlap. */
  readonly secrets: readonly {
    /** Last 4 characters of the secret. */
    readonly last4: string;
    /** When the secret was created. */
    readonly createdAt: string;
    /** When the secret expires, because a newer one was created. Absent for the newest secret. */
    readonly expiresAt?: string;
    /** When the secret was last used to obtain a token. Absent if never. */
    readonly lastUsedAt?: string;
  }[];
  /** When it was created. */
  readonly createdAt: string;
  /** When it expires. Absent if never. */
  readonly expiresAt?: string;
  /** When it last obtained a token. Absent if never. */
  readonly lastUsedAt?: string;
  /** IP address from which it obtained that token. */
  readonly lastUsedAddress?: string;
  /** Client secret, used to sign token requests. It is never shown again. */
  readonly clientSecret: string;
};

export type NewRecoveryCodes = {
  /** Ten recovery codes, each valid for one sign-in. Shown only once. */
  readonly recoveryCodes: readonly string[];
};

export type Organisation = {
  /** Prefix `org_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Display name. Several organisations can have the same name. */
  readonly name: string;
  /** When the organisation was created. */
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
  /** Display name, chosen by the user. */
  readonly name: string;
  /** When it was added. */
  readonly createdAt: string;
  /** When it was last used to authenticate. Absent if never. */
  readonly lastUsedAt?: string;
  /** Whether the passkey is backed up, for example synchronised to other devices, as reported at its last use. */
  readonly isBackedUp: boolean;
};

export type PasskeyAdded = {
  /** Prefix `pky_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Display name, chosen by the user. */
  readonly name: string;
  /** When it was added. */
  readonly createdAt: string;
  /** When it was last used to authenticate. Absent if never. */
  readonly lastUsedAt?: string;
  /** Whether the passkey is backed up, for example synchronised to other devices, as reported at its last use. */
  readonly isBackedUp: boolean;
  /** Ten recovery codes, if this is the first second factor. Shown only once. */
  readonly recoveryCodes?: readonly string[];
};

export type PasskeyBody = {
  /** Credential from the browser, as its `toJSON()` returns it. */
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
  /** 256 random bits in base64url, valid once, for 5 minutes. */
  readonly challenge: string;
  /** The relying party: this service. */
  readonly rp: {
    /** Host the passkey is bound to. */
    readonly id: string;
    /** Display name. */
    readonly name: string;
  };
  /** The user. */
  readonly user: {
    /** User handle: the id of the user, in base64url. */
    readonly id: string;
    /** Email address that the user signs in with. */
    readonly name: string;
    /** Display name. */
    readonly displayName: string;
  };
  /** Accepted algorithms, in order of preference. */
  readonly pubKeyCredParams: readonly {
    /** COSE algorithm identifier. */
    readonly alg: number;
    /** Credential type. */
    readonly type: 'public-key';
  }[];
  /** Milliseconds for which the browser should wait for the user. */
  readonly timeout: number;
  /** No attestation of the authenticator is requested. */
  readonly attestation: 'none';
  /** Passkeys that the user already has. */
  readonly excludeCredentials: readonly {
    /** Id of the credential, in base64url. */
    readonly id: string;
    /** Credential type. */
    readonly type: 'public-key';
    /** How to reach the authenticator, as it reported when the passkey was created. */
    readonly transports?: readonly string[];
  }[];
  /** Requirements for the authenticator. */
  readonly authenticatorSelection: {
    /** The passkey must be discoverable without its id. */
    readonly residentKey: 'required';
    /** Same as `residentKey`, for older browsers. */
    readonly requireResidentKey: true;
    /** The authenticator must verify the user, for example by PIN or fingerprint. */
    readonly userVerification: 'required';
  };
};

export type PasskeyRequest = {
  /** 256 random bits in base64url, valid once, for 5 minutes. */
  readonly challenge: string;
  /** Host the passkey is bound to. */
  readonly rpId: string;
  /** Milliseconds for which the browser should wait for the user. */
  readonly timeout: number;
  /** The authenticator must verify the user, for example by PIN or fingerprint. */
  readonly userVerification: 'required';
  /** Passkeys of the user. Empty if the user is not known yet. */
  readonly allowCredentials: readonly {
    /** Id of the credential, in base64url. */
    readonly id: string;
    /** Credential type. */
    readonly type: 'public-key';
    /** How to reach the authenticator, as it reported when the passkey was created. */
    readonly transports?: readonly string[];
  }[];
};

export type PayloadValidation = {
  /** Whether all payloads satisfy the schemas. */
  readonly valid: boolean;
  /** Result for each payload, in the order of the request. */
  readonly results: readonly {
    /** Whether the payload satisfies the schemas. */
    readonly valid: boolean;
    /** First problem of each schema. Field names begin with `payload`. */
    readonly errors: readonly FieldProblem[];
  }[];
};

export type PreviewInvitation = {
  /** Code of the link (the part after `#code=`). */
  readonly code: string;
};

export type PublishAcross = {
  /** Messages, in order. */
  readonly messages: readonly {
    /** Your own id for the message: up to 128 visible ASCII characters. For 24 hours, publishing again with the same id, content and time returns the first message; other content is CONFLICT. The id of a cancelled message can be reused. */
    readonly id?: string | undefined;
    /** What happened, such as `order.created`: 1 to 128 characters, without `*`, commas, or white space at either end. */
    readonly eventType: string;
    /** Any JSON object, up to 256 KiB, 32 levels and 10,000 members (100,000 in all payloads of a request). Delivered digit for digit. */
    readonly payload: object;
    /** Strings that accompany the message: up to 50 entries and 16 KiB. */
    readonly metadata?: Readonly<Record<string, string>> | undefined;
    /** When to publish the message: up to 365 days ahead. Up to five minutes ago means now; an older time is INVALID_REQUEST. Cannot be combined with `delay`. */
    readonly deliverAt?: string | Date | undefined;
    /** Milliseconds from now until the message is published. Cannot be combined with `deliverAt`. */
    readonly delay?: number | undefined;
    /** Channel to publish to. */
    readonly channelId: string;
  }[];
};

export type PublishBatch = {
  /** Messages, in order. */
  readonly messages: readonly PublishMessage[];
};

export type PublishMessage = {
  /** Your own id for the message: up to 128 visible ASCII characters. For 24 hours, publishing again with the same id, content and time returns the first message; other content is CONFLICT. The id of a cancelled message can be reused. */
  readonly id?: string | undefined;
  /** What happened, such as `order.created`: 1 to 128 characters, without `*`, commas, or white space at either end. */
  readonly eventType: string;
  /** Any JSON object, up to 256 KiB, 32 levels and 10,000 members (100,000 in all payloads of a request). Delivered digit for digit. */
  readonly payload: object;
  /** Strings that accompany the message: up to 50 entries and 16 KiB. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** When to publish the message: up to 365 days ahead. Up to five minutes ago means now; an older time is INVALID_REQUEST. Cannot be combined with `delay`. */
  readonly deliverAt?: string | Date | undefined;
  /** Milliseconds from now until the message is published. Cannot be combined with `deliverAt`. */
  readonly delay?: number | undefined;
  /** Channel of the path. May be omitted. */
  readonly channelId?: string | undefined;
};

export type PublishedMessage = {
  /** Prefix `msg_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Channel it was published to. */
  readonly channelId: string;
  /** Event type, as published. */
  readonly eventType: string;
  /** Payload, digit for digit as published. Absent if it has been erased, and in a list with `payloads=false`. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Metadata, as published. Absent if none was given, if it has been erased, and in a list with `payloads=false`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** When it was or will be published. */
  readonly publishedAt: string;
  /** Same as publishedAt, for a message that is scheduled or was cancelled. */
  readonly deliverAt?: string;
  /** When it was cancelled. Absent if it was not. */
  readonly cancelledAt?: string;
  /** Why it was cancelled. */
  readonly cancelReason?: 'requested' | 'erased' | 'channel_deleted';
  /** When payload and metadata were erased. Absent if they have not been. */
  readonly erasedAt?: string;
  /** Combined status of its deliveries: `pending` while any is unfinished. Before it is published: `scheduled` or `cancelled`. */
  readonly deliveryStatus: 'pending' | 'delivered' | 'failed' | 'unrouted' | 'scheduled' | 'cancelled';
  /** Schema violations of payloads that were published nevertheless, because the channel only warns. Only in responses to publishes. */
  readonly warnings?: readonly FieldProblem[];
};

export type RenamePasskey = {
  /** Display name. */
  readonly name?: string | undefined;
};

export type RenameUser = {
  /** Display name. */
  readonly name?: string | undefined;
};

export type ReplayMessage = {
  /** Subscription to deliver to, in the channel of the message. */
  readonly subscriptionId: string;
};

export type RequestBody = {
  /** Prefix `irf_` and 26 characters that sort by creation time. */
  readonly requestId: string;
  /** Its `Content-Type`. Absent if it had none. */
  readonly contentType?: string;
  /** Length of the body in bytes. */
  readonly bytes: number;
  /** Body as it was received. */
  readonly body: string;
  /** Encoding of `body`: base64 if the bytes are not UTF-8. */
  readonly encoding: 'text' | 'base64';
};

export type ResetLink = {
  /** Link for the recipient, shown only once. Its code comes after `#code=`. */
  readonly link: string;
  /** Whether the link was emailed to the recipient. If not, pass it on yourself. */
  readonly isMailed: boolean;
  /** When it expires: after 30 minutes. */
  readonly expiresAt: string;
};

export type ResetPassword = {
  /** Code of the link (the part after `#code=`). */
  readonly code: string;
  /** New password, at least 12 characters. */
  readonly password: string;
};

export type RetryRun = {
  /** `failed`: at the steps that failed. `start`: at the first step, as if none had run, with new idempotency keys. An object: at that step, also with new idempotency keys; earlier steps keep their results. Default: "failed". */
  readonly from?: 'failed' | 'start' | {
    /** Step that the run has reached, outside loops and branches. */
    readonly stepId: string;
  } | undefined;
  /** Definition to use: the run's own, or the latest one of the workflow. Default: "original". */
  readonly definition?: 'original' | 'latest' | undefined;
};

export type RevokedSessions = {
  /** Number of sessions that were ended. */
  readonly revoked: number;
};

export type RotateApiKey = {
  /** Seconds for which the previous key remains valid alongside the new one. Default: 0. */
  readonly overlapSeconds?: number | undefined;
};

export type RotateMachineCredential = {
  /** Maximum hours for which older secrets stay valid alongside the new one. Default: 24. */
  readonly overlapHours?: number | undefined;
};

export type RotateSubscriptionSecret = {
  /** Maximum hours for which older secrets stay valid alongside the new one. Default: 24. */
  readonly overlapHours?: number | undefined;
  /** The new secret: `whsec_` and the base64 of 24 to 64 bytes. If omitted, one is created. */
  readonly secret?: string | undefined;
};

export type RotateWebhookSecret = {
  /** New secret. If it is left out and the service lets you choose, one is generated. */
  readonly secret?: string | undefined;
  /** Hours for which older secrets stay valid, at most. Default: 24. */
  readonly overlapHours?: number | undefined;
};

export type Run = {
  /** Prefix `run_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Workflow of the run. */
  readonly workflowId: string;
  /** Version of its definition, which it keeps until it finishes unless it is retried with `latest`. */
  readonly definitionVersion: number;
  /** Status of the run. */
  readonly status: 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped';
  /** What started the run. */
  readonly trigger: {
    /** Type of the trigger; `workflow` if a step of another run started it. */
    readonly type: 'event' | 'webhook' | 'schedule' | 'manual' | 'workflow';
    /** Message that started it. */
    readonly messageId?: string;
    /** Channel of the message. */
    readonly channelId?: string;
    /** Run whose step started it. */
    readonly runId?: string;
    /** Step that started it. Absent once that step has started another run. */
    readonly stepId?: string;
  };
  /** When it was created. */
  readonly createdAt: string;
  /** When its first step could start. Absent until then. */
  readonly startedAt?: string;
  /** When it finished. Absent until then. */
  readonly finishedAt?: string;
  /** Why it failed, or is paused until a person acts. */
  readonly error?: {
    /** Code of the error, such as `HTTP_404` or `TIMEOUT`. */
    readonly code: string;
    /** Error in words. */
    readonly message: string;
    /** Step that failed. */
    readonly stepId?: string;
  };
  /** Why it was cancelled or skipped. */
  readonly reason?: string;
  /** Id of the filter step whose expression was false, so that the run finished as `completed`. */
  readonly filteredBy?: string;
  /** Output of the `end` step that finished it. Absent in lists with `outputs=false`. */
  readonly output?: unknown;
  /** Definition of the run as it was written. The current one of the workflow may be different. */
  readonly definition: {
    /** What starts a run. */
    readonly trigger: Readonly<Record<string, unknown>>;
    /** Steps of a run. */
    readonly steps: readonly unknown[];
  };
  /** Steps that have started, in the order in which they did. */
  readonly steps: readonly {
    /** Id of the step in the definition. */
    readonly id: string;
    /** Indexes, from 0, of the items in the enclosing loops, joined by dots. Empty outside loops. */
    readonly iteration: string;
    /** Type of the step. `item` is a finished item of a foreach. */
    readonly type: 'action' | 'condition' | 'switch' | 'filter' | 'transform' | 'delay' | 'wait_for_event' | 'approval' | 'foreach' | 'parallel' | 'workflow' | 'end' | 'item';
    /** Status of the step. */
    readonly status: 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'skipped' | 'cancelled';
    /** Values resolved before the first attempt; all attempts use them. */
    readonly input?: unknown;
    /** Result of the step. */
    readonly output?: unknown;
    /** Error of the last attempt. */
    readonly error?: {
      /** Code of the error, such as `HTTP_404` or `TIMEOUT`. */
      readonly code: string;
      /** Error in words. */
      readonly message: string;
    };
    /** Number of attempts so far. */
    readonly attempts: number;
    /** Attempts whose worker stopped before the result was recorded. They may have had their effect. */
    readonly crashes?: number;
    /** When it started. */
    readonly startedAt: string;
    /** When it finished. Absent until then. */
    readonly finishedAt?: string;
  }[];
};

export type RunStats = {
  /** Start of the first step. */
  readonly since: string;
  /** End of the last step. */
  readonly until: string;
  /** Length of a step in seconds. Depends on the span. */
  readonly stepSeconds: number;
  /** Totals of the whole span. */
  readonly totals: {
    /** Runs whose first step could start. A retry from the start counts again. */
    readonly started: number;
    /** Runs that completed, including those ended by a filter. Each run counts once. */
    readonly completed: number;
    /** Failures of runs. A run that fails again after a retry counts again. */
    readonly failed: number;
    /** Runs that were cancelled. */
    readonly cancelled: number;
    /** Runs that were skipped because of their trigger's settings. */
    readonly skipped: number;
  };
  /** Numbers for each step, oldest first, including steps without runs. */
  readonly points: readonly {
    /** Start of the step. */
    readonly at: string;
    /** Runs whose first step could start. A retry from the start counts again. */
    readonly started: number;
    /** Runs that completed, including those ended by a filter. Each run counts once. */
    readonly completed: number;
    /** Failures of runs. A run that fails again after a retry counts again. */
    readonly failed: number;
    /** Runs that were cancelled. */
    readonly cancelled: number;
    /** Runs that were skipped because of their trigger's settings. */
    readonly skipped: number;
  }[];
  /** Runs that are unfinished now. Runs of one workflow are counted among the newest 5,000 of each status. */
  readonly unfinished: {
    /** Number counted, up to 1,000. */
    readonly count: number;
    /** Whether there may be more. */
    readonly isMore: boolean;
  };
};

export type RunStatsQuery = {
  /** Only this workflow. */
  readonly workflowId?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type RunSummary = {
  /** Prefix `run_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Workflow of the run. */
  readonly workflowId: string;
  /** Version of its definition, which it keeps until it finishes unless it is retried with `latest`. */
  readonly definitionVersion: number;
  /** Status of the run. */
  readonly status: 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped';
  /** What started the run. */
  readonly trigger: {
    /** Type of the trigger; `workflow` if a step of another run started it. */
    readonly type: 'event' | 'webhook' | 'schedule' | 'manual' | 'workflow';
    /** Message that started it. */
    readonly messageId?: string;
    /** Channel of the message. */
    readonly channelId?: string;
    /** Run whose step started it. */
    readonly runId?: string;
    /** Step that started it. Absent once that step has started another run. */
    readonly stepId?: string;
  };
  /** When it was created. */
  readonly createdAt: string;
  /** When its first step could start. Absent until then. */
  readonly startedAt?: string;
  /** When it finished. Absent until then. */
  readonly finishedAt?: string;
  /** Why it failed, or is paused until a person acts. */
  readonly error?: {
    /** Code of the error, such as `HTTP_404` or `TIMEOUT`. */
    readonly code: string;
    /** Error in words. */
    readonly message: string;
    /** Step that failed. */
    readonly stepId?: string;
  };
  /** Why it was cancelled or skipped. */
  readonly reason?: string;
  /** Id of the filter step whose expression was false, so that the run finished as `completed`. */
  readonly filteredBy?: string;
  /** Output of the `end` step that finished it. Absent in lists with `outputs=false`. */
  readonly output?: unknown;
};

export type Schedule = {
  /** When the next run starts, before jitter. Absent if the workflow is not active, its schedule has ended, or there is a `problem`. */
  readonly nextRunAt?: string;
  /** Last time that started a run. Absent before the first run. */
  readonly lastRunAt?: string;
  /** Why Temporal does not have the latest version of the schedule: it refused it, or could not be reached yet. */
  readonly problem?: string;
};

export type Search = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** Only messages of this channel. */
  readonly channelId?: string | undefined;
  /** `true` includes messages of the channel `posthorn.system`. By default, they are listed only if `channelId` names that channel. */
  readonly includeSystem?: 'true' | 'false' | undefined;
  /** Only messages whose deliveries have one of these combined statuses. */
  readonly deliveryStatus?: 'pending' | 'delivered' | 'failed' | 'unrouted' | readonly ('pending' | 'delivered' | 'failed' | 'unrouted')[] | undefined;
  /** An id, your own id of a message, an event type, part of a name, `payload.<path>=<value>`, or a value of at least 3 characters anywhere in a payload. If not set, the newest messages. */
  readonly q?: string | undefined;
  /** With `false`, a value without a path is not searched for in payloads, which is faster if you only need names. */
  readonly payloads?: 'true' | 'false' | undefined;
};

export type SearchMessages = {
  /** `pagination.cursor` of the previous page, with the same filters. If empty, returns the first page. */
  readonly cursor?: string | undefined;
  /** Items per page. */
  readonly limit?: number | undefined;
  /** One event type, `order.*` for all that start with `order.`, or `*`. */
  readonly eventType?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
  /** Only messages of this channel. */
  readonly channelId?: string | undefined;
  /** `true` includes messages of the channel `posthorn.system`. By default, they are listed only if `channelId` names that channel. */
  readonly includeSystem?: 'true' | 'false' | undefined;
  /** Only the message published with this `id` within the last 24 hours. */
  readonly publisherId?: string | undefined;
  /** Only messages whose deliveries have one of these combined statuses. */
  readonly deliveryStatus?: 'pending' | 'delivered' | 'failed' | 'unrouted' | readonly ('pending' | 'delivered' | 'failed' | 'unrouted')[] | undefined;
};

export type SearchPage = {
  /** Number of messages searched. */
  readonly messages: number;
  /** Bytes of payload searched. 0 if the search did not need payloads. */
  readonly bytes: number;
  /** Publication time of the newest of them. Absent if there was none. */
  readonly newestAt?: string;
  /** Publication time of the oldest of them. Absent if there was none. */
  readonly oldestAt?: string;
  /** Whether nothing is left to search. */
  readonly isComplete: boolean;
  /** Duration of the search in milliseconds. */
  readonly milliseconds: number;
};

export type SearchResults = {
  /** Resources found: by id, then by name, then messages, newest first. */
  readonly data: readonly {
    /** Kind of the resource. */
    readonly kind: 'message' | 'delivery' | 'attempt' | 'deadLetter' | 'bulkReplay' | 'bulkRetry' | 'messageReplay' | 'subscription' | 'channel' | 'workflow' | 'run' | 'approval' | 'connection' | 'webhook';
    /** Id of the resource. */
    readonly id: string;
    /** Summary in one line. */
    readonly summary: string;
    /** Status of the resource. Absent if its kind has none. */
    readonly status?: string;
    /** When it was created or published. */
    readonly at: string;
    /** Part of the resource that `q` matched: `everything` without `q`. */
    readonly matched: 'id' | 'publisherId' | 'eventType' | 'name' | 'payload' | 'everything';
    /** Delivery of an attempt. Absent for other kinds. */
    readonly deliveryId?: string;
  }[];
  /** Messages that were read for this page. */
  readonly lookedThrough: SearchPage;
  /** How to continue the search. */
  readonly pagination: {
    /** Continues after the messages that were looked through. Absent if none are left. */
    readonly cursor?: string;
    /** Whether there are more messages to look through. */
    readonly hasMore: boolean;
  };
};

export type SecondFactor = {
  /** Six-digit code of the authenticator app. */
  readonly code?: string | undefined;
  /** An unused recovery code. */
  readonly recoveryCode?: string | undefined;
  /** Credential from the browser, as its `toJSON()` returns it. */
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
  /** Exact text to sign; with the scheme `body`, the text of its `payload`. */
  readonly body?: string | undefined;
  /** Headers to send in addition to the signature. They replace those of the sample; many services put the event type in a header. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

export type SentSample = {
  /** `repeated`: an earlier request had the same event id. `handshake`: it did not become a message. */
  readonly outcome: 'received' | 'repeated' | 'handshake' | 'refused';
  /** HTTP status that the sender would receive. */
  readonly status: number;
  /** Message published for the event by this request or an earlier one. */
  readonly messageId?: string;
  /** Why it was refused. */
  readonly reason?: 'secret_missing' | 'signature_missing' | 'signature_malformed' | 'signature_wrong' | 'timestamp_stale' | 'body_invalid' | 'mapping_failed' | 'payload_refused' | 'webhook_disabled' | 'app_suspended' | 'channel_archived' | 'channel_deleted' | 'crashed';
  /** The reason in words. */
  readonly detail?: string;
};

export type Service = {
  /** State of the service. `down`: messages are refused, or nothing is delivered. `degraded`: everything works, but late or with less protection. */
  readonly verdict: 'healthy' | 'degraded' | 'down';
  /** All reasons why the service is not healthy, worst first. Empty if it is healthy. */
  readonly reasons: readonly {
    /** Reason code. docs/operate/troubleshooting.md explains each one and what to do. */
    readonly code: 'database_unavailable' | 'schema_unfit' | 'encryption_keys_unfit' | 'row_security_off' | 'no_worker' | 'worker_late' | 'temporal_unreachable' | 'temporal_partly_unreachable' | 'backlog_old' | 'scheduled_late';
    /** Verdict that this reason alone would cause. */
    readonly verdict: 'degraded' | 'down';
    /** Reason in one sentence. */
    readonly message: string;
  }[];
  /** Versions of the programs in use. */
  readonly versions: {
    /** Release of the process that responds. */
    readonly posthorn: string;
    /** Version of Node.js. */
    readonly node: string;
    /** Version of PostgreSQL. Absent while it is not available. */
    readonly postgresql?: string;
    /** Version of the Temporal server. Absent if it is not available or this process does not have its address. */
    readonly temporal?: string;
  };
  /** Processes that send deliveries, newest first. Empty while PostgreSQL is not available. */
  readonly workers: readonly {
    /** Id of the worker. A restarted process has a new one. */
    readonly id: string;
    /** Only processes that send deliveries have leases. */
    readonly role: 'worker';
    /** Host name. */
    readonly host?: string;
    /** Process id on the host. */
    readonly pid?: number;
    /** When it started. */
    readonly startedAt: string;
    /** When it last renewed its lease. */
    readonly renewedAt: string;
    /** Whether the lease is valid. If not, other workers take over its deliveries. */
    readonly isAlive: boolean;
    /** Whether Temporal responded to the worker's last check, up to 25 seconds ago. */
    readonly reachesTemporal: boolean;
  }[];
  /** Due deliveries by state. States without deliveries are left out. */
  readonly due: readonly {
    /** First attempts and retries wait for a worker, claimed deliveries have one, blocked deliveries belong to a subscription that is paused or disabled or whose circuit breaker is open. */
    readonly state: 'first_attempt' | 'retry' | 'claimed' | 'blocked';
    /** Number of deliveries, counted up to 10,000 per subscription and 100,000 in all. */
    readonly deliveries: number;
    /** Milliseconds since the oldest of them was due. */
    readonly oldestDueForMs: number;
  }[];
  /** Milliseconds since the oldest overdue scheduled message was due; 0 if there is none. */
  readonly oldestScheduledForMs: number;
  /** The largest tables, largest first. */
  readonly tables: readonly {
    /** Name of the table. */
    readonly name: string;
    /** Size including indexes. */
    readonly bytes: number;
    /** Number of rows, as estimated by PostgreSQL. */
    readonly liveRows: number;
    /** Rows that autovacuum has not removed yet. */
    readonly deadRows: number;
  }[];
  /** Latest migration that was applied. */
  readonly newestMigration: string;
  /** Whether PostgreSQL isolates tenants with row-level security. */
  readonly rowSecurity: boolean;
  /** Components checked by /readyz, and Temporal if this process has its address. */
  readonly checks: readonly {
    /** Component that was checked. */
    readonly name: string;
    /** `late`: no response within 2 s. `unknown`: depends on a component that is not up. */
    readonly state: 'up' | 'late' | 'down' | 'unknown';
    /** Why it is down or late. */
    readonly reason?: string;
  }[];
  /** When this was read. Each process reads it at most every 5 seconds. */
  readonly lookedAt: string;
};

export type Session = {
  /** Prefix `ses_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Whether this is the session of the request. */
  readonly isCurrent: boolean;
  /** When the user signed in. */
  readonly createdAt: string;
  /** When the user last authenticated. Requests that require recent authentication need this to be at most 10 minutes ago. */
  readonly authenticatedAt: string;
  /** Methods by which the user has authenticated in this session. */
  readonly provenBy: readonly ('password' | 'code' | 'recoveryCode' | 'passkey' | 'singleSignOn')[];
  /** When it was last used, to the minute. It ends after 12 hours without use. */
  readonly lastUsedAt: string;
  /** When it ends at the latest: 7 days after it was started. */
  readonly expiresAt: string;
  /** IP address from which it was started. */
  readonly address: string;
  /** Browser with which it was started, as reported in `User-Agent`. */
  readonly userAgent?: string;
};

export type Setup = {
  /** Code of the link (the part after `#code=`). */
  readonly code: string;
  /** Email address. */
  readonly email: string;
  /** Display name. */
  readonly name: string;
  /** New password, at least 12 characters. */
  readonly password: string;
  /** Name of the first organisation. Default: "Default". */
  readonly organisation?: string | undefined;
  /** Name of its app. Default: "Default". */
  readonly app?: string | undefined;
};

export type SignIn = SignedIn | {
  /** Second factor required: continue with POST /v1/sign-in/second-factor. A cookie identifies the sign-in. */
  readonly secondStep: {
    /** Accepted second factors; any one of them is enough. */
    readonly means: readonly ('password' | 'code' | 'recoveryCode' | 'passkey' | 'singleSignOn')[];
    /** When the sign-in expires: after 10 minutes. */
    readonly expiresAt: string;
  };
};

export type SignInBody = {
  /** Email address. */
  readonly email: string;
  /** Password of the account. */
  readonly password: string;
};

export type SignInSettings = {
  /** Sign-in with a password. */
  readonly password: {
    /** Whether only owners can sign in with a password and everybody else must use single sign-on. */
    readonly isForOwnersAlone: boolean;
  };
  /** Sign-in with a passkey. */
  readonly passkeys: {
    /** Whether passkeys can be used. Browsers require a host name, not an IP address. */
    readonly isPossible: boolean;
    /** Host that passkeys belong to. If the host changes, all passkeys stop working. */
    readonly host?: string;
  };
  /** Users can add an authenticator app as a second factor. */
  readonly authenticatorApps: true;
  /** Single sign-on. Absent if no provider is configured. */
  readonly singleSignOn?: {
    /** Name on the sign-in button. */
    readonly name: string;
    /** Issuer of the OpenID provider. */
    readonly issuer: string;
    /** Client id of this service at the provider. */
    readonly clientId: string;
    /** Claim with the groups of a user. */
    readonly groupsClaim: string;
    /** Number of groups that are mapped to roles. */
    readonly groupRoles: number;
    /** Whether email addresses count as verified even if the provider does not say so. */
    readonly isEmailTrusted: boolean;
  };
  /** How long users stay signed in. */
  readonly sessions: {
    /** A session ends after this many milliseconds without use. */
    readonly idleMs: number;
    /** A session ends this many milliseconds after sign-in. */
    readonly lifeMs: number;
    /** Dangerous actions require a new proof of identity after this many milliseconds. */
    readonly freshMs: number;
    /** Whether session cookies are only sent over https. */
    readonly isOnHttpsAlone: boolean;
  };
  /** Emails with invitations and password reset links. */
  readonly mail: {
    /** Whether emails are sent. If not, links are only shown to the person who creates them. */
    readonly isOn: boolean;
    /** Sender address. */
    readonly from?: string;
  };
};

export type SignInWays = {
  /** Who can sign in with a password: everyone, or only owners of the first organisation if the operator requires single sign-on. */
  readonly password: 'everyone' | 'owners';
  /** Single sign-on. Absent if no identity provider is set up. */
  readonly singleSignOn?: {
    /** Display name. */
    readonly name: string;
  };
};

export type SignedIn = {
  /** The user. */
  readonly user: User;
  /** The session of this request. */
  readonly session: Session;
  /** Organisations that the user is a member of. */
  readonly organisations: readonly {
    /** Prefix `org_` and 26 characters that sort by creation time. */
    readonly id: string;
    /** Display name. */
    readonly name: string;
    /** Determines what the user may do in the organisation. */
    readonly role: 'viewer' | 'developer' | 'admin' | 'owner';
    /** Apps that requests of the user can name. */
    readonly apps: readonly {
      /** Prefix `app_` and 26 characters that sort by creation time. */
      readonly id: string;
      /** Display name. */
      readonly name: string;
      /** Name in URLs, unique in its organisation. */
      readonly slug: string;
    }[];
  }[];
};

export type SingleSignOn = {
  /** URL of the identity provider. Send the browser there within 10 minutes. */
  readonly url: string;
};

export type StartRun = {
  /** Any JSON object, up to 256 KiB. Its text is kept digit for digit. */
  readonly payload?: object | undefined;
};

export type StartSingleSignOn = {
  /** Path of the dashboard to return to. */
  readonly returnTo?: string | undefined;
};

export type Stats = {
  /** Start of the first step. */
  readonly since: string;
  /** End of the last step. */
  readonly until: string;
  /** Length of a step in seconds. Depends on the span. */
  readonly stepSeconds: number;
  /** Totals of the whole span. */
  readonly totals: {
    /** Messages published. Absent for subscriptions. */
    readonly accepted?: number;
    /** Attempts that delivered a message. */
    readonly delivered: number;
    /** Attempts that failed. */
    readonly failedAttempts: number;
    /** Dead letters of deliveries and runs. */
    readonly deadLetters: number;
    /** Dead letters of deliveries. A delivery that was replayed successfully later still counts; use `deliveries` for a success rate. Absent for channels, where runs are counted too. */
    readonly givenUp?: number;
    /** Latency of subscribers' responses, accurate to about 20 %. Absent if there was no response. */
    readonly latencyMs?: {
      /** Median, in milliseconds. */
      readonly p50: number;
      /** 95th percentile, in milliseconds. */
      readonly p95: number;
    };
  };
  /** Deliveries created in the span, by their current state. The success rate is `delivered` ÷ (`delivered` + `failed`). Deliveries removed by retention are not included. */
  readonly deliveries: {
    /** Deliveries that were created: the sum of the four numbers below. */
    readonly created: number;
    /** Deliveries that were delivered, at the first attempt or a later one. */
    readonly delivered: number;
    /** Deliveries that failed and have not been retried or replayed since. */
    readonly failed: number;
    /** Deliveries whose attempts have failed so far and that will be retried. */
    readonly retrying: number;
    /** Deliveries that wait for their first attempt, or for the first attempt of a replay. */
    readonly pending: number;
    /** Whether all deliveries of the span were counted. If not, only the newest were. */
    readonly isExact: boolean;
    /** When the oldest counted delivery was created. Absent if all were counted. */
    readonly countedSince?: string;
  };
  /** Attempts by the response of the subscriber, most frequent first. */
  readonly answers: readonly ({
    /** HTTP status of the response. */
    readonly status: number;
    /** Attempts with this status. */
    readonly count: number;
  } | {
    /** Kind of failure without a response. */
    readonly errorClass: 'dns' | 'connect' | 'tls' | 'timeout' | 'status' | 'blocked_address' | 'protocol' | 'crashed' | 'internal';
    /** Attempts that failed this way. */
    readonly count: number;
  })[];
  /** Numbers for each step, oldest first, including steps without traffic. */
  readonly points: readonly {
    /** When the step began. */
    readonly at: string;
    /** Messages published. Absent for subscriptions. */
    readonly accepted?: number;
    /** Attempts that delivered a message. */
    readonly delivered: number;
    /** Attempts that failed. */
    readonly failedAttempts: number;
    /** Dead letters of deliveries and runs. */
    readonly deadLetters: number;
    /** Dead letters of deliveries. A delivery that was replayed successfully later still counts; use `deliveries` for a success rate. Absent for channels, where runs are counted too. */
    readonly givenUp?: number;
    /** Latency of subscribers' responses, accurate to about 20 %. Absent if there was no response. */
    readonly latencyMs?: {
      /** Median, in milliseconds. */
      readonly p50: number;
      /** 95th percentile, in milliseconds. */
      readonly p95: number;
    };
    /** Attempts of the step by the class of their response. */
    readonly answers: {
      /** Attempts with a response status from 200 to 299: they delivered. */
      readonly status2xx: number;
      /** Attempts with a response status from 300 to 399. */
      readonly status3xx: number;
      /** Attempts with a response status from 400 to 499. */
      readonly status4xx: number;
      /** Attempts with a response status of 500 or higher. */
      readonly status5xx: number;
      /** Attempts without a response: no connection, a timeout, or a broken connection. */
      readonly none: number;
    };
    /** Deliveries created in the step, by their current state. Absent if not all of them were counted. */
    readonly deliveries?: {
      /** Deliveries that were delivered, at the first attempt or a later one. */
      readonly delivered: number;
      /** Deliveries that failed and have not been retried or replayed since. */
      readonly failed: number;
      /** Deliveries whose attempts have failed so far and that will be retried. */
      readonly retrying: number;
      /** Deliveries that wait for their first attempt, or for the first attempt of a replay. */
      readonly pending: number;
    };
  }[];
};

export type StatsQuery = {
  /** Only this channel. */
  readonly channelId?: string | undefined;
  /** Only this subscription. */
  readonly subscriptionId?: string | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type StreamMessages = {
  /** Event types or patterns such as `order.*`, separated by commas. */
  readonly eventTypes?: readonly string[] | undefined;
  /** Starts with stored messages published after this time. */
  readonly since?: string | Date | undefined;
};

export type Subscription = {
  /** Prefix `sub_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Channel whose messages it receives. */
  readonly channelId: string;
  /** Display name. */
  readonly name: string;
  /** Your own id for the customer it belongs to, to filter lists by. It does not affect routing: the subscription receives the messages of its channel whatever their owner. Absent if none was given. */
  readonly owner?: string;
  /** URL that messages are sent to. */
  readonly webhookUrl: string;
  /** Deliveries wait unless it is active. Only the service sets `disabled`. */
  readonly status: 'active' | 'paused' | 'disabled';
  /** Since when it has this status. Absent if the change was not recorded. */
  readonly statusChangedAt?: string;
  /** Why it is disabled: its receiver responded 410, or no delivery has succeeded for five days. Absent if unknown. */
  readonly disabledReason?: 'gone' | 'failing';
  /** Event types that it receives, or patterns such as `order.*`. An empty list means all. */
  readonly eventTypes: readonly string[];
  /** CEL expression that selects messages of these event types. Absent if it receives all of them. */
  readonly filter?: string;
  /** When a failed delivery is retried. */
  readonly retryPolicy: {
    /** Retries after the first attempt. */
    readonly maxRetries: number;
    /** Milliseconds before the first retry. */
    readonly initialDelay: number;
    /** Maximum delay between two attempts, in milliseconds. */
    readonly maxDelay: number;
    /** Factor by which each delay is longer than the previous one. */
    readonly backoffMultiplier: number;
  };
  /** Headers sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Maximum duration of an attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** Longest wait in milliseconds that the receiver can request by `Retry-After` with a 429 or 503. Such a wait may be longer than `maxDelay`. */
  readonly maxRetryAfter: number;
  /** Maximum requests in flight. Absent if not set: the limit adapts to the receiver. */
  readonly maxConcurrency?: number;
  /** Maximum attempts per second. Absent if there is no limit. */
  readonly rateLimit?: number;
  /** Whether the circuit breaker is on. */
  readonly circuitBreaker: boolean;
  /** Circuit breaker of the receiver. */
  readonly circuit: {
    /** `open`, after at least 20 attempts within 5 minutes of which 90 % failed: nothing is sent for 30 s. `half_open`: a probe decides whether it closes. */
    readonly state: 'closed' | 'open' | 'half_open';
    /** When it last opened. Absent while it is closed. */
    readonly openedAt?: string;
    /** When the next probe can be sent. Absent while it is closed. */
    readonly nextProbeAt?: string;
  };
  /** Current requests to its receiver over all workers, at most two seconds old. Absent in lists. */
  readonly concurrency?: {
    /** Maximum requests in flight. */
    readonly limit: number;
    /** Requests in flight. */
    readonly inFlight: number;
    /** Mean latency of recent successful responses, in milliseconds. Absent before the first one. */
    readonly latencyMs?: number;
  };
  /** Since when deliveries are on hold because none of the signing secrets can be decrypted. Rotating the secret ends it. */
  readonly secretUnreadableSince?: string;
  /** Settings that do not work as they may seem to: stored values that stricter rules now reject and that are not used, a host name that cannot exist in the public DNS and does not resolve (not in lists), and an `owner`, because it does not affect routing. */
  readonly warnings?: readonly FieldProblem[];
  /** When the subscription was created. */
  readonly createdAt: string;
  /** When the subscription was last changed. */
  readonly updatedAt: string;
};

export type SubscriptionSecret = {
  /** Signing secret (Standard Webhooks): `whsec_` and the base64 of its bytes. */
  readonly secret: string;
  /** Since when it signs requests. */
  readonly createdAt: string;
  /** Older secrets that still sign, newest first. The secrets themselves are not shown. */
  readonly older: readonly {
    /** Since when it signs requests. */
    readonly createdAt: string;
    /** Until when it signs in addition to newer ones. */
    readonly expiresAt: string;
  }[];
};

export type SubscriptionStats = {
  /** Start of the first step. */
  readonly since: string;
  /** End of the last step. */
  readonly until: string;
  /** Length of a step in seconds. Depends on the span. */
  readonly stepSeconds: number;
  /** One entry for each requested subscription, in that order. Unknown ids are left out. */
  readonly subscriptions: readonly {
    /** Subscription of this entry. */
    readonly subscriptionId: string;
    /** Totals of the whole span. */
    readonly totals: {
      /** Messages published. Absent for subscriptions. */
      readonly accepted?: number;
      /** Attempts that delivered a message. */
      readonly delivered: number;
      /** Attempts that failed. */
      readonly failedAttempts: number;
      /** Dead letters of deliveries and runs. */
      readonly deadLetters: number;
      /** Dead letters of deliveries. A delivery that was replayed successfully later still counts; use `deliveries` for a success rate. Absent for channels, where runs are counted too. */
      readonly givenUp?: number;
      /** Latency of subscribers' responses, accurate to about 20 %. Absent if there was no response. */
      readonly latencyMs?: {
        /** Median, in milliseconds. */
        readonly p50: number;
        /** 95th percentile, in milliseconds. */
        readonly p95: number;
      };
    };
    /** Deliveries created in the span, by their current state. The success rate is `delivered` ÷ (`delivered` + `failed`). Deliveries removed by retention are not included. */
    readonly deliveries: {
      /** Deliveries that were created: the sum of the four numbers below. */
      readonly created: number;
      /** Deliveries that were delivered, at the first attempt or a later one. */
      readonly delivered: number;
      /** Deliveries that failed and have not been retried or replayed since. */
      readonly failed: number;
      /** Deliveries whose attempts have failed so far and that will be retried. */
      readonly retrying: number;
      /** Deliveries that wait for their first attempt, or for the first attempt of a replay. */
      readonly pending: number;
      /** Whether all deliveries of the span were counted. If not, only the newest were. */
      readonly isExact: boolean;
      /** When the oldest counted delivery was created. Absent if all were counted. */
      readonly countedSince?: string;
    };
    /** Numbers for each step, oldest first, including steps without traffic. */
    readonly points: readonly {
      /** When the step began. */
      readonly at: string;
      /** Messages published. Absent for subscriptions. */
      readonly accepted?: number;
      /** Attempts that delivered a message. */
      readonly delivered: number;
      /** Attempts that failed. */
      readonly failedAttempts: number;
      /** Dead letters of deliveries and runs. */
      readonly deadLetters: number;
      /** Dead letters of deliveries. A delivery that was replayed successfully later still counts; use `deliveries` for a success rate. Absent for channels, where runs are counted too. */
      readonly givenUp?: number;
      /** Latency of subscribers' responses, accurate to about 20 %. Absent if there was no response. */
      readonly latencyMs?: {
        /** Median, in milliseconds. */
        readonly p50: number;
        /** 95th percentile, in milliseconds. */
        readonly p95: number;
      };
    }[];
    /** Deliveries that wait for an attempt now, the first or a later one. */
    readonly waiting: {
      /** Number counted, up to 1,000. */
      readonly count: number;
      /** Whether there are more. */
      readonly isMore: boolean;
    };
    /** When the first of at least five consecutive failed attempts was recorded, if that is at least a minute ago and no attempt has succeeded since. A disabled subscription always has it. Absent if the receiver is not failing. */
    readonly failingSince?: string;
  }[];
};

export type SubscriptionStatsQuery = {
  /** Up to 100 ids of subscriptions, separated by commas. Default: the newest 100. */
  readonly subscriptionIds?: readonly string[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type TestRun = {
  /** Whether the trigger accepts the event. The steps are executed in either case. */
  readonly triggerMatch: {
    /** Whether the trigger accepts the event, once the workflow is active. `channelId`, `eventType` and `metadata` match if they are left out. */
    readonly wouldStart: boolean;
    /** `no_filter`, `filter_matches`: a run would start. All others: it would not. `trigger_type`: messages do not start this workflow. */
    readonly reason: 'no_filter' | 'filter_matches' | 'trigger_type' | 'channel' | 'webhook' | 'event_type' | 'filter_does_not_match' | 'filter_failed';
    /** What the trigger expects, or the error of its filter, in words. */
    readonly detail?: string;
  };
  /** Status in which the run would end. */
  readonly status: 'completed' | 'failed' | 'cancelled' | 'paused';
  /** Why it would fail, or be paused until a person acts. */
  readonly error?: {
    /** Code of the error, such as `HTTP_404` or `TIMEOUT`. */
    readonly code: string;
    /** Error in words. */
    readonly message: string;
    /** Step that failed. */
    readonly stepId: string;
  };
  /** Why the test run was stopped early. */
  readonly reason?: string;
  /** Id of the filter step whose expression is false, so that the run would finish as `completed`. */
  readonly filteredBy?: string;
  /** Output of the `end` step that would finish it. */
  readonly output?: unknown;
  /** Steps that were executed, in the order in which they started. */
  readonly steps: readonly {
    /** Id of the step in the definition. */
    readonly id: string;
    /** Indexes, from 0, of the items in the enclosing loops, joined by dots. Empty outside loops. */
    readonly iteration: string;
    /** Type of the step. `item` is a finished item of a foreach. */
    readonly type: 'action' | 'condition' | 'switch' | 'filter' | 'transform' | 'delay' | 'wait_for_event' | 'approval' | 'foreach' | 'parallel' | 'workflow' | 'end' | 'item';
    /** Status in which the step ended. */
    readonly status: 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'skipped' | 'cancelled';
    /** Values resolved for the step. */
    readonly input?: unknown;
    /** Result of the step. */
    readonly output?: unknown;
    /** Why it failed. */
    readonly error?: {
      /** Code of the error, such as `HTTP_404` or `TIMEOUT`. */
      readonly code: string;
      /** Error in words. */
      readonly message: string;
    };
    /** Present if the step sent nothing: the result is from `mocks` (`given`) or made up (`invented`). */
    readonly mocked?: 'given' | 'invented';
  }[];
};

export type TestSubscription = {
  /** Event type of the test message. Default: `posthorn.test`. */
  readonly eventType?: string | undefined;
  /** Any JSON object, up to 256 KiB. */
  readonly payload?: object | undefined;
};

export type TestWorkflow = {
  /** Message that starts the test run. */
  readonly event?: {
    /** Any JSON object, up to 256 KiB. Its text is kept digit for digit. */
    readonly payload?: object | undefined;
    /** Event type of the message. */
    readonly eventType?: string | undefined;
    /** Channel of the message. */
    readonly channelId?: string | undefined;
    /** Metadata of the message, up to 50 texts and 16 KiB. */
    readonly metadata?: Readonly<Record<string, string>> | undefined;
  } | undefined;
  /** Results of steps with effects, by step id. */
  readonly mocks?: Readonly<Record<string, {
    /** Result of the step: any JSON. */
    readonly output?: unknown;
    /** Failure of the step, after all of its attempts. */
    readonly error?: {
      /** Code of the error, such as `HTTP_404`. */
      readonly code: string;
      /** Error in words. Default: "mocked". */
      readonly message?: string | undefined;
    } | undefined;
  }>> | undefined;
};

export type TotpSecret = {
  /** Secret in base32, for typing in. Shown only once. */
  readonly secret: string;
  /** The secret as `otpauth://totp/…`, to be shown as a QR code. */
  readonly uri: string;
};

export type TracedMessage = {
  /** Prefix `msg_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Channel it was published to. */
  readonly channelId: string;
  /** Event type, as published. */
  readonly eventType: string;
  /** Payload, digit for digit as published. Absent if it has been erased, and in a list with `payloads=false`. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Metadata, as published. Absent if none was given, if it has been erased, and in a list with `payloads=false`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** When it was or will be published. */
  readonly publishedAt: string;
  /** Same as publishedAt, for a message that is scheduled or was cancelled. */
  readonly deliverAt?: string;
  /** When it was cancelled. Absent if it was not. */
  readonly cancelledAt?: string;
  /** Why it was cancelled. */
  readonly cancelReason?: 'requested' | 'erased' | 'channel_deleted';
  /** When payload and metadata were erased. Absent if they have not been. */
  readonly erasedAt?: string;
  /** Combined status of its deliveries: `pending` while any is unfinished. Before it is published: `scheduled` or `cancelled`. */
  readonly deliveryStatus: 'pending' | 'delivered' | 'failed' | 'unrouted' | 'scheduled' | 'cancelled';
  /** Trace of the request that published it (W3C Trace Context). Absent if there was none. */
  readonly traceId?: string;
};

export type TransferOwnership = {
  /** User id of the member who becomes the owner. */
  readonly userId: string;
};

export type UpdateApiKey = {
  /** Display name. */
  readonly name?: string | undefined;
  /** Tier. Its limits apply where `limits` sets none. */
  readonly tier?: 'free' | 'starter' | 'pro' | 'enterprise' | undefined;
  /** Scopes. */
  readonly scopes?: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[] | undefined;
  /** Limits that replace those of the tier. */
  readonly limits?: {
    /** Requests per 60 seconds. */
    readonly requestsPerMinute?: number | null | undefined;
    /** Requests per second. */
    readonly burst?: number | null | undefined;
    /** Requests in flight. */
    readonly concurrent?: number | null | undefined;
    /** Batch requests per 60 seconds. Transactional requests have a separate limit of the same size. */
    readonly batchPerMinute?: number | null | undefined;
  } | null | undefined;
  /** When it expires. */
  readonly expiresAt?: string | Date | null | undefined;
  /** New status. */
  readonly status?: 'active' | 'expired' | 'revoked' | undefined;
};

export type UpdateApp = {
  /** Display name. */
  readonly name?: string | undefined;
  /** Name in URLs and command lines: up to 63 of a-z, 0-9 and single hyphens, unique in the organisation. */
  readonly slug?: string | undefined;
  /** Free-text description. */
  readonly description?: string | null | undefined;
  /** New status. */
  readonly status?: 'active' | 'suspended' | undefined;
  /** Defaults for resources created from now on. */
  readonly settings?: {
    /** Days after which a message is removed. */
    readonly retentionDays?: number | null | undefined;
    /** When a failed delivery is retried. Omitted fields keep their defaults. */
    readonly retryPolicy?: {
      /** Retries after the first attempt. */
      readonly maxRetries?: number | undefined;
      /** Milliseconds before the first retry. */
      readonly initialDelay?: number | undefined;
      /** Maximum delay between two attempts, in milliseconds. */
      readonly maxDelay?: number | undefined;
      /** Factor by which each delay is longer than the previous one. */
      readonly backoffMultiplier?: number | undefined;
    } | null | undefined;
    /** Maximum duration of an attempt, in milliseconds. */
    readonly timeoutMs?: number | null | undefined;
    /** Whether the circuit breaker is on. */
    readonly circuitBreaker?: boolean | null | undefined;
  } | null | undefined;
};

export type UpdateChannel = {
  /** Display name. */
  readonly name?: string | undefined;
  /** Free-text description. */
  readonly description?: string | null | undefined;
  /** New status. */
  readonly status?: 'active' | 'paused' | 'archived' | undefined;
  /** JSON Schema for every payload. */
  readonly schema?: object | null | undefined;
  /** JSON Schemas by event type. Each applies in addition to `schema`. */
  readonly schemas?: Readonly<Record<string, object>> | null | undefined;
  /** Whether a payload that violates a schema is rejected, or published with a warning. */
  readonly schemaMode?: 'enforce' | 'warn' | undefined;
  /** Days after which a message is removed. */
  readonly retentionDays?: number | undefined;
};

export type UpdateConnection = {
  /** Name for people. */
  readonly name?: string | undefined;
  /** Credentials, as `credentials` of the connector describes them. Never returned. */
  readonly credentials?: object | undefined;
  /** Whether the other environment of the app can see and use it. Default false. */
  readonly shared?: boolean | undefined;
};

export type UpdateInspector = {
  /** Display name. */
  readonly name?: string | undefined;
  /** Response that senders receive. */
  readonly answer?: {
    /** Status of each response. Default 200. */
    readonly status?: number | undefined;
    /** Delay before each response, in milliseconds. Default 0. */
    readonly delayMs?: number | undefined;
    /** Percentage of responses that are 500 instead. Default 0. */
    readonly failurePercent?: number | undefined;
  } | undefined;
};

export type UpdateMachineCredential = {
  /** Display name. */
  readonly name?: string | undefined;
  /** Tier. Its limits apply where `limits` sets none. */
  readonly tier?: 'free' | 'starter' | 'pro' | 'enterprise' | undefined;
  /** Scopes. */
  readonly scopes?: readonly ('channels:read' | 'channels:write' | 'messages:read' | 'messages:write' | 'subscriptions:read' | 'subscriptions:write' | 'deliveries:read' | 'dlq:read' | 'dlq:write' | 'credentials:write' | 'apps:read' | 'apps:write' | 'audit:read' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write')[] | undefined;
  /** Limits that replace those of the tier. */
  readonly limits?: {
    /** Requests per 60 seconds. */
    readonly requestsPerMinute?: number | null | undefined;
    /** Requests per second. */
    readonly burst?: number | null | undefined;
    /** Requests in flight. */
    readonly concurrent?: number | null | undefined;
    /** Batch requests per 60 seconds. Transactional requests have a separate limit of the same size. */
    readonly batchPerMinute?: number | null | undefined;
  } | null | undefined;
  /** When it expires. */
  readonly expiresAt?: string | Date | null | undefined;
  /** New status. */
  readonly status?: 'active' | 'expired' | 'revoked' | undefined;
};

export type UpdateMember = {
  /** Determines what the member may do. */
  readonly role?: 'viewer' | 'developer' | 'admin' | 'owner' | undefined;
};

export type UpdateOrganisation = {
  /** Display name. */
  readonly name?: string | undefined;
};

export type UpdateSecret = {
  /** The secret itself, 1 to 8,192 bytes. Never returned. */
  readonly value?: string | undefined;
};

export type UpdateSubscription = {
  /** Display name. */
  readonly name?: string | undefined;
  /** Your own id for the customer it belongs to, to filter lists by. It does not affect routing. */
  readonly owner?: string | null | undefined;
  /** URL that messages are sent to: https, or http if the operator allows it. */
  readonly webhookUrl?: string | undefined;
  /** New status. */
  readonly status?: 'active' | 'paused' | 'disabled' | undefined;
  /** Event types or patterns such as `order.*`. An empty list means all. */
  readonly eventTypes?: readonly string[] | undefined;
  /** CEL expression over `payload`, `metadata` and `eventType` that selects messages. */
  readonly filter?: string | null | undefined;
  /** When a failed delivery is retried. Omitted fields keep their defaults. */
  readonly retryPolicy?: {
    /** Retries after the first attempt. */
    readonly maxRetries?: number | undefined;
    /** Milliseconds before the first retry. */
    readonly initialDelay?: number | undefined;
    /** Maximum delay between two attempts, in milliseconds. */
    readonly maxDelay?: number | undefined;
    /** Factor by which each delay is longer than the previous one. */
    readonly backoffMultiplier?: number | undefined;
  } | undefined;
  /** Headers sent with every request, up to 20. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Maximum duration of an attempt, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Longest wait in milliseconds that the receiver can request by `Retry-After` with a 429 or 503. Default: a day. */
  readonly maxRetryAfter?: number | undefined;
  /** Maximum requests in flight. If not set, the limit adapts to the receiver. */
  readonly maxConcurrency?: number | null | undefined;
  /** Maximum attempts per second. If not set, there is no limit. */
  readonly rateLimit?: number | null | undefined;
  /** Whether the circuit breaker is on. */
  readonly circuitBreaker?: boolean | undefined;
};

export type UpdateView = {
  /** Display name. */
  readonly name?: string | undefined;
  /** Filters by name, as in the URL of the page. */
  readonly search?: Readonly<Record<string, string>> | undefined;
};

export type UpdateWebhook = {
  /** Display name. */
  readonly name?: string | undefined;
  /** New status. */
  readonly status?: 'active' | 'disabled' | undefined;
  /** Signature format, for the schemes `hmac` and `token`. */
  readonly signature?: {
    /** Header with the signature, or with the secret itself. */
    readonly header: string;
    /** Text before the signature, such as `sha256=`. */
    readonly prefix?: string | undefined;
    /** Hash algorithm of the HMAC. Default sha256. */
    readonly algorithm?: 'sha1' | 'sha256' | 'sha512' | undefined;
    /** Encoding of the signature. Default hex. */
    readonly encoding?: 'hex' | 'base64' | undefined;
    /** Header with the signed time. */
    readonly timestampHeader?: string | undefined;
    /** Unit of the signed time. Default seconds. */
    readonly timestampUnit?: 'seconds' | 'milliseconds' | 'iso8601' | undefined;
    /** Maximum difference between the signed time and the server time, in seconds. Default 300. */
    readonly toleranceSeconds?: number | undefined;
    /** Header whose value is used for `{id}` in the template. */
    readonly idHeader?: string | undefined;
    /** Template of the signed text, with `{timestamp}`, `{id}`, `{url}` and `{body}`. Default `{body}`, or `{timestamp}.{body}` with a timestamp header. */
    readonly template?: string | undefined;
  } | undefined;
  /** Where the event id is. Null: where the provider puts it. */
  readonly eventId?: {
    /** Header that has the event id. */
    readonly header?: string | undefined;
    /** JSON Pointer to the event id in the body. */
    readonly pointer?: string | undefined;
  } | null | undefined;
  /** Where the event type comes from. Null: where the provider puts it. */
  readonly eventType?: {
    /** Event type of every message. */
    readonly literal?: string | undefined;
    /** JSON Pointer to the event type in the body. */
    readonly pointer?: string | undefined;
    /** Header that has the event type. */
    readonly header?: string | undefined;
    /** CEL expression that returns a string, over `payload`, `metadata` and `eventType`. */
    readonly cel?: string | undefined;
  } | null | undefined;
  /** Part of the body that becomes the payload. Null: the whole body. */
  readonly payload?: {
    /** JSON Pointer to the object that becomes the payload. */
    readonly pointer?: string | undefined;
    /** Fields of the payload, each with a JSON Pointer to its value. A field is left out if its pointer finds nothing. */
    readonly fields?: Readonly<Record<string, string>> | undefined;
  } | null | undefined;
};

export type UpdateWorkflow = {
  /** Display name. */
  readonly name?: string | undefined;
  /** Description for people. */
  readonly description?: string | null | undefined;
  /** New status. */
  readonly status?: 'active' | 'paused' | 'draft' | undefined;
  /** Replaces the whole trigger. */
  readonly trigger?: object | undefined;
  /** Replaces all steps. */
  readonly steps?: readonly unknown[] | undefined;
};

export type User = {
  /** Prefix `usr_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Email address to sign in with, in lower case. */
  readonly email: string;
  /** Display name. */
  readonly name: string;
};

export type ValidateMessages = {
  /** Your own id for the message: up to 128 visible ASCII characters. For 24 hours, publishing again with the same id, content and time returns the first message; other content is CONFLICT. The id of a cancelled message can be reused. */
  readonly id?: string | undefined;
  /** What happened, such as `order.created`. */
  readonly eventType?: string | undefined;
  /** Any JSON object, up to 256 KiB. */
  readonly payload?: object | undefined;
  /** Strings that accompany the message: up to 50 entries and 16 KiB. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** When to publish the message: up to 365 days ahead. Up to five minutes ago means now; an older time is INVALID_REQUEST. Cannot be combined with `delay`. */
  readonly deliverAt?: string | Date | undefined;
  /** Milliseconds from now until the message is published. Cannot be combined with `deliverAt`. */
  readonly delay?: number | undefined;
  /** Channel of the path. May be omitted. */
  readonly channelId?: string | undefined;
  /** Messages, in order. */
  readonly messages?: readonly PublishMessage[] | undefined;
  /** JSON Schema for every payload. */
  readonly schema?: object | undefined;
  /** JSON Schemas by event type. Each applies in addition to `schema`. */
  readonly schemas?: Readonly<Record<string, object>> | undefined;
};

export type ValidateWorkflow = {
  /** Workflow to change. If not set, a new one. */
  readonly id?: string | undefined;
  /** Display name. Required for a new workflow. */
  readonly name?: string | undefined;
  /** Description for people. */
  readonly description?: string | undefined;
  /** Status of the workflow. */
  readonly status?: 'active' | 'paused' | 'draft' | undefined;
  /** Trigger to check. */
  readonly trigger?: object | undefined;
  /** Steps to check. */
  readonly steps?: readonly unknown[] | undefined;
};

export type View = {
  /** Prefix `viw_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Dashboard list of the view. */
  readonly page: 'messages' | 'deliveries' | 'dead-letters' | 'runs' | 'subscriptions' | 'channels' | 'workflows' | 'approvals' | 'replays' | 'delivery-retries' | 'message-replays' | 'inbound-webhooks' | 'inbound-requests' | 'connections' | 'secrets' | 'inspectors' | 'inspected-requests' | 'api-keys' | 'machine-credentials' | 'audit';
  /** Name, unique within the page. */
  readonly name: string;
  /** Filters, as in the URL of the page. */
  readonly search: Readonly<Record<string, string>>;
  /** When it was saved. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
};

export type Webhook = {
  /** Prefix `whk_` and 26 characters (128 random bits). */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** Channel that its messages are published to. */
  readonly channelId: string;
  /** How requests are authenticated. */
  readonly scheme: 'body' | 'standard' | 'svix' | 'github' | 'stripe' | 'slack' | 'shopify' | 'gitlab' | 'twilio' | 'mailgun' | 'hmac' | 'token' | 'ed25519' | 'ecdsa' | 'sns';
  /** Service that sends the requests. Absent for a sender of your own. */
  readonly provider?: 'bitbucket' | 'buildkite' | 'calendly' | 'circleci' | 'clerk' | 'coinbase-commerce' | 'discord' | 'github' | 'gitlab-signed' | 'gitlab' | 'hubspot' | 'intercom' | 'jira' | 'launchdarkly' | 'lemon-squeezy' | 'linear' | 'mailgun' | 'openai' | 'paddle' | 'pagerduty' | 'razorpay' | 'resend' | 'sendgrid' | 'sentry' | 'shopify' | 'slack' | 'sns' | 'square' | 'stripe' | 'svix' | 'telegram' | 'twilio' | 'typeform' | 'vercel' | 'webflow' | 'woocommerce' | 'workos' | 'zendesk' | 'zoom';
  /** `disabled`: every request is refused. */
  readonly status: 'active' | 'disabled';
  /** Signature format, for the schemes `hmac` and `token`. */
  readonly signature?: {
    /** Header with the signature, or with the secret itself. */
    readonly header: string;
    /** Text before the signature, such as `sha256=`. */
    readonly prefix?: string;
    /** Hash algorithm of the HMAC. Default sha256. */
    readonly algorithm?: 'sha1' | 'sha256' | 'sha512';
    /** Encoding of the signature. Default hex. */
    readonly encoding?: 'hex' | 'base64';
    /** Header with the signed time. */
    readonly timestampHeader?: string;
    /** Unit of the signed time. Default seconds. */
    readonly timestampUnit?: 'seconds' | 'milliseconds' | 'iso8601';
    /** Maximum difference between the signed time and the server time, in seconds. Default 300. */
    readonly toleranceSeconds?: number;
    /** Header whose value is used for `{id}` in the template. */
    readonly idHeader?: string;
    /** Template of the signed text, with `{timestamp}`, `{id}`, `{url}` and `{body}`. Default `{body}`, or `{timestamp}.{body}` with a timestamp header. */
    readonly template?: string;
  };
  /** Where the event id is. Absent: where the provider puts it. */
  readonly eventId?: {
    /** Header that has the event id. */
    readonly header?: string;
    /** JSON Pointer to the event id in the body. */
    readonly pointer?: string;
  };
  /** Where the event type comes from. Absent: where the provider puts it. */
  readonly eventType?: {
    /** Event type of every message. */
    readonly literal?: string;
    /** JSON Pointer to the event type in the body. */
    readonly pointer?: string;
    /** Header that has the event type. */
    readonly header?: string;
    /** CEL expression that returns a string, over `payload`, `metadata` and `eventType`. */
    readonly cel?: string;
  };
  /** Part of the body that becomes the payload. Absent: all of it. */
  readonly payload?: {
    /** JSON Pointer to the object that becomes the payload. */
    readonly pointer?: string;
    /** Fields of the payload, each with a JSON Pointer to its value. A field is left out if its pointer finds nothing. */
    readonly fields?: Readonly<Record<string, string>>;
  };
  /** Address to give to the service. */
  readonly url: string;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
};

export type WebhookSample = {
  /** Whether Posthorn can sign for the sender. */
  readonly isSignable: boolean;
  /** Why it cannot sign. */
  readonly reason?: string;
  /** Body of the sample; with the scheme `body`, its `payload`. Each sample has new ids. */
  readonly body?: string;
  /** Headers other than the signature. */
  readonly headers?: Readonly<Record<string, string>>;
};

export type WebhookSecrets = {
  /** Valid secrets, newest first: the current one, and up to three older ones while rotations overlap. Empty until a secret is set. */
  readonly secrets: readonly {
    /** The secret, or the public key of a service that signs with its own key. */
    readonly secret: string;
    /** When it was set. */
    readonly createdAt: string;
    /** When it stops being valid because a newer one was set. Absent for the current one. */
    readonly expiresAt?: string;
  }[];
};

export type WebhookStats = {
  /** Start of the first step. */
  readonly since: string;
  /** End of the last step. */
  readonly until: string;
  /** Length of a step in seconds. Depends on the span. */
  readonly stepSeconds: number;
  /** One entry for each requested webhook, in that order. Unknown ids are left out. */
  readonly webhooks: readonly {
    /** Inbound webhook of this entry. */
    readonly webhookId: string;
    /** Requests that became messages. */
    readonly received: number;
    /** Requests whose event already was a message, up to 100 per minute. */
    readonly repeated: number;
    /** Requests that were refused, up to 100 per minute. */
    readonly refused: number;
  }[];
};

export type WebhookStatsQuery = {
  /** Up to 100 ids of inbound webhooks, separated by commas. Default: the newest 100. */
  readonly webhookIds?: readonly string[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type Workflow = {
  /** Prefix `wfl_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** Description for people. */
  readonly description?: string;
  /** Runs start while it is `active`. `draft`: it was never activated. */
  readonly status: 'active' | 'paused' | 'draft';
  /** What starts a run, as it was written. Absent if a draft has none yet. */
  readonly trigger?: Readonly<Record<string, unknown>>;
  /** Steps of a run, as they were written. Absent if a draft has none yet. */
  readonly steps?: readonly unknown[];
  /** Type of its trigger. Only in lists with `definitions=false`; absent if it has none. */
  readonly triggerType?: string;
  /** Number of its steps. Only in lists with `definitions=false`. */
  readonly stepCount?: number;
  /** When it was created. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
};

export type WorkflowSecret = {
  /** Prefix `sec_` and 26 characters that sort by creation time. */
  readonly id: string;
  /** Name used in workflow definitions: `{{ secrets.NAME }}`. */
  readonly name: string;
  /** When it was created. */
  readonly createdAt: string;
  /** When its value was last set. */
  readonly updatedAt: string;
  /** When a step last sent it, to the minute. Absent if none has. */
  readonly lastUsedAt?: string;
};

export type WorkflowStats = {
  /** Start of the first step. */
  readonly since: string;
  /** End of the last step. */
  readonly until: string;
  /** Length of a step in seconds. Depends on the span. */
  readonly stepSeconds: number;
  /** One entry for each requested workflow, in that order. Unknown ids are left out. */
  readonly workflows: readonly {
    /** Workflow of this entry. */
    readonly workflowId: string;
    /** Totals of its runs in the whole span. */
    readonly totals: {
      /** Runs whose first step could start. A retry from the start counts again. */
      readonly started: number;
      /** Runs that completed, including those ended by a filter. Each run counts once. */
      readonly completed: number;
      /** Failures of runs. A run that fails again after a retry counts again. */
      readonly failed: number;
      /** Runs that were cancelled. */
      readonly cancelled: number;
      /** Runs that were skipped because of their trigger's settings. */
      readonly skipped: number;
    };
    /** Latest run, created in the span or before. Absent if there is none. */
    readonly lastRun?: {
      /** Prefix `run_` and 26 characters that sort by creation time. */
      readonly id: string;
      /** Status of the run. */
      readonly status: 'pending' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'skipped';
      /** When it was created. */
      readonly createdAt: string;
      /** When it finished. Absent until then. */
      readonly finishedAt?: string;
      /** Id of the filter step that ended it. */
      readonly filteredBy?: string;
    };
    /** Completed runs in each step, oldest first, including steps without any. */
    readonly completed: readonly number[];
    /** Failures of runs in each step, oldest first. */
    readonly failed: readonly number[];
  }[];
};

export type WorkflowStatsQuery = {
  /** Up to 100 ids of workflows, separated by commas. Default: the newest 100. */
  readonly workflowIds?: readonly string[] | undefined;
  /** Only items later than this time. */
  readonly since?: string | Date | undefined;
  /** Only items earlier than this time. */
  readonly until?: string | Date | undefined;
};

export type WorkflowVersions = {
  /** Up to 50 versions, newest first. */
  readonly versions: readonly {
    /** Number of the version. Runs name it as their `definitionVersion`. */
    readonly version: number;
    /** Type of its trigger. Absent if it has none. */
    readonly triggerType?: string;
    /** Number of its steps. */
    readonly stepCount: number;
    /** Id of the API key, machine credential or person that created it. Absent for versions created before this was recorded. */
    readonly madeBy?: string;
    /** What starts a run, as it was written. Only with `version`. */
    readonly trigger?: Readonly<Record<string, unknown>>;
    /** Steps of a run, as they were written. Only with `version`. */
    readonly steps?: readonly unknown[];
    /** When it was created. */
    readonly createdAt: string;
  }[];
  /** Whether there are older versions; continue with `beforeVersion`. */
  readonly hasMore: boolean;
};
