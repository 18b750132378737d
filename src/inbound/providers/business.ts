import { hmac, behind, pairs } from '../schemes/hmac.ts';
import { at, header, type Provider, withContent } from './provider.ts';
import type { Incoming } from '../schemes/scheme.ts';

export const calendly: Provider = {
  name: 'calendly',
  title: 'Calendly',
  scheme: 'hmac',
  ...hmac({
    header: 'calendly-webhook-signature',
    form: pairs({ time: 't', signature: 'v1' }),
    signed: ({ bytes }, timestamp) => [`${timestamp}.`, bytes],
  }),
  eventType: at('/event'),
  sample: ({ id, now }) => ({
    body: {
      event: 'invitee.created',
      created_at: now.toISOString(),
      payload: {
        uri: `https://api.calendly.com/scheduled_events/EV1/invitees/${id}`,
        name: 'Ada Example',
        email: 'ada@example.com',
        status: 'active',
      },
    },
  }),
};

/**
 * Returns the events of a request without `attemptNumber`, the only part that differs when HubSpot repeats the request.
 */
function repeated(incoming: Incoming): string {
  const { events } = incoming.content().value;
  return JSON.stringify(events, (name, value: unknown) => (name === 'attemptNumber' ? undefined : value));
}

/** Version 3 signatures, over method, URL, body and time. */
export const hubspot: Provider = {
  name: 'hubspot',
  title: 'HubSpot',
  scheme: 'hmac',
  ...hmac({
    header: 'x-hubspot-signature-v3',
    encoding: 'base64',
    timestampHeader: 'x-hubspot-request-timestamp',
    timestampUnit: 'milliseconds',
    signed: ({ url, bytes }, timestamp) => [`POST${url}`, bytes, timestamp],
  }),
  // HubSpot does not guarantee unique ids, and the id of the first event does not identify the others in the array.
  eventId: withContent(at('/events/0/eventId'), repeated),
  eventType: at('/events/0/subscriptionType'),
  sample: ({ number, now }) => ({
    body: [
      {
        eventId: number,
        subscriptionId: 12345,
        portalId: 62515,
        occurredAt: now.getTime(),
        subscriptionType: 'contact.creation',
        attemptNumber: 0,
        objectId: 123,
        changeSource: 'CRM',
      },
    ],
  }),
};

export const intercom: Provider = {
  name: 'intercom',
  title: 'Intercom',
  scheme: 'hmac',
  ...hmac({ header: 'x-hub-signature', algorithm: 'sha1', form: behind('sha1=') }),
  eventId: at('/id'),
  eventType: at('/topic'),
  sample: ({ id, now }) => ({
    body: {
      type: 'notification_event',
      id,
      topic: 'conversation.user.created',
      app_id: 'abc123',
      created_at: Math.floor(now.getTime() / 1_000),
      data: { item: { type: 'conversation', id: '1234', state: 'open', title: 'A question' } },
    },
  }),
};

export const typeform: Provider = {
  name: 'typeform',
  title: 'Typeform',
  scheme: 'hmac',
  ...hmac({ header: 'typeform-signature', encoding: 'base64', form: behind('sha256=') }),
  makesSecret: true,
  eventId: at('/event_id'),
  eventType: at('/event_type'),
  sample: ({ id, now }) => ({
    body: {
      event_id: id,
      event_type: 'form_response',
      form_response: {
        form_id: 'lT4Z3j',
        submitted_at: now.toISOString(),
        answers: [{ type: 'text', text: 'Ada', field: { id: 'DlXFaesGBpoF', type: 'short_text' } }],
      },
    },
  }),
};

export const webflow: Provider = {
  name: 'webflow',
  title: 'Webflow',
  scheme: 'hmac',
  ...hmac({
    header: 'x-webflow-signature',
    timestampHeader: 'x-webflow-timestamp',
    timestampUnit: 'milliseconds',
    signed: ({ bytes }, timestamp) => [`${timestamp}:`, bytes],
  }),
  eventType: at('/triggerType'),
  sample: ({ id, now }) => ({
    body: {
      triggerType: 'form_submission',
      payload: { id, name: 'Contact', submittedAt: now.toISOString(), data: { name: 'Ada', email: 'ada@example.com' } },
    },
  }),
};

export const zendesk: Provider = {
  name: 'zendesk',
  title: 'Zendesk',
  scheme: 'hmac',
  ...hmac({
    header: 'x-zendesk-webhook-signature',
    encoding: 'base64',
    timestampHeader: 'x-zendesk-webhook-signature-timestamp',
    timestampUnit: 'iso8601',
    signed: ({ bytes }, timestamp) => [timestamp, bytes],
  }),
  eventId: header('x-zendesk-webhook-invocation-id'),
  eventType: at('/type'),
  sample: ({ id, now }) => ({
    headers: { 'X-Zendesk-Webhook-Invocation-Id': id },
    body: {
      type: 'zen:event-type:user.created',
      id: 'cbe4028c-7239-495d-b020-f22348516046',
      account_id: 22129848,
      time: now.toISOString(),
      zendesk_event_version: '2022-06-20',
      subject: 'zen:user:6596848315901',
      detail: { id: '6596848315901', email: 'ada@example.com', role: 'end-user' },
    },
  }),
};
