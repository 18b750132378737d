import { describe, expect, test } from '@jest/globals';
import { blockedAddress, classifyError, dnsError, OutboundError, tlsError } from './error-class.ts';

const withCode = (code: string, message = '10.1.2.3:5432 says SSH-2.0-banner'): Error =>
  Object.assign(new Error(message), { code });

describe('a failure before an answer has a class', () => {
  test.each([
    ['ECONNREFUSED', 'connect'],
    ['ECONNRESET', 'connect'],
    ['ECONNABORTED', 'connect'],
    ['EPIPE', 'connect'],
    ['EHOSTUNREACH', 'connect'],
    ['ENETUNREACH', 'connect'],
    ['ETIMEDOUT', 'connect'],
    ['EADDRNOTAVAIL', 'connect'],
    ['EMFILE', 'connect'],
    ['UND_ERR_SOCKET', 'connect'],
    ['UND_ERR_HEADERS_OVERFLOW', 'protocol'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'protocol'],
    ['UND_ERR_INVALID_ARG', 'protocol'],
    ['ERR_ASSERTION', 'protocol'],
    ['HPE_INVALID_CONSTANT', 'protocol'],
    ['constructor', 'protocol'],
  ])('%s is %s', (code, expected) => {
    expect(classifyError(withCode(code)).class).toBe(expected);
  });

  test('an unrequested upgrade is protocol, although undici calls it a socket error', () => {
    expect(classifyError(withCode('UND_ERR_SOCKET', 'bad upgrade')).class).toBe('protocol');
    expect(classifyError(withCode('UND_ERR_SOCKET', 'bad response')).class).toBe('protocol');
    expect(classifyError(withCode('UND_ERR_SOCKET', 'other side closed')).class).toBe('connect');
  });

  test('an error of another realm is recognised by its code', () => {
    expect(classifyError({ code: 'ECONNREFUSED' })).toMatchObject({ class: 'connect' });
  });

  test('our own errors keep class and text', () => {
    expect(classifyError(new OutboundError('timeout', 'too late'))).toEqual({ class: 'timeout', message: 'too late' });
    expect(classifyError(blockedAddress())).toEqual({ class: 'blocked_address', message: 'blocked address' });
  });

  test.each([[undefined], [null], ['text'], [42], [{}], [new Error('no code')], [{ code: 7 }]])(
    '%p is protocol and does not throw',
    (thrown) => {
      expect(classifyError(thrown).class).toBe('protocol');
    },
  );
});

test('a certificate problem is named without its contents', () => {
  expect(tlsError(withCode('CERT_HAS_EXPIRED'))).toMatchObject({
    class: 'tls',
    message: 'the TLS certificate has expired',
  });
  expect(tlsError(withCode('ERR_TLS_CERT_ALTNAME_INVALID'))).toMatchObject({
    class: 'tls',
    message: 'the TLS certificate is for another host name',
  });
  expect(tlsError(withCode('ERR_SSL_WHATEVER'))).toMatchObject({
    class: 'tls',
    message: 'the TLS handshake failed',
  });
});

test('a name that does not exist, has no address, or cannot be looked up is dns', () => {
  expect(dnsError(withCode('ENOTFOUND'))).toMatchObject({ class: 'dns', message: 'the host name does not exist' });
  expect(dnsError(withCode('ENODATA'))).toMatchObject({ class: 'dns', message: 'the host name has no address' });
  expect(dnsError(withCode('ESERVFAIL'))).toMatchObject({
    class: 'dns',
    message: 'the host name could not be resolved',
  });
  expect(dnsError(undefined)).toMatchObject({ class: 'dns', message: 'the host name could not be resolved' });
});

test('no text repeats an address, a port or a banner of the network', () => {
  const codes = [
    'ECONNREFUSED',
    'ECONNRESET',
    'ETIMEDOUT',
    'UND_ERR_SOCKET',
    'HPE_INVALID_CONSTANT',
    'ERR_ASSERTION',
    'EWHATEVER',
  ];
  const texts = codes.flatMap((code) => {
    const error = withCode(code);
    return [classifyError(error).message, dnsError(error).message, tlsError(error).message];
  });
  expect(texts.join('\n')).not.toMatch(/\d+\.\d+\.\d+|5432|banner|SSH/);
});
