import { describe, expect, test } from '@jest/globals';
import { readPerson } from './claims.ts';

const SETTINGS = { groupsClaim: 'groups', isEmailTrusted: false };
const claims = { iss: 'https://id.example', sub: 'n1', email: 'Nora@Example.com', email_verified: true };

describe('the person of an ID token', () => {
  test('has an address in lower case, and no groups where none are named', () => {
    expect(readPerson(claims, SETTINGS)).toEqual({
      issuer: 'https://id.example',
      subject: 'n1',
      email: 'nora@example.com',
      name: 'nora@example.com',
      groups: [],
    });
  });

  test.each([
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
    [1, false],
    [undefined, false],
  ])('has an address only where the provider has checked it: %j', (email_verified, isThere) => {
    expect(readPerson({ ...claims, email_verified }, SETTINGS)?.email !== undefined).toBe(isThere);
  });

  test('has an unchecked address where the operator trusts the provider, unless that says it is not', () => {
    const trusting = { ...SETTINGS, isEmailTrusted: true };
    expect(readPerson({ ...claims, email_verified: undefined }, trusting)?.email).toBe('nora@example.com');
    expect(readPerson({ ...claims, email_verified: false }, trusting)?.email).toBeUndefined();
  });

  test.each([
    ['Nora', undefined, 'Nora'],
    [undefined, 'nora', 'nora'],
    ['', 'nora', 'nora'],
    ['a\u0007b', undefined, 'nora@example.com'],
    [['Nora'], undefined, 'nora@example.com'],
  ])('has a name for people: %j, %j', (name, preferred_username, wanted) => {
    expect(readPerson({ ...claims, name, preferred_username }, SETTINGS)?.name).toBe(wanted);
  });

  test.each([
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    ['a', ['a']],
    [[1, 'a', null], ['a']],
    [{ a: 1 }, []],
  ])('has groups from the claim of the settings: %j', (roles, wanted) => {
    expect(readPerson({ ...claims, roles }, { ...SETTINGS, groupsClaim: 'roles' })?.groups).toEqual(wanted);
  });

  test.each(['', 'x'.repeat(256), 'nöra', 'a\u0000b'])('is nobody without a good subject: %j', (sub) => {
    expect(readPerson({ ...claims, sub }, SETTINGS)).toBeUndefined();
  });
});
