import { expect, test } from '@jest/globals';
import type { GroupRole } from '../../../platform/config/single-sign-on.ts';
import { rolesByGroups } from './group-roles.ts';

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

test('an entry without an organisation is for nobody while there is none', () => {
  expect([...rolesByGroups(['ops'], RULES, undefined).keys()]).toEqual(['org_2']);
});
