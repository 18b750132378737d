import { describe, expect, test } from '@jest/globals';
import { ROLES, type Role } from '../../../kernel/words/rights.ts';
import { lackingRole, losesLastOwner } from './access.ts';

const change = (actor: Role, target: Role, wanted: Role | undefined, isSelf = false) => ({
  actor,
  target,
  wanted,
  isSelf,
});

describe('a change of a member', () => {
  test.each(ROLES)('by a %s requires at least an admin, and an owner if an owner is changed or created', (actor) => {
    const isAdmin = actor === 'admin' || actor === 'owner';
    for (const target of ROLES) {
      for (const wanted of [...ROLES, undefined]) {
        const needed = target === 'owner' || wanted === 'owner' ? 'owner' : 'admin';
        const isAllowed = needed === 'owner' ? actor === 'owner' : isAdmin;
        expect([target, wanted, lackingRole(change(actor, target, wanted))]).toEqual([
          target,
          wanted,
          isAllowed ? undefined : needed,
        ]);
      }
    }
  });

  test("cannot raise one's own role, and anyone can leave", () => {
    for (const role of ROLES) expect(lackingRole(change(role, role, undefined, true))).toBeUndefined();
    expect(lackingRole(change('admin', 'admin', 'owner', true))).toBe('owner');
    expect(lackingRole(change('viewer', 'viewer', 'developer', true))).toBe('admin');
  });

  test('cannot remove or demote the last owner', () => {
    expect(losesLastOwner(change('owner', 'owner', 'admin'), 1)).toBe(true);
    expect(losesLastOwner(change('owner', 'owner', undefined, true), 1)).toBe(true);
    expect(losesLastOwner(change('owner', 'owner', undefined), 2)).toBe(false);
    expect(losesLastOwner(change('owner', 'owner', 'owner'), 1)).toBe(false);
    expect(losesLastOwner(change('owner', 'admin', undefined), 1)).toBe(false);
  });
});
