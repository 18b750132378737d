/** Choices of `npm run faults`, which come to jest as variables. */
export type FaultSettings = {
  seed: number;
  isLong: boolean;
  /** Time of all faults by chance together (F13). */
  randomMs: number;
  /** Temporal's development server, as `--development` says. */
  hasDevelopmentTemporal: boolean;
  /** File to which each scenario adds a line with its figures. */
  reportPath?: string;
};

export function readFaultSettings(): FaultSettings {
  const reportPath = process.env['POSTHORN_FAULTS_REPORT'];
  return {
    seed: Number(process.env['POSTHORN_FAULTS_SEED'] ?? 1),
    isLong: process.env['POSTHORN_FAULTS_LENGTH'] === 'long',
    randomMs: Number(process.env['POSTHORN_FAULTS_MINUTES'] ?? 2) * 60_000,
    hasDevelopmentTemporal: process.env['POSTHORN_FAULTS_TEMPORAL'] === 'development',
    ...(reportPath !== undefined && { reportPath }),
  };
}
