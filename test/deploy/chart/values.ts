export const LEAST = { settings: { TEMPORAL_ADDRESS: 'temporal:7233' } };
export const EVERYTHING = {
  settings: {
    TEMPORAL_ADDRESS: 'temporal:7233',
    PUBLIC_BASE_URL: 'https://posthorn.example.com',
    TRUSTED_PROXY_HOPS: 1,
    DELIVERIES_IN_FLIGHT: 100_000,
    DPOP_NONCES: true,
    OIDC_ISSUER: 'https://sso.example.com',
    OIDC_CLIENT_ID: 'posthorn',
    MAIL_FROM: 'Posthorn <posthorn@example.com>',
  },
  secrets: {
    DATABASE_URL: { name: 'orders-db-app', key: 'uri' },
    REDIS_URL: { key: 'redis' },
    SMTP_URL: { key: 'SMTP_URL' },
    OIDC_CLIENT_SECRET: { key: 'OIDC_CLIENT_SECRET' },
    OTEL_EXPORTER_OTLP_HEADERS: { key: 'OTEL_EXPORTER_OTLP_HEADERS' },
    TEMPORAL_API_KEY: { key: 'TEMPORAL_API_KEY' },
    TEMPORAL_CODEC_KEYS: { key: 'TEMPORAL_CODEC_KEYS' },
    DIRECT_DATABASE_URL: { key: 'DIRECT_DATABASE_URL' },
  },
  temporalTls: { existingSecret: 'temporal-tls' },
  imagePullSecrets: [{ name: 'registry' }],
  extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/authority/ca.crt' }],
  extraVolumes: [{ name: 'authority', configMap: { name: 'authority' } }],
  extraVolumeMounts: [{ name: 'authority', mountPath: '/etc/authority', readOnly: true }],
  api: {
    settings: { LOG_LEVEL: 'debug' },
    autoscaling: { enabled: true },
    podAnnotations: { 'example.com/team': 'orders' },
    podLabels: { team: 'orders' },
    nodeSelector: { 'kubernetes.io/arch': 'amd64' },
    tolerations: [{ key: 'messages', operator: 'Exists', effect: 'NoSchedule' }],
    priorityClassName: 'high',
  },
  worker: {
    autoscaling: {
      enabled: true,
      backlogAge: { enabled: true, prometheusAddress: 'http://prometheus:9090', authenticationRef: 'prometheus' },
    },
    affinity: { podAntiAffinity: {} },
  },
  migrate: { podAnnotations: { 'sidecar.istio.io/inject': 'false' } },
  service: { annotations: { 'example.com/name': 'posthorn' } },
  serviceAccount: { annotations: { 'example.com/role': 'none' } },
  ingress: {
    enabled: true,
    className: 'nginx',
    host: 'posthorn.example.com',
    tlsSecret: 'posthorn-tls',
    annotations: { 'nginx.ingress.kubernetes.io/proxy-body-size': '6m' },
  },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  networkPolicy: {
    enabled: true,
    apiFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    egress: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] } }] }],
  },
};
export const CPU = {
  ...LEAST,
  worker: { autoscaling: { enabled: true } },
  networkPolicy: { enabled: true },
  secretsAs: 'environment',
};

/** Values of the chart that are tried. */
export const VALUES: readonly (readonly [name: string, values: object])[] = [
  ['the least values', LEAST],
  ['every part switched on', EVERYTHING],
  ['processors alone, and secrets as variables', CPU],
];
