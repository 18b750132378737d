import { describe, expect, test } from '@jest/globals';
import { readConfig } from './config.ts';

const SET = { OIDC_ISSUER: 'https://id.example/realms/acme', OIDC_CLIENT_ID: 'posthorn' };
const ORGANISATION = 'org_01jdk0000000000000000000ab';
const read = (variables: Record<string, string>) => readConfig(variables).singleSignOn;

describe('settings of single sign-on', () => {
  test('are undefined without a provider', () => {
    expect(read({})).toBeUndefined();
  });

  test('have defaults', () => {
    expect(read(SET)).toEqual({
      issuer: SET.OIDC_ISSUER,
      clientId: 'posthorn',
      name: 'single sign-on',
      scopes: 'openid email profile',
      isEmailTrusted: false,
      isOnly: false,
      groupsClaim: 'groups',
      groupRoles: [],
    });
  });

  test('accept roles of groups, whose names may contain spaces and symbols', () => {
    const OIDC_ROLES = `ops = admin, cn=staff dc=acme=viewer@${ORGANISATION},`;
    expect(read({ ...SET, OIDC_ROLES })?.groupRoles).toEqual([
      { group: 'ops', role: 'admin' },
      { group: 'cn=staff dc=acme', role: 'viewer', organisationId: ORGANISATION },
    ]);
  });

  test('accept a provider on this machine over plain http', () => {
    expect(read({ ...SET, OIDC_ISSUER: 'http://localhost:9000' })?.issuer).toBe('http://localhost:9000');
  });

  test.each([
    [{ OIDC_ISSUER: SET.OIDC_ISSUER }, 'set together'],
    [{ OIDC_CLIENT_SECRET: 'x' }, 'set together'],
    [{ OIDC_ONLY: 'true' }, 'require OIDC_ISSUER'],
    [{ OIDC_ROLES: 'a=admin' }, 'require OIDC_ISSUER'],
    [{ ...SET, OIDC_ISSUER: 'http://id.example' }, 'begins with https://'],
    [{ ...SET, OIDC_ISSUER: 'id.example' }, 'begins with https://'],
    [{ ...SET, OIDC_ISSUER: 'https://id.example/?a=b' }, 'without a query'],
    [{ ...SET, OIDC_ISSUER: 'https://a:b@id.example' }, 'without a query'],
    [{ ...SET, OIDC_SCOPES: 'email' }, 'must contain the scope openid'],
    [{ ...SET, OIDC_SCOPES: 'openid  email' }, 'single spaces'],
    [{ ...SET, OIDC_ROLES: 'ops=owner' }, 'contains ops=owner'],
    [{ ...SET, OIDC_ROLES: 'admin' }, 'contains admin'],
    [{ ...SET, OIDC_ROLES: 'ops=admin@acme' }, 'not the id of an organisation'],
    [{ ...SET, OIDC_ONLY: 'yes' }, 'true or false'],
  ])('refuse %j', (variables, message) => {
    expect(() => read(variables)).toThrow(message);
  });
});
