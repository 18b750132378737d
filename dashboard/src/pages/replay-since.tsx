export * from './replays/replay-since.tsx';
