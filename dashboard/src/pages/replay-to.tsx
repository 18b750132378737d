export * from './replays/replay-to.tsx';
