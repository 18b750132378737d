export const SCENARIO_NAMES = [
  'light',
  'burst',
  'fan-out',
  'fan-out-host',
  'fan-out-tls',
  'fan-out-go',
  'broadcast',
  'retries',
] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];
