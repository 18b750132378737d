import { expect, test } from '@jest/globals';
import { webhookChangeOf, webhookFields } from '../src/lib/webhook-fields.ts';

const webhook = {
  id: 'whk_1',
  name: 'Till',
  channelId: 'ch_1',
  scheme: 'hmac',
  status: 'active',
  signature: { header: 'X-Signature', toleranceSeconds: 60 },
  eventType: { cel: 'payload.kind' },
  payload: { fields: { total: '/data/amount' } },
  url: 'https://example.com',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
} as const;
const fields = webhookFields(webhook);
const changeBy = (written: Partial<typeof fields>) => webhookChangeOf({ ...fields, ...written }, written);

test('the fields of a webhook are texts, and a part that it does not map comes from where the sender has it', () => {
  expect(fields).toMatchObject({
    header: 'X-Signature',
    toleranceSeconds: '60',
    template: '',
    eventIdWay: 'default',
    eventId: '',
    eventTypeWay: 'cel',
    eventType: 'payload.kind',
    payloadWay: 'fields',
    payload: '{\n  "total": "/data/amount"\n}',
  });
});

test('only edited fields are changed: a signature as a whole, a part by its source', () => {
  expect(changeBy({ name: 'Till 2' })).toEqual({ name: 'Till 2' });
  expect(changeBy({ prefix: ' v1= ' })).toEqual({
    signature: { header: 'X-Signature', prefix: 'v1=', toleranceSeconds: 60 },
  });
  expect(changeBy({ eventIdWay: 'header', eventId: 'X-Id' })).toEqual({ eventId: { header: 'X-Id' } });
  expect(changeBy({ eventTypeWay: 'default', eventType: '' })).toEqual({ eventType: null });
  expect(changeBy({ payload: '{"sum": "/sum"}' })).toEqual({ payload: { fields: { sum: '/sum' } } });
  expect(changeBy({ payloadWay: 'pointer', payload: '/data' })).toEqual({ payload: { pointer: '/data' } });
});
