import { hmac, pairs, behind } from '../schemes/hmac.ts';
import { at, type Provider, header, first } from './provider.ts';
import { withMember } from '../schemes/pointer.ts';
import { requireFresh } from '../schemes/reading.ts';
import { type SignatureCheck, SignatureRefused, type SignSample } from '../schemes/scheme.ts';
import { standard } from './general.ts';
import { token } from '../schemes/token.ts';

export const bitbucket: Provider = {
  name: 'bitbucket',
  title: 'Bitbucket',
  scheme: 'hmac',
  ...hmac({ header: 'x-hub-signature', form: behind('sha256=') }),
  makesSecret: true,
  eventId: header('x-request-uuid'),
  eventType: header('x-event-key'),
  sample: ({ id }) => ({
    headers: { 'X-Request-UUID': id, 'X-Event-Key': 'repo:push' },
    body: {
      actor: { display_name: 'Ada', type: 'user' },
      repository: { full_name: 'acme/shop', type: 'repository' },
      push: { changes: [{ new: { type: 'branch', name: 'main' }, created: false, closed: false }] },
    },
  }),
};

/**
 * For webhooks that sign their requests. For a plain token use the scheme `token` with the header X-Buildkite-Token.
 */
export const buildkite: Provider = {
  name: 'buildkite',
  title: 'Buildkite',
  scheme: 'hmac',
  ...hmac({
    header: 'x-buildkite-signature',
    form: pairs({ time: 'timestamp', signature: 'signature' }),
    signed: ({ bytes }, timestamp) => [`${timestamp}.`, bytes],
  }),
  eventType: header('x-buildkite-event'),
  sample: ({ id }) => ({
    headers: { 'X-Buildkite-Event': 'build.finished' },
    body: {
      event: 'build.finished',
      build: { id, number: 27, state: 'passed', branch: 'main', message: 'Sort the list' },
      pipeline: { name: 'shop', slug: 'shop' },
    },
  }),
};

export const circleci: Provider = {
  name: 'circleci',
  title: 'CircleCI',
  scheme: 'hmac',
  ...hmac({ header: 'circleci-signature', form: pairs({ signature: 'v1' }) }),
  makesSecret: true,
  eventId: at('/id'),
  eventType: at('/type'),
  sample: ({ id, now }) => ({
    headers: { 'Circleci-Event-Type': 'workflow-completed' },
    body: {
      type: 'workflow-completed',
      id,
      happened_at: now.toISOString(),
      workflow: { name: 'build-and-test', status: 'success' },
      pipeline: { number: 27, vcs: { branch: 'main' } },
      project: { name: 'shop', slug: 'github/acme/shop' },
    },
  }),
};

const githubEvent = header('x-github-event');

