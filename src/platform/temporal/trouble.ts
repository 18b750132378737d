import { NotReady } from '../../kernel/errors.ts';
import { type TemporalSettings, connectToTemporal } from './connection.ts';
import { GRPC_STATUS, grpcStatusOf } from './grpc-status.ts';
import { promises as timers } from 'node:timers';
import type { Waiting } from '../readiness/readiness.ts';

type Trouble = {
  status?: readonly number[];
  says?: RegExp;
  /** `text` is the SDK's. */
  advice: (settings: TemporalSettings, text: string) => string;
  isLasting: boolean;
};

/** gRPC statuses and messages of the SDK's native library, with the setting that is wrong; the first match is used. */
const TROUBLES: readonly Trouble[] = [
  {
    status: [GRPC_STATUS.unauthenticated, GRPC_STATUS.permissionDenied],
    says: /valid authentication credentials|does not have permission|AccessDenied/,
    advice: ({ address, namespace, apiKey }) =>
      apiKey === undefined
        ? `TEMPORAL_API_KEY: ${address} does not allow access to the namespace ${namespace} without credentials; set it, or TEMPORAL_TLS_CERT_FILE and TEMPORAL_TLS_KEY_FILE`
        : `TEMPORAL_API_KEY: ${address} does not allow this key access to the namespace ${namespace}; correct it, or TEMPORAL_NAMESPACE`,
    isLasting: true,
  },
  {
    status: [GRPC_STATUS.invalidArgument],
    advice: ({ address, namespace }) =>
      `TEMPORAL_NAMESPACE: ${address} does not accept the namespace ${namespace}; correct it`,
    isLasting: true,
  },
  {
    says: /CertificateRequired|HandshakeFailure|BadCertificate|UnknownCA|certificate required/,
    advice: ({ address }) =>
      `TEMPORAL_TLS_CERT_FILE: ${address} requires a client certificate that it knows; set it and TEMPORAL_TLS_KEY_FILE, or correct them`,
    isLasting: true,
  },
  {
    says: /NotValidForName/,
    advice: ({ address, tls }, text) =>
      `TEMPORAL_TLS_SERVER_NAME: ${address} has a certificate for ${namesIn(text)}, not for ${tls?.serverNameOverride ?? hostOf(address)}; set it to a name in that certificate`,
    isLasting: true,
  },
  {
    says: /InvalidCertificate|UnknownIssuer|CertExpired/,
    advice: ({ address }) =>
      `TEMPORAL_TLS_CA_FILE: ${address} has a certificate that is not trusted here; set it to the file of the authority that signed it`,
    isLasting: true,
  },
  {
    says: /InvalidContentType|InvalidMessage/,
    advice: ({ address, apiKey }) =>
      apiKey === undefined
        ? `TEMPORAL_TLS: ${address} does not use TLS; unset every TEMPORAL_TLS setting, or correct TEMPORAL_ADDRESS`
        : `TEMPORAL_API_KEY: it implies TLS, which ${address} does not use; unset it, or correct TEMPORAL_ADDRESS`,
    isLasting: true,
  },
  {
    says: /Connection refused|ConnectionRefused/,
    advice: ({ address }) =>
      `TEMPORAL_ADDRESS: nothing listens at ${address}; start Temporal there, or correct the address`,
    isLasting: false,
  },
  {
    says: /dns error|lookup address/,
    advice: ({ address }) => `TEMPORAL_ADDRESS: the host name of ${address} cannot be resolved; correct it`,
    isLasting: false,
  },
  {
    says: /Http2|h2 protocol|FRAME_SIZE|GoAway/,
    advice: ({ address }) => `TEMPORAL_ADDRESS: something other than Temporal listens at ${address}; correct it`,
    isLasting: false,
  },
  {
    says: /broken pipe|BrokenPipe|reset by peer|ConnectionReset|stream closed|unexpected end|UnexpectedEof/i,
    advice: ({ address, tls }) => {
      if (tls === undefined)
        return `TEMPORAL_ADDRESS: ${address} closes the connection; set TEMPORAL_TLS to true if the server requires TLS`;
      // Some servers do not say that they reject a certificate.
      return tls.clientCertPair === undefined
        ? `TEMPORAL_TLS_CERT_FILE: ${address} closes the connection; set it and TEMPORAL_TLS_KEY_FILE if the server requires a client certificate`
        : `TEMPORAL_TLS_CERT_FILE: ${address} closes the connection; check in its log whether it knows this certificate's authority`;
    },
    isLasting: false,
  },
];

const hostOf = (address: string): string => address.slice(0, address.lastIndexOf(':'));

/** The names in a certificate, as the SDK's text lists them: `presented: ["DnsName(\"temporal.example\")"]`. */
function namesIn(text: string): string {
  const presented = text.slice(text.indexOf('presented:'));
  const names = [...presented.matchAll(/\w+\(\\?"([^"\\]+)\\?"\)/g)].map(([, name = '']) => name);
  return names.length === 0 ? 'another name' : names.join(', ');
}

/** One sentence about a failure to reach Temporal or its namespace: the setting, and the remedy. */
export function temporalTrouble(failure: unknown, settings: TemporalSettings): NotReady {
  const status = grpcStatusOf(failure);
  const text = String(failure);
  const trouble = TROUBLES.find(
    (each) => (typeof status === 'number' && each.status?.includes(status)) || each.says?.test(text),
  );
  return new NotReady('Temporal cannot be reached', {
    advice: trouble?.advice(settings, text) ?? `TEMPORAL_ADDRESS: ${settings.address} does not respond; check its log`,
    isLasting: trouble?.isLasting ?? false,
    cause: failure,
  });
}

// Pause between checks: a server takes seconds to start, and each check is a connection.
const LOOK_EVERY_MS = 1_000;

/**
 * Returns once Temporal responds and allows access to the namespace, which need not exist yet. While Temporal is unavailable, logs one
 * line per reason. A problem that only another setting can fix is thrown as one sentence. Rejects with the signal's reason if it is
 * aborted.
 */
export async function untilTemporalAnswers(settings: TemporalSettings, { tell, signal }: Waiting): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await ask(settings);
    } catch (failure) {
      const trouble = temporalTrouble(failure, settings);
      if (trouble.isLasting) throw new Error(trouble.advice, { cause: failure });
      tell(`${trouble.advice}; waiting for it`, trouble);
    }
    // An aborted sleep rejects with its own error; the loop throws the signal's reason.
    await timers.setTimeout(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function ask(settings: TemporalSettings): Promise<void> {
  const { client, close } = await connectToTemporal(settings);
  try {
    await client.workflowService.describeNamespace({ namespace: settings.namespace });
  } catch (failure) {
    if (grpcStatusOf(failure) !== GRPC_STATUS.notFound) throw failure;
  } finally {
    await close();
  }
}
