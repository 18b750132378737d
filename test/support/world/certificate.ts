import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** A certificate as PEM. A self-signed one, for a test's TLS server, is its own authority. `name` is its subject as DER. */
export type TestCertificate = { cert: string; key: string; name: Buffer };

const DAY_MS = 86_400_000;

// X.690 tags of what a certificate consists of.
const TAG = { boolean: 1, integer: 2, bitString: 3, octetString: 4, oid: 6, utf8: 12, time: 24, sequence: 48, set: 49 };
const OID = { ecdsaSha256: '2a8648ce3d040302', commonName: '550403', names: '551d11', constraints: '551d13' };

function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const size = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const oid = (hex: string): Buffer => der(TAG.oid, Buffer.from(hex, 'hex'));
const time = (date: Date): Buffer => der(TAG.time, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+Z/g, '')}Z`));
const extension = (id: string, value: Buffer): Buffer => der(TAG.sequence, oid(id), der(TAG.octetString, value));

/** An entry of subjectAltName: [2] a DNS name, [7] an address (RFC 5280 §4.2.1.6). */
const altName = (name: string): Buffer =>
  isIPv4(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name));

/**
 * Creates a certificate for `names` (host names or IPv4 addresses) that is valid around now, or as given. With an `issuer` it is signed
 * by that one and is not an authority: Temporal's SDK accepts no authority as a server's certificate.
 */
export function makeCertificate(
  names: readonly string[],
  { issuer, ...validity }: { notBefore?: Date; notAfter?: Date; issuer?: TestCertificate } = {},
): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const notBefore = validity.notBefore ?? new Date(Date.now() - DAY_MS);
  const notAfter = validity.notAfter ?? new Date(Date.now() + DAY_MS);
  // OpenSSL finds an authority by its name: two with the same name would hide each other.
  const commonName = Buffer.from(`posthorn test ${randomBytes(8).toString('hex')}`);
  const algorithm = der(TAG.sequence, oid(OID.ecdsaSha256));
  const name = der(TAG.sequence, der(TAG.set, der(TAG.sequence, oid(OID.commonName), der(TAG.utf8, commonName))));
  const isAuthority = der(TAG.sequence, der(TAG.boolean, Buffer.from([0xff])));
  const toSign = der(
    TAG.sequence,
    der(0xa0, der(TAG.integer, Buffer.from([2]))),
    der(TAG.integer, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    issuer?.name ?? name,
    der(TAG.sequence, time(notBefore), time(notAfter)),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(
      0xa3,
      der(
        TAG.sequence,
        ...(issuer === undefined ? [extension(OID.constraints, isAuthority)] : []),
        extension(OID.names, der(TAG.sequence, ...names.map(altName))),
      ),
    ),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', toSign, issuer?.key ?? privateKey)]);
  const certificate = der(TAG.sequence, toSign, algorithm, der(TAG.bitString, signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    name,
  };
}
