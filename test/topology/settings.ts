import { execFileSync } from 'node:child_process';

// The faults are to be met by each kind of request, on a machine that two other programs use as well.
const USUAL_RATE = 25;

/** Choices of `npm run faults`, which come to jest as variables. */
export type FaultSettings = {
  seed: number;
  isLong: boolean;
  /** Time of all faults by chance together (F13). */
  randomMs: number;
  /** Publications a second, about: a pause between them makes it. */
  rate: number;
  /** Temporal's development server and a proxy of our own, as `--development` says. */
  isDevelopment: boolean;
  /** File to which each scenario adds a line with its figures. */
  reportPath?: string;
};

/** The commit whose tests run. */
export function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'unknown (no git here)';
  }
}

export function readFaultSettings(): FaultSettings {
  const reportPath = process.env['POSTHORN_FAULTS_REPORT'];
  return {
    seed: Number(process.env['POSTHORN_FAULTS_SEED'] ?? 1),
    isLong: process.env['POSTHORN_FAULTS_LENGTH'] === 'long',
    randomMs: Number(process.env['POSTHORN_FAULTS_MINUTES'] ?? 2) * 60_000,
    rate: Number(process.env['POSTHORN_FAULTS_RATE'] ?? USUAL_RATE),
    isDevelopment: process.env['POSTHORN_FAULTS_PARTS'] === 'development',
    ...(reportPath !== undefined && { reportPath }),
  };
}
