import { describe, expect, test } from '@jest/globals';
import { readPerson, rolesByGroups } from './claims.ts';
import type { GroupRole } from '../../../platform/config/single-sign-on.ts';

const SETTINGS = { groupsClaim: 'groups', isEmailTrusted: false };
const claims = { iss: 'https://id.example', sub: 'n1', email: 'Nora@Example.com', email_verified: true };

describe('the user of an ID token', () => {
  test('has the address in lower case, and no groups if none are named', () => {
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

  test('has an unverified address if the operator trusts the provider, unless the provider says it is not verified', () => {
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

  test.each(['', 'x'.repeat(256), 'nöra', 'a\u0000b'])('is undefined without a valid subject: %j', (sub) => {
    expect(readPerson({ ...claims, sub }, SETTINGS)).toBeUndefined();
  });
});

const RULES: GroupRole[] = [
  { group: 'ops', role: 'admin' },
  { group: 'staff', role: 'viewer' },
  { group: 'staff', role: 'developer', organisationId: 'org_2' },
];

test.each([
  [['staff'], { org_1: 'viewer', org_2: 'developer' }],
  [['staff', 'ops'], { org_1: 'admin', org_2: 'developer' }],
  [['ops'], { org_1: 'admin', org_2: undefined }],
  [[], { org_1: undefined, org_2: undefined }],
])('groups %j give the highest role in each organisation that is named', (groups, wanted) => {
  expect(Object.fromEntries(rolesByGroups(groups, RULES, 'org_1'))).toEqual(wanted);
});

test('an entry without an organisation gives no role while there is no organisation', () => {
  expect([...rolesByGroups(['ops'], RULES, undefined).keys()]).toEqual(['org_2']);
});
