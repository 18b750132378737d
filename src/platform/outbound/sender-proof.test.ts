import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createSenderProofs } from './sender-proof.ts';

const [newer, older] = [randomBytes(32), randomBytes(32)];
const proofsBy = (...keys: Buffer[]) => createSenderProofs({ derive: () => keys });

test('a proof names its sender to every process that has its key, also behind a newer one', () => {
  const value = proofsBy(older).of('sub_1');
  expect(proofsBy(newer, older).senderOf(value)).toBe('sub_1');
  expect(proofsBy(newer).senderOf(value)).toBeUndefined();
});

test.each(['', '.', 'sub_1', 'sub_1.', `sub_1.${'A'.repeat(43)}`, 'é.ü'])('%j proves nothing', (value) => {
  expect(proofsBy(newer).senderOf(value)).toBeUndefined();
});

test('a proof of one sender is none of another', () => {
  const proofs = proofsBy(newer);
  const [, mac] = proofs.of('sub_1').split('.');
  expect(proofs.senderOf(`sub_2.${mac}`)).toBeUndefined();
});