export const github: Provider = {
  name: 'github',
  title: 'GitHub',
  scheme: 'github',
  ...hmac({ header: 'x-hub-signature-256', form: behind('sha256=') }),
  makesSecret: true,
  eventId: header('x-github-delivery'),
  eventType: githubEvent,
  // GitHub sends a ping once for a new webhook.
  handshake: (incoming) => (githubEvent(incoming) === 'ping' ? { answer: { received: true } } : undefined),
  // For the content type application/x-www-form-urlencoded.
  jsonField: 'payload',
  sample: ({ id }) => ({
    headers: { 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': id },
    body: {
      ref: 'refs/heads/main',
      before: '6113728f27ae82c7b1a177c8d03f9e96e0adf246',
      after: '1481a2de7b2a7d02428ad93446ab166be7793fbb',
      repository: { id: 1296269, name: 'shop', full_name: 'acme/shop', private: true },
      pusher: { name: 'ada', email: 'ada@example.com' },
      commits: [{ id: '1481a2de7b2a7d02428ad93446ab166be7793fbb', message: 'Sort the list', added: ['list.ts'] }],
    },
  }),
};

/** A push, as sent with both of GitLab's methods. */
const gitlabPush = {
  object_kind: 'push',
  event_name: 'push',
  ref: 'refs/heads/main',
  user_username: 'ada',
  project: { id: 15, name: 'shop', path_with_namespace: 'acme/shop' },
  commits: [{ id: 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7', message: 'Sort the list' }],
  total_commits_count: 1,
};

/** GitLab with a secret token, which it sends in plain text. */
export const gitlab: Provider = {
  name: 'gitlab',
  title: 'GitLab',
  scheme: 'gitlab',
  ...token('x-gitlab-token'),
  makesSecret: true,
  eventId: header('idempotency-key'),
  eventType: header('x-gitlab-event'),
  sample: ({ id }) => ({
    headers: { 'X-Gitlab-Event': 'Push Hook', 'Idempotency-Key': id },
    body: gitlabPush,
  }),
};

const { makesSecret: _, ...like } = standard;

/** GitLab with a signing token, which follows Standard Webhooks. Prefer it to the plain token of `gitlab`. */
export const gitlabSigned: Provider = {
  ...like,
  name: 'gitlab-signed',
  title: 'GitLab (signing token)',
  eventId: first(header('webhook-id'), header('idempotency-key')),
  eventType: header('x-gitlab-event'),
  sample: () => ({
    headers: { 'X-Gitlab-Event': 'Push Hook' },
    body: gitlabPush,
  }),
};

export const jira: Provider = {
  name: 'jira',
  title: 'Jira',
  scheme: 'hmac',
  ...hmac({ header: 'x-hub-signature', form: behind('sha256=') }),
  makesSecret: true,
  eventId: header('x-atlassian-webhook-identifier'),
  eventType: at('/webhookEvent'),
  sample: ({ id, now }) => ({
    headers: { 'X-Atlassian-Webhook-Identifier': id },
    body: {
      timestamp: now.getTime(),
      webhookEvent: 'jira:issue_updated',
      user: { displayName: 'Ada Example' },
      issue: { id: '10002', key: 'SHOP-7', fields: { summary: 'Sort the list', status: { name: 'In Progress' } } },
    },
  }),
};

export const launchdarkly: Provider = {
  name: 'launchdarkly',
  title: 'LaunchDarkly',
  scheme: 'hmac',
  ...hmac({ header: 'x-ld-signature' }),
  makesSecret: true,
  eventId: at('/_id'),
  eventType: at('/kind'),
  sample: ({ id, now }) => ({
    body: {
      _id: id,
      kind: 'flag',
      date: now.getTime(),
      name: 'New checkout',
      titleVerb: 'turned on the flag',
      member: { email: 'ada@example.com', firstName: 'Ada' },
    },
  }),
};

const linearHmac = hmac({ header: 'linear-signature' });
const linearSentAt = at('/webhookTimestamp');
/** As Linear recommends. */
const TOLERANCE_SECONDS = 60;

/** The timestamp is a field of the signed body. */
const checkLinear: SignatureCheck = async (incoming, secrets, context) => {
  await linearHmac.check(incoming, secrets, context);
  const timestamp = linearSentAt(incoming);
  if (timestamp === undefined) throw new SignatureRefused('signature_malformed', 'webhookTimestamp is missing');
  requireFresh(timestamp, { now: context.now, unit: 'milliseconds', tolerance: TOLERANCE_SECONDS });
  return {};
};

/** The body of a sample may be old, so its timestamp is set to the current time before signing. */
const signLinear: SignSample = (incoming, proof) => {
  const body = withMember(incoming.bytes.toString(), 'webhookTimestamp', String(proof.now.getTime()));
  return { ...linearHmac.sign({ ...incoming, bytes: Buffer.from(body) }, proof), body };
};

export const linear: Provider = {
  name: 'linear',
  title: 'Linear',
  scheme: 'hmac',
  check: checkLinear,
  sign: signLinear,
  eventId: header('linear-delivery'),
  eventType: header('linear-event'),
  sample: ({ id, now }) => ({
    headers: { 'Linear-Delivery': id, 'Linear-Event': 'Issue' },
    body: {
      action: 'create',
      type: 'Issue',
      createdAt: now.toISOString(),
      data: { id: '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9', identifier: 'SHOP-7', title: 'Sort the list', priority: 2 },
      url: 'https://linear.app/acme/issue/SHOP-7',
      webhookTimestamp: now.getTime(),
    },
  }),
};

export const pagerduty: Provider = {
  name: 'pagerduty',
  title: 'PagerDuty',
  scheme: 'hmac',
  ...hmac({ header: 'x-pagerduty-signature', form: pairs({ signature: 'v1' }) }),
  eventId: at('/event/id'),
  eventType: at('/event/event_type'),
  sample: ({ id, now }) => ({
    body: {
      event: {
        id,
        event_type: 'incident.triggered',
        resource_type: 'incident',
        occurred_at: now.toISOString(),
        data: { id: 'PGR0VU2', type: 'incident', title: 'The shop is slow', status: 'triggered', urgency: 'high' },
      },
    },
  }),
};

/** The timestamp header is not signed and therefore not checked. */
export const sentry: Provider = {
  name: 'sentry',
  title: 'Sentry',
  scheme: 'hmac',
  ...hmac({ header: 'sentry-hook-signature' }),
  eventId: header('request-id'),
  eventType: header('sentry-hook-resource'),
  sample: ({ id }) => ({
    headers: { 'Request-ID': id, 'Sentry-Hook-Resource': 'issue' },
    body: {
      action: 'created',
      data: { issue: { id: '1170820242', shortId: 'SHOP-1', title: 'TypeError: x is undefined', level: 'error' } },
      actor: { type: 'application', id: 'sentry', name: 'Sentry' },
    },
  }),
};

export const vercel: Provider = {
  name: 'vercel',
  title: 'Vercel',
  scheme: 'hmac',
  ...hmac({ header: 'x-vercel-signature', algorithm: 'sha1' }),
  eventId: at('/id'),
  eventType: at('/type'),
  sample: ({ id, now }) => ({
    body: {
      id,
      type: 'deployment.succeeded',
      createdAt: now.getTime(),
      region: null,
      payload: { deployment: { id: 'dpl_1', name: 'shop', url: 'shop.example.com' }, target: 'production' },
    },
  }),
};
