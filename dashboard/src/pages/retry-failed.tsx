export { RetryFailedRuns as RetryFailed } from './replays/retry-failed-runs.tsx';
