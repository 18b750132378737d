import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { secretContext } from '../../src/platform/outbound/sign.ts';
import { type DeliveryScene, setDeliveryScene } from '../support/make/delivery-scene.ts';
import { type DeliveryJson, deliveryOf, publish, waitForDelivery } from '../support/make/factories.ts';
import { serviceEvents } from '../support/make/system-channel.ts';
import { waitFor } from '../support/check/wait-for.ts';

// One failed try would be a dead letter: whatever uses up the policy is seen at once.
const ONE_TRY = { retryPolicy: { maxRetries: 0 } };

// A fault of ours is the same whether a first try is drained or has a Temporal workflow of its own.
describe.each(['off', '0'])('with the burst threshold %s', (threshold) => {
  let scene: DeliveryScene;
  beforeAll(async () => {
    scene = await setDeliveryScene(threshold);
  });
  afterEach(() => scene.endReceivers());
  afterAll(() => scene.end());

  const sql = (text: string, values: unknown[] = []) => scene.posthorn.deps.pool.query(text, values);
  const spoil = (subscriptionId: string, only = '') =>
    sql(
      `UPDATE subscription_secrets SET ciphertext = overlay(ciphertext PLACING 'AAAAAAAA' FROM 30) WHERE subscription_id = $1 ${only}`,
      [subscriptionId],
    );
  const held = (messageId: string, reason: string): Promise<DeliveryJson> =>
    waitFor(`delivery of ${messageId} held by ${reason}`, async () => {
      const delivery = await deliveryOf(scene.posthorn, messageId);
      return delivery?.held?.reason === reason && delivery;
    });
  const path = (subscriptionId: string): string => `/v1/subscriptions/${subscriptionId}`;
  const toldOf = async (subscriptionId: string) =>
    (await serviceEvents(scene.posthorn, 'subscription.secret_unreadable')).filter(
      (event) => event.subscriptionId === subscriptionId,
    );

  // Old: signing threw for every secret, ten times in a row, and the delivery was a dead letter without an attempt.
  test('a secret that does not open holds the delivery, visibly and told of once; rotating it sends within seconds', async () => {
    const { receiver, channelId, subscriptionId } = await scene.subscribed([200], ONE_TRY);
    await spoil(subscriptionId);

    const [first, second] = [await publish(scene.posthorn, channelId), await publish(scene.posthorn, channelId)];
    const [delivery] = [await held(first.id, 'secret_unreadable'), await held(second.id, 'secret_unreadable')];

    expect(delivery).toMatchObject({ status: 'pending', attempts: 0, error: { class: 'internal' } });
    expect(delivery.error?.message).toBe(
      'no signing secret of the subscription can be decrypted, so nothing was sent; rotate its secret',
    );
    expect(delivery.nextRetryAt).toBe(delivery.held?.until);
    // Several tries later there is still one event, the policy is whole and nothing has left.
    await waitFor('a later try', async () => {
      const { rows } = await sql('SELECT round FROM deliveries WHERE id = $1', [delivery.id]);
      return rows[0]?.round >= 4;
    });
    expect(await held(first.id, 'secret_unreadable')).toMatchObject({
      attempts: 0,
      held: { since: delivery.held?.since },
    });
    expect(await scene.deadLettersOf(subscriptionId)).toEqual([]);
    expect(receiver.requests).toEqual([]);
    const subscription = await scene.posthorn.request('GET', path(subscriptionId));
    expect(await toldOf(subscriptionId)).toEqual([
      { subscriptionId, channelId, since: subscription.body['secretUnreadableSince'] },
    ]);
    const secret = await scene.posthorn.request('GET', `${path(subscriptionId)}/secret`);
    expect([secret.status, secret.body]).toMatchObject([409, { error: { code: 'CONFLICT' } }]);
    expect(JSON.stringify(secret.body)).toContain('rotate');

    const rotated = await scene.posthorn.request<{ secret: string }>('POST', `${path(subscriptionId)}/secret/rotate`);

    expect(rotated.status).toBe(200);
    for (const { id } of [first, second]) {
      const delivered = await waitForDelivery(scene.posthorn, id, 'delivered', 15_000);
      expect(delivered).toMatchObject({ attempts: 1 });
      expect(delivered).not.toHaveProperty('held');
      expect(delivered).not.toHaveProperty('error');
    }
    expect((await scene.posthorn.request('GET', path(subscriptionId))).body).not.toHaveProperty(
      'secretUnreadableSince',
    );
    // Spoilt again, it is told of again.
    await spoil(subscriptionId);
    await held((await publish(scene.posthorn, channelId)).id, 'secret_unreadable');
    expect(await toldOf(subscriptionId)).toHaveLength(2);
  });

  // Old: one secret that did not open stopped the signing with the others.
  test('a newest secret that does not open leaves signing to the one before, only as long as their overlap', async () => {
    const { receiver, channelId, subscriptionId } = await scene.subscribed([200], ONE_TRY);
    const before = await scene.posthorn.request<{ secret: string }>('GET', `${path(subscriptionId)}/secret`);
    await scene.posthorn.request('POST', `${path(subscriptionId)}/secret/rotate`, { overlapHours: 1 });
    await spoil(subscriptionId, 'AND expires_at IS NULL');

    const signed = await publish(scene.posthorn, channelId);

    await waitForDelivery(scene.posthorn, signed.id, 'delivered');
    const [request] = receiver.requests;
    expect(() =>
      // As the sender has set them.
      new Webhook(before.body.secret).verify(request?.body ?? '', request?.headers as Record<string, string>),
    ).not.toThrow();
    expect(await toldOf(subscriptionId)).toEqual([]);

    await sql(
      `UPDATE subscription_secrets SET expires_at = now() WHERE subscription_id = $1 AND expires_at IS NOT NULL`,
      [subscriptionId],
    );
    await held((await publish(scene.posthorn, channelId)).id, 'secret_unreadable');
    expect(receiver.requests).toHaveLength(1);
  });

  test('a new worker tries again at once what a fault had held, however long its pause', async () => {
    const { receiver, channelId, subscriptionId } = await scene.subscribed([200], ONE_TRY);
    const { rows } = await sql('SELECT id, ciphertext FROM subscription_secrets WHERE subscription_id = $1', [
      subscriptionId,
    ]);
    await spoil(subscriptionId);
    const message = await publish(scene.posthorn, channelId);
    const { id } = await held(message.id, 'secret_unreadable');
    // As after half an hour of pauses.
    await scene.posthorn.worker.stop();
    await sql(
      `UPDATE deliveries SET held_since = now() - interval '30 minutes', due_at = now() + interval '30 minutes',
         next_retry_at = now() + interval '30 minutes' WHERE id = $1`,
      [id],
    );
    await sql('UPDATE subscription_secrets SET ciphertext = $2 WHERE id = $1', [rows[0]?.id, rows[0]?.ciphertext]);

    await scene.posthorn.worker.start();

    expect(await waitForDelivery(scene.posthorn, message.id, 'delivered', 20_000)).toMatchObject({ attempts: 1 });
    expect(receiver.requests).toHaveLength(1);
    expect((await scene.posthorn.request('GET', path(subscriptionId))).body).not.toHaveProperty(
      'secretUnreadableSince',
    );
  });

  // Old: ten tries within seconds and a dead letter with the reason of a receiver that fails; in a drain for ever, each minute.
  test('a bug that throws before the request holds the delivery; what it is stays out of the answer', async () => {
    const { receiver, channelId, subscriptionId } = await scene.subscribed([200], ONE_TRY);
    const { rows } = await sql('SELECT id, ciphertext FROM subscription_secrets WHERE subscription_id = $1', [
      subscriptionId,
    ]);
    // Opens, but signing throws.
    const useless = scene.posthorn.deps.keyRing.encrypt('nonsense', secretContext(String(rows[0]?.id)));
    await sql('UPDATE subscription_secrets SET ciphertext = $2 WHERE subscription_id = $1', [subscriptionId, useless]);

    const message = await publish(scene.posthorn, channelId);

    expect(await held(message.id, 'internal')).toMatchObject({
      status: 'pending',
      attempts: 0,
      error: { class: 'internal', message: 'an internal error; nothing was sent' },
    });
    expect(receiver.requests).toEqual([]);
    // A retry asked for by hand does not wait for the pause.
    await sql('UPDATE subscription_secrets SET ciphertext = $2 WHERE id = $1', [rows[0]?.id, rows[0]?.ciphertext]);
    const delivery = await deliveryOf(scene.posthorn, message.id);
    const retried = await scene.posthorn.request<DeliveryJson>('POST', `/v1/deliveries/${delivery?.id}/retry`);
    expect(retried.status).toBe(202);
    expect(retried.body).not.toHaveProperty('held');
    expect(await waitForDelivery(scene.posthorn, message.id, 'delivered')).toMatchObject({ attempts: 1 });
  });

  test('a result that cannot be recorded holds the delivery for a minute at least, and says that something was sent', async () => {
    const { receiver, channelId } = await scene.subscribed([200], ONE_TRY);
    await sql(`CREATE OR REPLACE FUNCTION refuse_recording() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'not this one'; END $$`);
    await sql(
      'CREATE TRIGGER refuse_recording BEFORE INSERT ON attempts FOR EACH ROW EXECUTE FUNCTION refuse_recording()',
    );
    const message = await publish(scene.posthorn, channelId);
    const delivery = await held(message.id, 'internal');
    await sql('DROP TRIGGER refuse_recording ON attempts');

    expect(delivery).toMatchObject({
      attempts: 0,
      error: {
        class: 'internal',
        message: 'an internal error; a request may have been sent, but its result was not recorded',
      },
    });
    expect(Date.parse(delivery.held?.until ?? '') - Date.parse(delivery.held?.since ?? '')).toBeGreaterThanOrEqual(
      60_000,
    );
    expect(receiver.requests).toHaveLength(1);
    await scene.posthorn.worker.stop();
    await scene.posthorn.worker.start();
    expect(await waitForDelivery(scene.posthorn, message.id, 'delivered')).toMatchObject({ attempts: 1 });
  });

  // Old: the second hold said that nothing was sent, and the request went out again after a second.
  test('where the first try to hold it is refused as well, the second one still knows that something was sent', async () => {
    const { receiver, channelId } = await scene.subscribed([200], ONE_TRY);
    await sql('CREATE SEQUENCE hold_tries');
    await sql(`CREATE FUNCTION refuse_twice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF TG_TABLE_NAME = 'attempts' OR nextval('hold_tries') = 1 THEN RAISE EXCEPTION 'not this one'; END IF; RETURN NEW; END $$`);
    await sql('CREATE TRIGGER refuse_record BEFORE INSERT ON attempts FOR EACH ROW EXECUTE FUNCTION refuse_twice()');
    await sql(`CREATE TRIGGER refuse_hold BEFORE UPDATE ON deliveries FOR EACH ROW
      WHEN (OLD.held_since IS NULL AND NEW.held_since IS NOT NULL) EXECUTE FUNCTION refuse_twice()`);
    const message = await publish(scene.posthorn, channelId);
    const delivery = await held(message.id, 'internal');
    const { rows } = await sql('SELECT last_value::int AS tries FROM hold_tries');
    await sql('DROP TRIGGER refuse_record ON attempts');
    await sql('DROP TRIGGER refuse_hold ON deliveries');
    await sql('DROP FUNCTION refuse_twice');
    await sql('DROP SEQUENCE hold_tries');

    expect(rows).toEqual([{ tries: 2 }]);
    expect(delivery.error?.message).toContain('a request may have been sent');
    expect(Date.parse(delivery.held?.until ?? '') - Date.parse(delivery.held?.since ?? '')).toBeGreaterThanOrEqual(
      60_000,
    );
    expect(receiver.requests).toHaveLength(1);
  });

  test('after seven days it is a dead letter that says so, is told of and can be replayed', async () => {
    const { receiver, channelId, subscriptionId } = await scene.subscribed([200], ONE_TRY);
    await spoil(subscriptionId);
    const message = await publish(scene.posthorn, channelId);
    const { id } = await held(message.id, 'secret_unreadable');

    await sql(`UPDATE deliveries SET held_since = now() - interval '7 days' WHERE id = $1`, [id]);

    expect(await waitForDelivery(scene.posthorn, message.id, 'failed')).toMatchObject({
      attempts: 0,
      reason: 'internal',
    });
    const [letter] = await scene.deadLettersOf(subscriptionId);
    expect(letter).toMatchObject({
      reason: 'internal',
      status: 'open',
      attempts: 0,
      lastError: { class: 'internal', message: expect.stringContaining('nothing was sent') },
    });
    const told = await serviceEvents(scene.posthorn, 'delivery.exhausted');
    expect(told.filter((event) => event.deliveryId === id)).toMatchObject([{ reason: 'internal', attempts: 0 }]);
    await scene.posthorn.request('POST', `${path(subscriptionId)}/secret/rotate`);
    expect((await scene.posthorn.request('POST', `/v1/dlq/${letter?.id}/replay`)).status).toBe(202);
    await waitForDelivery(scene.posthorn, message.id, 'delivered');
    expect(receiver.requests).toHaveLength(1);
  });
});
